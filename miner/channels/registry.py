"""Which class does on arrays what a replacement of this name does exactly."""

from __future__ import annotations

from collector.channel.complement import Complement
from collector.channel.replacement import Replacement
from collector.channel.uniform import Uniform
from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.channels.complement import ComplementArrays
from miner.channels.replacement import ArrayReplacement
from miner.channels.uniform import UniformArrays

ARRAYS: dict[str, type[ArrayReplacement]] = {Complement.name: ComplementArrays, Uniform.name: UniformArrays}
"""By name; a replacement that is not named here works from its exact chances."""

COMPILED = frozenset(ARRAYS)
"""The replacements that the compiled engines know: trees, forests, the models behind responses and their tests."""


def check_compiled(survey: Survey) -> None:
    """Refuse a survey with a channel that the compiled engines do not know.

    Raises:
        QueryError: Naming the group.
    """
    for group in survey.groups:
        if group.channel.name not in COMPILED:
            problem = f"trees and models do not know the {group.channel.name} channel"
            raise QueryError(f'group "{group.name}"', problem, "use estimates of frequencies and tables")


def arrays_of(replacement: Replacement) -> ArrayReplacement:
    """A replacement on arrays of codes."""
    return ARRAYS.get(replacement.name, ArrayReplacement)(replacement)
