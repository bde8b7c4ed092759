"""Designs that keep one epsilon, compared: each keeps it, and comes out as the formula says."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import count
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from collector.channel.rounding import exp_below
from collector.disclosure.accounting import person_ratio
from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.cli import main
from miner.drawing.chart import Chart
from miner.planning.design_comparison import DesignComparison, Trials, tried
from miner.planning.designs import BEST, FORCED, PLAIN, budget_of, designs
from miner.planning.simulated_precision import Population, precisions, tables_of_two, typical
from miner.responses.responses import Values, value_indices
from population import draw_answers
from split_surveys import HEAD, budget_question

SIZES = {"a": 2, "b": 3, "c": 12, "d": 4, "e": 2}
PRIOR = "prior = { a0 = 0.2, a1 = 0.8 }"


def nothing() -> None:
    """What happens after each."""


def survey_of(privacy: str, more: str = "") -> Survey:
    questions = "".join(budget_question(name, size, PRIOR if name == "a" else "") for name, size in SIZES.items())
    return parse_survey(f'{HEAD}{questions}[privacy]\n{privacy}\n{more}[mining]\ntarget = "a"\n')


@pytest.fixture(scope="module")
def pilot(wellbeing: Survey) -> Values:
    return value_indices(wellbeing, draw_answers(400, np.random.default_rng(7)))


# --- the designs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", ["1/2", "2", "8", "20"])
def test_every_design_keeps_the_epsilon_and_uses_it_up(epsilon: str) -> None:
    found = designs(survey_of(f'epsilon = "{epsilon}"'), Fraction(epsilon))
    assert len(found) > 5
    for each in found:
        ratio = person_ratio(each.survey)
        assert ratio is not None
        assert ratio <= exp_below(Fraction(epsilon))
        assert ratio > exp(float(Fraction(epsilon)) * 0.99)
        assert [question.name for question in each.survey.questions] == list(SIZES)


def test_designs_ask_all_or_a_part_with_one_coin_or_many_coded_in_several_ways() -> None:
    found = designs(survey_of("epsilon = 4"), Fraction(4))
    assert {each.coins for each in found} == {"one coin", "even", "unequal"}
    assert {each.coding for each in found if each.coins == "even"} == {PLAIN, BEST, FORCED}
    assert {each.ask == len(SIZES) for each in found} == {True, False}
    assert len({each.survey.fingerprint for each in found}) == len(found)
    assert len({each.words for each in found}) == len(found)
    assert not any(each.published for each in found[1:])
    forced = next(each.survey.question("a") for each in found if each.coding == FORCED)
    assert forced.coding.replacement is not None
    plain = next(each.survey.question("c") for each in found if each.coding == PLAIN)
    assert plain.coding.written == "plain"
    best = next(each.survey.question("c") for each in found if each.coding == BEST and each.coins == "even")
    assert best.coding.shared


@pytest.mark.parametrize("privacy", ["epsilon = 4", 'epsilon = 4\ncoins = "own"'])
@pytest.mark.parametrize("sampling", ["", "[sampling]\n", "[sampling]\nask = 3\n"])
def test_the_surveys_own_design_comes_first(privacy: str, sampling: str) -> None:
    survey = survey_of(privacy, sampling)
    found = designs(survey, budget_of(survey))
    assert found[0].published
    assert found[0].survey == survey


def test_a_survey_that_promises_more_than_the_epsilon_is_not_among_its_designs() -> None:
    assert not any(each.published for each in designs(survey_of("epsilon = 4"), Fraction(3)))


def test_the_budget_is_the_surveys_own_promise() -> None:
    assert float(budget_of(survey_of("epsilon = 4"))) == pytest.approx(4, abs=1e-5)


def test_a_survey_that_promises_nothing_needs_to_be_told_an_epsilon(wellbeing: Survey) -> None:
    with pytest.raises(QueryError, match="it keeps no epsilon for a whole response; say which one"):
        budget_of(wellbeing)
    assert len(designs(wellbeing, Fraction(4))) > 3


def test_a_survey_that_disguises_nothing_has_no_designs() -> None:
    plain = parse_survey(HEAD + budget_question("a", 2, "sensitive = false"))
    with pytest.raises(QueryError, match="it disguises nothing"):
        budget_of(plain)
    with pytest.raises(QueryError, match="no question is sensitive"):
        designs(plain, Fraction(1))


# --- what comes of them ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("piloted", [False, True])
def test_shares_come_as_the_formula_foretells(piloted: bool) -> None:  # noqa: FBT001 - a case
    # Seeded. 23 shares in 25 surveys: the root mean square is known to 5 %; .2 is four of these, which a fresh seed
    # exceeds in one of 9 designs once in 1,500. Printed errors are means: they stray by 1 %.
    survey = survey_of("epsilon = 6", "[sampling]\n")
    pilot = Population(survey, None, 500).drawn(np.random.default_rng(11)) if piloted else None
    found = [each for each in designs(survey, Fraction(6)) if each.coins == "one coin" or each.coding != PLAIN]
    assert {each.survey.sampling is None for each in found} == {True, False}
    for each in found:
        tables = precisions(each.survey, Population(each.survey, pilot, 600), 25, np.random.default_rng(5), nothing)
        shares = typical([precision for names, precision in tables.items() if len(names) == 1])
        assert shares.foretold is not None
        assert shares.printed == pytest.approx(shares.foretold, rel=0.04)
        assert shares.came == pytest.approx(shares.foretold, rel=0.2)
        pairs = typical([precision for names, precision in tables.items() if len(names) == 2])
        assert pairs.foretold is None
        assert pairs.came == pytest.approx(pairs.printed, rel=0.2)


def test_without_a_target_each_question_goes_with_the_next() -> None:
    survey = parse_survey(f"{HEAD}{''.join(budget_question(n, 2) for n in 'abc')}[privacy]\nepsilon = 4\n")
    assert tables_of_two(survey) == [("a", "b"), ("b", "c")]


def test_a_design_that_asks_one_question_has_no_pairs() -> None:
    survey = parse_survey(
        f'{HEAD}{"".join(budget_question(n, 3) for n in "abc")}[privacy]\nepsilon = 1\naim = "shares"\n[sampling]\n'
    )
    (found, *_) = tried(designs(survey, budget_of(survey))[:1], Trials(90, 1, 0, "robust", None), _rng(), nothing)
    assert survey.sampling is not None
    assert (survey.sampling.ask, found.pairs) == (1, None)
    assert found.as_json["pairs"] is None
    with pytest.raises(QueryError, match="plot: no design asks two questions of a person"):
        _ = DesignComparison(survey, Fraction(1), 90, (found,)).chart


def test_models_are_rehearsed_as_by_plan(wellbeing: Survey, pilot: Values) -> None:
    trials, calls = Trials(600, 2, 2, "robust", pilot), count()
    candidates = designs(wellbeing, Fraction(12))[:2]
    found = tried(candidates, trials, _rng(), lambda: next(calls) and None)
    assert next(calls) == trials.steps(2) == 2 * (2 + 2 * 2)
    for each in found:
        assert [model.kind for model in each.models] == ["id3", "forest"]
        assert all(0.3 < model.accuracy < 0.95 for model in each.models)
    compared = DesignComparison(wellbeing, Fraction(12), 600, found)
    assert all(each.design.words in compared._repr_html_() for each in found)
    chart = compared.chart
    assert isinstance(chart, Chart)
    assert chart.y.label == "accuracy of the better of tree and forest"
    assert all(len(line.points) == 1 and line.points[0].interval is not None for line in chart.lines)
    assert all(each.design.words in chart.description for each in found)


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


# --- the command ----------------------------------------------------------------------------------------------------


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare-channels", *map(str, arguments)])


def printed(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_command_prints_a_table_and_draws_a_plot(root: Path, tmp_path: Path) -> None:
    survey, plot = root / "examples" / "wellbeing.toml", tmp_path / "designs.svg"
    arguments = (survey, "--epsilon", 6, "--respondents", 300, "--surveys", 2, "--seed", 1)
    found = printed(*arguments)
    assert (found["survey"], found["epsilon"], found["pilot"], found["surveys"]) == ("wellbeing", 6.0, False, 2)
    assert printed(*arguments) == found
    result = run(*arguments, "--plot", plot)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""  # progress is for terminals
    lines = result.stdout.splitlines()
    for each, line in zip(found["designs"], lines[1:], strict=False):
        assert line.startswith(each["design"])
        assert f"{each['epsilon']:.3f}" in line
        assert f"{each['shares']['foretold']:.4f}" in line
    assert "how accurate models of distress will be, a pilot would tell (--pilot ANSWERS.csv)" in lines
    assert lines[-1] == f"plot written to {plot}"
    drawn = plot.read_text(encoding="utf-8")
    assert "<title" in drawn
    assert "wellbeing: what epsilon 6 buys" in drawn
    assert "<desc" in drawn


def test_the_command_rehearses_models_with_a_pilot(root: Path, tmp_path: Path) -> None:
    draw_answers(200, np.random.default_rng(3)).to_csv(tmp_path / "pilot.csv", index=False)
    arguments = (root / "examples" / "wellbeing.toml", "--epsilon", 12, "--respondents", 300, "--surveys", 1)
    arguments += ("--pilot", tmp_path / "pilot.csv", "--rehearsals", 2, "--mode", "robust", "--seed", 1)
    result = run(*arguments, "--plot", tmp_path / "designs.png")
    assert result.exit_code == 0, result.output
    assert "tree and forest: accuracy, with its 95 % interval" in result.stdout
    modelled = {each["design"]: bool(each["models"]) for each in printed(*arguments)["designs"]}
    assert modelled["all asked, one coin"]
    assert modelled["all asked, a coin each, forced"]
    assert not all(modelled.values())  # robust rules cannot learn from parts of a split questionnaire
    assert (tmp_path / "designs.png").read_bytes().startswith(b"\x89PNG")


def test_a_pilot_of_nobody_is_refused(root: Path, tmp_path: Path) -> None:
    pilot = tmp_path / "pilot.csv"
    pilot.write_text("year,cannabis,drinking,income,debt,distress\n", encoding="utf-8")
    arguments = ("--respondents", 50, "--epsilon", 4, "--rehearsals", 0, "--pilot", pilot)
    result = run(root / "examples" / "wellbeing.toml", *arguments)
    told = "pilot: it has no row to draw respondents from; ask people, or leave it out\n"
    assert (result.exit_code, result.stderr) == (2, told)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--respondents", 100), 'survey "wellbeing": it keeps no epsilon for a whole response'),
        (("--respondents", 100, "--epsilon", "much"), "--epsilon: it is not a number of at most 20 digits"),
        (("--respondents", 100, "--epsilon", "0"), "epsilon: it is not above 0 and at most 100"),
        (("--respondents", 100, "--epsilon", "101"), "epsilon: it is not above 0 and at most 100"),
        (("--respondents", 5, "--epsilon", 4, "--rehearsals", 2), "there are too few to train a model and test it"),
        (("--respondents", 50, "--epsilon", 4, "--plot", "plot.pdf"), "--plot: its name ends neither with .svg"),
        (("--respondents", 50, "--epsilon", 4, "--pilot", "nowhere.csv"), "nowhere.csv"),
        (("--respondents", 50, "--epsilon", 4, "--plot", "nowhere/plot.svg"), "nowhere/plot.svg: it cannot be written"),
        (("--respondents", 1), "1 is not in the range"),
        (("--respondents", 10**12, "--epsilon", 4), "1000000000000 is not in the range"),
        ((), "Missing option '--respondents'"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_refused(root: Path, arguments: tuple[object, ...], line: str) -> None:
    result = run(root / "examples" / "wellbeing.toml", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (said,) = result.stderr.splitlines()
    assert line in said
