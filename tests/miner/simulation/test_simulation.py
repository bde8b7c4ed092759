"""The column-wise disguise draws from exactly the published distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import one_respondent as twin
from benchmarks.exact_table import states, transition_of
from collector.survey.survey import Survey
from miner.simulation import simulation
from miner.simulation.simulation import SystemDraws, coded, disguised, simulate
from small_surveys import mixed_survey

Distribution = dict[tuple[int, ...], Fraction]


class Script:
    """Draws given beforehand, one number per bound; notes the bounds it is asked for."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = list(numbers)
        self.bounds: list[int] = []

    def integers(self, low: np.ndarray, /) -> np.ndarray:
        """The next numbers; 0 where there are none left."""
        drawn = []
        for bound in low.tolist():
            self.bounds.append(bound)
            drawn.append(self.numbers.pop(0) if self.numbers else 0)
        return np.array(drawn, dtype=np.int64)


def enumerated(send: Callable[[Script], Sequence[int]]) -> Distribution:
    """Every sequence of draws with its probability, followed depth first: what one respondent sends."""
    outcomes: Distribution = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        numbers = waiting.pop()
        script = Script(numbers)
        sent = tuple(send(script))
        if len(script.bounds) > len(numbers):
            waiting.extend((*numbers, number) for number in range(script.bounds[len(numbers)]))
            continue
        outcomes[sent] = outcomes.get(sent, Fraction(0)) + Fraction(1, prod(script.bounds))
    return outcomes


def one_row(run: Callable[..., np.ndarray], survey: Survey, start: Sequence[int]) -> Distribution:
    """What comes of one respondent's row."""
    return enumerated(lambda script: run(survey, np.array([start], dtype=np.int16), script)[0].tolist())


@pytest.mark.parametrize("values", [(0, 0, 0, 0, 0), (2, 1, 1, 2, 1), (1, 2, 0, 1, 0)])
def test_whole_tables_and_one_respondent_at_a_time_have_one_distribution(
    values: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = mixed_survey()
    words = {question.name: question.values[value] for question, value in zip(survey.questions, values, strict=True)}

    def alone(script: Script) -> Sequence[int]:
        monkeypatch.setattr(twin, "draw", lambda bound, _: int(script.integers(np.array([bound]))[0]))
        return twin.disguise(survey, twin.code_answers(survey, words, lambda: 0), lambda: 0)

    def together(script: Script) -> Sequence[int]:
        return simulate(survey, np.array([values], dtype=np.int16), script).codes[0].tolist()

    assert enumerated(alone) == enumerated(together)


def test_codes_are_drawn_with_exactly_the_published_probabilities() -> None:
    survey = mixed_survey()
    for values in product(*(range(len(question.values)) for question in survey.questions)):
        expected: Distribution = {(): Fraction(1)}
        for question, value in zip(survey.questions, values, strict=True):
            options = question.coding.draw_probabilities(value).items()
            expected = {(*row, code): chance * share for row, chance in expected.items() for code, share in options}
        assert one_row(coded, survey, values) == expected


@pytest.mark.parametrize("seed", range(4))
def test_codes_are_disguised_with_exactly_the_channels_probabilities(seed: int) -> None:
    survey = mixed_survey()
    rng = np.random.default_rng(seed)
    truth = tuple(int(rng.choice(question.codes)) for question in survey.questions)
    place = {question.name: number for number, question in enumerate(survey.questions)}
    expected: Distribution = {truth: Fraction(1)}
    for group in survey.groups:
        codings = [question.coding for question in survey.members(group)]
        columns = [place[name] for name in group.questions]
        row = transition_of(group.channel, codings)[states(codings).index(tuple(truth[each] for each in columns))]
        following: Distribution = {}
        for sent, chance in expected.items():
            for state, probability in zip(states(codings), row, strict=True):
                changed = list(sent)
                for column, code in zip(columns, state, strict=True):
                    changed[column] = code
                if probability:
                    following[tuple(changed)] = following.get(tuple(changed), Fraction(0)) + chance * probability
        expected = following
    assert one_row(disguised, survey, truth) == expected


def test_a_seed_repeats_itself_and_input_stays_untouched(wellbeing: Survey) -> None:
    values = np.random.default_rng(1).integers(0, 2, (50, len(wellbeing.questions))).astype(np.int16)
    before = values.copy()
    first, second = (simulate(wellbeing, values, np.random.default_rng(9)) for _ in range(2))
    assert (first.codes == second.codes).all()
    assert (values == before).all()
    codes = coded(wellbeing, values, np.random.default_rng(9))
    before = codes.copy()
    disguised(wellbeing, codes, np.random.default_rng(9))
    assert (codes == before).all()


@pytest.mark.statistical
def test_the_systems_randomness_is_even_where_words_must_be_rejected() -> None:
    # Not seeded. A bound of 3 * 2^30 rejects a quarter of all words; without rejection the lowest third would hold
    # half of the draws. 5 standard deviations either way: fails once in 1.7 million runs.
    draws = SystemDraws().integers(np.full(60_000, 3 * 2**30, dtype=np.int64))
    assert draws.min() >= 0
    assert draws.max() < 3 * 2**30
    lowest = (draws < 2**30).sum()
    assert abs(lowest - 20_000) < 5 * np.sqrt(60_000 * 2 / 9)


def test_the_systems_randomness_takes_every_bound_up_to_a_whole_word() -> None:
    bounds = np.array([1, 2, 2**32, 2**31 + 1, 1], dtype=np.int64)
    for _ in range(50):
        drawn = SystemDraws().integers(bounds)
        assert ((drawn >= 0) & (drawn < bounds)).all()
    assert SystemDraws().integers(np.zeros(0, dtype=np.int64)).shape == (0,)


def test_system_draws_reject_words_above_the_last_whole_multiple(monkeypatch: pytest.MonkeyPatch) -> None:
    words = iter([(2**32 - 1).to_bytes(4, "little"), (7).to_bytes(4, "little")])
    monkeypatch.setattr(simulation.secrets, "token_bytes", lambda _: next(words))
    assert SystemDraws().integers(np.array([3], dtype=np.int64)).tolist() == [7 % 3]
