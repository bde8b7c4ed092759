"""Say where printed figures are from: survey, versions, what was asked, responses, and the version of the program.

Nothing else is said: no seed, time, path or user, and no digest of responses, by which a guess could be checked.
"""

from __future__ import annotations

from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from collector.commands.command import print_json

if TYPE_CHECKING:  # these bring numpy with them
    from collections.abc import Callable

    from collector.survey.survey import Survey

OF_RULES = ("min_support", "min_confidence", "longest")
ASKED = (
    *("condition", "formula", "names", "evens", "row", "column", "layer", "first", "second", "by", "among", "family"),
    *OF_RULES,
)
"""Parameters of commands that say what was asked."""
SHOWN = 16  # characters of a fingerprint in a line of text
READ, SENSITIVE = "deniable.read", "deniable.sensitive"
"""Keys of the command's context for the versions that were read, and whether one has a sensitive question."""
PRINTED_AGAIN = (
    "If you print this again after responses were added or withdrawn, the difference shows the codes of those who "
    "joined or left (docs/guarantee.md, section 17)."
)


class VersionRead(NamedTuple):
    """Version of a survey that a command read, with its number of responses."""

    version: int
    fingerprint: str
    responses: int


def add_read(survey: Survey, number: int, responses: int) -> None:
    """Note that the command reads the responses to one version of a survey."""
    meta = click.get_current_context().meta
    meta[SENSITIVE] = meta.get(SENSITIVE, False) or any(question.sensitive for question in survey.questions)
    meta.setdefault(READ, {})[number] = survey.name, VersionRead(number, survey.fingerprint, responses)


def origin() -> dict[str, Any]:
    """Return where the command's figures are from, as plain JSON values."""
    context = click.get_current_context()
    names, versions = zip(*context.meta[READ].values(), strict=True)
    asked = {name: context.params[name] for name in ASKED if context.params.get(name)}
    return {
        "survey": names[0],
        "versions": [each._asdict() for each in versions],
        "asked": {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items()},
        "responses": sum(each.responses for each in versions),
        "program": f"deniable {version('deniable')}",
    }


def origin_line() -> str:
    """Return where the command's figures are from, as one line of text."""
    found = origin()
    versions = ", ".join(f"version {each['version']} ({each['fingerprint'][:SHOWN]})" for each in found["versions"])
    asked = {name: ", ".join(value) if isinstance(value, list) else value for name, value in found["asked"].items()}
    parts = [f"{name.replace('_', '-')} {value}" for name, value in asked.items()]
    return "; ".join(
        [f"from {found['survey']} {versions}", *parts, f"{found['responses']} responses", found["program"]]
    )


def print_figures(document: dict[str, Any]) -> None:
    """Print a JSON document of figures, with where they are from."""
    print_json(document | {"origin": origin()})


def saying_origin(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that prints figures end its text with what printing them again shows, and where they are from."""

    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401 - click's own
        command(**given)
        if not given["as_json"]:
            if click.get_current_context().meta.get(SENSITIVE):
                click.echo(PRINTED_AGAIN)
            click.echo(origin_line())

    return run
