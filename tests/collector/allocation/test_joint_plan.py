"""One coin for all that a person is asked, codes shared by values: what is foretold, chosen, compiled and disclosed."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import exp, prod

import numpy as np
import pytest

from benchmarks.exact_table import inverse_of, transition_of
from channels import uniform_odds
from collector.allocation.best_coding import BlockDesign, designs, plain_design
from collector.allocation.epsilon_plan import every_option
from collector.allocation.joint_plan import PARTS, Shape, best_shape, shape_moment
from collector.allocation.problem import Asked, Problem
from collector.channel.rounding import exp_below
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.disclosure.accounting import person_ratio
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import response_variance
from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey
from collector.survey_file.epsilon_design import ONE_GROUP
from collector.survey_file.survey_file import compiled, parse_survey
from collector.survey_file.survey_writer import survey_text
from every_draw import designs as every_design
from every_draw import responses_of, sent_by, truths
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Patterns
from miner.responses.responses import codes_of_values
from miner.weights.weights import ProductWeights
from split_surveys import HEAD, budget_question, question, survey_of_tables

WHOLE = [("projective", (2,), 7), ("cyclotomic", (7, 3), 7), ("subsets", (2,), 5), ("cyclotomic", (8, 4), 8)]
CODINGS = [plain_coding(3), block_coding("subsets", 4, 2), block_coding("projective", 5, 2)]


@pytest.mark.parametrize(("scheme", "parameters", "values"), WHOLE)
def test_a_shape_is_what_enumeration_of_a_whole_design_says(
    scheme: str, parameters: tuple[int, ...], values: int
) -> None:
    (design,) = [each for each in designs(values) if (each.scheme, each.parameters) == (scheme, parameters)]
    coding = block_coding(scheme, values, *parameters)
    read = np.array([[float(each) for each in coding.reading[code]] for code in coding.codes])
    drawn = np.array([[float(coding.draw_probabilities(v).get(c, 0)) for c in coding.codes] for v in range(values)])
    shape = Shape.of(design, values)
    assert shape.true == pytest.approx((drawn @ read**2).sum() / values, rel=1e-12)
    assert shape.replaced == pytest.approx((read**2).sum() / len(coding.codes), rel=1e-12)
    assert shape.mean == pytest.approx(1 / values, rel=1e-12)
    assert shape.square == pytest.approx(1 / values, rel=1e-12)
    assert shape.sharpness == pytest.approx(float(coding.sharpness or 0), rel=1e-12)


def test_a_plain_shape_counts_what_was_sent() -> None:
    assert Shape.of(plain_design(5), 5)[1:] == pytest.approx((1, 1, 1 / 5, 1 / 5, 5))


def table_variance(codings: tuple[Coding, Coding], truth: float) -> float:
    """What one response adds to the variance of all cells, even answers: over answers, draws of codes and the coin."""
    reads, draws = [], []
    for coding in codings:
        reads.append(np.array([[float(each) for each in coding.reading[code]] for code in coding.codes]))
        chances = [coding.draw_probabilities(value) for value in range(len(coding.draws))]
        draws.append(np.array([[float(each.get(code, 0)) for code in coding.codes] for each in chances]).mean(axis=0))
    own = np.einsum("au,bv->abuv", *reads)
    weights = (own - (1 - truth) * own.mean(axis=(0, 1))) / truth
    sent = truth * np.outer(*draws) + (1 - truth) / own.shape[0] / own.shape[1]
    return float((sent[:, :, None, None] * weights**2).sum()) - 1 / own.shape[2] / own.shape[3]


def test_the_measure_of_pairs_under_one_coin_is_what_enumeration_says() -> None:
    kinds, epsilon = (7, 13, 7), 1
    asked = tuple(Asked(f"q{place}", each, sensitive=True, always=False) for place, each in enumerate(kinds))
    (option,) = [
        each for each in every_option(Problem(Fraction(1), asked, None, "pairs"), [2]) if each.kind == "one coin"
    ]
    codings = [_coding(each, kind) for (_, each), kind in zip(option.codings, kinds, strict=True)]
    assert all(coding.shared for coding in codings)
    measures = []
    for one, other in combinations(codings, 2):
        odds = exp(epsilon) - 1
        truth = odds / (odds + float((one.sharpness or 0) * (other.sharpness or 0)))
        measures.append(table_variance((one, other), truth) / (1 - 1 / len(one.draws) / len(other.draws)))
    assert option.measure == pytest.approx(sum(measures), rel=1e-8)  # a third of the people are asked each


def _coding(written: str, values: int) -> Coding:
    scheme, *parameters = written.split("-")
    return plain_coding(values) if scheme == "plain" else block_coding(scheme, values, *map(int, parameters))


def pair_variance(shapes: tuple[Shape, Shape], odds: float, cells: int) -> float:
    """Of a table of two questions under one coin, in closed form."""
    true, stray = prod(each.true for each in shapes), prod(each.replaced for each in shapes)
    mean, square = prod(each.mean for each in shapes), prod(each.square for each in shapes)
    times = prod(each.sharpness for each in shapes) / odds
    return true + (true + stray - 2 * mean) * times + (stray - square) * times**2 - 1 / cells


@lru_cache
def every_shape(values: int) -> list[Shape]:
    return [Shape.of(each, values) for each in (plain_design(values), *designs(values))]


@pytest.mark.parametrize("epsilon", [1, 2, 4])
@pytest.mark.parametrize("kinds", [(3, 3), (4, 5), (7, 7), (16, 7), (42, 2), (42, 16)])
def test_a_part_of_the_epsilon_chooses_codings_nearly_as_good_as_any(kinds: tuple[int, int], epsilon: int) -> None:
    odds, cells = exp(epsilon) - 1, prod(kinds)
    best = min(pair_variance(both, odds, cells) for both in product(*map(every_shape, kinds)))
    tried = [tuple(best_shape(values, epsilon * part) for values in kinds) for part in PARTS]
    tried.append(tuple(every_shape(values)[0] for values in kinds))
    assert min(pair_variance((one, other), odds, cells) for one, other in tried) <= 1.02 * best


def test_a_moment_is_that_of_the_design() -> None:
    design: BlockDesign = next(each for each in designs(7) if each.scheme == "projective")
    truth = design.truth(Fraction(1))
    expected = float(design.moment(7, truth))
    assert shape_moment(7, float(design.share), float(design.common), exp(1) - 1) == pytest.approx(expected, rel=1e-8)


def pairs_survey(epsilon: str, aim: str = "pairs") -> Survey:
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate([2, 7, 16, 20]))
    found = compiled(
        f'{HEAD}{questions}[privacy]\nepsilon = {epsilon}\ncoins = "one"\naim = "{aim}"\n[sampling]\nask = 3\n'
    )
    return found.survey


@pytest.mark.parametrize("epsilon", ["1", "2", "4"])
def test_pairs_of_three_answers_are_asked_in_shared_codes_under_one_coin_that_keeps_the_epsilon(epsilon: str) -> None:
    survey = pairs_survey(epsilon)
    (group,) = survey.groups
    assert (group.name, group.channel.coin.varies) == (ONE_GROUP, True)
    assert any(each.coding.shared for each in survey.questions)
    ratio = person_ratio(survey)
    assert ratio is not None
    assert exp_below(Fraction(epsilon) * Fraction(99, 100)) < ratio <= exp_below(Fraction(epsilon))
    assert survey_from_json(survey.canonical).fingerprint == survey.fingerprint
    assert parse_survey(survey_text(survey, "")).fingerprint == survey.fingerprint


def test_trees_are_asked_in_codes_of_their_own() -> None:
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate([2, 7, 16, 20]))
    survey = parse_survey(f'{HEAD}{questions}[privacy]\nepsilon = 2\ncoins = "one"\n[mining]\ntarget = "q0"\n')
    assert not any(each.coding.shared for each in survey.questions)


# The channel


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("odds", [Fraction(3), Fraction(1, 7)])
def test_every_draw_of_shared_codes_has_exactly_the_ratio_of_the_odds(count: int, odds: Fraction) -> None:
    for codings in combinations(CODINGS, count):
        channel = uniform_odds(odds).at(codings)
        low, high = Fraction(1), Fraction(0)
        ratios = []
        for sent in product(*(coding.codes for coding in codings)):
            chances = [
                channel.truth([])
                * prod(
                    (coding.draw_probabilities(value).get(code, Fraction(0)) for coding, value, code in each),
                    start=Fraction(1),
                )
                + (1 - channel.truth([])) / prod(len(coding.codes) for coding in codings)
                for values in product(*(range(len(coding.draws)) for coding in codings))
                for each in [list(zip(codings, values, sent, strict=True))]
            ]
            low, high = min(chances), max(chances)
            ratios.append(high / low)
        assert max(ratios) == 1 + odds == channel.ratio(codings)


def test_channel_times_inverse_is_the_identity_for_shared_codes() -> None:
    codings = CODINGS[:2]
    channel = uniform_odds(Fraction(5, 3)).at(codings)
    table, inverse = (
        np.array(each, dtype=object) for each in (transition_of(channel, codings), inverse_of(channel, codings))
    )
    assert (table @ inverse == np.eye(len(table), dtype=int)).all()


@pytest.mark.parametrize("truth", [Fraction(1, 5), Fraction(3, 4)])
def test_the_surest_belief_is_the_largest_posterior_of_all_answers_and_responses(truth: Fraction) -> None:
    survey = survey_of_tables(
        [
            question("a", 4, "g", 'coding = "subsets-2"\nprior = { a0 = 0.4, a1 = 0.3, a2 = 0.2, a3 = 0.1 }'),
            question("b", 3, "g", "prior = { b0 = 0.6, b1 = 0.3, b2 = 0.1 }"),
            question(
                "c", 5, "g", 'coding = "projective-2"\nprior = { c0 = 0.5, c1 = 0.2, c2 = 0.1, c3 = 0.1, c4 = 0.1 }'
            ),
        ],
        f'g = {{ truth = "{truth}", channel = "uniform" }}',
    )
    found = GroupDisclosure(survey.groups[0], survey.questions)
    joint = _joint(survey, truth)
    posteriors = joint / joint.sum(axis=(0, 1, 2), keepdims=True)
    assert float(found.belief.after) == pytest.approx(posteriors.max(), rel=1e-12)
    assert found.candidates == 4 * 3 * 5
    outside = max((joint / joint.sum(axis=known, keepdims=True)).max() for known in [(1, 2), (0, 2), (0, 1)])
    assert float(found.belief_with_outside_fact or 0) == pytest.approx(outside, rel=1e-12)


def _joint(survey: Survey, truth: Fraction) -> np.ndarray:
    """P(answers and codes), shape (4, 3, 5, codes, codes, codes)."""
    tables = [
        np.array([[float(q.coding.draw_probabilities(v).get(c, 0)) for c in q.codes] for v in range(len(q.values))])
        for q in survey.questions
    ]
    priors = np.einsum("a,b,c->abc", *(np.array([float(each) for each in q.prior]) for q in survey.questions))
    own = np.einsum("ax,by,cz->abcxyz", *tables)
    stray = float(1 - truth) / prod(len(q.codes) for q in survey.questions)
    return np.asarray(priors[:, :, :, None, None, None] * (float(truth) * own + stray))


# What is learnt


SHARED = [name for name in every_design() if name.startswith("codes of several values under one coin")]


@pytest.mark.parametrize("name", SHARED)
def test_the_foretold_variance_of_a_share_is_that_of_every_response(name: str) -> None:
    survey = every_design()[name]
    names = [each.name for each in survey.questions]
    asked_question = survey.questions[0]
    share = float(survey.asking_probability([asked_question.name]))
    weights = {
        values: prod(float(q.prior[v]) for q, v in zip(survey.questions, values, strict=True))
        for values in truths(survey)
    }
    for value in (0, len(asked_question.values) - 1):
        event = {asked_question.name: codes_of_values(asked_question, {value})}
        square = 0.0
        for values, chance in weights.items():
            draws = [sent for asked, sent in sent_by(survey, values) if asked_question.name in asked]
            for sent in draws:
                responses, chances = responses_of(survey, sent)
                square += chance * float(chances @ ProductWeights(responses).of(event) ** 2) / len(draws)
        expected = (square - float(asked_question.prior[value]) ** 2) / share
        assert names[0] == asked_question.name
        assert float(response_variance(survey, asked_question, value)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", SHARED)
def test_a_mixture_gives_every_response_its_chance(name: str) -> None:
    survey = every_design()[name]
    rng = np.random.default_rng(3)
    tables = [rng.dirichlet(np.ones(len(each.values))) for each in survey.questions]
    mixture = Mixture.normalised(survey, np.ones(1), np.concatenate(tables)[:, None])
    chances: dict[tuple[int, ...], float] = {}
    for values in truths(survey):
        weight = prod(float(table[value]) for table, value in zip(tables, values, strict=True))
        for _, sent in sent_by(survey, values):
            for row, chance in sent.items():
                chances[row] = chances.get(row, 0.0) + weight * float(chance)
    some = list(chances)[:: max(1, len(chances) // 200)]
    responses, _ = responses_of(survey, {row: Fraction(1, len(some)) for row in some})
    found = np.exp(mixture.log_likelihood_of(Patterns.of(responses)))
    assert found == pytest.approx([chances[row] for row in some], rel=1e-9)


def test_a_coin_for_shared_codes_is_bounded_in_every_draw() -> None:
    tables = [question(name, 43, "g", 'coding = "cyclotomic-43-12"') for name in "abcdefgh"]
    survey = survey_of_tables(tables, "g = { epsilon = 1 }", "[sampling]\nask = 4\n")
    (group,) = survey.groups
    assert group.channel.coin.varies
    assert group.channel.coin.parts(43**4, 12**4)[1] <= 2**32
    with pytest.raises(SurveyError, match="finer than one in 2"):
        survey_of_tables(tables, 'g = { odds = "1/1000" }', "[sampling]\nask = 5\n")
