"""Two answers with one code, in the miner: unbiased over every code, simulated as published, and never misread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from collector.errors import QueryError, ResponseError
from collector.pair_coding import PairCoding
from collector.precision import response_variance
from collector.survey import Survey
from miner.condition import event_of
from miner.estimate import estimate
from miner.estimates.crosstab import crosstab
from miner.model import KINDS
from miner.pair_codes import PairCodes, pairs_of
from miner.responses import NOT_ASKED, Responses
from miner.simulate import disguise, draw_pair
from miner.simulation import SystemDraws, drawn_pairs, simulate
from miner.training import train
from miner.weights import ProductWeights, every_state
from paired_surveys import FORCED, forced, paired_survey, sent_by

CODINGS = [each for codings in FORCED.values() for each in codings]


def titles(coding: PairCoding) -> str:
    return f"{coding.scheme}-{coding.combinations}-{coding.size}"


@pytest.fixture(params=list(FORCED))
def survey(request: pytest.FixtureRequest) -> Survey:
    return forced(request.param)


def conditions(survey: Survey) -> Iterator[dict[str, frozenset[int]]]:
    """Of one question and of two: every set of values that is not all of them."""
    sets = {
        each.name: [
            frozenset(some)
            for size in range(1, len(each.values))
            for some in combinations(range(len(each.values)), size)
        ]
        for each in survey.questions
    }
    for name, some in sets.items():
        yield from ({name: each} for each in some)
    for one, other in combinations(sets, 2):
        yield from ({one: first, other: second} for first, second in product(sets[one], sets[other]))


def test_what_a_response_counts_is_unbiased_for_every_truth_and_within_its_range(survey: Survey) -> None:
    names = [question.name for question in survey.questions]
    for values in product(*(range(len(question.values)) for question in survey.questions)):
        for pair, sent in sent_by(survey, values):
            weights = ProductWeights(Responses(survey, np.array(list(sent), np.int16)))
            chances = np.array([float(each) for each in sent.values()])
            asked = {names[place] for place in pair}
            for condition in conditions(survey):
                event = event_of(survey, condition)
                counted = weights.of(event)
                if set(condition) <= asked:
                    holds = all(values[names.index(name)] in some for name, some in condition.items())
                    assert chances @ counted == pytest.approx(float(holds), abs=1e-12)
                    low, high = weights.range(event)
                    assert low - 1e-12 <= counted.min()
                    assert counted.max() <= high + 1e-12
                else:
                    assert not counted.any()


def test_what_a_response_counts_is_what_the_collectors_reading_says(survey: Survey) -> None:
    assert survey.together is not None
    for (first, second), sent in sent_by(survey, (0, 0, 0)):
        sizes = [len(survey.questions[place].values) for place in (first, second)]
        coding = survey.together.coding_of(sizes)
        truth = coding.truth(survey.together.odds)
        weights = ProductWeights(Responses(survey, np.array(list(sent), np.int16)))
        for one, other in product(*map(range, sizes)):
            condition = {
                survey.questions[first].name: frozenset({one}),
                survey.questions[second].name: frozenset({other}),
            }
            own = [
                (coding.reading((row[first], row[second]))[one * sizes[1] + other] - (1 - truth) / coding.combinations)
                / truth
                for row in sent
            ]
            assert weights.of(event_of(survey, condition)) == pytest.approx([float(each) for each in own], abs=1e-12)


def test_the_event_of_everything_counts_one(survey: Survey) -> None:
    sent = dict(sent_by(survey, (0, 0, 0)))[0, 2]
    weights = ProductWeights(Responses(survey, np.array(list(sent), np.int16)))
    assert (weights.of({}) == 1).all()
    assert weights.of(event_of(survey, {"q0": frozenset({0, 1}), "q2": frozenset({0, 1, 2})})) == pytest.approx(1)


@pytest.mark.parametrize("coding", CODINGS, ids=titles)
def test_which_digits_are_a_code_is_what_the_collector_says(coding: PairCoding) -> None:
    near = [*range(70), 2**15 - 1]
    every = np.array(list(product(near, near)), np.int16)
    columns, sizes = (0, 1), (2, coding.combinations // 2)
    codes = PairCodes(
        coding, columns, sizes, np.arange(len(every)), every[:, 0].astype(np.int64), every[:, 1].astype(np.int64)
    )
    assert codes.are_codes.tolist() == [coding.is_code(*each) for each in every.tolist()]


@pytest.mark.parametrize("coding", [each for each in CODINGS if each.scheme != "plain"], ids=titles)
def test_the_combinations_that_a_code_stands_for_are_what_the_collector_says(coding: PairCoding) -> None:
    every = np.array(list(coding.codes), np.int64)
    codes = PairCodes(coding, (0, 1), (2, coding.combinations // 2), np.arange(len(every)), every[:, 0], every[:, 1])
    for code, members in zip(coding.codes, codes.members.tolist(), strict=True):
        owned = [each for each in range(coding.combinations) if coding.has(code, each)]
        assert sorted(members) == [*owned, *[coding.combinations] * (coding.size - len(owned))]


@pytest.mark.parametrize("coding", CODINGS, ids=titles)
def test_every_draw_of_a_code_is_as_likely_and_has_its_combination(coding: PairCoding) -> None:
    for combination in (None, *range(coding.combinations)):
        found = Counter(draw_pair(coding, combination, words) for words in every_word(coding, combination))
        wanted = {code for code in coding.codes if combination is None or coding.has(code, combination)}
        assert set(found) == wanted
        assert len(set(found.values())) == 1


def every_word(coding: PairCoding, combination: int | None) -> Iterator[Callable[[], int]]:
    """Sources of words that make every draw of a code once: each word is below the draw's bound."""
    if coding.scheme == "subsets":
        kept = combination is not None
        bounds = [coding.points - kept - each for each in range(coding.size - kept)]
    elif coding.scheme == "affine":
        bounds = [coding.points - 1, coding.points if combination is None else coding.size]
    else:
        bounds = [coding.points] if combination is None else []
    for words in product(*map(range, bounds)):
        yield iter(words).__next__


