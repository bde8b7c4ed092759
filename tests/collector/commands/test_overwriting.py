"""Commands that write a survey file, a form or texts leave a file that exists alone, unless --force says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collector.cli import main

EDITED = "somebody's edits\n"
LANGUAGE = ("--language", "de")
COMMANDS = {
    "draft": ("draft", "table.csv", "--target", "answer", "-o", "written.toml"),
    "convert to a form": ("convert", "survey.toml", "-o", "written.json"),
    "convert to a survey file": ("convert", "form.json", "-o", "written.toml"),
    "texts export": ("texts", "export", "survey.toml", "written.po", *LANGUAGE),
    "texts import": ("texts", "import", "survey.toml", "texts.po", *LANGUAGE, "-o", "written.toml"),
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with all that the commands read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_bytes((root / "examples" / "wellbeing.toml").read_bytes())
    (tmp_path / "table.csv").write_text("answer,age\nyes,20\nno,30\nyes,40\nno,50\n")
    assert run("convert", "survey.toml", "-o", "form.json").exit_code == 0
    assert run("texts", "export", "survey.toml", "texts.po", *LANGUAGE).exit_code == 0
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_exists_is_overwritten_with_force_only(command: tuple[str, ...], folder: Path) -> None:
    (name,) = (each for each in command if each.startswith("written"))
    (folder / name).write_text(EDITED)
    refused = run(*command)
    problem = f"{name}: the file exists and may contain your edits; choose another name, or add --force\n"
    assert (refused.exit_code, refused.stdout, refused.stderr) == (2, "", problem)
    assert (folder / name).read_text() == EDITED
    written = run(*command, "--force")
    assert (written.exit_code, written.stderr) == (0, "")
    assert EDITED not in (folder / name).read_text()


def test_a_form_is_never_written_over_by_itself_even_with_force(folder: Path) -> None:
    before = (folder / "form.json").read_bytes()
    refused = run("convert", "form.json", "-o", "form.json", "--force")
    assert (refused.exit_code, "the command reads this file" in refused.stderr) == (2, True)
    assert (folder / "form.json").read_bytes() == before
