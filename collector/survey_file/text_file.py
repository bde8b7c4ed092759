"""Reading of text files from users, such as survey files, tables and models, with checks of encoding and size."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from collector.errors import InputError, SurveyError

MEGABYTE = 10**6
MARK = "\ufeff"  # byte order mark
LARGEST_TEXT = 64 * MEGABYTE
"""Maximum number of bytes of a text that a person writes, such as a survey file."""
LARGEST_MADE = 4096 * MEGABYTE
"""Maximum number of bytes of a text that a program writes, such as a table or a model."""
STDIN, PIPES = Path("/dev/stdin"), (Path("/dev/fd"), Path("/proc/self/fd"))
NO_FILES = {"a folder": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a device": stat.S_ISCHR, "a disk": stat.S_ISBLK}
OLD_SPREADSHEET = bytes.fromhex("d0cf11e0a1b11ae1")  # first bytes of an OLE compound file
LARGEST_SPREADSHEET = 64 * MEGABYTE  # maximum unpacked size of a spreadsheet, in bytes. 1,000 questions have 2 MB


def check_file(path: Path, kind: str) -> int:
    """Return the size of a file in bytes (a regular file, or a pipe that a shell opened for this program).

    Devices and other pipes are refused, because reading them might never end.

    Raises:
        InputError: If the file is missing, or is a folder, a device or another pipe.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise InputError(str(path), f"it cannot be read ({error.strerror})", f"give the path of {kind}") from None
    opened = path.parent in PIPES or path == STDIN
    if not stat.S_ISREG(found.st_mode) and not (opened and stat.S_ISFIFO(found.st_mode)):
        what = next((name for name, is_one in NO_FILES.items() if is_one(found.st_mode)), "no file")
        raise InputError(str(path), f"it is {what}", f"give the path of {kind}")
    return found.st_size


def text_of(path: Path, kind: str, most: int = LARGEST_TEXT, encoding: str | None = None) -> str:
    """Return the complete text of a file without its byte order mark, with unchanged line endings.

    Args:
        path: Path of the file.
        kind: Words for the expected kind of file in error messages, such as ``a TOML file``.
        most: Largest number of bytes to read.
        encoding: Encoding of a table, or None for UTF-8. The file of a table may be compressed (``.gz``).

    Raises:
        InputError: If the file cannot be read, is too large, or has another encoding.
    """
    size = check_file(path, kind)
    try:
        with path.open("rb") as file:
            raw = b"" if size > most else file.read(most + 1)
        size = max(size, len(raw))
        raw = gzip.decompress(raw) if encoding and path.suffix.lower() == ".gz" else raw
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror or 'it is damaged'})", f"give the path of {kind}"
        ) from None
    except (EOFError, zlib.error):
        raise InputError(str(path), "the file is damaged", f"give the path of {kind}") from None
    if size > most:
        problem = f"it is {size / MEGABYTE:,.0f} MB large, and at most {most // MEGABYTE} are read"
        raise InputError(str(path), problem, f"give {kind} with nothing but what is asked")
    name = encoding or "utf-8"
    try:
        return raw.decode(name).removeprefix(MARK)
    except LookupError:
        raise _no_encoding(name) from None
    except UnicodeError as error:  # some codecs raise no UnicodeDecodeError
        line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
        remedy = f"give {kind}, saved as UTF-8" + (", or say its --encoding, such as latin-1" if encoding else "")
        raise InputError(f"{path}: line {line}", f"it is not {name.upper()} text", remedy) from None


def _no_encoding(name: str) -> InputError:
    problem = f'no encoding is called "{name}"'
    return InputError("--encoding", problem, "use utf-8, latin-1, cp1252 or utf-16, for example")


@contextmanager
def lines_of(path: Path, kind: str, ends: str = "", encoding: str | None = None) -> Iterator[Iterator[str]]:
    """Yield the lines of a file without its byte order mark, keeping line endings.

    A file may be larger than the memory.

    Args:
        path: Path of the file.
        kind: Words for the expected kind of file in error messages.
        ends: End of a line, as for the parameter ``newline`` of `open`.
        encoding: Encoding of a table, or None for UTF-8.

    Raises:
        InputError: While lines are read, if the file cannot be read or has another encoding.
    """
    check_file(path, kind)
    try:
        with path.open(encoding=encoding or "utf-8-sig", newline=ends) as stream:
            yield stream
    except OSError as error:
        raise InputError(str(path), f"it cannot be read ({error.strerror})", f"give the path of {kind}") from None
    except LookupError:
        raise _no_encoding(encoding or "") from None
    except UnicodeError:  # some codecs raise no UnicodeDecodeError
        name = encoding or "utf-8"
        if path.is_file():
            text_of(path, kind, LARGEST_MADE, name)  # says in which line
        remedy = f"give {kind}, saved as UTF-8" + (", or say its --encoding, such as utf-16-le" if encoding else "")
        raise InputError(str(path), f"the file is not {name.upper()} text", remedy) from None


def check_spreadsheet(path: Path) -> None:
    """Refuse old spreadsheets, and spreadsheets that would fill the memory when unpacked.

    Raises:
        SurveyError: If the file is an .xls file or has a password, or its unpacked size exceeds `LARGEST_SPREADSHEET`.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(len(OLD_SPREADSHEET))
    except OSError:
        return  # who reads it as a spreadsheet says what is wrong with it
    if begins == OLD_SPREADSHEET:
        problem = "it is an old .xls file, or protected by a password"
        raise SurveyError("file", problem, "save the file as .xlsx, without a password")
    try:
        with ZipFile(path) as parts:
            size = sum(each.file_size for each in parts.infolist())
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        return  # who reads it as a spreadsheet says what is wrong with it
    if size > LARGEST_SPREADSHEET:
        most = LARGEST_SPREADSHEET // MEGABYTE
        problem = f"unpacked it would be {size / MEGABYTE:,.0f} MB large, and at most {most} are read"
        raise SurveyError("file", problem, "remove sheets, pictures and cells that are not needed")
