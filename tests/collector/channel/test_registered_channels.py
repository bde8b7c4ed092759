"""Every registered channel, exactly: inverse, likelihood ratio, variance and values are what enumeration says."""

from __future__ import annotations

import pytest

from channel_cases import (
    cases,
    forward_times_inverse_is_the_identity,
    one_question_is_the_group_of_one,
    ratio_is_that_of_enumeration,
    variance_is_that_of_enumeration,
)
from collector.channel.channel import REPLACEMENTS, Channel
from collector.channel.replacement import Replacement
from collector.coding.coding import Coding

EVERY = [case for replacement in REPLACEMENTS.values() for case in cases(replacement)]


@pytest.mark.parametrize(
    "holds",
    [
        forward_times_inverse_is_the_identity,
        ratio_is_that_of_enumeration,
        variance_is_that_of_enumeration,
        one_question_is_the_group_of_one,
    ],
)
@pytest.mark.parametrize(("channel", "codings"), EVERY)
def test_of_every_registered_channel_it_holds_that(holds, channel: Channel, codings: list[Coding]) -> None:  # noqa: ANN001
    holds(channel, codings)


@pytest.mark.parametrize(("channel", "codings"), EVERY)
def test_closed_forms_follow_from_the_chances_of_single_codes(channel: Channel, codings: list[Coding]) -> None:
    replacement, coding = channel.replacement, codings[0]
    own = {code: [int(code in coding.codes_of(value)) for value in range(len(coding.draws))] for code in coding.codes}
    over = [sum(row[value] for row in own.values()) for value in range(len(coding.draws))]
    if len(set(over)) == 1:
        rows, common = replacement.replaced_chances(coding, own, over[0])
        general, other = Replacement.replaced_chances(replacement, coding, own, over[0])
        scaled = {code: [each * other for each in row] for code, row in rows.items()}
        assert scaled == {code: [each * common for each in row] for code, row in general.items()}
    for code in coding.codes:
        assert replacement.into({code}, code, coding) == Replacement.into(replacement, {code}, code, coding)