def test_the_scalar_twin_draws_the_coin_first_and_then_the_code() -> None:
    survey = forced("affine maps")
    # K = 6, p = 7, s = 3: 3 o / (3 o + 7), o = 7/2, is 3/5 in lowest terms of 21 / 35
    assert disguise(survey, (1, None, 2), iter([20, 4, 1]).__next__) == (5, None, (1 - 5 * 5) % 7)
    assert disguise(survey, (1, None, 2), iter([21, 4, 1]).__next__) == (5, None, 1)


@pytest.mark.parametrize(
    ("codes", "line"),
    [((0, 1, 2), "codes: they are not as many as one"), ((0, None, 3), 'question "q2": the code is none of its')],
)
def test_the_scalar_twin_refuses_what_does_not_fit(codes: tuple[int | None, ...], line: str) -> None:
    with pytest.raises(ResponseError, match=line):
        disguise(forced("masks"), codes, iter([0] * 9).__next__)


@pytest.mark.statistical
@pytest.mark.parametrize("draws", [np.random.default_rng(11), SystemDraws()], ids=["numpy", "system"])
@pytest.mark.parametrize("coding", CODINGS, ids=titles)
def test_whole_columns_are_drawn_as_likely(coding: PairCoding, draws: np.random.Generator | SystemDraws) -> None:
    codes = list(coding.codes)
    for combination in (NOT_ASKED, 0, coding.combinations - 1):
        wanted = [code for code in codes if combination < 0 or coding.has(code, combination)]
        count = 200 * len(wanted)
        drawn = drawn_pairs(coding, np.full(count, combination, np.int64), draws)
        found = Counter(zip(*(each.tolist() for each in drawn), strict=True))
        assert set(found) <= set(wanted)
        gaps = np.array([found[code] - 200 for code in wanted])
        # chi-square with f degrees of freedom is above f + 5 sqrt(2 f) + 25 once in more than 10^6; 48 tests
        assert (gaps**2 / 200).sum() < len(wanted) + 5 * np.sqrt(2 * len(wanted)) + 25


