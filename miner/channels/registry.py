"""Find the class that applies a channel's replacement to arrays, by the channel's name."""

import numpy as np
from numpy.typing import NDArray

from collector.channel.complement import Complement
from collector.channel.replacement import Replacement
from collector.channel.uniform import Uniform
from collector.survey.survey import Survey
from miner.channels.complement import ComplementArrays
from miner.channels.replacement import ArrayReplacement
from miner.channels.uniform import UniformArrays
from miner.responses.responses import NOT_ASKED, Codes

ARRAYS: dict[str, type[ArrayReplacement]] = {Complement.name: ComplementArrays, Uniform.name: UniformArrays}
"""By name; a replacement that is not named here works from its exact chances."""


def arrays_of(replacement: Replacement) -> ArrayReplacement:
    """Return the object that applies a replacement to arrays."""
    return ARRAYS.get(replacement.name, ArrayReplacement)(replacement)


def partner_tables(survey: Survey) -> list[NDArray[np.int16]]:
    """Return, for each question, the partner of each code, that is, the only code that may replace it.

    If the replacement of a code is drawn at random, or the question is not disguised, the partner is the code itself.

    Returns:
        Arrays indexed by code and `NOT_ASKED`.
    """
    found = []
    for question in survey.questions:
        group = survey.group_of(question.name)
        table = None if group is None else arrays_of(group.channel.replacement).partners(question)
        itself = np.append(np.arange(question.codes[-1] + 1), NOT_ASKED).astype(np.int16)
        found.append(itself if table is None else table)
    return found


def partner_codes(survey: Survey, codes: Codes) -> Codes:
    """Return the only possible replacement of each code, or the code itself if replacements are drawn."""
    partners = np.empty_like(codes)
    for number, table in enumerate(partner_tables(survey)):
        partners[:, number] = table[codes[:, number]]
    return partners


def drawn_groups(survey: Survey) -> tuple[bool, ...]:
    """Return flags of the groups whose replacements are drawn at random."""
    every = [(arrays_of(group.channel.replacement), survey.members(group)) for group in survey.groups]
    return tuple(any(arrays.partners(each) is None for each in members) for arrays, members in every)


def independent_replacements(survey: Survey) -> bool:
    """Return whether some question is disguised, and no replacement depends on the true answer."""
    arrays = [arrays_of(group.channel.replacement) for group in survey.groups]
    return bool(arrays) and not any(each.depends_on_truth for each in arrays)
