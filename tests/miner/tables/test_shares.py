"""Shares by group: plain arithmetic at truth 1, exact over coins and samples, one covariance for all differences."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from collector.errors import QueryError
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.figures.chi_square import holm
from miner.figures.partition import Partition
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_figure import JointFigures, sampled_figure
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.shares import shares
from small_surveys import survey_of
from soak import likely, part_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "east", "south"]'
YES_NO = 'kind = "yes_no"'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
WEIGHTS = {"q0": {"north": 1.0, "east": 2.0, "south": 4.0}}


def people(n: int, seed: int, truth: str = "4/5") -> Responses:
    """A plain region, a yes-or-no question with a coin, and a choice with another; both differ between regions."""
    survey = survey_of((REGION, "", ""), (YES_NO, "g", f'truth = "{truth}"'), (CHOICE, "h", f'truth = "{truth}"'))
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 3, n)
    says = rng.random(n) < 0.2 + 0.15 * region
    choice = (rng.random(n) * 3 * (0.7 + 0.3 * says)).astype(int)
    return simulate(survey, np.stack([region, ~says, choice], axis=1).astype(np.int16), rng)


def test_undisguised_the_table_is_plain_arithmetic_with_wilsons_intervals() -> None:
    sent = people(2000, 1, truth="1")
    table = shares(sent, "q2", by="q0")
    questions = sent.survey.questions
    for each in table.figures:
        value = questions[2].value_index(each.term.removeprefix("q2 = "))
        inside = sent.codes[:, 0] == questions[0].value_index(each.group[0])
        gives = np.isin(sent.codes[:, 2], questions[2].coding.codes_of(value))
        assert each.estimate is not None
        assert each.estimate.estimate == pytest.approx(gives[inside].mean(), abs=1e-12)
        wilson = proportion_confint(gives[inside].sum(), inside.sum(), method="wilson")
        assert each.estimate.interval == pytest.approx(wilson, abs=2e-3)


def test_each_figure_and_difference_is_that_of_the_single_commands() -> None:
    sent = people(3000, 2)
    table = shares(sent, "q1 = yes", by="q2", among="q0 = north or q1 = no")
    for each in table.differences:
        first, second = (f"q2 = {group[0]} and (q0 = north or q1 = no)" for group in (each.first, each.second))
        alone = difference(sent, "q1 = yes", first, second)
        for mine, theirs in ((each.estimate, alone.difference), (table.figures[0].estimate, None)):
            if theirs is None:
                continue
            assert mine is not None
            assert (mine.estimate, mine.standard_error) == pytest.approx((theirs.estimate, theirs.standard_error))
            assert mine.interval == pytest.approx(theirs.interval, abs=3e-3)


def test_a_table_without_groups_has_the_estimates_of_each_answer() -> None:
    sent = people(500, 3)
    for each in shares(sent, "q2").figures:
        assert each.estimate == estimate(sent, each.term)
    sample = SampleDesign(WEIGHTS, "q0")
    for each in shares(Sample(sent, sample), "q2").figures:
        alone = estimate(Sample(sent, sample), each.term)
        assert each.estimate is not None
        assert (each.estimate.estimate, *(each.estimate.interval or ())) == pytest.approx(
            (alone.estimate, *(alone.interval or ()))
        )


def test_over_all_samples_and_coins_shares_are_the_true_ones_and_their_covariance_is_estimated_exactly() -> None:
    # Two regions of three people; two of each are drawn with replacement, and send "yes" or "no" with truth 4/5.
    survey = survey_of(
        ('kind = "choice"\nsensitive = false\nvalues = ["north", "south"]', "", ""), (YES_NO, "g", 'truth = "4/5"')
    )
    population = ((0, 0, 1), (1, 1, 0))  # of each region the index of each answer
    ways = []
    for region, answers in enumerate(population):
        codes: dict[tuple[int, ...], float] = {}
        for drawn in product(answers, repeat=2):
            for flips in product((0, 1), repeat=2):
                sent = tuple(sorted(answer ^ flip for answer, flip in zip(drawn, flips, strict=True)))
                codes[sent] = codes.get(sent, 0.0) + (1 / 9) * float(np.prod([0.2 if flip else 0.8 for flip in flips]))
        ways.append([([(region, code) for code in sent], chance) for sent, chance in codes.items()])
    design = SampleDesign({"q0": {"north": 1.0, "south": 3.0}}, "q0")
    answers = [[{"q1": frozenset({0})}]]
    groups = [[{"q0": frozenset({region})}] for region in (0, 1)]
    chances, values, spreads = [], [], []
    for (north, one), (south, other) in product(*ways):
        sent_by = Sample(Responses(survey, np.array(north + south, np.int16)), design)
        cells = Partition.of(sent_by, [answers, groups])
        joint = JointFigures(cells, [sampled_figure(cells, [(1.0, {0: 0, 1: each})], {1: each}) for each in (0, 1)])
        chances.append(one * other)
        values.append([each.value for each in joint.figures if each is not None])
        spreads.append(joint.covariance)
    mean = np.average(values, axis=0, weights=chances)
    assert mean == pytest.approx([2 / 3, 1 / 3], abs=1e-12)
    gaps = np.array(values) - mean
    true = (gaps * np.array(chances)[:, None]).T @ gaps
    assert np.average(spreads, axis=0, weights=chances) == pytest.approx(true, abs=1e-12)
    design_alone = (2 / 9) / 2  # the variance of the mean of two of these three people
    assert true[0, 0] == pytest.approx(design_alone + 0.8 * 0.2 / 0.6**2 / 2)


def test_a_group_that_may_be_nobody_has_no_interval_and_there_is_no_test() -> None:
    survey = survey_of((YES_NO, "g", 'truth = "3/5"'), (YES_NO, "h", 'truth = "4/5"'))
    rng = np.random.default_rng(6)
    values = np.stack([rng.random(300) < 0.99, rng.random(300) < 0.5], axis=1).astype(np.int16)
    table = shares(simulate(survey, values, rng), "q1 = yes", by="q0")
    rare = table.figures[0].estimate
    assert rare is None or rare.interval is None
    assert table.test is None
    assert all(each.p_value is None and each.adjusted is None for each in table.differences)


def test_differences_are_adjusted_for_all_of_them() -> None:
    found = shares(people(4000, 4), "q2", by="q0").differences
    assert [each.adjusted for each in found] == pytest.approx(holm([each.p_value or 0.0 for each in found]))


@pytest.mark.statistical
def test_the_test_of_the_groups_finds_a_difference_and_keeps_its_level() -> None:
    survey = survey_of((REGION, "", ""), (YES_NO, "g", 'truth = "4/5"'))
    times = part_of(100, 50)
    rejected, rng = 0, np.random.default_rng(7)
    for _ in range(times):
        values = np.stack([rng.integers(0, 3, 400), rng.integers(0, 2, 400)], axis=1).astype(np.int16)
        test = shares(simulate(survey, values, rng), "q1 = yes", by="q0").test
        rejected += test is not None and test.p_value < 0.05
    assert 1 <= rejected <= likely(times, 0.05)[1]  # seeded; a level of .05 leaves these once in 130, or 12
    test = shares(people(4000, 8), "q1 = yes", by="q0").test
    assert test is not None
    assert test.p_value < 1e-4


def test_a_three_way_table_adds_up_to_its_two_way_tables_weighted_or_not() -> None:
    sent = people(2000, 9)
    for tabulated in (partial(crosstab, sent), partial(crosstab, Sample(sent, SampleDesign(WEIGHTS)))):
        two, three = tabulated("q0", "q1"), tabulated("q0", "q1", "q2")
        for pair, cell in two.cells.items():
            layers = [three.cells[*pair, value].estimate for value in ("a", "b", "c")]
            assert sum(layers) == pytest.approx(cell.estimate)
        assert three.independence is None
        assert three.frame.index.names == ["q0", "q1", "q2"]
        assert sum(each.estimate for each in three.layers.values()) == pytest.approx(1)
    alone = estimate(sent, "q0 = east and q1 = yes and q2 = b")
    assert crosstab(sent, "q0", "q1", "q2").cells["east", "yes", "b"] == alone


def test_what_is_no_table_is_refused_with_a_remedy() -> None:
    sent = people(100, 10)
    with pytest.raises(QueryError, match='did you mean "q1"'):
        shares(sent, "q11", by="q0")
    with pytest.raises(QueryError, match="named twice"):
        shares(sent, "q1", by=("q0", "q0"))
    with pytest.raises(QueryError, match="named twice"):
        crosstab(sent, "q0", "q1", "q0")


def test_all_questions_by_group_have_the_figures_of_each_with_p_values_adjusted_together() -> None:
    sent = people(3000, 11)
    whole = shares(sent, by="q0")
    alone = [shares(sent, name, by="q0") for name in ("q1", "q2")]
    assert whole.figures == tuple(each for table in alone for each in table.figures)
    raw = [each.p_value for table in alone for each in table.differences]
    assert [each.p_value for each in whole.differences] == raw
    assert [each.adjusted for each in whole.differences] == pytest.approx(holm([each or 0.0 for each in raw]))
    assert (whole.n, whole.test, whole.few) == (3000, None, ())
    with pytest.raises(QueryError):
        shares(sent, by=["q0", "q1", "q2"])


def test_groups_of_few_people_are_named_by_undisguised_answers_only() -> None:
    survey = survey_of((REGION, "", ""), (YES_NO, "g", 'truth = "4/5"'))
    rng = np.random.default_rng(12)
    region = np.repeat([0, 1, 2], [9, 10, 200])
    sent = simulate(survey, np.stack([region, rng.integers(0, 2, 219)], axis=1).astype(np.int16), rng)
    assert shares(sent, "q1", by="q0").few == (("north",),)
    assert shares(sent, "q0", by="q1").few == ()
