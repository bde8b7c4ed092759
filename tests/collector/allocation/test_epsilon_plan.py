"""An epsilon for the whole response: what is compiled keeps it, and the best of what was looked at is chosen."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import exp, prod

import pytest

from collector.allocation.epsilon_plan import LEVEL, best_option, every_option, least_moment
from collector.allocation.problem import Asked, Option, Problem
from collector.channel.rounding import exp_below
from collector.disclosure.accounting import person_ratio
from collector.disclosure.precision import response_variance
from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey
from collector.survey_file.epsilon_design import ONE_GROUP
from collector.survey_file.privacy_file import EpsilonPlan, best_of
from collector.survey_file.survey_file import compiled, parse_survey
from collector.survey_file.survey_writer import survey_text
from counted_calls import calls_of
from said import figures
from split_surveys import HEAD, budget_question

VOTES = "".join(budget_question(f"q{number}", 2) for number in range(17))
MINING = '[mining]\ntarget = "q0"\n'


def plan_of(text: str) -> tuple[Survey, EpsilonPlan]:
    found = compiled(text)
    assert found.plan is not None
    return found.survey, found.plan


def votes(epsilon: str, sampling: str = "[sampling]\n") -> tuple[Survey, EpsilonPlan]:
    return plan_of(f"{HEAD}{VOTES}[privacy]\nepsilon = {epsilon}\n{sampling}{MINING}")


@pytest.mark.parametrize("epsilon", ["1", "4", "8", '"5/2"', "0.1", "16"])
@pytest.mark.parametrize("sampling", ["", "[sampling]\n", "[sampling]\nask = 4\n"])
def test_no_design_exceeds_its_epsilon(epsilon: str, sampling: str) -> None:
    survey, plan = votes(epsilon, sampling)
    ratio = person_ratio(survey)
    assert ratio is not None
    assert ratio <= exp_below(plan.epsilon)  # itself at most e^epsilon
    assert ratio > exp_below(plan.epsilon * Fraction(99, 100))


def test_a_coin_is_shared_by_all_that_a_person_is_asked() -> None:
    survey, plan = votes("8")
    (group,) = survey.groups
    assert (group.name, group.channel.coin.varies) == (ONE_GROUP, True)
    assert survey.sampling is not None
    assert (survey.sampling.ask, survey.sampling.always) == (plan.chosen.ask, ("q0",)) == (9, ("q0",))
    assert plan.chosen == min(plan.options, key=lambda each: each.measure)
    assert {each.kind for each in plan.options} == {"one coin", "even", "unequal"}


def test_the_compiled_survey_shows_its_channels_and_travels_without_its_budget() -> None:
    for survey, _ in (votes("8"), votes("2", ""), votes("3", "[sampling]\nask = 5\n")):
        assert survey_from_json(survey.canonical) == survey
        assert parse_survey(survey_text(survey, "compiled")).fingerprint == survey.fingerprint
        assert "privacy" not in survey.design


def test_without_sampling_everybody_is_asked_everything() -> None:
    survey, plan = votes("8", "")
    assert survey.sampling is None
    assert {each.ask for each in plan.options} == {17}


def test_what_is_sent_as_it_is_is_always_asked_and_costs_nothing() -> None:
    open_question = budget_question("year", 4, "sensitive = false")
    text = f"{HEAD}{open_question}{VOTES}[privacy]\nepsilon = 4\n[sampling]\n{MINING}"
    survey, plan = plan_of(text)
    assert survey.sampling is not None
    assert survey.sampling.always == ("year", "q0")
    assert plan.chosen.ask == votes("4")[1].chosen.ask + 1


def test_the_reasons_are_told() -> None:
    _, plan = votes("8")
    assert figures(plan.lines[0]) == [8, 9, 17, 2.56]
    assert "one coin for all" in plan.lines[0]
    assert all(line.startswith("Instead, ") for line in plan.lines[1:-1])
    assert "latent mode alone" in plan.lines[-1]
    assert plan.as_dict["chosen"] == {
        "kind": "one coin",
        "ask": 9,
        "measure": pytest.approx(2.5597, abs=1e-4),
        "epsilons": {},
        "codings": {},
    }


SAMPLED = "[sampling]\n"


@pytest.mark.parametrize("aim", ["trees", "shares", "pairs"])
@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_where_all_are_asked_it_is_told_what_an_empty_sampling_would_save(epsilon: str, aim: str) -> None:
    head = f'{HEAD}{VOTES}[privacy]\nepsilon = {epsilon}\naim = "{aim}"\n'
    _, plan = plan_of(f"{head}{MINING}")
    _, sampled = plan_of(f"{head}{SAMPLED}{MINING}")
    assert plan.fewer == sampled.chosen
    assert sampled.fewer is None
    assert plan.chosen.ask == 17
    ratio = plan.chosen.measure / sampled.chosen.measure
    assert ratio > 1.01
    line = sampled.lines[0].split("whole response: ")[1].split("; ")[0]
    told = plan.lines[-2] if aim == "trees" else plan.lines[-1]
    assert line in told
    assert f"{ratio:,.2f}" in told
    assert ("is not known" in plan.lines[-1]) == ("is not known" in sampled.lines[-1]) == (aim == "trees")
    assert plan.as_dict["fewer"] == sampled.as_dict["chosen"]
    assert plan.as_dict["lines"] == list(plan.lines)


def test_nothing_is_told_where_sampling_would_save_nothing() -> None:
    assert votes("40", "")[1].fewer is None  # all are asked with it, too
    assert votes("8", "[sampling]\nask = 17\n")[1].fewer is None  # as was wished
    lone = plan_of(f"{HEAD}{budget_question('a', 2)}[privacy]\nepsilon = 1\n")[1]
    assert (lone.fewer, [line for line in lone.lines if "[sampling]" in line]) == (None, [])


def test_for_trees_fewer_are_asked_only_where_that_saves_a_tenth() -> None:
    """What looks at more than a person is asked has no interval of its accuracy: that is not given away for 1 %."""

    def option(ask: int, measure: float) -> Option:
        return Option("even", ask, (), measure)

    assert best_of([option(4, 1.0), option(6, 1.01)], 6, "trees").ask == 6
    assert best_of([option(4, 1.0), option(6, 1.11)], 6, "trees").ask == 4
    assert best_of([option(4, 1.0), option(6, 1.01)], 6, "pairs").ask == 4


def test_coins_that_were_asked_for_are_kept_in_what_sampling_would_save() -> None:
    _, plan = plan_of(f'{HEAD}{VOTES}[privacy]\nepsilon = 8\ncoins = "own"\n{MINING}')
    assert plan.fewer is not None
    assert plan.fewer.kind in {"even", "unequal"}


def test_fifteen_questions_are_planned_with_few_calls() -> None:
    wide = "".join(budget_question(f"q{number}", 2 + number % 9) for number in range(15))
    for aim in ("trees", "shares", "pairs"):
        text = f'{HEAD}{wide}[privacy]\nepsilon = 2\naim = "{aim}"\n{MINING}'
        assert calls_of(partial(plan_of, text)) < 5_000_000


def test_an_epsilon_that_no_coin_keeps_is_told_of_privacy() -> None:
    with pytest.raises(SurveyError) as raised:
        votes("0.0000001")
    assert raised.value.place == "privacy, epsilon"
    assert "2^32" in raised.value.problem


def test_asking_enough_for_more_than_pairs_is_worth_half_as_many_respondents_more() -> None:
    def option(ask: int, measure: float) -> Option:
        return Option("even", ask, (), measure)

    assert best_option([option(2, 1.0), option(3, 1.4), option(4, 1.6)]).ask == 3
    assert best_option([option(2, 1.0), option(3, 1.1), option(4, 1.5)]).ask == 4
    assert best_option([option(2, 1.0), option(3, 1.6), option(9, 2.0)]).ask == 2


@pytest.mark.parametrize("aim", ["shares", "pairs"])
def test_of_designs_for_shares_that_are_level_under_even_answers_the_one_that_asks_least_is_taken(aim: str) -> None:
    options = [Option("one coin", ask, (), measure) for ask, measure in ((2, 1.09), (3, 1.0), (4, 1.01), (1, 1.2))]
    assert best_option(options, aim).ask == 2
    assert best_option(options[1:], aim).ask == 3
    assert best_option(options).ask == 4


@pytest.mark.parametrize("aim", ["shares", "pairs"])
def test_the_fewer_questions_the_less_unevenness_raises_what_they_take(aim: str) -> None:
    """A second moment m of one response, of whom a part a is asked, varies by (m - q)/a, q the squared frequencies."""
    questions = tuple(Asked(name, 6, sensitive=True, always=False) for name in "abcdefgh")
    problem = Problem(Fraction(5), questions, None, aim)
    even, taken = 1 / 6 ** (1 + (aim == "pairs")), []
    for ask in (2, 3):
        (option,) = [each for each in every_option(problem, [ask]) if each.kind == "one coin"]
        asked = problem.probability(next(iter(problem.tables())), ask)
        moment = option.measure * asked * (1 - even) + even
        taken.append((moment - 1 / 2) / (1 - 1 / 2) / asked / option.measure)
    assert 1 < taken[0] < taken[1]


@pytest.mark.parametrize("ask", [2, 3, 4])
def test_the_measure_of_one_coin_is_what_enumeration_says(ask: int) -> None:
    """Mean over draws, answers and coins of the square of what a response counts, over the cells of a table."""
    sizes = {"a": 2, "b": 3, "c": 4, "d": 2}
    problem = Problem(
        Fraction(2), tuple(Asked(name, size, sensitive=True, always=name == "a") for name, size in sizes.items()), "a"
    )
    (option,) = [each for each in every_option(problem, [ask]) if each.kind == "one coin"]
    odds, measures = exp(2) - 1, []
    every = [("a", *rest) for rest in combinations("bcd", ask - 1)]
    for other in "bcd":
        asked = sum(other in draw for draw in every) / len(every)
        total = 0.0
        for draw in every:
            if other not in draw:
                continue
            states = list(product(*(range(sizes[name]) for name in draw)))
            truth, cells = odds / (odds + len(states)), sizes["a"] * sizes[other]
            for values in states:
                for sent in states:
                    chance = truth * (values == sent) + (1 - truth) / len(states)
                    for cell in product(range(sizes["a"]), range(sizes[other])):
                        hit = (sent[0], sent[draw.index(other)]) == cell
                        weight = (hit - (1 - truth) / cells) / truth / asked
                        total += chance * weight**2 / len(states) / len(every)
        measures.append(total)
    assert option.measure == pytest.approx(sum(measures) / 3, rel=1e-8)


def test_the_measure_of_a_coin_for_each_question_is_the_product_of_their_moments() -> None:
    problem = Problem(Fraction(4), tuple(Asked(f"q{k}", k, sensitive=True, always=k == 2) for k in (2, 3, 5)), "q2")
    (even,) = [each for each in every_option(problem, [2]) if each.kind == "even"]
    assert dict(even.epsilons) == dict.fromkeys(("q2", "q3", "q5"), 2)
    moments = [least_moment(values, Fraction(2)) for values in (2, 3, 5)]
    assert even.measure == pytest.approx(moments[0] * (moments[1] + moments[2]) / 2 * 2, rel=1e-8)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "[privacy]\nepsilon = 0\n",
            "privacy, epsilon: it is not above 0 and at most 100; give a number such as 2",
        ),
        (
            "[privacy]\nepsilon = -1\n",
            "privacy, epsilon: it is not above 0 and at most 100; give a number such as 2",
        ),
        (
            "[privacy]\nepsilon = 101\n",
            "privacy, epsilon: it is not above 0 and at most 100; give a number such as 2",
        ),
        ("[privacy]\nepsilon = true\n", "privacy, epsilon: the value is not a fraction of at most 20 digits"),
        ("[privacy]\nepsilon = nan\n", "privacy, epsilon: the value is not a fraction of at most 20 digits"),
        (
            '[privacy]\nepsilon = 8\ncoins = "two"\n',
            "privacy, coins: there is no such setting of coins; use one of: one, own",
        ),
        ("[privacy]\n", "privacy, epsilon: the epsilon is missing; add an epsilon, such as 8"),
        (
            "[privacy]\nepsilon = 8\ngamma = 1\n",
            'privacy: the key "gamma" is unknown; remove it, or use one of: ',
        ),
        (
            "[privacy]\nepsilon = 8\ndelta = 1\n",
            "privacy: respondents, new and delta belong to a central epsilon, and there is none; add central_epsilon",
        ),
        (
            "[privacy]\nepsilon = 1e9\n",
            "privacy, epsilon: it is not above 0 and at most 100; give a number such as 2",
        ),
        ("[privacy]\nepsilon = 1e+1\n[groups]\n", "privacy: with an epsilon for the whole response, the groups"),
        (
            "[privacy]\nepsilon = 8\n[groups]\ng = { truth = 0.75 }\n",
            "privacy: with an epsilon for the whole response, the groups are made automatically; drop [groups]",
        ),
        ("[privacy]\nepsilon = 8\n[sampling]\nask = 18\n", "sampling, ask: it is not more than the 1 always asked"),
        ("[privacy]\nepsilon = 8\n[sampling]\nask = 1\n", "sampling, ask: it is not more than the 1 always asked"),
        (
            '[privacy]\nepsilon = 8\n[sampling]\nalways = ["x"]\n',
            "sampling, always: the list contains a name that is not a question; use some of",
        ),
    ],
)
def test_a_budget_that_does_not_fit_is_refused(text: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        parse_survey(f"{HEAD}{VOTES}{text}{MINING}")
    assert str(raised.value).startswith(line)


EVERY = ", ".join(f'"q{number}"' for number in range(17))
APART = "sampling, ask: a table is wanted of questions that are never asked of the same person"


@pytest.mark.parametrize(
    ("privacy", "sampling", "line"),
    [
        ("", "ask = 0", "sampling, ask: it is not more than the 1 always asked"),
        ("", f"always = [{EVERY}]", "sampling, ask: it is not more than the 17 always asked and at most all 17; drop"),
        ("", f"ask = 17\nalways = [{EVERY}]", "sampling, ask: it is not more than the 17 always asked"),
        ("", 'always = ["q1", "q1"]', "sampling, always: a question is named twice; name each question once"),
        ("", "ask = 1\nalways = []", f"{APART}; ask 2 or more"),
        ("", 'ask = 2\nalways = ["q1"]', f"{APART}; ask 3 or more"),
        ('aim = "pairs"', "ask = 1", f"{APART}; ask 2 or more"),
        ('aim = "pairs"', 'ask = 2\nalways = ["q1"]', f"{APART}; ask 3 or more"),
        (
            'coins = "one"',
            "ask = 9",
            "privacy, epsilon: no design keeps this epsilon; ask fewer questions, or give another epsilon",
        ),
    ],
)
def test_a_sampling_that_contradicts_the_budget_is_refused(privacy: str, sampling: str, line: str) -> None:
    """Nine questions of 16 values have more combinations than one word draws."""
    wide = "".join(budget_question(f"q{number}", 16) for number in range(17))
    with pytest.raises(SurveyError) as raised:
        parse_survey(f"{HEAD}{wide}[privacy]\nepsilon = 8\n{privacy}\n[sampling]\n{sampling}\n{MINING}")
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            'group = "g"',
            'question "own", group: [privacy] sets how it is disguised, yet it has a group; drop the group',
        ),
        ('coding = "subsets-2"', 'question "own", coding: [privacy] sets how it is disguised, yet it has a coding'),
        ("replacement = { own0 = 1, own1 = 0, own2 = 0 }", 'question "own", replacement: [privacy] sets how it is'),
    ],
)
def test_a_question_that_sets_its_own_disguise_is_refused(more: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        parse_survey(f"{HEAD}{VOTES}{budget_question('own', 3, more)}[privacy]\nepsilon = 8\n")
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(("coins", "kinds"), [("one", {"one coin"}), ("own", {"even", "unequal"})])
def test_coins_may_be_asked_for(coins: str, kinds: set[str]) -> None:
    survey, plan = plan_of(f'{HEAD}{VOTES}[privacy]\nepsilon = 8\ncoins = "{coins}"\n[sampling]\n{MINING}')
    assert {each.kind for each in plan.options} == kinds
    assert len(survey.groups) == (1 if coins == "one" else 17)


def test_a_budget_where_nothing_is_sensitive_is_refused() -> None:
    with pytest.raises(SurveyError, match="no question is sensitive"):
        parse_survey(f"{HEAD}{budget_question('a', 2, 'sensitive = false')}[privacy]\nepsilon = 8\n")


def test_many_combinations_of_answers_make_a_coin_for_each_question() -> None:
    """17 questions of 16 values have more combinations than one word draws."""
    wide = "".join(budget_question(f"q{number}", 16) for number in range(17))
    survey, plan = plan_of(f"{HEAD}{wide}[privacy]\nepsilon = 20\n{MINING}")
    assert len(survey.groups) == 17
    assert all(not (group.channel.coin.varies or group.channel.replacement.paired) for group in survey.groups)
    assert plan.chosen.kind in {"even", "unequal"}


def open_survey(epsilon: str, aim: str) -> tuple[Survey, EpsilonPlan]:
    sizes = [2, 3, 5, 5, 7, 16, 20]
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate(sizes))
    return plan_of(f'{HEAD}{questions}[privacy]\nepsilon = {epsilon}\naim = "{aim}"\n[sampling]\n')


@pytest.mark.parametrize("epsilon", ["1", "2", "4", "8", "12"])
def test_what_is_for_shares_alone_asks_what_shares_need(epsilon: str) -> None:
    survey, plan = open_survey(epsilon, "shares")
    least = min(plan.options, key=lambda each: each.measure)
    assert plan.chosen.measure <= LEVEL * least.measure
    assert plan.chosen.ask <= least.ask
    assert ("as frequent" in plan.lines[0]) == (plan.chosen != least)
    assert survey.sampling is not None
    assert survey.sampling.always == ()
    assert "the shares of a question" in plan.lines[0]


def test_a_tight_epsilon_for_shares_asks_one_question_and_for_pairs_two() -> None:
    for aim, ask in (("shares", 1), ("pairs", 2)):
        survey, plan = open_survey("1", aim)
        assert plan.chosen.ask == ask
        assert survey.sampling is not None
        assert survey.sampling.ask == ask


def test_the_measure_of_pairs_is_the_mean_variance_of_every_two_questions_over_that_of_open_answers() -> None:
    asked = tuple(Asked(f"q{k}", k, sensitive=True, always=False) for k in (2, 3, 5))
    (even,) = [each for each in every_option(Problem(Fraction(4), asked, None, "pairs"), [2]) if each.kind == "even"]
    two, three, five = (least_moment(values, Fraction(2)) for values in (2, 3, 5))
    variances = [(two * three - 1 / 6) / (5 / 6), (two * five - 1 / 10) / (9 / 10), (three * five - 1 / 15) / (14 / 15)]
    assert even.measure == pytest.approx(sum(variances), rel=1e-8)  # a third of the people are asked each


@pytest.mark.parametrize("ask", [1, 2, 4])
def test_the_measure_of_shares_is_the_variance_that_planning_foretells(ask: int) -> None:
    """Over that of asking everybody openly: of each question's shares together, the mean over questions."""
    sizes = [2, 3, 3, 5]
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate(sizes))
    sampling = f"[sampling]\nask = {ask}\n" if ask < len(sizes) else ""
    survey, plan = plan_of(f'{HEAD}{questions}[privacy]\nepsilon = 3\ncoins = "one"\naim = "shares"\n{sampling}')
    ratios = [
        sum(response_variance(survey, question, value) for value in range(size)) / (1 - Fraction(1, size))
        for question, size in zip(survey.questions, sizes, strict=True)
    ]
    assert float(sum(ratios)) / len(sizes) == pytest.approx(plan.chosen.measure, rel=1e-6)


