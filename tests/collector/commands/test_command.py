"""What the three commands share: one line and exit code 2 for bad input, tables, files written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from collector.commands.command import (
    Command,
    OutputPath,
    json_option,
    print_json,
    print_table,
    store_option,
    write_output,
)
from collector.errors import OutputError, QueryError


@click.group(cls=Command, name="pets")
def pets() -> None:
    """Look after pets."""


@pets.command()
@click.option("--count", type=int, default=1)
def feed(count: int) -> int:
    """Feed them."""
    if count < 0:
        raise QueryError("count", "it is negative\nand on two lines", "count from 0")
    click.echo(f"{count} fed")
    return 1 if count == 0 else 0


@pets.command()
def escape() -> None:
    """Meet the system's own error."""
    Path("/nowhere/at/all").read_text(encoding="utf-8")


@pets.command()
def hoard() -> None:
    """Want more memory than there is."""
    raise MemoryError


@pets.command()
@click.option("-o", "--output", type=OutputPath(), required=True)
def draw(output: Path) -> None:
    """Work for long, and only then write."""
    click.echo("drawn")
    write_output(output, ["a pet"])


@pets.command()
def stop() -> None:
    """Be interrupted."""
    raise KeyboardInterrupt


@pets.command()
@store_option
@json_option
def names(store_path: Path, *, as_json: bool) -> None:
    """Print what was asked for."""
    print_json({"store": str(store_path), "json": as_json, "name": "Zoë"})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(pets, arguments)


def test_success_is_0() -> None:
    result = run("feed")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "1 fed\n", "")


def test_a_command_may_refuse_with_1() -> None:
    assert run("feed", "--count", "0").exit_code == 1


BAD: dict[str, tuple[list[str], str]] = {
    "an error of ours": (["feed", "--count", "-1"], "count: it is negative and on two lines; count from 0"),
    "a wrong option": (["feed", "--cuont", "1"], "pets feed: No such option"),
    "a wrong type": (
        ["feed", "--count", "two"],
        "pets feed: Invalid value for '--count': 'two' is not a valid integer",
    ),
    "no such command": (["groom"], "pets: No such command 'groom'"),
    "one argument too many": (["feed", "cat"], "pets feed: Got unexpected extra argument (cat)"),
    "an error of the system": (["escape"], "/nowhere/at/all: No such file or directory; check the path and the disk"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line_on_stderr_and_2(kind: str) -> None:
    arguments, line = BAD[kind]
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(line)
    assert result.stderr.count("\n") == 1


def test_a_wrong_option_tells_where_help_is() -> None:
    assert run("feed", "--cuont", "1").stderr.endswith("(see pets feed --help)\n")


def test_no_command_shows_the_help_and_is_bad_input() -> None:
    result = run()
    assert result.exit_code == 2
    assert "Look after pets." in result.stderr
    assert "  feed" in result.stderr


def test_interrupted_is_130_as_in_a_shell() -> None:
    assert run("stop").exit_code == 130


def test_json_keeps_the_order_of_keys_and_letters_as_they_are() -> None:
    assert run("names", "--json").stdout == '{\n  "store": "deniable.db",\n  "json": true,\n  "name": "Zoë"\n}\n'


def test_json_knows_no_infinity() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"epsilon": float("inf")})


def test_a_table_has_no_trailing_spaces_and_takes_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "share"), [("[bold]a", "1"), ("b", "22.5 %")])
    assert capsys.readouterr().out == "name     share\n[bold]a  1\nb        22.5 %\n"


def test_a_table_for_another_program_is_120_wide_unless_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(["word"] * 60)
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(("a",), [(words,)])
    assert max(map(len, capsys.readouterr().out.splitlines())) in range(100, 121)
    monkeypatch.setenv("COLUMNS", "40")
    print_table(("a",), [(words,)])
    assert max(map(len, capsys.readouterr().out.splitlines())) in range(30, 41)


