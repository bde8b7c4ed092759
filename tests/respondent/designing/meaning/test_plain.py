"""Errors in the words of the form: nothing of the survey file's language is left in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from respondent.designing.meaning.plain import plain

ERRORS = Path(__file__).resolve().parents[4] / "docs" / "errors.md"
ROOMS = re.compile(
    r"`collector\.(survey|survey_file|characters|page|coding|channel|disclosure|allocation|conditions)\b"
)
FILE = re.compile(r"[\[\]{}^]| = |\bTOML\b|\b[a-z]+_[a-z]+\b|\b(true|false)\b")
NAMES = ("year_1", '"not_applicable"')  # that a researcher has or gives


def errors() -> list[tuple[str, str]]:
    """Problem and remedy of each error on a survey file."""
    rows = [line.split(" | ") for line in ERRORS.read_text("utf-8").splitlines() if line.startswith("| `")]
    found = [row for row in rows if ROOMS.search(row[0]) and not row[1].startswith("--")]  # options of commands
    return [(row[2], row[3].removesuffix(" |")) for row in found]


def test_no_error_on_a_survey_file_is_in_its_language() -> None:
    found = errors()
    assert len(found) > 100
    assert len([each for each in found if FILE.search(" ".join(each))]) > 20, "they need it"
    said = [plain(*each) for each in found]
    for name in NAMES:
        said = [each.replace(name, "") for each in said]
    assert [each for each in said if FILE.search(each)] == []
    assert [each for each in said if re.search(r"\bcoins?\b", each)] == [], "the page calls it a random draw"


@pytest.mark.parametrize(
    ("problem", "remedy", "said"),
    [
        (
            "the question is sensitive, but it belongs to no group",
            "put the question in a group, or add sensitive = false to send its answers undisguised",
            "The question is disguised, but it belongs to no group. Put the question in a group, or untick “Disguise the answer” to send its answers undisguised.",  # noqa: E501
        ),
        (
            "the name is not made of a to z, digits and _ (at most 63 characters, beginning with a letter)",
            "choose a name such as year_1",
            "The name is not made of a to z, digits and _ (at most 63 characters, beginning with a letter). Choose a name such as year_1.",  # noqa: E501
        ),
        (
            "it is not in de, a language of the survey",
            'add it, or leave the language out; write { en = "...", de = "..." }',
            "It is not in de, a language of the survey. Add it, or leave the language out.",
        ),
        (
            "the survey file is not valid TOML (Expected '=' after a key)",
            "correct that line",
            "The survey file cannot be read. Undo the last change, or correct the file in an editor.",
        ),
        (
            "two of the parts have the same words",
            "give each value different words",
            "Two of the parts have the same words. Give each value different words.",
        ),
        (
            "a response leaves 2 of over 10^12 combinations of answers possible, and whoever knows one of its 9 answers from elsewhere knows them all",  # noqa: E501
            'give each question its own group, or say channel = "uniform"',
            "Its 9 answers share one random draw: whoever knows one of them from elsewhere knows them all. Give each question its own group, or choose the uniform channel.",  # noqa: E501
        ),
        (
            'its codes tell of "x", too, and where they contradict each other a coin fell',
            'say coins = "own" under [privacy]',
            'Its codes tell of "x", too, and where they contradict each other, an answer was replaced. Choose one random draw for each question under the epsilon of a whole response.',  # noqa: E501
        ),
    ],
)
def test_an_error_is_two_sentences_in_the_words_of_the_form(problem: str, remedy: str, said: str) -> None:
    assert plain(problem, remedy) == said
