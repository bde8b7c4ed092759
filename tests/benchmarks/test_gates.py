"""The gates of a redesign: what differs between two commits is found, and so are names that are still defined."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from benchmarks.gates.compare import agree
from benchmarks.gates.designs import designs, versions, write_answers
from benchmarks.gates.names import defined
from benchmarks.gates.record import questions
from collector.survey_file.survey_file import parse_survey
from miner.responses.pooling import disagreement


def line(*options: str, out: str) -> str:
    """A recorded line."""
    return json.dumps({"command": ["estimate", *options], "code": 0, "out": out})


@pytest.mark.parametrize(
    ("options", "before", "after", "equal"),
    [
        ((), "share 0.25", "share 0.25", True),
        ((), "share 0.25", "share 0.2500000000000001", False),
        (("--sample",), "share 0.25", "share 0.2500000000000001", True),
        (("--sample",), "share 0.25", "share 0.2500001", False),
        (("--sample",), "share 0.25", "note 0.25", False),
    ],
)
def test_numbers_with_a_sample_may_round_otherwise_and_nothing_else_may_differ(
    options: tuple[str, ...],
    before: str,
    after: str,
    equal: bool,  # noqa: FBT001 - of a parameter
) -> None:
    assert agree(line(*options, out=before), line(*options, out=after)) == equal


@pytest.mark.parametrize(
    "text",
    [
        "class Gone: pass",
        "def Gone(): pass",
        "Gone = 1",
        "Gone: int = 1",
        "from a import b as Gone",
        "__all__ = ['Gone']",
    ],
)
def test_a_name_is_defined_by_a_class_a_function_an_assignment_an_alias_and_an_export(text: str) -> None:
    found = {name for node in ast.walk(ast.parse(text)) for name in defined(node)}
    assert "Gone" in found
    assert "Gone" not in set(defined(ast.parse("print(Gone)").body[0]))


def test_every_design_is_a_survey_of_which_questions_are_asked_the_same_each_time() -> None:
    texts = designs()
    assert len(texts) == 12
    for name, text in texts.items():
        assert parse_survey(text).name == name
    asked = [*questions(texts, 50)]
    assert asked == [*questions(texts, 50)]
    assert {command[1] for command in asked} == set(texts)


def test_answers_of_made_up_people_fill_the_columns_of_their_survey(tmp_path: Path) -> None:
    for name, text in designs().items():
        write_answers(name, text, tmp_path / "answers.csv", 100)
        head, *rows = (tmp_path / "answers.csv").read_text("utf-8").splitlines()
        assert head.split(",")[:3] == ["region", "school", "age"]
        assert len(rows) == 100


def test_versions_agree_with_the_newest_in_some_questions_and_one_has_no_response() -> None:
    surveys = [parse_survey(text) for text, _ in versions()]
    assert len({each.fingerprint for each in surveys}) == 4
    assert [disagreement(surveys[-1], each) == "" for each in surveys] == [True, False, True, True]
    assert not any(disagreement(surveys[-1], each, ["a", "d"]) for each in surveys)
    assert [answered for _, answered in versions()] == [True, True, False, True]
