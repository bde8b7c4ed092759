"""Batches: every response once, in the order of random ids, whatever its codes, however many questions."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.database.batch import ABSENT, FIRST, MOST_IN_BYTE, batch_of, rows_of
from collector.store.store import Store
from collector.survey.survey import Row, Survey
from made_up_surveys import surveys_with_rows
from small_surveys import survey_of
from store_rows import OTHER, ROW


@given(surveys_with_rows(), st.integers(1, 4))
@settings(max_examples=60)
def test_batches_of_any_size_hold_every_response_by_id(case: tuple[Survey, list[Row]], size: int) -> None:
    survey, rows = case
    ids = iter(range(len(rows), 0, -1))
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "a.db", create=True, draw_ids=lambda count: [next(ids) for _ in range(count)]) as store,
    ):
        store.publish(survey)
        store.add(survey, rows)
        batches = list(store.batches(survey, size))
        again = [row for batch in batches for row in rows_of(survey, batch)]
        assert again == store.rows(survey)
        assert sorted(again, key=repr) == sorted(rows, key=repr)
        assert [len(batch) for batch in batches[:-1]] == [size * len(survey.questions)] * (len(batches) - 1)


@pytest.mark.parametrize(("values", "size"), [(MOST_IN_BYTE + 1, 1), (MOST_IN_BYTE + 2, 2)])
def test_a_question_of_many_codes_takes_two_bytes_a_code(values: int, size: int) -> None:
    listed = ", ".join(f'"v{value}"' for value in range(values))
    many = (f'kind = "choice"\nsensitive = false\nvalues = [{listed}]', "", "")
    survey = survey_of(many, ('kind = "yes_no"\nsensitive = false', "", ""))
    batch = batch_of(survey, "".join(map(chr, (MOST_IN_BYTE + FIRST, FIRST, ABSENT, FIRST + 1))))
    assert batch.itemsize == size
    assert list(rows_of(survey, batch)) == [(MOST_IN_BYTE, 0), (None, 1)]


def test_batches_are_of_one_moment(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW] * 3)
    batches = store.batches(wellbeing, 1)
    found = [*rows_of(wellbeing, next(batches))]
    with Store(path) as other:
        other.add(wellbeing, [OTHER] * 40)
    found += [row for batch in batches for row in rows_of(wellbeing, batch)]
    assert found == [ROW] * 3
    assert store.count(wellbeing) == 43


def test_batches_left_halfway_do_not_keep_the_store(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW] * 3)
    batches = store.batches(wellbeing, 1)
    next(batches)
    batches.close()
    store.tidy()
    assert store.rows(wellbeing) == [ROW] * 3


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_an_even_or_odd_last_batch_is_the_last(store: Store, wellbeing: Survey, size: int) -> None:
    store.add(wellbeing, [ROW] * 6)
    assert sum(len(batch) for batch in store.batches(wellbeing, size)) == 6 * len(ROW)
