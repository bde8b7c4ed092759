"""Presets of privacy: what each writes into a survey file, and what it is said to mean there."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, prod, sqrt
from pathlib import Path
from typing import Any

import pytest

from collector.survey_file.survey_file import compiled, parse_survey
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.meaning.offers import group_offers, offers_of
from respondent.designing.meaning.presets import ANSWER_PRESETS
from respondent.designing.meaning.sentences import share_words, times
from respondent.designing.operations import edited
from respondent.designing.values import EditError
from soak import some_of

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
FILES = ("audit_c", "staff_climate", "wellbeing", "wellbeing_split", "wellbeing_two_languages", "who5")
WELLBEING = (EXAMPLES / "wellbeing.toml").read_text("utf-8")
PRIVATE = 'name = "p"\ntitle = "P"\nlanguages = ["en"]\nPRIVACY\n' + "".join(
    f'[[questions]]\nname = "{name}"\nlabel = "Asked?"\nkind = "yes_no"\n' for name in ("one", "two")
)


def preset(text: str, index: int, name: str) -> str:
    """The file with a preset of one question."""
    return edited(text, [{"op": "preset", "path": ["questions", index], "value": name}])


def figures_in(text: str, folder: Path, index: int) -> list[dict[str, Any]]:
    """The figures of a question of a file, as the page has them."""
    path = folder / "survey.toml"
    path.write_text(text, "utf-8")
    document = SurveyDocument(path)
    figures = document.figures(1000)
    assert figures is not None
    at = document.places.question
    return [each for each in figures.as_json["questions"] if at(each["name"]) == ("questions", index)]


@pytest.mark.parametrize("name", FILES)
def test_a_compiled_file_has_the_same_offers_and_a_group_those_of_its_questions(name: str) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text("utf-8")
    found = compiled(text, EXAMPLES)
    for index in range(min(3, len(values_of(text)["questions"]))):
        offers = offers_of(text, EXAMPLES, index, 1000)
        assert offers_of(text, EXAMPLES, index, 1000, found) == offers
        assert group_offers(text, EXAMPLES, index, 1000, found)["presets"] == offers["presets"][:3]


@pytest.mark.parametrize("name", some_of(FILES, ("wellbeing", "wellbeing_split", "who5")))
def test_each_preset_compiles_at_every_question_is_the_one_it_has_then_and_means_what_was_offered(
    name: str, tmp_path: Path
) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text("utf-8")
    for index in range(min(3, len(values_of(text)["questions"]))):
        offers = offers_of(text, EXAMPLES, index, 1000)["presets"]
        assert [each["name"] for each in offers] == list(ANSWER_PRESETS)
        for offer in offers:
            if offer["problem"] is not None:  # a routed question, say, has to stay disguised
                continue
            figures = figures_in(preset(text, index, offer["name"]), tmp_path, index)
            assert {(each["preset"], each["level"]) for each in figures} == {(offer["name"], offer["title"])}
            most = max(figures, key=lambda each: each["belief"])
            assert most["meaning"] == {key: offer[key] for key in ("belief", "cost", "card")}


def test_a_preset_is_a_truth_where_the_channel_says_nothing_at_a_half() -> None:
    groups = values_of(preset(preset(WELLBEING, 1, "strong"), 3, "strong"))["groups"]
    assert groups["substances"] == {"truth": "3/4"}
    assert groups["money"] == {"truth": "1/2", "channel": "uniform"}


def test_a_preset_takes_the_place_of_an_epsilon_and_of_odds() -> None:
    text = preset(WELLBEING.replace('debts = { truth = "4/5" }', "debts = { epsilon = 1 }"), 4, "light")
    assert values_of(text)["groups"]["debts"] == {"truth": "19/20"}


def test_open_sends_an_answer_as_it_is_and_its_group_goes_unless_another_question_has_it() -> None:
    alone, shared = values_of(preset(WELLBEING, 4, "open")), values_of(preset(WELLBEING, 1, "open"))
    assert "debts" not in alone["groups"]
    assert alone["questions"][4]["sensitive"] is False
    assert shared["groups"] == values_of(WELLBEING)["groups"]
    assert parse_survey(preset(preset(WELLBEING, 4, "open"), 4, "balanced")).group_of("debt") is not None


@pytest.mark.parametrize("name", ["who5", "staff_climate"])
def test_open_takes_all_with_it_that_says_how_answers_are_disguised(name: str) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text("utf-8")
    assert "coins" in values_of(text)["questions"][0]
    opened = preset(text, 0, "open")
    assert not parse_survey(opened).questions[0].sensitive
    assert "coins" not in values_of(opened)["questions"][0]


def test_open_takes_the_epsilon_of_the_response_with_it_where_nothing_else_is_disguised() -> None:
    text = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[[questions]]\nname = "one"\nlabel = "One?"\nkind = "yes_no"\n'
    opened = preset(f"{text}[privacy]\nepsilon = 4\n", 0, "open")
    assert not parse_survey(opened).questions[0].sensitive


def test_an_open_question_gets_a_group_with_a_name_that_is_free() -> None:
    text = preset(WELLBEING.replace('name = "year"', 'name = "money"'), 0, "balanced")
    assert values_of(text)["questions"][0]["group"] == "money_"
    assert values_of(text)["groups"]["money_"] == {"truth": "3/4", "channel": "uniform"}


def test_with_one_epsilon_a_preset_is_one_for_the_whole_response() -> None:
    text = PRIVATE.replace("PRIVACY", "[privacy]\nepsilon = 5")
    for name, epsilon in (("strong", 2), ("balanced", 4), ("light", 8)):
        changed = preset(text, 0, name)
        assert values_of(changed)["privacy"] == {"epsilon": epsilon}
    assert compiled(preset(text, 0, "open"), Path()).survey.question("one").sensitive is False


def test_a_central_epsilon_is_not_changed_by_a_preset() -> None:
    text = PRIVATE.replace("PRIVACY", "[privacy]\ncentral_epsilon = 1\nrespondents = 1000")
    with pytest.raises(EditError, match="the central epsilon decides"):
        preset(text, 0, "strong")
    offers = offers_of(text, Path(), 0, 1000)["presets"]
    assert ["central epsilon decides" in str(each["problem"]) for each in offers] == [True, True, True, False]


@pytest.mark.parametrize(("path", "name"), [(["groups", "money"], "strong"), (["questions", 1], "secret")])
def test_what_is_no_preset_of_a_question_is_refused(path: list[Any], name: str) -> None:
    with pytest.raises(EditError, match="privacy can only be chosen for a question or a group"):
        edited(WELLBEING, [{"op": "preset", "path": path, "value": name}])


def test_a_truth_that_is_no_preset_is_said_to_be_between_two(tmp_path: Path) -> None:
    levels = {
        truth: figures_in(WELLBEING.replace('"2/3", channel', f'"{truth}", channel'), tmp_path, 3)[0]["level"]
        for truth in ("1/3", "2/3", "19/20")
    }
    assert levels == {
        "1/3": "more private than Strong",
        "2/3": "between Strong and Balanced",
        "19/20": "less private than Light",
    }


def test_twice_the_privacy_is_that_of_the_file_with_half_the_epsilon(tmp_path: Path) -> None:
    said = offers_of(WELLBEING, EXAMPLES, 3, 1000)["doubled"]
    before = figures_in(WELLBEING, tmp_path, 3)[0]
    halved = WELLBEING.replace('truth = "2/3", channel', f"epsilon = {before['epsilon'] / 2:.6g}, channel")
    after = figures_in(halved, tmp_path, 3)[0]
    more = (after["values"][0]["width"] / before["values"][0]["width"]) ** 2
    assert said.startswith(
        "Twice the privacy (epsilon 1.1 in place of 2.2) brings the largest belief named above, “at most 3 in "
        "4”, down to “at most 50 in"
    )
    assert f"It takes {more:.1f} times as many people as the present design" in said


TWO_CHANCES = Fraction(1, 5), Fraction(3, 10)  # of Yes to two questions with one coin
TWO = 'name = "t"\ntitle = "T"\nlanguages = ["en"]\n[groups]\ntwo = { truth = "4/5" }\n' + "".join(
    f'[[questions]]\nname = "q{at}"\nlabel = "Asked?"\nkind = "yes_no"\n'
    f'prior = {{ yes = {float(yes)}, no = {float(1 - yes)} }}\ngroup = "two"\n'
    for at, yes in enumerate(TWO_CHANCES)
)


def believed(truth: Fraction, index: int) -> Fraction:
    """How likely Yes to one of the questions can become, by all answers and both sides of the coin."""
    joint: dict[tuple[bool, ...], list[Fraction]] = {}
    for answers in product((True, False), repeat=2):
        chance = prod(yes if given else 1 - yes for given, yes in zip(answers, TWO_CHANCES, strict=True))
        for sent, side in ((answers, truth), (tuple(not each for each in answers), 1 - truth)):
            joint.setdefault(sent, [Fraction(0), Fraction(0)])[answers[index]] += chance * side
    return max(yes / (yes + no) for no, yes in joint.values())


@pytest.mark.parametrize("index", [0, 1])
def test_twice_the_privacy_halves_the_epsilon_of_the_coin_where_the_group_has_none(index: int) -> None:
    present, half = Fraction(4, 5), Fraction("0.666667")
    assert log(half / (1 - half)) == pytest.approx(log(present / (1 - present)) / 2, abs=1e-5)
    before, after = (share_words(believed(truth, index), is_bound=True) for truth in (present, half))
    sent = [truth * TWO_CHANCES[index] + (1 - truth) * (1 - TWO_CHANCES[index]) for truth in (present, half)]
    now, then = (yes * (1 - yes) / (2 * truth - 1) ** 2 for yes, truth in zip(sent, (present, half), strict=True))
    assert offers_of(TWO, Path(), index, 1000)["doubled"] == (
        "Twice the privacy (a truth probability of 0.667 in place of 0.8: half the epsilon of the random draw) brings "
        f"the largest belief named above, “at most {before}”, down to “at most {after}”. It takes "
        f"{times(float(then / now))} times as many people "
        f"as the present design; with no more people, the interval is {times(sqrt(then / now))} times as "
        "wide. It does not help against somebody who already knows this person's answer to another question of this "
        "group."
    )


def test_what_has_no_coin_to_halve_has_no_price_of_twice_the_privacy() -> None:
    assert offers_of(WELLBEING, EXAMPLES, 0, 1000)["doubled"] is None  # it is sent as it is


@pytest.mark.parametrize("name", ["who5", "staff_climate"])
def test_twice_the_privacy_has_its_price_where_each_answer_has_a_coin_of_its_own(name: str, tmp_path: Path) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text("utf-8")
    said = offers_of(text, EXAMPLES, 0, 1000)["doubled"]
    epsilon = figures_in(text, tmp_path, 0)[0]["epsilon"]
    assert said.startswith(f"Twice the privacy (epsilon {epsilon / 2:.3g} in place of {epsilon:.3g}) brings ")
