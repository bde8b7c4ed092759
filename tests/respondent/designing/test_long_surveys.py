"""A survey of 400 questions: its first state, an edit, and the page of its preview take as long as they are many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.performance.designing import survey as long_survey
from collector.disclosure.precision import other_truths, reported_variance, with_truth
from collector.disclosure.privacy import SurveyPrivacy
from collector.planning.expectations import planned_questions
from collector.planning.settings import outcome_of
from collector.survey_file.survey_file import parse_survey, read_survey_file
from counted_calls import calls_of
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.operations import edited
from respondent.designing.state import state_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
MOST = 8  # times the calls for four times as many: what is quadratic makes 16 times as many


def work_of(path: Path, questions: int) -> tuple[int, int]:
    """Calls of the first state of a survey, and of an edit with the state after it."""
    path.write_text(long_survey(questions, name=f"long_{questions}"), encoding="utf-8")
    found = list[SurveyDocument]()

    def begin() -> None:
        found.append(SurveyDocument(path))
        state_of(found[0], 1000)

    def edit(truth: str) -> None:
        edits = [{"op": "set", "path": ["groups", "q3", "truth"], "value": truth}]
        found[0].edit(found[0].version, edits)
        assert state_of(found[0], 1000)["problems"] == []

    first = calls_of(begin)
    return first, min(calls_of(lambda truth=truth: edit(truth)) for truth in ("4/5", "5/6", "7/8"))


def test_four_times_as_many_questions_take_no_sixteen_times_as_long(tmp_path: Path) -> None:
    outcome_of.cache_clear()
    few, many = work_of(tmp_path / "few.toml", 100), work_of(tmp_path / "many.toml", 400)
    assert many[1] < MOST * few[1]
    assert many[0] < 6_000_000


def test_a_change_of_every_group_is_one_edit_that_parses_the_file_before_and_after_it() -> None:
    text = long_survey(400, name="edited_at_once")
    edits = [{"op": "set", "path": ["groups", f"q{at}", "truth"], "value": "4/5"} for at in range(400)]
    before = values_of.cache_info().misses
    assert edited(text, edits) == text.replace('"3/4"', '"4/5"')
    assert values_of.cache_info().misses - before == 2


@pytest.mark.parametrize("name", ["wellbeing", "audit_c", "staff_climate", "who5"])
def test_a_group_is_planned_alone_as_in_its_survey(name: str) -> None:
    survey = read_survey_file(EXAMPLES / f"{name}.toml")
    for planned in planned_questions(survey, 500):
        group = planned.group
        if group is None:
            continue
        truths = {each for each in other_truths(group) if each.denominator in {2, 4, 5, 10, 20}}
        assert {each.truth for each in planned.truths} >= truths
        for each in planned.truths:
            other = with_truth(group, each.truth)
            whole = replace(survey, groups=tuple(other if at.name == group.name else at for at in survey.groups))
            disclosed = SurveyPrivacy(whole).question(planned.question.name)
            assert (each.bits, each.belief) == (
                disclosed.anonymity,
                float(max(risk.rise.after for risk in disclosed.risks)),
            )
            values = range(len(planned.question.values))
            worst = max(reported_variance(whole, planned.question, value) for value in values)
            assert each.width == pytest.approx(2 * 1.959963984540054 * float(worst / 500) ** 0.5)


def test_groups_that_differ_in_their_names_alone_are_planned_once() -> None:
    outcome_of.cache_clear()
    planned_questions(parse_survey(long_survey(20)), 500)
    made = outcome_of.cache_info().misses
    planned_questions(parse_survey(long_survey(40)), 500)
    assert outcome_of.cache_info().misses == made
