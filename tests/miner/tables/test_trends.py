"""Trends over waves: plain arithmetic at truth 1, exact over all coins, and tests that keep their level."""

from __future__ import annotations

from itertools import product
from math import sqrt
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from collector.errors import QueryError
from miner.estimates.comparison import between
from miner.estimates.estimate import estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.trends import trend, trends
from small_surveys import survey_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
YES_NO = 'kind = "yes_no"'
WEIGHTS = {"q0": {"north": 1.0, "south": 3.0}}


def wave(n: int, share: float, rng: np.random.Generator, truth: str = "4/5") -> Responses:
    """A region, and a question with a share of yes."""
    survey = survey_of((REGION, "", ""), (YES_NO, "g", f'truth = "{truth}"'))
    values = np.stack([rng.integers(0, 2, n), rng.random(n) >= share], axis=1).astype(np.int16)
    return simulate(survey, values, rng)


def test_undisguised_the_line_is_the_least_squares_line_through_all_answers() -> None:
    rng = np.random.default_rng(1)
    waves = {2019: wave(400, 0.2, rng, "1"), 2021: wave(900, 0.3, rng, "1"), 2022: wave(600, 0.35, rng, "1")}
    found = trend(waves, "q1 = yes")
    times = np.concatenate([np.full(len(sent), year) for year, sent in waves.items()])
    answers = np.concatenate([sent.codes[:, 1] == 0 for sent in waves.values()]).astype(float)
    slope, _ = np.polyfit(times, answers, 1)
    assert found.slope.estimate == pytest.approx(slope)
    assert found.share.estimate == pytest.approx(answers.mean())
    middle = times - times.mean()
    factors = {year: (middle[times == year]).sum() / (middle**2).sum() for year in waves}
    variances = {year: answers[times == year].var(ddof=1) / (times == year).sum() for year in waves}
    error = sqrt(sum(factors[year] ** 2 * variances[year] for year in waves))
    assert found.slope.standard_error == pytest.approx(error, rel=2e-3)
    counts = [[answers[times == year].sum(), (1 - answers[times == year]).sum()] for year in waves]
    pearson = chi2_contingency(counts, correction=False)
    assert found.change is not None
    assert found.change.degrees_of_freedom == pearson.dof
    assert found.change.statistic == pytest.approx(pearson.statistic, rel=0.1)  # Pearson's variance is pooled


def test_over_all_coins_the_share_and_the_change_are_those_of_the_true_answers() -> None:
    # One wave after another is disguised here, as all coins of all waves are too many; the line is linear in the waves.
    disguised = survey_of((YES_NO, "g", 'truth = "4/5"'))
    plain = survey_of((f"{YES_NO}\nsensitive = false", "", ""))
    answers = {1: [0] * 7 + [1] * 5, 2: [0] * 4 + [1] * 8, 4: [0] * 9 + [1] * 5}
    ways = {
        number: [
            (np.prod([0.2 if flip else 0.8 for flip in flips]), flips) for flips in product((0, 1), repeat=len(codes))
        ]
        for number, codes in {1: answers[1], 2: answers[2]}.items()
    }
    for number, every in ways.items():
        others = {
            each: Responses(plain, np.array(answers[each], np.int16)[:, None]) for each in answers if each != number
        }
        tallied: dict[int, float] = {}
        for chance, flips in every:
            yes = sum(answer ^ flip == 0 for answer, flip in zip(answers[number], flips, strict=True))
            tallied[yes] = tallied.get(yes, 0.0) + float(chance)
        slopes, levels = 0.0, 0.0
        for yes, chance in tallied.items():
            codes = np.array([0] * yes + [1] * (len(answers[number]) - yes), np.int16)[:, None]
            found = trend({**others, number: Responses(disguised, codes)}, "q0 = yes")
            slopes, levels = slopes + chance * found.slope.estimate, levels + chance * found.share.estimate
        times = np.repeat([*answers], [len(codes) for codes in answers.values()])
        true = np.array([answer == 0 for codes in answers.values() for answer in codes], float)
        assert slopes == pytest.approx(np.polyfit(times, true, 1)[0], abs=1e-12)
        assert levels == pytest.approx(true.mean(), abs=1e-12)


