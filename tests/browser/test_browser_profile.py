"""What a browser's profile holds after a survey: no word of chance, no coin, no answer, in any of its files.

The long waits, with reloads and over ten runs, are `python -m benchmarks.collecting.profiles`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import Codec

from benchmarks.collecting.profile_files import FOOTER, HANDLES, LOG_BLOCK, LOG_HEADER, MAGIC, SNAPPY, contents
from benchmarks.collecting.profiles import SURVEY, Visit, measure, search
from elsewhere import elsewhere
from soak import some_of

NUMBER = "731942.25"


@pytest.mark.browser
@pytest.mark.parametrize(("wait", "reloads"), some_of(((0.0, True), (8.0, False)), ((0.0, True),)))
def test_the_profile_holds_no_word_coin_or_answer(wait: float, *, reloads: bool) -> None:
    found = elsewhere(measure, wait, reloads=reloads)
    assert found.words >= len(SURVEY.groups), "no coin was seen"
    assert found.found == ()
    assert found.holds, "the search does not find what is there"


def test_the_search_finds_what_a_log_cuts_and_a_table_compresses(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").touch()
    secret = NUMBER.encode("utf-16-le")
    (tmp_path / "000003.log").write_bytes(log_of(b"." * (LOG_BLOCK - LOG_HEADER - 5) + secret))
    (tmp_path / "000005.ldb").write_bytes(table_of(secret[:10] + b"." * 500 + secret))
    assert [name for name, raw in raw_files(tmp_path) if secret in raw] == [], "neither is hard to find"
    assert [name for name, raw in contents(tmp_path) if secret in raw] == ["000003.log", "000005.ldb"]


def test_the_search_finds_words_answers_and_true_codes(tmp_path: Path) -> None:
    made = Visit((1_234_567_890, 4_000_000_000), '{"codes":{"qxcolour":0,"qxmetal":0,"qxweight":0},"receipt":"r7"}')
    held = {
        "decimals": b"4000000000",
        "typed": NUMBER.encode("utf-16-le"),
        "array": b"".join(word.to_bytes(4, "little") for word in made.words),
        "code": b'"qxmetal":2',
        "value": b"zqsilver",
        "control": b"q-qxmetal-2",
        "body": made.body.encode(),
    }
    for name, content in held.items():
        (tmp_path / name).write_bytes(content)
    found, receipt = search(tmp_path, made)
    assert {line.partition(":")[0] for line in found} == held.keys() - {"body"}
    assert receipt


def raw_files(folder: Path) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in folder.iterdir()]


def log_of(record: bytes) -> bytes:
    """A LevelDB log of one record, which the end of a block cuts."""
    room = LOG_BLOCK - LOG_HEADER
    parts = [record[start : start + room] for start in range(0, len(record), room)]
    return b"".join(bytes(4) + len(part).to_bytes(2, "little") + b"\1" + part for part in parts)


def table_of(value: bytes) -> bytes:
    """A LevelDB table of one compressed block."""
    packed = bytes(Codec("snappy").compress(value))
    data = packed + bytes([SNAPPY]) + bytes(4)
    handle = varint(0) + varint(len(packed))
    index = varint(0) + varint(1) + varint(len(handle)) + b"k" + handle + bytes(4) + (1).to_bytes(4, "little")
    handles = varint(0) + varint(0) + varint(len(data)) + varint(len(index))
    return data + index + bytes(5) + handles.ljust(HANDLES, b"\0") + MAGIC.rjust(FOOTER - HANDLES, b"\0")


def varint(number: int) -> bytes:
    digits = []
    while number >= 0x80:
        digits.append(number % 0x80 + 0x80)
        number //= 0x80
    return bytes([*digits, number])
