"""Read text files from users (survey files, tables, settings, models): encoding and size only, not the content."""

from __future__ import annotations

from pathlib import Path

from collector.errors import InputError


def text_of(path: Path, kind: str) -> str:
    """The complete text of a file, without its byte order mark; line ends are kept.

    Args:
        path: The file.
        kind: What it should be, as the remedy names it: ``a TOML file``.

    Raises:
        InputError: If it cannot be read, or is not UTF-8; naming the file, and the line.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"it cannot be read ({error.strerror})", f"give the path of {kind}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line}", "it is not UTF-8 text", f"give {kind}, saved as UTF-8") from None
