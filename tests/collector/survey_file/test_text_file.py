"""A file that is no text is refused with its line, and nothing of what stands there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from collector.errors import InputError
from collector.survey_file.text_file import LARGEST_TEXT, lines_of, text_of


def test_a_byte_order_mark_is_left_out_and_ends_of_lines_stay(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    assert text_of(tmp_path / "a.txt", "a table") == "one\r\ntwo\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"\xff\xfeh\x00e\x00", "line 1"), (b"heron\nher\xe9n\n", "line 2"), (b"heron\xc3", "line 1")],
)
def test_what_is_not_utf_8_is_told_with_its_line(content: bytes, line: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        text_of(path, "a TOML file")
    assert str(raised.value).startswith(f"{path}: {line}: it is not UTF-8")
    assert raised.value.__cause__ is None


def test_a_file_that_is_not_there_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: it cannot be read \(No such file or directory\)"):
        text_of(tmp_path / "none", "a table")


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder"])
def test_what_may_never_end_is_not_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    for read in (lambda: text_of(path, "a TOML file"), lambda: lines_of(path, "a TOML file").__enter__()):
        with pytest.raises(InputError) as raised:
            read()
        assert str(raised.value).startswith(f"{path}: it is {kind}; ")


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.touch()
    os.truncate(path, 20 * 10**9)
    with pytest.raises(InputError, match="20,000 MB large, and at most 64"):
        text_of(path, "a TOML file")
    assert LARGEST_TEXT == 64 * 10**6


def test_a_pipe_that_the_shell_opened_is_read() -> None:
    end, other = os.pipe()
    os.write(other, b"name = 1")
    os.close(other)
    assert text_of(Path(f"/dev/fd/{end}"), "a TOML file") == "name = 1"
    os.close(end)
