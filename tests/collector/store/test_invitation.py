"""Invitation codes and the pepper: drawn well, read forgivingly, and kept as keyed hashes."""

from __future__ import annotations

import hmac
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import StoreError
from collector.store.invitation import (
    ALPHABET,
    LENGTH,
    create_pepper,
    draw_code,
    keyed_hash,
    normalised,
    pepper_path,
    read_pepper,
)
from collector.store.store import Sent, Store
from collector.survey.survey import Survey
from store_rows import ROW, query

CODE = "7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX"


def test_a_code_has_at_least_128_bits_in_groups_and_is_never_the_same() -> None:
    codes = [draw_code() for _ in range(1000)]
    assert len(set(codes)) == 1000
    assert all([len(group) for group in code.split("-")] == [5, 5, 5, 5, 6] for code in codes)
    assert set("".join(codes)) == {*ALPHABET, "-"}, "fails once in 10^350 runs"
    assert len(ALPHABET) ** LENGTH >= 2**128


@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        CODE.lower(),
        CODE.replace("-", ""),
        CODE.replace("-", " "),
        f"  {CODE}\n",
        CODE.replace("-", "\u2013"),
        CODE.replace("0", "O").replace("1", "l"),
        CODE.replace("0", "o").replace("1", "I"),
    ],
)
def test_a_code_is_read_however_a_person_writes_it(typed: str) -> None:
    assert normalised(typed) == CODE.replace("-", "")


@pytest.mark.parametrize("typed", ["", "-", CODE[:-1], f"{CODE}X", CODE.replace("7", "U"), "\u0667" * 26, "A" * 60_000])
def test_what_is_no_code_is_nobody_s(typed: str) -> None:
    assert normalised(typed) == ""


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    assert len(normalised(text)) in {0, LENGTH}


def test_every_drawn_code_reads_as_itself() -> None:
    for _ in range(100):
        code = draw_code()
        assert normalised(code) == code.replace("-", "")


def test_a_keyed_hash_is_hmac_sha_256_and_differs_by_purpose_survey_and_pepper() -> None:
    pepper = bytes(range(32))
    expected = hmac.new(pepper, b"receipt\0wellbeing\0secret", sha256).digest()
    assert keyed_hash(pepper, "receipt", "wellbeing", b"secret") == expected
    assert keyed_hash(pepper, "invitation", "wellbeing", b"secret") != expected
    assert keyed_hash(pepper, "receipt", "other", b"secret") != expected
    assert keyed_hash(bytes(32), "receipt", "wellbeing", b"secret") != expected


def test_the_pepper_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    create_pepper(store)
    pepper = read_pepper(store)
    create_pepper(store)
    assert read_pepper(store) == pepper
    assert pepper_path(store) == tmp_path / "a.db.pepper"
    assert pepper_path(store).stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["a.db.pepper"]


@pytest.mark.parametrize("content", [None, b"", b"short"])
def test_a_pepper_that_is_lost_is_told(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.db.pepper").write_bytes(content)
    with pytest.raises(StoreError, match=r"a\.db\.pepper: "):
        read_pepper(tmp_path / "a.db")


def hashed(path: Path, message: bytes) -> bytes:
    return hmac.new(pepper_path(path).read_bytes(), message, sha256).digest()


def test_a_response_is_held_out_by_a_hash_of_its_id_so_that_it_always_is(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    store.add(wellbeing, [ROW] * 60)
    ids = [int(str(number)) for (number,) in query(path, "SELECT id FROM responses_wellbeing_1 ORDER BY id")]
    hashes = [hashed(path, b"hold-out\0wellbeing\0" + number.to_bytes(8, "big")) for number in ids]
    dealt = [bool(each) for _, part in store.dealt(wellbeing, Fraction(1, 3)) for each in part]
    assert dealt == [int.from_bytes(each, "big") < 2**256 // 3 for each in hashes]


def test_a_form_is_sealed_and_a_receipt_kept_by_hashes_of_their_purpose(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    assert store.sealed("wellbeing", b"a form") == hashed(path, b"form\0wellbeing\0a form")
    store.receive(wellbeing, Sent(ROW, b"r" * 32))
    kept = hashed(path, b"receipt\0wellbeing\0" + b"r" * 32)
    assert query(path, "SELECT _receipt FROM responses_wellbeing_1") == [(kept,)]