@pytest.mark.parametrize(("aim", "target"), [("trees", "q3"), ("trees", "q4"), ("shares", None), ("pairs", None)])
def test_an_unequal_epsilon_is_dealt_out_in_steps_to_whichever_question_gains_most(
    aim: str, target: str | None
) -> None:
    """The definition, every table anew in every step: half evenly, the rest in 64 parts. Question 4 is sent openly."""
    asked = tuple(Asked(f"q{k}", k, sensitive=k != 4, always=True) for k in (2, 3, 4, 5, 9))
    problem = Problem(Fraction(3), asked, target, aim)
    (option,) = [each for each in every_option(problem, [len(asked)]) if each.kind == "unequal"]

    def measure(shares: dict[str, Fraction]) -> float:
        found = []
        for table in problem.tables():
            moments = [least_moment(each.values, shares[each.name]) for each in table if each.sensitive]
            found.append(problem.taken(table, prod(moments), 1.0))
        return float(f"{sum(found) / len(found):.9g}")

    shares = {each.name: Fraction(3, 8) for each in asked if each.sensitive}
    for _ in range(64):
        trials = [(measure(shares | {name: share + Fraction(3, 128)}), name) for name, share in shares.items()]
        shares[min(trials)[1]] += Fraction(3, 128)
    assert dict(option.epsilons) == shares
    assert option.measure == measure(shares)
    assert len(set(shares.values())) > 1


def test_an_aim_needs_no_target_to_be_asked_of_everybody() -> None:
    survey, _ = plan_of(f'{HEAD}{VOTES}[privacy]\nepsilon = 1\naim = "shares"\n[sampling]\n{MINING}')
    assert survey.sampling is not None
    assert (survey.sampling.ask, survey.sampling.always) == (1, ())


def test_an_unknown_aim_is_refused() -> None:
    with pytest.raises(SurveyError, match=r"privacy, aim: .* trees, shares, pairs"):
        open_survey("1", "means")
