"""Convert results to plain JSON values."""

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any


def json_values(value: Any) -> Any:  # noqa: ANN401 - nested at will
    """Return a value as plain JSON, with fractions as text, and results as their method `as_json` returns them."""
    if isinstance(value, Mapping):
        return {key: json_values(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(each) for each in value]
    return str(value) if isinstance(value, Fraction) else getattr(value, "as_json", value)


class JsonResult:
    """Base class of dataclasses whose JSON form is an object with all attributes."""

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the attributes in order, as plain JSON values."""
        return {each.name: json_values(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type] # of a dataclass