def test_two_waves_differ_as_the_difference_of_versions_does() -> None:
    rng = np.random.default_rng(2)
    first, second = wave(900, 0.3, rng), wave(700, 0.4, rng, "9/10")
    found, alone = (
        trend({1: first, 2: second}, "q1 = yes", among="q0 = south"),
        between(second, first, "q1 = yes", "q0 = south"),
    )
    assert alone.difference is not None
    assert found.slope.estimate == pytest.approx(alone.difference.estimate)
    assert found.slope.standard_error == pytest.approx(alone.difference.standard_error)
    assert found.slope.interval == pytest.approx(alone.difference.interval, abs=1e-3)


def test_with_a_sample_each_wave_has_its_weighted_share() -> None:
    rng, design = np.random.default_rng(3), SampleDesign(WEIGHTS, "q0")
    waves = {number: wave(500, 0.2 + 0.1 * number, rng) for number in (1, 2, 3)}
    found = trend({number: Sample(sent, design) for number, sent in waves.items()}, "q1 = yes")
    for number, sent in waves.items():
        alone, share = estimate(Sample(sent, design), "q1 = yes"), found.waves[number]
        assert share is not None
        assert (share.estimate, share.standard_error) == pytest.approx((alone.estimate, alone.standard_error))


@pytest.mark.parametrize(("by", "condition"), [("q0", "q1 = yes"), ("q1", "q0 = south")])
def test_each_group_has_the_trend_among_its_people_whether_disguised_or_not(by: str, condition: str) -> None:
    rng, design = np.random.default_rng(7), SampleDesign(WEIGHTS, "q0")
    sent = {number: wave(600, 0.2 + 0.1 * number, rng) for number in (1, 2, 4)}
    for waves in (sent, {number: Sample(each, design) for number, each in sent.items()}):
        found = trends(waves, condition, by=by)
        assert [*found.trends] == ([("north",), ("south",)] if by == "q0" else [("yes",), ("no",)])
        for (value,), each in found.trends.items():
            alone = trend(waves, condition, among=f"{by} = {value}")
            assert each.slope.interval == pytest.approx(alone.slope.interval)
            assert each.share.standard_error == pytest.approx(alone.share.standard_error)
            assert each.p_value == pytest.approx(alone.p_value, nan_ok=True)
    frame = found.to_frame()
    assert [*frame][:3] == [by, "term", "estimate"]
    assert frame[by].value_counts().tolist() == [5, 5]
    drawn = found.chart
    assert [line.name for line in drawn.lines] == [*frame[by].unique()]
    assert all(line.path is not None and len(line.path) == 2 for line in drawn.lines)
    assert all(f"({name})" in drawn.description for name in frame[by])
    assert drawn.description.split(".")[0] in drawn.svg


def test_a_group_without_two_waves_is_left_out_and_a_wave_without_a_group_is_named() -> None:
    def sent(values: str, codes: list[int]) -> Responses:
        survey = survey_of(
            (REGION.replace('"north", "south"', values), "", ""), (f"{YES_NO}\nsensitive = false", "", "")
        )
        return Responses(survey, np.stack([codes, np.arange(len(codes)) % 3 > 0], axis=1).astype(np.int16))

    usual = sent('"north", "south"', [0, 1] * 30)
    more = sent('"north", "west", "south"', [0, 1, 2] * 30)
    found = trends({1: usual, 2: more, 3: more}, "q1 = yes", by="q0")
    assert [*found.trends] == [("north",), ("south",), ("west",)]
    assert found.trends["west",].remarks == ("wave 1 is left out: it has no such group",)
    assert [*found.trends["west",].waves] == [2, 3]
    few = trends({1: usual, 2: more}, "q1 = yes", by="q0")
    assert [*few.trends] == [("north",), ("south",)]
    assert [each.split()[0] for each in few.remarks] == ["west"]
    with pytest.raises(QueryError, match="q7"):
        trends({1: usual, 2: more}, "q1 = yes", by="q7")
    with pytest.raises(QueryError, match="fewer than two waves"):
        trends({1: usual}, "q1 = yes", by="q0")


