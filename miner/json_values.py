"""Convert results to plain JSON values."""

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any


def json_values(value: Any) -> Any:  # noqa: ANN401 - nested at will
    """Return plain JSON values: results by their `as_json`, fractions as text, and tables and lists of such values."""
    if isinstance(value, Mapping):
        return {key: json_values(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(each) for each in value]
    return str(value) if isinstance(value, Fraction) else getattr(value, "as_json", value)


class JsonResult:
    """Dataclass that is printed as its attributes."""

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the attributes in order, as plain JSON values."""
        return {each.name: json_values(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type] # of a dataclass
