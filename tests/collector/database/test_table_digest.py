"""A digest of a table is the same, whether it is given by rows or by columns, and stays what stores remember."""

from __future__ import annotations

from collector.database.table_digest import columns_digest, table_digest

KEY = b"k" * 32
NAMES = ["year", "cannabis", "distress"]
ROWS = [["0", "12", ""], ["3", "1", "0"], ["0", "12", ""]]
REMEMBERED = "1953bcdd0de631bce5d48d6a4b9565a5e9930360eceb51e91efd1658be99bbf8"


def test_columns_have_the_digest_of_their_rows() -> None:
    digest = table_digest(NAMES, ROWS, KEY)
    assert columns_digest(NAMES, list(zip(*ROWS, strict=True)), KEY) == digest
    assert digest.hex() == REMEMBERED, "or no file is known again that was imported before"


def test_neither_the_order_of_rows_nor_of_columns_changes_it_and_their_number_does() -> None:
    digest = table_digest(NAMES, ROWS, KEY)
    assert table_digest(NAMES[::-1], [row[::-1] for row in reversed(ROWS)], KEY) == digest
    assert table_digest(NAMES, ROWS[:2], KEY) != digest
    assert columns_digest(["a"], [["0", "1"]], KEY) == table_digest(["a"], [["1"], ["0"]], KEY)
