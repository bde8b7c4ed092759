"""Disguising by hand: over every throw, the instructions send exactly what the channel says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from benchmarks.exact_table import states_sent
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.wording.wording import wording
from respondent.app import create_app
from respondent.pages.hand import DEVICES, HandGroup, HandQuestion, NotByHandError, Throws, by_hand, throws
from respondent.pages.languages import interface
from small_surveys import HEAD, mixed_survey, survey_of

ENGLISH = interface("en")


@pytest.mark.parametrize(
    ("chances", "device", "number", "ranges"),
    [
        (["1/3", "2/3"], "die", 1, [("1", "2"), ("3", "6")]),
        (["1/4", "3/4"], "die", 2, [("11", "23"), ("24", "66")]),
        (["1/5", "4/5"], "cards", 1, [("0", "1"), ("2", "9")]),
        (["1/100", "99/100"], "cards", 2, [("00", "00"), ("01", "99")]),
        (["1/16", "15/16"], "cards", 4, None),
        (["1/2", "1/2"], "die", 1, [("1", "3"), ("4", "6")]),
    ],
)
def test_a_draw_is_made_with_the_device_that_needs_fewest_throws(
    chances: list[str], device: str, number: int, ranges: list[tuple[str, str]] | None
) -> None:
    way = throws([Fraction(chance) for chance in chances])
    assert way is not None
    if ranges is None:  # too many draws of cards: coins do it
        assert (way.device, way.number) == ("coin", number)
    else:
        assert (way.device, way.number, list(way.ranges)) == (device, number, ranges)


@pytest.mark.parametrize("denominator", [7, 11, 13, 30, 512, 2**31 + 1])
def test_a_draw_that_no_device_makes_exactly_is_refused(denominator: int) -> None:
    assert throws([Fraction(1, denominator), Fraction(denominator - 1, denominator)]) is None


def outcomes(way: Throws) -> list[int]:
    """The result of each equally likely series of throws."""
    results = []
    for digits in product(DEVICES[way.device][0], repeat=way.number):
        number = "".join(digits)
        results.append(next(i for i, (first, last) in enumerate(way.ranges) if first <= number <= last))
    return results


@pytest.mark.parametrize("chances", [["1/3", "2/3"], ["1/4", "3/4"], ["2/5", "1/5", "2/5"], ["1/8", "3/8", "1/2"]])
def test_over_every_throw_each_result_comes_as_often_as_it_should(chances: list[str]) -> None:
    wanted = [Fraction(chance) for chance in chances]
    way = throws(wanted)
    assert way is not None
    found = outcomes(way)
    assert [Fraction(found.count(result), len(found)) for result in range(len(wanted))] == wanted


def sent_by_hand(hand: HandGroup, answers: dict[str, str]) -> dict[tuple[int, ...], Fraction]:
    """What somebody who follows the instructions for one group sends, over every throw, with its probability."""
    coins = [1] if hand.coin is None else outcomes(hand.coin)
    if hand.group is not None and hand.group.channel.truth([]) == 0:
        coins = [0]
    found: dict[tuple[int, ...], Fraction] = {}
    for coin in coins:
        options = [marked(asked, answers[asked.question.name], coin) for asked in hand.questions]
        for picks in product(*options):
            codes = tuple(code for code, _ in picks)
            chance = Fraction(1, len(coins))
            for _, share in picks:
                chance *= share
            found[codes] = found.get(codes, Fraction(0)) + chance
    return found


def marked(asked: HandQuestion, answer: str, coin: int) -> list[tuple[int, Fraction]]:
    if not coin and asked.swap is not None:
        return [(asked.swap_codes[place], Fraction(1, len(outcomes(asked.swap)))) for place in outcomes(asked.swap)]
    value = asked.question.value_index(answer)
    rows = [row for row in asked.rows if row.answer == wording(BY_HAND, asked.question, answer, "en")]
    chances = asked.question.coding.draw_probabilities(value)
    return [(row.keep if coin or row.swap is None else row.swap, chances[row.keep]) for row in rows]


BY_HAND = survey_of(
    ('kind = "choice"\nvalues = ["x", "y", "z"]\nprior = { x = 0.5, y = 0.25, z = 0.25 }', "a", 'truth = "2/3"'),
    ('kind = "yes_no"', "a", 'truth = "2/3"'),
    ('kind = "choice"\nvalues = ["p", "q", "r"]', "b", 'truth = "4/5", channel = "uniform"'),
    ('kind = "yes_no"', "c", "truth = 0"),
    ('kind = "choice"\nvalues = ["s", "t", "u", "v"]\ncoding = "subsets-2"', "d", 'truth = "1/2", channel = "uniform"'),
    (
        'kind = "scale"\nvalues = ["1", "2", "3", "4"]\ncoding = "thresholds"',
        "f",
        'truth = "2/5", channel = "uniform"',
    ),
    (
        'kind = "choice"\nvalues = ["1", "2", "3"]\nreplacement = { 1 = "0", 2 = "1/4", 3 = "3/4" }',
        "e",
        'truth = "1/2", channel = "uniform"',
    ),
)


@pytest.mark.parametrize("number", range(6))
def test_over_every_throw_a_group_sends_what_its_channel_says(number: int) -> None:
    hand = by_hand(BY_HAND, ENGLISH)[number]
    group = hand.group
    assert group is not None
    questions = BY_HAND.members(group)
    codings = [question.coding for question in questions]
    for values in product(*(question.values for question in questions)):
        wanted: dict[tuple[int, ...], Fraction] = {}
        drawn = [
            coding.draw_probabilities(question.value_index(value)).items()
            for question, coding, value in zip(questions, codings, values, strict=True)
        ]
        for picks in product(*drawn):
            codes, share = tuple(code for code, _ in picks), Fraction(1)
            for _, chance in picks:
                share *= chance
            wanted[codes] = wanted.get(codes, Fraction(0)) + share * group.channel.truth([])
            for sent, chance in states_sent(group.channel.replacement, codes, codings):
                wanted[sent] = wanted.get(sent, Fraction(0)) + share * (1 - group.channel.truth([])) * chance
        answers = {question.name: value for question, value in zip(questions, values, strict=True)}
        assert sent_by_hand(hand, answers) == {codes: chance for codes, chance in wanted.items() if chance}


def test_the_example_can_be_done_with_cards_and_a_die(wellbeing: Survey) -> None:
    groups = by_hand(wellbeing, ENGLISH)
    assert [group.coin and (group.coin.device, group.coin.ranges[0]) for group in groups] == [
        None,
        ("cards", ("0", "1")),
        ("die", ("1", "2")),
        ("cards", ("0", "1")),
        ("cards", ("0", "1")),
    ]
    assert [len(group.questions) for group in groups] == [1, 2, 1, 1, 1]


def test_a_survey_whose_odds_no_device_makes_names_the_question() -> None:
    with pytest.raises(NotByHandError) as raised:
        by_hand(odd(), ENGLISH)
    assert raised.value.question == 2


def odd() -> Survey:
    return parse_survey(f"""{HEAD}
questions = [
  {{ name = "a", label = "A?", kind = "yes_no", sensitive = false }},
  {{ name = "b", label = "B?", kind = "yes_no", group = "g" }},
]
groups = {{ g = {{ truth = "3/7" }} }}
""")


def test_the_mixed_survey_can_be_done_by_hand() -> None:
    assert len(by_hand(mixed_survey(), ENGLISH)) == 4


@pytest.mark.parametrize(("truth", "words"), [("0", "Always swap."), ("1", "Always keep.")])
def test_the_page_says_what_to_do_where_no_coin_decides(truth: str, words: str, tmp_path: Path) -> None:
    survey = survey_of(('kind = "yes_no"', "a", f"truth = {truth}"))
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(survey)
        page = create_app(store).test_client().get(f"/s/{survey.name}/by-hand").text
    assert [each for each in ("Always swap.", "Always keep.") if each in page] == [words]
    assert ("on swap, mark" in page) == (truth == "0")
