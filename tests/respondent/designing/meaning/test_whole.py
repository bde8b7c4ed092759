"""Presets of the whole response: new surveys keep what they promise, and say what it means."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import pytest

from collector.exchange.checked import checked
from collector.survey_file.survey_file import Compiled, compiled
from respondent.designing.beginnings import blank
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.meaning.fewer import SAVING, people_needed
from respondent.designing.meaning.presets import EPSILONS
from respondent.designing.meaning.sentences import about
from respondent.designing.meaning.whole import whole_offers, with_whole
from respondent.designing.operations import edited
from respondent.designing.values import EditError
from soak import some_of

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
Json = dict[str, Any]


def yes_no(count: int) -> list[Json]:
    """As many yes/no questions, named q1, q2 and so on."""
    return [{"name": f"q{at}", "label": f"Question {at}?", "kind": "yes_no"} for at in range(1, count + 1)]


ROUTED = [*yes_no(2), yes_no(3)[-1] | {"ask_if": "q1 = yes"}]
GRID: Json = {"name": "mood", "label": "Mood", "kind": "grid", "values": ["1", "2", "3"]}
GRID |= {"statements": {"glad": "Glad", "calm": "Calm"}}
SURVEYS = {
    "4": yes_no(4),
    "8": yes_no(8),
    "14": yes_no(14),
    "30": yes_no(30),
    "routed": ROUTED,
    "grid": [GRID, *yes_no(1)],
}
SHORT = some_of(SURVEYS, ("8", "routed", "grid"))


def built(folder: Path, questions: list[Json], preset: str) -> SurveyDocument:
    """A new survey with these questions and a preset, edited as the page edits it."""
    path = folder / "survey.toml"
    path.write_text(blank(), "utf-8")
    document = SurveyDocument(path)
    inserts = [{"op": "insert", "path": ["questions", at], "value": each} for at, each in enumerate(questions)]
    last: Json = {"op": "delete", "path": ["questions", len(questions)]}
    target = [{"op": "set", "path": ["mining", "target"], "value": "q1"}]
    document.edit(1, [*inserts, last, *target, {"op": "preset", "path": ["privacy"], "value": preset}])
    return document


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("preset", EPSILONS)
def test_a_survey_from_blank_keeps_what_its_preset_promised(name: str, preset: str, tmp_path: Path) -> None:
    document = built(tmp_path, SURVEYS[name], preset)
    found = document.compiled()
    assert isinstance(found, Compiled)
    privacy = checked(found, 1000).privacy
    assert privacy.epsilon <= EPSILONS[preset] + 1e-9
    figures = document.figures(1000)
    assert figures is not None
    offer = next(each for each in whole_offers(document.text, tmp_path, 1000) if each["name"] == preset)
    assert offer["words"][0] == figures.as_json["response"]["together"]
    assert offer["epsilon"] == EPSILONS[preset]
    for risk in (risk for each in privacy.questions for risk in each.risks):
        if risk.rise.before:
            before, after = float(risk.rise.before), float(risk.rise.after)
            assert after * (1 - before) <= before * (1 - after) * exp(EPSILONS[preset]) * (1 + 1e-9)


def test_a_stronger_preset_takes_more_people(tmp_path: Path) -> None:
    text = built(tmp_path, SURVEYS["8"], "balanced").text
    needed = [
        max(people_needed(compiled(with_whole(text, each["name"]), tmp_path).survey).values())
        for each in whole_offers(text, tmp_path, 1000)
    ]
    assert needed == sorted(needed, reverse=True)
    assert len({*needed}) == len(EPSILONS)


def asked(text: str, folder: Path, ask: int) -> Compiled:
    """The survey of a file that asks each person a number of questions."""
    return compiled(edited(text, [{"op": "set", "path": ["sampling", "ask"], "value": ask}]), folder)


def test_each_preset_proposes_the_number_of_questions_that_takes_the_fewest_people(tmp_path: Path) -> None:
    text = built(tmp_path, SURVEYS["14"], "balanced").text
    offers = whole_offers(text, tmp_path, 1000)
    assert [each["fewer"]["ask"] for each in offers] == [3, 3, 4, 9]
    fewer = offers[2]["fewer"]
    assert "4 of the 14 questions" in fewer["words"]
    assert "2,807 people instead of about 51,000" in fewer["words"]
    then = compiled(edited(text, fewer["edits"]), tmp_path).survey
    assert then.sampling is not None
    assert (then.sampling.ask, then.sampling.always) == (4, ("q1",))
    assert max(people_needed(then).values()) == fewer["people"]
    others = [max(people_needed(asked(text, tmp_path, ask).survey).values()) for ask in range(2, 15)]
    assert min(others) == fewer["people"]
    settled = next(each for each in whole_offers(edited(text, fewer["edits"]), tmp_path, 1000) if each["epsilon"] == 4)
    assert settled["fewer"] is None


@pytest.mark.parametrize("name", ["4", "8", "routed14", "routed", "grid"])
def test_what_is_proposed_keeps_the_epsilon_saves_people_and_brings_no_new_warning(name: str, tmp_path: Path) -> None:
    filtered = [*yes_no(13), yes_no(14)[-1] | {"ask_if": "q2 = yes"}]
    text = built(tmp_path, SURVEYS.get(name, filtered), "balanced").text
    for each in whole_offers(text, tmp_path, 1000):
        fewer = each["fewer"]
        whole = with_whole(text, each["name"])
        if fewer is None:
            continue
        before, then = compiled(whole, tmp_path), compiled(edited(whole, fewer["edits"]), tmp_path)
        assert fewer["instead"] == max(people_needed(before.survey).values()) >= SAVING * fewer["people"]
        privacy = checked(then, 1000).privacy
        assert privacy.epsilon <= each["epsilon"] + 1e-9
        assert "sampling" not in {lint.place for lint in privacy.lints if lint.severity != "note"}
        assert privacy.refusals == ()


def test_questions_that_others_depend_on_are_asked_of_everybody(tmp_path: Path) -> None:
    questions = [*yes_no(13), yes_no(14)[-1] | {"ask_if": "q2 = yes"}]
    text = with_whole(built(tmp_path, questions, "balanced").text, "strong")
    offers = {each["name"]: each["fewer"] for each in whole_offers(text, tmp_path, 1000)}
    then = compiled(edited(text, offers["strong"]["edits"]), tmp_path).survey
    assert then.sampling is not None
    assert (then.sampling.ask, then.sampling.always) == (4, ("q1", "q2"))
    assert offers["strong"]["words"].endswith(
        "Everybody is asked q1, q2: others depend on them, or models predict them."
    )
    assert offers["balanced"]["ask"] == 8  # with fewer, one answer would become nearly certain


def test_nothing_is_proposed_where_sampling_would_split_the_options_of_a_question(tmp_path: Path) -> None:
    ticks: Json = {"name": "tick", "label": "Which?", "kind": "multiple", "values": [f"v{at}" for at in range(9)]}
    text = built(tmp_path, [*yes_no(1), ticks | {"least": 1}], "strong").text
    assert all(each["fewer"] is None for each in whole_offers(text, tmp_path, 1000))


@pytest.mark.parametrize("name", SHORT)
def test_where_one_answer_tells_more_than_under_a_weaker_preset_it_is_said_why(name: str, tmp_path: Path) -> None:
    offers = whole_offers(built(tmp_path, SURVEYS[name], "balanced").text, tmp_path, 1000)
    beliefs = [each["belief"] for each in offers]
    for at, offer in enumerate(offers):
        weaker = [other["title"] for other in offers[at + 1 :] if other["belief"] < beliefs[at]]
        assert ("tells less, because the design" in offer["words"][1]) == bool(weaker)
        assert not weaker or f"Under {weaker[0]} the answer to one question tells less" in offer["words"][1]
    if name == "8":
        assert beliefs[2] < beliefs[0] < beliefs[1] < beliefs[3]  # one draw for all under Balanced, own draws before it


def test_rows_of_a_grid_are_not_called_questions_where_there_is_nothing_else(tmp_path: Path) -> None:
    (alone,) = {each["words"][2] for each in whole_offers(grid_alone(tmp_path), tmp_path, 1000)}
    assert alone == 'Each person is asked all 2 rows of "mood".'
    with_more = whole_offers(built(tmp_path, SURVEYS["grid"], "balanced").text, tmp_path, 1000)
    assert with_more[0]["words"][2] == "Each person is asked all 3 questions; each row of a grid counts as one."


def grid_alone(folder: Path) -> str:
    """The text of a survey that has nothing but a grid."""
    file = built(folder, [GRID, *yes_no(1)], "balanced").text
    return edited(file, [{"op": "delete", "path": ["questions", 1]}, {"op": "delete", "path": ["mining"]}])


def test_a_preset_of_the_whole_response_replaces_groups_and_leaves_open_answers_open(tmp_path: Path) -> None:
    path = tmp_path / "wellbeing.toml"
    path.write_text((EXAMPLES / "wellbeing.toml").read_text("utf-8"), "utf-8")
    document = SurveyDocument(path)
    document.edit(1, [{"op": "preset", "path": ["privacy"], "value": "strong"}])
    values = values_of(document.text)
    assert (values["privacy"], "groups" in values) == ({"epsilon": 2}, False)
    assert [each["name"] for each in values["questions"] if each.get("sensitive") is False] == ["year"]
    assert compiled(document.text, tmp_path).plan is not None


def test_each_preset_says_why_a_file_cannot_have_it(tmp_path: Path) -> None:
    text = blank().replace("yes_no", "no_kind")
    assert all(each["problem"] and not each["words"] for each in whole_offers(text, tmp_path, 1000))
    assert all(each["problem"] for each in whole_offers("[", tmp_path, 1000))


def test_a_central_epsilon_refuses_a_preset_of_the_whole_response(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(blank().replace("epsilon = 4", "central_epsilon = 1\nrespondents = 4000"), "utf-8")
    with pytest.raises(EditError, match="the central epsilon decides"):
        SurveyDocument(path).edit(1, [{"op": "preset", "path": ["privacy"], "value": "strong"}])


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (2_807, "2,807"),
        (9_999, "9,999"),
        (50_947, "about 51,000"),
        (1_204_938, "about 1.2 million"),
        (999_999, "about 1 million"),
    ],
)
def test_large_numbers_of_people_are_said_with_two_figures(people: int, words: str) -> None:
    assert about(people) == words


def test_where_the_best_number_brings_warnings_another_is_proposed(tmp_path: Path) -> None:
    grid = {**GRID, "statements": {"glad": "Glad", "calm": "Calm", "tired": "Tired"}}
    questions = [*yes_no(5), grid, yes_no(6)[-1] | {"ask_if": "q2 = yes"}]
    text = built(tmp_path, questions, "balanced").text
    offers = {each["name"]: each["fewer"] for each in whole_offers(text, tmp_path, 1000)}
    assert offers["balanced"]["ask"] == 7  # 3 to 6 bring warnings
    assert offers["balanced"]["people"] * 20 < offers["balanced"]["instead"]