@pytest.mark.statistical
def test_pretend_respondents_send_what_the_channel_says(survey: Survey) -> None:
    values = np.tile(np.array([1, 0, 2], np.int16), (60_000, 1))
    found = Counter(map(tuple, simulate(survey, values, np.random.default_rng(3)).sent.tolist()))
    expected = {row: chance / 3 for _, sent in sent_by(survey, (1, 0, 2)) for row, chance in sent.items()}
    assert set(found) <= set(expected)
    for row, chance in expected.items():
        spread = np.sqrt(60_000 * float(chance) * (1 - float(chance)))
        assert abs(found[row] - 60_000 * float(chance)) < 5.5 * spread  # each of some 250 fails once in 10^7


@pytest.mark.statistical
@pytest.mark.parametrize("sizes", [(2, 2, 3), (2, 2, 17)])
def test_estimates_are_as_precise_as_foretold(sizes: tuple[int, int, int]) -> None:
    survey = paired_survey(sizes, "epsilon = 2")
    rng = np.random.default_rng(8)
    values = np.column_stack([rng.integers(0, size, 1500) for size in sizes]).astype(np.int16)
    question = survey.questions[2]
    found = [estimate(simulate(survey, values, rng), event_of(survey, {"q2": frozenset({0})})) for _ in range(300)]
    share = (values[:, 2] == 0).mean()
    means, errors = (np.array([getattr(each, name) for each in found]) for name in ("estimate", "standard_error"))
    # standard errors of the mean of 300: fails once in 10^6
    assert abs(means.mean() - share) < 5 * means.std() / np.sqrt(300)
    assert errors.mean() == pytest.approx(means.std(), rel=0.2)  # 4.9 standard errors of a deviation
    assert errors.mean() == pytest.approx(float(response_variance(survey, question, 0) / 1500) ** 0.5, rel=0.05)
    covered = np.mean([each.interval is not None and each.interval[0] <= share <= each.interval[1] for each in found])
    assert 0.90 <= covered <= 0.99  # binomial: outside once in 3,000


def test_a_table_of_two_questions_adds_up() -> None:
    survey = paired_survey((2, 3, 17), "epsilon = 4")
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.integers(0, size, 400) for size in (2, 3, 17)]).astype(np.int16)
    found = crosstab(simulate(survey, values, rng), "q0", "q2")
    assert sum(each.estimate for each in found.cells.values()) == pytest.approx(1, abs=1e-10)
    for value, margin in found.columns.items():
        assert sum(found.cells[row, value].estimate for row in found.rows) == pytest.approx(margin.estimate, abs=1e-10)
    assert found.independence is not None
    assert sum(share or 0 for share in found.likeliest.values()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in FORCED if "maps" not in name])
def test_the_covariance_of_what_a_response_counts_is_that_of_every_code(name: str) -> None:
    survey = forced(name)
    frequencies = np.array([[0.3, 0.1, 0.2], [0.05, 0.25, 0.1]])
    every = {values: dict(sent_by(survey, (0, *values)))[1, 2] for values in product(range(2), range(3))}
    rows = list(every[0, 0])
    responses = Responses(survey, np.array(rows, np.int16))
    weights = ProductWeights(responses)
    terms = np.stack(
        [
            weights.of(event_of(survey, {"q1": frozenset({one}), "q2": frozenset({other})}))
            for one, other in product(range(2), range(3))
        ]
    )
    chances = sum(frequencies[values] * np.array([float(sent[row]) for row in rows]) for values, sent in every.items())
    mean = terms @ chances
    expected = (terms * chances) @ terms.T - np.outer(mean, mean)
    assert survey.together is not None
    (pair,) = pairs_of(survey, responses.sent)
    found = pair.covariance(frequencies, float(pair.coding.truth(survey.together.odds)))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize(("sizes", "names"), [((2, 2, 3), ("q1", "q2")), ((3, 13, 2), ("q1", "q0"))])
