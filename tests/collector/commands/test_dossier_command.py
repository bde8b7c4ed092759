"""`collector dossier`: of a file or a published survey, in three formats; whole files or none, and errors in a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collector.cli import main

SURVEY = Path(__file__).resolve().parents[3] / "examples" / "wellbeing.toml"


def run(*arguments: object) -> Result:
    """The command with some arguments."""
    return CliRunner().invoke(main, ["dossier", *map(str, arguments)])


@pytest.mark.parametrize(("suffix", "start"), [("html", b"<!doctype html>"), ("md", b"# "), ("docx", b"PK")])
def test_the_suffix_sets_the_format(tmp_path: Path, suffix: str, start: bytes) -> None:
    path = tmp_path / f"dossier.{suffix}"
    result = run(SURVEY, "-o", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert path.read_bytes().startswith(start)


def test_a_published_survey_is_found_by_name_and_its_invitations_are_counted(tmp_path: Path) -> None:
    store, path = tmp_path / "deniable.db", tmp_path / "dossier.md"
    for arguments in (["publish", SURVEY], ["invite", "wellbeing", "--count", "20"]):
        assert CliRunner().invoke(main, [*map(str, arguments), "--store", str(store)]).exit_code == 0
    result = run("wellbeing", "--store", store, "-o", path, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["output"] == str(path)
    text = path.read_text(encoding="utf-8")
    assert all(each in text for each in found["to_fill_in"])
    assert "wellbeing, version 1" in text
    assert "by invitation codes" in text
    assert "Not stated: it is given from 20 invitations on" in text


def test_bad_input_is_refused_in_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('name = "x"\n', encoding="utf-8")
    for survey, name in ((SURVEY, "x.pdf"), (tmp_path / "no.toml", "x.md"), (broken, "x.md"), ("nobody", "x.md")):
        result = run(survey, "--store", tmp_path / "none.db", "-o", tmp_path / name)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert not (tmp_path / name).exists()


def test_a_file_is_overwritten_with_force_only(tmp_path: Path) -> None:
    path = tmp_path / "dossier.md"
    path.write_text("edited", encoding="utf-8")
    assert run(SURVEY, "-o", path).exit_code == 2
    assert path.read_text(encoding="utf-8") == "edited"
    assert run(SURVEY, "-o", path, "--force").exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("# Student wellbeing")


def test_without_its_package_a_word_file_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    result = run(SURVEY, "-o", tmp_path / "dossier.docx")
    assert result.exit_code == 2
    assert 'pip install "deniable[docx]"' in result.stderr
