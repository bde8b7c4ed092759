"""The estimators: exact, unbiased, and honest about what they do not know."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from benchmarks.calibration.few import DESIGNS, Design, coverage
from benchmarks.exact_table import event_weight, states, transition_of
from collector.errors import QueryError
from collector.survey.fields import Fields
from collector.survey.survey import Sampling, Survey
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate, frequencies
from miner.figures.estimate import FEWEST, Difference, Estimate
from miner.figures.means import mean_estimate
from miner.reporting.figure import figure, percent
from miner.responses.condition import event_of, parse_condition
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.weights.events import Event
from miner.weights.weights import ProductWeights
from small_surveys import mixed_survey, survey_of

YES_NO = 'kind = "yes_no"'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.4, c = 0.1 }'
WIDE = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e"]\nprior = { a = 0.3, b = 0.3, c = 0.2, d = 0.15, e = 0.05 }'


def event_for(survey: Survey, text: str) -> Event:
    return event_of(survey, parse_condition(survey, text))


def random_responses(survey: Survey, count: int, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    columns = [rng.choice(np.array(question.codes, dtype=np.int16), count) for question in survey.questions]
    return Responses(survey, np.stack(columns, axis=1))


# --- equal to Du & Zhan ---------------------------------------------------------------------------------------------


def flip_matrix(survey: Survey) -> np.ndarray:
    """Du & Zhan's 2^M x 2^M matrix: P(the event's groups are seen flipped as column | they truly are as row)."""
    matrix = np.ones((1, 1))
    for group in survey.groups:
        theta = float(group.channel.truth([]))
        matrix = np.kron(matrix, np.array([[theta, 1 - theta], [1 - theta, theta]]))
    return matrix


def matrix_solution(responses: Responses, event: Event) -> float:
    """Observed frequencies of the event with every combination of its groups complemented, through the inverse."""
    survey = responses.survey
    observed = []
    for flips in product([False, True], repeat=len(survey.groups)):
        matches = np.ones(len(responses), dtype=bool)
        for flipped, group in zip(flips, survey.groups, strict=True):
            for question in survey.members(group):
                wanted = event[question.name]
                if flipped:
                    wanted = frozenset(question.coding.complement(code) for code in wanted)
                column = responses.codes[:, survey.questions.index(question)]
                matches &= np.isin(column, list(wanted))
        observed.append(matches.mean())
    return float(np.linalg.solve(flip_matrix(survey), np.array(observed))[0])


@pytest.mark.parametrize("groups", [1, 2, 3, 4])
@pytest.mark.parametrize("per_group", [1, 2])
def test_product_weights_equal_the_full_matrix_of_du_and_zhan(groups: int, per_group: int) -> None:
    thetas = ["4/5", "7/10", "1/5", "9/10"]
    kinds = [YES_NO, CHOICE, WIDE, CHOICE]
    survey = survey_of(
        *[(kinds[(g + q) % 4], f"g{g}", f'truth = "{thetas[g]}"') for g in range(groups) for q in range(per_group)]
    )
    assert any(len(q.codes) > len(q.values) for q in survey.questions) or groups * per_group == 1
    responses = random_responses(survey, 500, seed=groups)
    rng = np.random.default_rng(groups)
    for _ in range(10):
        event = {
            question.name: frozenset(
                int(code) for code in rng.choice(question.codes, rng.integers(1, len(question.codes)), replace=False)
            )
            for question in survey.questions
        }
        assert estimate(responses, event).estimate == pytest.approx(matrix_solution(responses, event), abs=1e-12)


# --- unbiased, by full enumeration ----------------------------------------------------------------------------------


def response_distribution(survey: Survey, truth: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """P(response | true codes), exactly, over every outcome of every coin."""
    place = {question.name: number for number, question in enumerate(survey.questions)}
    outcomes: dict[tuple[int, ...], Fraction] = {truth: Fraction(1)}
    for group in survey.groups:
        codings = [question.coding for question in survey.members(group)]
        columns = [place[name] for name in group.questions]
        own = tuple(truth[column] for column in columns)
        row = transition_of(group.channel, codings)[states(codings).index(own)]
        following: dict[tuple[int, ...], Fraction] = {}
        for response, chance in outcomes.items():
            for state, probability in zip(states(codings), row, strict=True):
                if probability:
                    changed = list(response)
                    for column, code in zip(columns, state, strict=True):
                        changed[column] = code
                    following[tuple(changed)] = following.get(tuple(changed), Fraction(0)) + chance * probability
        outcomes = following
    return outcomes


def exact_weight(survey: Survey, response: tuple[int, ...], event: Mapping[str, frozenset[int]]) -> Fraction:
    """W(E) in fractions, from the channels themselves."""
    codes = dict(zip((question.name for question in survey.questions), response, strict=True))
    weight = Fraction(1)
    for question in survey.questions:
        if not question.sensitive and question.name in event:
            weight *= codes[question.name] in event[question.name]
    for group in survey.groups:
        members = survey.members(group)
        parts = [event.get(question.name) for question in members]
        own = tuple(codes[question.name] for question in members)
        weight *= event_weight(group.channel, own, parts, [question.coding for question in members])
    return weight


@pytest.mark.parametrize(
    "text",
    [
        "year = first",
        "drug = many",
        "drug in (none, many) and sold = no",
        "debt != some and distress = yes",
        "year >= second and drug = one and sold = yes and debt = deep and distress = no",
    ],
)
def test_an_estimate_is_unbiased_for_every_truth_over_every_coin(text: str) -> None:
    survey = mixed_survey()
    event = event_for(survey, text)
    every = list(product(*(question.codes for question in survey.questions)))
    weights = {codes: exact_weight(survey, codes, event) for codes in every}
    floats = ProductWeights(Responses(survey, np.array(every, dtype=np.int16))).of(event)
    assert floats == pytest.approx([float(weights[codes]) for codes in every], abs=1e-14)
    for truth in every:
        names = [question.name for question in survey.questions]
        holds = all(code in event.get(name, {code}) for name, code in zip(names, truth, strict=True))
        mean = sum(chance * weights[sent] for sent, chance in response_distribution(survey, truth).items())
        assert mean == Fraction(holds)


def test_a_value_of_several_codes_is_estimated_without_bias_from_values_to_values() -> None:
    survey = mixed_survey()
    drug = survey.question("drug")
    assert len(drug.coding.codes_of(0)) > 1
    place = [question.name for question in survey.questions].index("drug")
    for value, name in enumerate(drug.values):
        event = event_for(survey, f"drug != {name}")
        for true_value in range(len(drug.values)):
            mean = Fraction(0)
            for code, share in drug.coding.draw_probabilities(true_value).items():
                truth = tuple(code if at == place else q.codes[0] for at, q in enumerate(survey.questions))
                for sent, chance in response_distribution(survey, truth).items():
                    mean += share * chance * exact_weight(survey, sent, event)
            assert mean == Fraction(true_value != value)


# --- coverage -------------------------------------------------------------------------------------------------------


def shares_covered(survey: Survey, frequencies: list[float], count: int, seed: int) -> tuple[float, float]:
    """How often, in 2,000 samples of true answers and coins, each kind of interval holds P(every q = yes)."""
    rng = np.random.default_rng(seed)
    repetitions = 2000
    values = (rng.random((repetitions * count, len(frequencies))) >= frequencies).astype(np.int16)
    event = event_for(survey, " and ".join(f"q{number} = yes" for number in range(len(frequencies))))
    weights = ProductWeights(simulate(survey, values, rng))
    truth, covered, normal = prod(frequencies), 0, 0
    for terms in weights.of(event).reshape(repetitions, count):
        found = mean_estimate(terms, weights.range(event))
        assert found.interval is not None
        assert found.standard_error is not None
        covered += found.interval[0] <= truth <= found.interval[1]
        normal += abs(found.estimate - truth) <= 1.96 * found.standard_error
    return covered / repetitions, normal / repetitions


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("design", "frequencies", "count"),
    [
        ([(YES_NO, "a", 'truth = "4/5"')], [0.02], 100),
        ([(YES_NO, "a", 'truth = "9/10"'), (YES_NO, "b", 'truth = "9/10"')], [0.1, 0.1], 60),
        (
            [
                (YES_NO, "a", 'truth = "4/5"'),
                (YES_NO, "b", 'truth = "2/3", channel = "uniform"'),
                (YES_NO, "c", 'truth = "3/4"'),
            ],
            [0.3, 0.3, 0.3],
            500,
        ),
    ],
    ids=["one group, rare, small n", "two groups, 1 in 100, n 60", "three groups, both channels"],
)
def test_an_interval_covers_the_truth_19_times_in_20(
    design: list[tuple[str, str, str]], frequencies: list[float], count: int
) -> None:
    # Seeded. With true coverage .95 and 2,000 repetitions a fresh seed leaves [.93, .97] once in 24,000.
    covered, normal = shares_covered(survey_of(*design), frequencies, count, seed=11)
    assert 0.93 <= covered <= 0.97, (covered, normal)


def test_for_one_question_the_interval_is_wilsons_seen_through_the_channel() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'))
    question = survey.questions[0]
    yes, no = question.coding.codes_of(0)[0], question.coding.codes_of(1)[0]
    count, said_yes = 40, 12
    responses = Responses(survey, np.array([[yes]] * said_yes + [[no]] * (count - said_yes), dtype=np.int16))
    z, p = 1.959963984540054, said_yes / count
    centre = (p + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(p * (1 - p) / count + z**2 / (4 * count**2))
    own, replaced = 4 / 3, -1 / 3
    expected = tuple(replaced + (own - replaced) * limit for limit in (centre - half, centre + half))
    assert estimate(responses, event_for(survey, "q0 = yes")).interval == pytest.approx(expected, abs=1e-12)


def test_an_event_that_nobody_reported_has_an_interval_above_zero() -> None:
    survey = survey_of(('kind = "yes_no"\nsensitive = false', "", ""))
    responses = Responses(survey, np.ones((50, 1), dtype=np.int16))
    found = estimate(responses, event_for(survey, "q0 = yes"))
    assert found.estimate == found.standard_error == 0
    assert found.interval is not None
    assert found.interval[0] == 0
    assert found.interval[1] == pytest.approx(3.8415 / 53.8415, abs=1e-4)


# --- what is reported -----------------------------------------------------------------------------------------------


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n() -> None:
    survey = mixed_survey()
    responses = random_responses(survey, 200, seed=3)
    event = event_for(survey, "drug = one and debt = deep")
    terms = ProductWeights(responses).of(event)
    expected = terms.std(ddof=1) / np.sqrt(200)
    assert estimate(responses, event).standard_error == pytest.approx(expected, rel=1e-12)


def test_an_estimate_outside_the_unit_interval_is_reported_as_it_is_and_said_to_be() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'))
    all_no = survey.questions[0].coding.codes_of(1)[0]
    found = estimate(Responses(survey, np.full((10, 1), all_no, dtype=np.int16)), event_for(survey, "q0 = yes"))
    assert found.estimate == pytest.approx(-1 / 3)
    assert found.outside_unit_interval
    assert found.as_json["outside_unit_interval"] is True
    assert "outside 0 to 1, " in found.line
    assert "too few responses" in found.line
    assert "95 % interval -0.3333 to " in found.line
    assert found.short() == "-0.333*"
    assert found.interval is not None
    assert found.interval[0] == pytest.approx(-1 / 3)
    assert found.interval[1] > 0


def test_where_every_response_counts_the_same_json_has_no_standard_error_and_says_why() -> None:
    survey = survey_of(('kind = "yes_no"', "g", 'truth = "4/5"'), ('kind = "yes_no"', "h", 'truth = "3/5"'))
    no = [question.coding.codes_of(1)[0] for question in survey.questions]
    responses = Responses(survey, np.tile(np.array(no, np.int16), (400, 1)))
    for found in (estimate(responses, "q0 = yes"), crosstab(responses, "q0", "q1").cells["yes", "no"]):
        assert found.as_json["standard_error"] is None
        assert found.as_json["why"] == "every response counts the same"
        assert found.as_json["interval"] == found.interval
        read = Estimate.from_fields(Fields(json.loads(json.dumps(found.as_json)), "here"))
        assert (read.line, read.as_json) == (found.line, found.as_json)
    assert crosstab(responses, "q0", "q1").frame["standard_error"].isna().all()


def test_no_figure_is_a_negative_zero() -> None:
    found = Estimate(-1e-9, 0.1, (-2e-9, -1e-9), 100)
    texts = [found.line, found.short(), figure(found), percent(found), found._repr_html_()]
    texts += [Difference(-1e-9, 0.1, (-1e-9, 0.2), 100).line, replace(found, interval=None).line]
    assert not [text for text in texts if re.search(r"[-\N{MINUS SIGN}]0\.0+(?![0-9])", text)]


def test_no_responses_are_refused_in_words() -> None:
    survey = mixed_survey()
    responses = random_responses(survey, 0, seed=1)
    with pytest.raises(QueryError, match="no responses"):
        estimate(responses, event_for(survey, "year = first"))
    with pytest.raises(QueryError, match="collect responses first"):
        crosstab(responses, "year", "drug")


@pytest.mark.parametrize("people", [1, 2, 5, FEWEST - 1])
def test_few_responses_give_an_estimate_and_neither_error_nor_interval(people: int) -> None:
    found = estimate(random_responses(mixed_survey(), people, seed=1), event_for(mixed_survey(), "year = first"))
    assert found.line.startswith(f"{found.estimate:.4f} (no interval: ")
    assert f"fewer than {FEWEST}" in found.line
    assert found.as_json == {
        "estimate": found.estimate,
        "standard_error": None,
        "interval": None,
        "n": people,
        "outside_unit_interval": False,
    }
    assert Estimate.from_fields(Fields(found.as_json, "here")) == found


@pytest.mark.parametrize("design", DESIGNS[:: len(DESIGNS) // 20])
def test_with_as_few_responses_as_an_interval_needs_it_covers(design: Design) -> None:
    assert coverage(design, FEWEST, np.random.default_rng(1), 1000) > 0.88, "the worst of 222 has .91"


def test_with_fewer_it_does_not() -> None:
    assert coverage(Design(0.8, 4, 1, 0.05), 2, np.random.default_rng(1), 1000) < 0.86


def test_an_event_and_its_opposite_add_up_to_one_response_by_response() -> None:
    survey = mixed_survey()
    weights = ProductWeights(random_responses(survey, 100, seed=8))
    for name, value in [("year", "first"), ("drug", "none"), ("debt", "deep"), ("distress", "yes")]:
        both = weights.of(event_for(survey, f"{name} = {value}")) + weights.of(event_for(survey, f"{name} != {value}"))
        assert both == pytest.approx(np.ones(100), abs=1e-12)


def test_an_event_without_codes_has_frequency_zero_for_certain() -> None:
    found = estimate(random_responses(mixed_survey(), 10, seed=1), {"debt": frozenset()})
    assert (found.estimate, found.standard_error, found.interval) == (0, 0, (0, 0))


def test_an_event_with_foreign_codes_or_questions_is_refused() -> None:
    weights = ProductWeights(random_responses(mixed_survey(), 5, seed=1))
    with pytest.raises(QueryError, match='question "year": '):
        weights.of({"year": frozenset({9})})
    with pytest.raises(QueryError, match='there is no question "age"'):
        weights.of({"age": frozenset({0})})


def test_the_range_of_weights_is_reached_and_never_left() -> None:
    survey = mixed_survey()
    every = list(product(*(question.codes for question in survey.questions)))
    weights = ProductWeights(Responses(survey, np.array(every, dtype=np.int16)))
    for text in ["drug = many", "drug in (none, one) and sold = no", "debt = deep and distress = yes", "year = first"]:
        event = event_for(survey, text)
        terms = weights.of(event)
        assert weights.range(event) == pytest.approx((terms.min(), terms.max()), abs=1e-14)


def test_terms_with_counts_are_terms_repeated() -> None:
    terms, counts = np.array([0.5, -0.25, 1.5]), np.array([3.0, 2.0, 5.0])
    repeated = mean_estimate(np.repeat(terms, counts.astype(int)), (-0.5, 1.5))
    assert mean_estimate(terms, (-0.5, 1.5), counts) == Estimate(
        pytest.approx(repeated.estimate), pytest.approx(repeated.standard_error), pytest.approx(repeated.interval), 10
    )


def test_frequencies_of_all_values_are_those_of_each_alone_and_none_of_a_question_nobody_was_asked(
    wellbeing: Survey,
) -> None:
    names = tuple(question.name for question in wellbeing.questions)
    survey = replace(wellbeing, sampling=Sampling(2, names[:1]))
    codes = [[question.codes[number % len(question.codes)] for question in survey.questions] for number in range(60)]
    responses = Responses(survey, np.array([[*row[:2], -1, -1, -1, -1] for row in codes], np.int16))
    found = frequencies(responses)
    for question in survey.questions[:2]:
        alone = [estimate(responses, event_for(survey, f'{question.name} = "{value}"')) for value in question.values]
        assert list(found[question.name]) == alone
    assert [found[name] for name in names[2:]] == [(None,) * len(each.values) for each in survey.questions[2:]]


def test_a_condition_may_be_given_as_text(wellbeing: Survey) -> None:
    values = np.random.default_rng(5).integers(2, size=(50, len(wellbeing.questions))).astype(np.int16)
    responses = simulate(wellbeing, values, np.random.default_rng(6))
    text = "cannabis = yes and year in (first, second)"
    event = event_of(wellbeing, parse_condition(wellbeing, text))
    assert event_of(wellbeing, text) == event
    assert estimate(responses, text) == estimate(responses, event)
    with pytest.raises(QueryError, match=r'^condition, character 1: .*"nothing"'):
        estimate(responses, "nothing = yes")


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (Estimate(-0.001, 0.002, (-0.004, 0.003), 9000), "0"),
        (Estimate(1.001, 0.002, (0.997, 1.004), 9000), "1"),
    ],
)
def test_an_estimate_just_outside_0_to_1_is_said_to_be_so_by_chance(found: Estimate, end: str) -> None:
    assert f"is near {end}" in found.line
    assert "too few" not in found.line
    assert found.outside_unit_interval
