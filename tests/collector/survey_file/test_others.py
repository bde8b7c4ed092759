"""Everything that is wrong with a survey file is said at once, and what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.errors import Faults, SurveyError, SurveyFaultsError, suggestion
from collector.survey_file.survey_file import parse_survey, read_survey_file

SURVEY = """
name = "bad"
title = { en = "Bad", de = "Schlecht" }
languages = ["en", "de"]

[[questions]]
name = "health"
label = { en = "Health?", de = "Gesund?" }
kind = "scale"
values = ["badly", "partly", "well"]
group = "g"

[[questions]]
name = "debt"
label = { en = "Debt?", de = "Schulden?" }
kind = "yes_no"
optional = true
group = "g"

[[questions]]
name = "drink"
label = { en = "Drink?", de = "Trinken?" }
kind = "choice"
values = ["never", "monthly", "weekly"]
decline = true
prior = { never = 0.5, monthly = 0.3, weekly = 0.2 }
group = "g"

[[questions]]
name = "who"
label = { en = "With whom?", de = "Mit wem?" }
kind = "yes_no"
ask_if = "drink = weekly"
group = "g"

[groups]
g = { truth = "4/5", channel = "uniform" }
"""


def errors_of(*changes: tuple[str, str]) -> list[str]:
    text = SURVEY
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    with pytest.raises(SurveyError) as refused:
        parse_survey(text)
    return list(refused.value.lines)


def test_nothing_is_wrong_with_it_as_it_is() -> None:
    assert len(parse_survey(SURVEY).questions) == 4


def test_all_that_is_wrong_is_said_in_the_order_of_the_file() -> None:
    found = errors_of(
        ('values = ["badly", "partly", "well"]', 'values = "badly, partly"'),
        ("optional = true", "optionnal = true"),
        ("weekly = 0.2", "weekly = 0.15"),
        ('truth = "4/5"', 'truht = "4/5"'),
        ('de = "Schlecht"', 'fr = "Mauvais"'),
    )
    places = [line.split(": ")[0] for line in found]
    assert places == ["title", 'question "health", values', 'question "debt"', 'question "drink", prior', 'group "g"']


def test_one_error_is_no_several() -> None:
    with pytest.raises(SurveyError) as refused:
        parse_survey(SURVEY.replace("optional = true", "optionnal = true"))
    assert type(refused.value) is SurveyError


def test_what_depends_on_a_question_is_left_until_that_is_mended() -> None:
    (line,) = errors_of(('values = ["never", "monthly", "weekly"]', "values = 3"))
    assert line.startswith('question "drink", values: ')


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (
            'values = ["badly", "partly", "well"]',
            'values = "badly, partly"',
            'question "health", values: it is not a list; write a list: ["badly", "partly"]',
        ),
        ("optional = true", "optionnal = true", 'the key "optionnal" is unknown; did you mean "optional"? remove it,'),
        (
            'kind = "scale"',
            'kind = "scael"',
            'there is no question of this kind; did you mean "scale"? use one of: yes_no,',
        ),
        (
            "weekly = 0.2 }",
            "weekly = 0.15 }",
            'question "drink", prior: the frequencies add up to 0.95, not to 1; adjust the frequencies, or',
        ),
        ("weekly = 0.2 }", "wekly = 0.2 }", '"wekly" is no value of the question; did you mean "weekly"? use one of: '),
        (
            'ask_if = "drink = weekly"',
            'ask_if = "drink = wekly"',
            '"drink" has no value "wekly"; did you mean "weekly"?',
        ),
        ('ask_if = "drink = weekly"', 'ask_if = "drinks = weekly"', 'no question "drinks" is asked before it'),
        ('truth = "4/5"', 'truht = "4/5"', '"truth" is missing; rename "truht", if it is meant, or add it'),
        ('de = "Trinken?"', 'fr = "Boire ?"', "label: it is not in de, a language of the survey; add it, or leave the"),
        (
            'de = "Trinken?"',
            'de = "Trinken?", fr = "Boire ?"',
            "label: it is in fr, which is no language of the survey",
        ),
        (
            'kind = "scale"\nvalues = ["badly", "partly", "well"]',
            'kind = "ranking"\nitems = ["a1", "b1", "c1", "d1", "e1", "f1"]',
            "6 items have more orders than a disguise can hide among; ask for 5 at most, or which are most important: ",
        ),
    ],
)
def test_a_line_says_what_was_probably_meant(before: str, after: str, line: str) -> None:
    assert any(line in each for each in errors_of((before, after)))


def test_every_text_that_lacks_a_language_is_named() -> None:
    found = errors_of(('de = "Gesund?"', 'fr = "Sain ?"'), ('de = "Mit wem?"', 'fr = "Avec qui ?"'))
    assert [line.split(": ")[0] for line in found] == ['question "health", label', 'question "who", label']


def test_a_file_is_named_in_every_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SURVEY.replace("optional = true", "optionnal = true").replace('"4/5"', '"five"'), encoding="utf-8")
    with pytest.raises(SurveyFaultsError) as refused:
        read_survey_file(path)
    assert [line.startswith(f"{path}: ") for line in refused.value.lines] == [True, True]
    assert str(refused.value) == "\n".join(refused.value.lines)
    assert refused.value.place.startswith(f"{path}: question")


def test_a_word_unlike_all_others_brings_no_guess() -> None:
    assert suggestion("zebra", ("yes", "no")) == "use one of: yes, no"
    assert suggestion("yess", ("yes", "no"), "write one") == 'did you mean "yes"? write one: yes, no'


def test_the_same_fault_is_kept_once() -> None:
    faults, error = Faults(), SurveyError("a", "b", "c")
    faults.check()
    faults.add(error)
    faults.add(SurveyFaultsError([error, error]))
    with pytest.raises(SurveyError, match=r"^a: b; c$"):
        faults.check()