def test_a_narrow_table_cuts_no_word_and_no_number(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ("cannabis", "0.2000", "0.0777", "sent as it is", "0.133 to 0.306")
    for width in (120, 60, 40, 20, 1):
        monkeypatch.setenv("COLUMNS", str(width))
        print_table(("question", "share", "standard error", "group", "interval"), [row])
        printed = capsys.readouterr().out
        assert set(" ".join(row).split()) <= set(printed.split()), width
        assert width < 60 or max(map(len, printed.splitlines())) <= width
    monkeypatch.setenv("COLUMNS", "40")
    print_table(("fingerprint", "n"), [("f" * 64, "300")])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


def test_a_table_may_be_empty(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "share"), [])
    assert capsys.readouterr().out == "name  share\n"
    print_table(("name", ""), [("", "")])
    assert capsys.readouterr().out.split() == ["name"]


def test_without_a_path_the_output_is_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    write_output(None, ["a\n", "b\n"])
    assert capsys.readouterr().out == "a\nb\n"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_written_as_it_is_and_its_owners_only_from_the_first_byte(tmp_path: Path) -> None:
    path, modes = tmp_path / "out.csv", []

    def pieces() -> Iterator[str]:
        modes.extend(mode(each) for each in tmp_path.iterdir())
        yield "ä\r\n"
        modes.extend(mode(each) for each in tmp_path.iterdir())
        yield "b\n"

    before = os.umask(0)
    try:
        write_output(path, pieces())
    finally:
        os.umask(before)
    assert path.read_bytes() == "ä\r\nb\n".encode()
    assert [*modes, mode(path)] == [0o600] * 3


@pytest.mark.parametrize("chosen", [0o644, 0o640, 0o600])
def test_a_file_that_was_there_before_keeps_its_mode(chosen: int, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.touch()
    path.chmod(chosen)
    write_output(path, ["new\n"])
    assert (path.read_text(encoding="utf-8"), mode(path)) == ("new\n", chosen)


def failing() -> Iterator[str]:
    yield "half"
    raise QueryError("row", "went wrong", "mend it")


def test_a_file_that_cannot_be_finished_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(QueryError):
        write_output(path, failing())
    assert path.read_text(encoding="utf-8") == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]


def test_a_link_is_kept_and_what_it_points_to_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("before", encoding="utf-8")
    link.symlink_to(target)
    write_output(link, ["after"])
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "after"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", io.StringIO()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.write(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_output(pipe, ["a\n", "b\n"])
    reader.join()
    assert heard.getvalue() == "a\nb\n"
    assert pipe.is_fifo()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none" / "out.csv"
    with pytest.raises(OutputError) as raised:
        write_output(path, ["a"])
    assert str(raised.value).startswith(f"{path}: it cannot be written (No such file or directory)")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("none/pet.svg", "No such file or directory"), ("folder", "Is a directory"), ("file/pet.svg", "No such file")],
)
def test_what_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("draw", "-o", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"{path}: it cannot be written ({reason}")


def test_a_folder_that_may_not_be_written_to_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)  # whoever tests may be root
    result = run("draw", "-o", str(tmp_path / "pet.svg"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(Permission denied)" in result.stderr


def test_with_force_a_file_is_written_over_what_was_there_and_without_it_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "pet.svg").write_text("an older pet", encoding="utf-8")
    assert run("draw", "-o", str(tmp_path / "pet.svg")).exit_code == 2
    assert (tmp_path / "pet.svg").read_text(encoding="utf-8") == "an older pet"
    assert run("draw", "-o", str(tmp_path / "pet.svg"), "--force").stdout == "drawn\n"
    assert (tmp_path / "pet.svg").read_text(encoding="utf-8") == "a pet"
    assert run("draw", "-o", os.devnull).exit_code == 0


def test_too_little_memory_is_one_line() -> None:
    result = run("hoard")
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert result.stderr.startswith("memory: ")


TALKATIVE = """
import click
from collector.commands.command import Command, write_output

@click.group(cls=Command)
def main(): pass

@main.command()
def talk(): write_output(None, ("line\\n" for _ in range(100_000)))

main()
"""


def test_whoever_reads_may_stop_early(tmp_path: Path) -> None:
    script = tmp_path / "talkative.py"
    script.write_text(TALKATIVE, encoding="utf-8")
    command = ["/bin/bash", "-c", f"{sys.executable} {script} talk | head -1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - ours
    assert (done.stdout, done.stderr) == ("line\n", "")


@pytest.mark.parametrize("package", ["collector", "respondent", "miner"])
def test_every_command_says_its_version(package: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", package, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{package} {version('deniable')}\n"