def test_the_test_of_independence_is_right_as_often_as_it_says(
    sizes: tuple[int, int, int], names: tuple[str, str]
) -> None:
    survey, rng = paired_survey(sizes, "epsilon = 3"), np.random.default_rng(4)
    chances = []
    for _ in range(300):
        values = np.column_stack(
            [rng.choice(size, 2500, p=np.arange(1, size + 1) * 2 / size / (size + 1)) for size in sizes]
        )
        found = crosstab(simulate(survey, values.astype(np.int16), rng), *names).independence
        assert found is not None
        chances.append(found.p_value)
    for level in (0.05, 0.2, 0.5):  # each fails once in 15,000, if the chi-square distribution is right
        assert np.mean(np.array(chances) < level) == pytest.approx(level, abs=4 * (level * (1 - level) / 300) ** 0.5)


def test_the_test_of_independence_finds_what_goes_together_in_either_order() -> None:
    survey, rng = paired_survey((2, 3, 11), "epsilon = 4"), np.random.default_rng(4)
    drawn = rng.integers(0, 2, 4000)
    values = np.column_stack([drawn, drawn, drawn]).astype(np.int16)
    sent = simulate(survey, values, rng)
    there, back = crosstab(sent, "q0", "q2").independence, crosstab(sent, "q2", "q0").independence
    assert there is not None
    assert back is not None
    assert there.p_value < 1e-6
    assert there.statistic == pytest.approx(back.statistic, rel=1e-6)
    assert there.degrees_of_freedom == back.degrees_of_freedom == 10


@pytest.mark.parametrize(
    "row",
    [
        (0b111, 0, NOT_ASKED),
        (0b101, 1, NOT_ASKED),
        (0b101, NOT_ASKED, NOT_ASKED),
        (0b101, 0, 0),
        (-2, 0, 0),
    ],
)
def test_what_is_no_code_of_two_answers_is_refused_by_row(row: tuple[int, ...]) -> None:
    with pytest.raises(
        ResponseError, match=r"^row 2: it is not one code of two answers; give codes as they were sent$"
    ):
        Responses(forced("masks"), np.array([(0b101, 0, NOT_ASKED), row], np.int16))


def test_frames_keep_what_was_sent() -> None:
    survey = forced("masks")
    sent = Responses(survey, np.array([(0b101, 0, NOT_ASKED), (NOT_ASKED, 0b1011, 0)], np.int16))
    again = Responses.from_frame(survey, sent.frame)
    assert (again.sent == sent.sent).all()
    assert list(again.rows) == [(5, 0, None), (None, 11, 0)]


def test_nothing_reads_halves_of_a_code_as_codes_of_questions() -> None:
    survey = forced("masks")
    sent = simulate(survey, np.zeros((40, 3), np.int16), np.random.default_rng(1))
    line = (
        r'^survey "split": the two answers of a respondent are coded together; estimate shares and tables from it, or'
    )
    with pytest.raises(QueryError, match=line):
        _ = sent.codes
    robust: dict[str, Any] = {"mode": "robust"}
    for kind, more in [("id3", robust), ("forest", robust), ("forest", {"mode": "latent"}), ("random-trees", {})]:
        learner = KINDS[kind](survey, target="q0", **more)
        with pytest.raises(QueryError, match=line):
            train(sent, learner, Fraction(1, 3), 1)
    for refused in (
        lambda: sent.impute(1, np.random.default_rng(1)),
        lambda: every_state(sent, ["q0"]),
    ):
        with pytest.raises(QueryError, match=line):
            refused()