@pytest.mark.statistical
def test_both_tests_keep_their_level_and_find_a_trend() -> None:
    rng, rounds = np.random.default_rng(4), 100
    rejected, held = np.zeros(2), 0
    for _ in range(rounds):
        found = trend({number: wave(300, 0.3, rng) for number in (1, 2, 3, 4)}, "q1 = yes")
        assert found.change is not None
        assert found.slope.interval is not None
        rejected += [(found.p_value or 1) < 0.05, found.change.p_value < 0.05]
        held += found.slope.interval[0] <= 0 <= found.slope.interval[1]
    assert (rejected >= 1).all()  # seeded; a level of .05 leaves these once in 130
    assert (rejected <= 13).all()
    assert held >= 87
    rising = trend({number: wave(1000, 0.2 + 0.08 * number, rng) for number in (1, 2, 3, 4)}, "q1 = yes")
    assert rising.change is not None
    assert (rising.p_value or 1) < 1e-3
    assert rising.change.p_value < 1e-2


def test_a_wave_that_does_not_ask_is_left_out_and_said() -> None:
    rng = np.random.default_rng(5)
    other = Responses(survey_of((YES_NO, "g", 'truth = "4/5"')), np.zeros((50, 1), np.int16))
    waves = {1: wave(300, 0.3, rng), 2: other, 3: wave(300, 0.3, rng), 4: wave(5, 0.3, rng)}
    found = trend(waves, "q1 = yes")
    assert list(found.waves) == [1, 3, 4]
    assert found.remarks[0].startswith("wave 2 is left out: ")
    assert found.remarks[1].startswith("wave 4 ")
    assert found.share.n == 600
    with pytest.raises(QueryError, match="fewer than two waves"):
        trend({1: waves[1], 2: other}, "q1 = yes")
    with pytest.raises(QueryError, match='no question "q7"'):
        trend(waves, "q7 = yes")


def test_the_picture_has_a_point_for_each_wave_and_words_for_who_does_not_see_it() -> None:
    rng = np.random.default_rng(6)
    found = trend({number: wave(400, 0.3, rng) for number in (1, 2, 3)}, "q1 = yes")
    points, line = found.chart.lines
    assert [(point.x, point.y, point.interval) for point in points.points] == [
        (number, share.estimate, share.interval) for number, share in found.waves.items() if share
    ]
    assert line.points[1].y - line.points[0].y == pytest.approx(2 * found.slope.estimate)
    root = ET.fromstring(found.chart.svg)  # noqa: S314 - we drew it
    assert f"changes by {found.slope.estimate:z.3f} per wave" in (root[1].text or "")


def test_versions_of_one_wave_count_together_by_their_numbers_of_responses() -> None:
    rng = np.random.default_rng(3)
    first, second = wave(400, 0.3, rng), wave(600, 0.3, rng, "9/10")
    later = wave(500, 0.5, rng)
    found = trend({1: [first, second], 2: [later]}, "q1 = yes")
    alone = trend({1: first, 2: second, 3: later}, "q1 = yes")
    one, two, three = (share for share in alone.waves.values() if share is not None)
    share = found.waves[1]
    assert share is not None
    assert share.n == 1000
    assert share.estimate == pytest.approx(0.4 * one.estimate + 0.6 * two.estimate)
    assert share.standard_error == pytest.approx(np.hypot(0.4 * one.standard_error, 0.6 * two.standard_error))
    assert found.slope.estimate == pytest.approx(three.estimate - share.estimate)
    assert found.change is not None
    assert found.change.degrees_of_freedom == 1
