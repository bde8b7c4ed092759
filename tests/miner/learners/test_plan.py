"""The plan that auto states, and the fits that it leaves out where its time is limited."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from miner.learners.auto import AutoClassifier
from miner.learners.baselines import MajorityClassifier
from miner.learners.choice import plan as planning
from miner.learners.choice.chooser import Candidate, Contest
from miner.learners.choice.plan import LEAST_JUDGED, MOST_LEARNT, SECONDS, Budget, Size, TrainingPlan, expected
from miner.learners.logit import LogitClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey

NAMES = ["majority", "naive-bayes", "logit", "boosted", "forest latent"]


def test_a_plan_says_how_many_responses_each_fit_learns_from_and_how_long_that_takes() -> None:
    plan = TrainingPlan.of(NAMES, 600_000, 6_000, (3, 1), Size(14, 10**9))
    finals = {fit.name: fit.final for fit in plan.fits}
    assert finals == {name: MOST_LEARNT.get(name, 600_000) for name in NAMES}
    assert {fit.learnt for fit in plan.fits} == {4_000}
    assert plan.steps == 4 * len(NAMES) + 1
    assert plan.seconds > 3 * expected("boosted", 4_000, Size(14, 10**9)) + expected("boosted", 2**15, Size(14, 10**9))
    assert "32768 to 600000" in plan.line
    assert f"at most {plan.steps} steps" in plan.line
    assert plan == TrainingPlan.of(NAMES, 600_000, 6_000, (3, 1), Size(14, 10**9))


@pytest.mark.parametrize(("questions", "channel"), [(16, "complement"), (6, "uniform"), (6, "complement")])
def test_few_responses_are_dealt_twice_into_three_folds_and_many_into_two_where_a_fit_takes_long(
    questions: int, channel: str
) -> None:
    text = survey_text(bits_survey(questions, "4/5"), "bits").replace('"complement"', f'"{channel}"')
    survey = parse_survey(text)
    few, many = (AutoClassifier(survey).plan(responses, survey.target or "") for responses in (1_000, 10_000))
    assert few is not None
    assert many is not None
    long = questions > 15 or channel == "uniform"
    assert {fit.times for fit in few.fits} == {6}
    assert {fit.times for fit in many.fits} == {2 if long else 3}


def test_what_answers_only_a_few_different_responses_allow_is_planned_as_few() -> None:
    survey = parse_survey(survey_text(bits_survey(6, "4/5"), "bits"))
    size = Size.of(survey)
    assert size == Size(6, 2**6)
    assert expected("logit", 10_000, size) == expected("logit", 64, size) < expected("logit", 65, Size(6, 65))


def test_the_table_of_costs_in_the_docs_has_the_constants_of_the_plan() -> None:
    text = (Path(__file__).parents[3] / "docs" / "learners.md").read_text(encoding="utf-8")
    table = text.split("## Cost")[1].split("## Automatic")[0]
    rows = dict(re.findall(r"^\| (`.*) \| (\S+ \| \S+ \| \S+) \|$", table, re.MULTILINE))
    shown = {
        name.replace("`", "").replace(", mode", ""): [each.replace(",", "") for each in cells.split(" | ")]
        for names, cells in rows.items()
        for name in ([names] if "mode" in names else names.split(", "))
    }
    told = {name: (float(cells[0]), float(cells[1])) for name, cells in shown.items()}
    most = {name: int(cells[2]) for name, cells in shown.items() if cells[2] != "all"}
    assert (told, most) == (SECONDS, MOST_LEARNT)


def test_under_a_limit_members_learn_from_fewer_responses_before_any_is_left_out() -> None:
    plan = TrainingPlan.of(NAMES, 600_000, 6_000, (3, 1), Size(14, 10**9))
    some, few = plan.within(0.7 * plan.seconds), plan.within(0.02 * plan.seconds)
    assert some.seconds <= 0.7 * plan.seconds
    assert not some.left_out
    assert min(fit.final for fit in some.fits) < 2**15
    assert few.seconds <= 0.02 * plan.seconds
    assert few.left_out[0] == "boosted"
    assert "left out for --time-limit" in few.line
    assert [fit.name for fit in plan.within(1e-9).fits] == ["majority"]
    assert plan.within(2 * plan.seconds).fits == plan.fits
    with pytest.raises(QueryError, match="above 0"):
        plan.within(0)


def test_under_a_limit_few_responses_are_dealt_once_and_then_fewer_are_judged_before_any_is_left_out() -> None:
    plan = TrainingPlan.of(NAMES, 3_000, 3_000, (3, 2), Size(6, 10**9))
    once = plan.within(0.6 * plan.seconds)
    assert (once.deals, once.judged, {fit.times for fit in once.fits}, once.left_out) == (1, 3_000, {3}, ())
    few = plan.within(0.2 * plan.seconds)
    assert (few.deals, few.left_out) == (1, ())
    assert LEAST_JUDGED <= few.judged < 3_000
    assert {fit.learnt for fit in few.fits} == {few.judged - few.judged // 3}
    assert max(fit.final for fit in few.fits) > 500
    assert plan.within(1e-9).judged == LEAST_JUDGED


def test_a_comparison_judges_as_many_responses_as_its_plan_says_and_deals_them_as_often() -> None:
    survey = bits_survey(4, "4/5")
    responses = simulate(survey, alike(900, 4, np.random.default_rng(1)), np.random.default_rng(2))
    candidates = [Candidate("majority", lambda: MajorityClassifier(survey, "q3"))]
    plan = TrainingPlan.of(["majority"], 900, 900, (3, 2), Size(4, 10**9)).within(1e-9)
    contest = Contest(candidates, "q3", budget=Budget(plan))
    found = contest.decided(responses, np.random.default_rng(3))
    assert found is not None
    assert found.responses == LEAST_JUDGED


def test_on_a_slow_machine_the_most_costly_candidate_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(planning, "monotonic", lambda: now[0])
    whole = TrainingPlan.of(NAMES, 6_000, 6_000, (3, 1), Size(14, 10**9))
    budget = Budget(whole.within(2 * whole.seconds))
    for fit in whole.fits[:4]:
        assert budget.allows(fit.name)
        now[0] += 3 * fit.fold_seconds  # three times as slow as expected
        budget.spent_on_fold(fit.name)
    assert not budget.allows("boosted")
    assert budget.allows("logit")
    assert budget.plan.left_out == ("boosted",)


def test_a_plan_counts_the_judging_of_each_candidate_in_each_deal() -> None:
    once, twice = (TrainingPlan.of(NAMES, 3_000, 3_000, (3, deals), Size(14, 10**9)) for deals in (1, 2))
    assert twice.judging == pytest.approx(2 * once.judging)
    folds = sum(3 * fit.fold_seconds for fit in once.fits)
    assert twice.seconds - once.seconds == pytest.approx(folds + len(NAMES) * once.judging)
    assert twice.within(once.seconds).seconds <= once.seconds


def test_a_candidate_is_left_out_in_time_for_the_judging_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(planning, "monotonic", lambda: now[0])
    whole = TrainingPlan.of(NAMES, 3_000, 3_000, (3, 2), Size(14, 10**9))
    budget = Budget(whole.within(whole.seconds))
    now[0] = whole.judging / 2  # less than one candidate's judging is lost
    assert budget.allows("majority")
    assert budget.plan.left_out == ("boosted",)
    assert budget.allows("forest latent")


def test_what_a_first_short_fit_takes_says_nothing_of_those_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(planning, "monotonic", lambda: now[0])
    whole = TrainingPlan.of(NAMES, 3_000, 3_000, (3, 1), Size(12, 10**9))
    budget = Budget(whole.within(2 * whole.seconds))
    assert budget.allows("majority")
    now[0] = 0.1 * whole.seconds  # libraries are imported
    budget.spent_on_fold("majority")
    assert all(budget.allows(fit.name) for fit in whole.fits)
    assert not budget.plan.left_out


def test_what_was_left_out_is_named_and_without_a_limit_nothing_is() -> None:
    survey = bits_survey(5, "4/5")
    responses = simulate(survey, alike(400, 5, np.random.default_rng(1)), np.random.default_rng(2))
    short = AutoClassifier(survey, time_limit=1.5, random_state=1).fit(responses)
    assert short.plan_ is not None
    assert {"boosted", "additive"} & {*short.plan_.left_out}
    assert "left out for the time limit: " in short.why_
    assert short.plan_.as_json["left_out"] == [*short.plan_.left_out]
    assert short.probabilities(np.zeros((1, 5), np.int16)).sum() == pytest.approx(1)
    assert not {*short.members_} & {*short.plan_.left_out}


def test_a_member_learns_from_no_more_responses_than_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, learnt = bits_survey(5, "4/5"), list[int]()
    responses = simulate(survey, alike(900, 5, np.random.default_rng(1)), np.random.default_rng(2))
    monkeypatch.setattr(planning, "MOST_LEARNT", {"logit": 700})
    fit = LogitClassifier._fit  # noqa: SLF001 - to see what it is given

    def seen(self: LogitClassifier, data: Data, plain: PlainRows | None, target: str) -> None:
        learnt.append(len(data))
        fit(self, data, plain, target)

    def few(self: AutoClassifier, target: str) -> list[Candidate]:
        return [Candidate("logit", lambda: LogitClassifier(self.survey, target, random_state=1))]

    monkeypatch.setattr(LogitClassifier, "_fit", seen)
    monkeypatch.setattr(AutoClassifier, "candidates", few)
    AutoClassifier(survey, random_state=1).fit(responses)
    assert learnt == [*[600] * 6, 700]
