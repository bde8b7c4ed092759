"""Simulated responses say so from the file to the last figure, and are not mixed with others without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collector.store.simulated import MARK
from said import figures
from workshop import call, furnish

ALL = {"responses": 150, "seeded": 150, "of": 150}
LINE = "all 150 responses were simulated, with seeded coins"
REAL = "year,cannabis,drinking,income,debt,distress,_simulated\nfirst,no,weekly,800..1500,yes,no,no\n"
UNDO = "take those back first (collector import --undo FILE)"


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a published survey, simulated responses to it and a response of somebody's, as files."""
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)
    (tmp_path / "real.csv").write_text(REAL, encoding="utf-8")
    printed("collector", "publish", "wellbeing.toml")
    return tmp_path


def printed(*arguments: str) -> str:
    result = call(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*arguments: str) -> str:
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def test_the_file_says_with_which_coins_it_was_simulated(workshop: Path) -> None:
    lines = (workshop / "responses.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].endswith(f",{MARK}")
    assert all(line.endswith(",seeded") for line in lines[1:])
    for line in printed("miner", "simulate", "wellbeing.toml", "answers.csv").splitlines()[1:]:
        assert line.endswith(",unseeded")


def test_import_list_and_status_say_it_and_the_survey_is_closed(workshop: Path) -> None:
    del workshop
    lines = printed("collector", "import", "wellbeing", "responses.csv").splitlines()
    assert figures(lines[0]) == [1, 150, 150]
    assert lines[1:] == [f"wellbeing version 1: {LINE}"]
    assert printed("collector", "list").splitlines()[-1] == f"wellbeing version 1: {LINE}"
    said, closed, undo = printed("collector", "status", "wellbeing").splitlines()[-4:-1]
    assert (said, undo) == (f"wellbeing version 1: {LINE}", UNDO)
    assert closed.startswith("closed: ")
    told = json.loads(printed("collector", "status", "wellbeing", "--json"))
    assert (told["surveys"][0]["simulated"], told["open"]) == (ALL, False)
    assert UNDO in refused("collector", "open", "wellbeing")


def test_an_export_says_it_again_and_comes_back(workshop: Path) -> None:
    printed("collector", "import", "wellbeing", "responses.csv")
    printed("collector", "export", "wellbeing", "-o", "exported.jsonl")
    for line in (workshop / "exported.jsonl").read_text(encoding="utf-8").splitlines():
        assert json.loads(line)[MARK] == "seeded"
    printed("collector", "import", "wellbeing", "exported.jsonl", "--undo")
    assert printed("collector", "export", "wellbeing").strip() == REAL.splitlines()[0]
    told = json.loads(printed("collector", "import", "wellbeing", "exported.jsonl", "--json"))
    assert told["simulated"] == ALL


def test_neither_kind_is_imported_beside_the_other_unless_told(workshop: Path) -> None:
    del workshop
    printed("collector", "import", "wellbeing", "real.csv")
    said = refused("collector", "import", "wellbeing", "responses.csv")
    assert said.startswith("responses.csv: ")
    assert "--mix" in said
    printed("collector", "import", "wellbeing", "real.csv", "--undo")
    printed("collector", "import", "wellbeing", "responses.csv")
    said = refused("collector", "import", "wellbeing", "real.csv")
    assert said.startswith("real.csv: ")
    assert LINE in said
    assert UNDO in said
    line = "150 of 151 responses were simulated, with seeded coins"
    assert line in printed("collector", "import", "wellbeing", "real.csv", "--mix")
    assert printed("miner", "estimate", "wellbeing", "debt = yes").startswith(f"note: {line}\n")
    said = refused("collector", "export", "wellbeing")
    assert said.startswith(f"wellbeing version 1: {line}")
    assert UNDO in said
    printed("collector", "import", "wellbeing", "responses.csv", "--undo")
    assert printed("collector", "export", "wellbeing") == REAL


OUTPUTS = {
    "estimate": ("miner", "estimate", "wellbeing", "cannabis = yes"),
    "crosstab": ("miner", "crosstab", "wellbeing", "cannabis", "distress"),
    "difference": ("miner", "difference", "wellbeing", "distress = yes", "debt = yes", "debt = no"),
    "anchors": ("miner", "anchors", "wellbeing", "--even", "year"),
    "rules": ("miner", "rules", "wellbeing"),
    "train": ("miner", "train", "wellbeing", "--mode", "faithful", "--seed", "1", "--force", "-o", "model.json"),
    "evaluate": ("miner", "evaluate", "model.json", "wellbeing"),
}


def test_every_output_of_the_miner_says_it(workshop: Path) -> None:
    printed("collector", "import", "wellbeing", "responses.csv")
    for arguments in OUTPUTS.values():
        assert printed(*arguments).splitlines()[0] == f"note: {LINE}"
        assert json.loads(printed(*arguments, "--json"))["simulated"] == ALL
    assert f"\nnote: {LINE}\n" in printed("miner", "show", "model.json")
    assert json.loads((workshop / "model.json").read_text(encoding="utf-8"))["training"]["simulated"] == ALL
    printed("miner", "report", "wellbeing", "--seed", "1", "-o", "report.html")
    assert f"<strong>Note: {LINE}.</strong>" in (workshop / "report.html").read_text(encoding="utf-8")
    printed("miner", "recode", "wellbeing", "-o", "next.toml")
    assert LINE in (workshop / "next.toml").read_text(encoding="utf-8")
    retrained = call("miner", "retrain", "wellbeing", "--config", "retrain.toml")
    assert json.loads(retrained.stdout)["simulated"] == ALL
    champion = json.loads((workshop / "champion.json").read_text(encoding="utf-8"))
    assert champion["training"]["simulated"] == ALL


def test_nothing_is_said_of_responses_that_are_not_said_to_be_simulated(workshop: Path) -> None:
    del workshop
    assert "simulated" not in printed("collector", "import", "wellbeing", "real.csv")
    assert "simulated" not in printed("miner", "estimate", "wellbeing", "cannabis = yes")
    assert json.loads(printed("miner", "estimate", "wellbeing", "cannabis = yes", "--json"))["simulated"] is None


@pytest.mark.parametrize("word", ["--again", "--mix"])
def test_taking_back_goes_with_no_other_word(word: str, workshop: Path) -> None:
    del workshop
    said = refused("collector", "import", "wellbeing", "real.csv", "--undo", word)
    assert f"{word} and --undo" in said
