"""Tables in and out of the miner, and what it says of a table that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
import pytest

from collector.errors import ResponseError, StoreError
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.responses.responses import Data, Responses, codes_of_values, value_indices, value_table, values_of_codes
from small_surveys import mixed_survey, survey_of


def codes_of(survey: Survey, count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(np.array(q.codes, dtype=np.int16), count) for q in survey.questions], axis=1)


def test_a_frame_comes_back_as_it_went_in_whatever_its_column_order() -> None:
    responses = Responses(mixed_survey(), codes_of(mixed_survey(), 20))
    shuffled = responses.frame[["sold", "year", "distress", "debt", "drug"]].assign(note="ignored")
    again = Responses.from_frame(mixed_survey(), shuffled)
    pd.testing.assert_frame_equal(again.frame, responses.frame)


def test_responses_keep_their_own_codes_and_nobody_can_change_them() -> None:
    codes = codes_of(mixed_survey(), 5)
    expected = codes.copy()
    responses = Responses(mixed_survey(), codes)
    codes[:, 0] = 2
    frame = responses.frame
    frame.loc[0, "drug"] = -5
    assert (responses.codes == expected).all()
    with pytest.raises(ValueError, match="read-only"):
        responses.codes[0, 0] = 1


def test_responses_are_taken_by_position_in_the_order_asked_for() -> None:
    responses = Responses(mixed_survey(), codes_of(mixed_survey(), 9))
    assert (responses.take([4, 4, 0]).codes == responses.codes[[4, 4, 0]]).all()
    assert len(responses.take(np.array([], dtype=np.intp))) == 0


def test_responses_come_from_one_version_of_a_store(tmp_path: Path, wellbeing: Survey) -> None:
    older = mixed_survey()
    with Store(tmp_path / "s.db", create=True) as store:
        for survey in (older, wellbeing):
            store.publish(survey)
            store.add(survey, codes_of(survey, 7).tolist())
        found = Responses.from_store(store, "wellbeing")
        assert found.survey == wellbeing
        assert found.codes.tolist() == sorted(codes_of(wellbeing, 7).tolist())
        with pytest.raises(StoreError):
            Responses.from_store(store, "unheard_of")


def test_a_store_without_responses_gives_none_of_them(tmp_path: Path, wellbeing: Survey) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(wellbeing)
        found = Responses.from_store(store, "wellbeing")
    assert found.codes.shape == (0, len(wellbeing.questions))


def test_a_mask_takes_the_rows_where_it_is_true() -> None:
    responses = Responses(mixed_survey(), codes_of(mixed_survey(), 50))
    mask = responses.frame["debt"] == responses.codes[0, responses.survey.column("debt")]
    expected = responses.codes[mask.to_numpy()]
    assert 0 < len(expected) < 50
    for some in (mask, mask.to_numpy(), mask.tolist()):
        assert (responses.take(some).codes == expected).all()
        assert (responses[some].codes == expected).all()
    assert (responses[2:5].codes == responses.codes[2:5]).all()
    assert (responses[-1].codes == responses.codes[-1:]).all()
    assert len(list(responses[:3])) == 3


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ([True, False], "the mask has shape"),
        ([[True] * 5] * 5, "the mask has shape"),
        ([0.0, 1.0], "neither positions nor a mask"),
        ("debt", "neither positions nor a mask"),
        (["debt"], "neither positions nor a mask"),
        ([[0, 1]], "neither positions nor a mask"),
        (None, "neither positions nor a mask"),
    ],
)
def test_what_is_neither_positions_nor_a_mask_takes_no_rows(wrong: object, problem: str) -> None:
    responses = Responses(mixed_survey(), codes_of(mixed_survey(), 5))
    with pytest.raises(ResponseError, match=f"^rows: .*{problem}"):
        responses.take(cast("list[int]", wrong))
    with pytest.raises(ResponseError, match=f"^rows: .*{problem}"):
        _ = responses[wrong]


def test_columns_are_not_taken_for_rows() -> None:
    responses = Responses(mixed_survey(), codes_of(mixed_survey(), 5))
    with pytest.raises(ResponseError, match=r"^rows: .*\.frame"):
        _ = responses[:, 0]


@pytest.mark.parametrize("wrong", [99, -1, 1.0, "1", True, None, 2**40])
def test_a_foreign_code_is_refused_by_row_and_column_and_not_repeated(wrong: object) -> None:
    frame = Responses(mixed_survey(), codes_of(mixed_survey(), 4)).frame.astype(object)
    frame.loc[2, "debt"] = wrong
    with pytest.raises(ResponseError) as caught:
        Responses.from_frame(mixed_survey(), frame)
    line = 'row 3, column "debt": it is not one of the question\'s codes; use one of: 0, 1, 2'
    assert str(caught.value) == line


def test_missing_and_doubled_columns_are_refused() -> None:
    frame = Responses(mixed_survey(), codes_of(mixed_survey(), 4)).frame
    with pytest.raises(ResponseError, match='column "debt": it is missing'):
        Responses.from_frame(mixed_survey(), frame.drop(columns="debt"))
    with pytest.raises(ResponseError, match='column "debt": '):
        Responses.from_frame(mixed_survey(), pd.concat([frame, frame[["debt"]]], axis=1))
    with pytest.raises(ResponseError, match="give 5 columns"):
        Responses(mixed_survey(), codes_of(mixed_survey(), 4)[:, :3])


def answers() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "distress": ["yes", "no", "no"],
            "year": ["first", "fourth", " third "],
            "cannabis": ["no", "yes", "no"],
            "drinking": ["weekly", "never", "monthly"],
            "income": [0, 799.5, 1500],
            "debt": ["no", "no", "yes"],
            "comment": ["", "", ""],
        }
    )


def test_answers_in_words_become_indices_of_values(wellbeing: Survey) -> None:
    expected = [[0, 1, 2, 0, 1, 0], [3, 0, 0, 1, 1, 1], [2, 1, 1, 3, 0, 1]]
    assert value_indices(wellbeing, answers()).tolist() == expected
    assert value_indices(wellbeing, answers().astype(str)).tolist() == expected
    assert value_indices(wellbeing, answers(), ["debt", "year"]).tolist() == [[1, 0], [1, 3], [0, 2]]


@pytest.mark.parametrize(
    ("number", "interval"),
    [("400", 1), ("399.999", 0), ("<400", 0), ("400..800", 1), ("1e3", 2), (">=1500", 3), (10**12, 3)],
)
def test_a_number_falls_in_the_interval_that_holds_its_lower_end(
    wellbeing: Survey, number: object, interval: int
) -> None:
    frame = answers().head(1).assign(income=[number])
    assert value_indices(wellbeing, frame, ["income"]).tolist() == [[interval]]


def test_a_number_that_may_be_declined_is_read_as_a_number_or_as_that() -> None:
    survey = survey_of(('kind = "number"\ncuts = [400, 800]\ndecline = true', "a", 'truth = "3/4"'))
    words = ["399.5", "400", "1e3", "400..800", "prefer_not_to_say"]
    assert value_indices(survey, pd.DataFrame({"q0": words}))[:, 0].tolist() == [0, 1, 2, 1, 3]
    with pytest.raises(ResponseError, match="it is not a number"):
        value_indices(survey, pd.DataFrame({"q0": ["plenty"]}))


@pytest.mark.parametrize(
    ("column", "wrong", "problem"),
    [
        ("year", "fifth", "it is not a value of the question; use one of: first, second, third, fourth"),
        ("year", None, "the value is missing; say optional = true of the question"),
        ("year", float("nan"), "the value is missing; say optional = true of the question"),
        ("distress", 1, "it is not a value of the question; use one of: yes, no"),
        ("income", "plenty", "it is not a number; write a plain number, such as 850"),
        ("income", "", "the value is missing; say optional = true of the question"),
        ("income", float("inf"), "it is not a number"),
        ("income", None, "the value is missing; say optional = true of the question"),
        ("income", -1, "the number is below the minimum; write at least 0"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_not_repeated(
    wellbeing: Survey, column: str, wrong: object, problem: str
) -> None:
    frame = answers().astype(object)
    frame.loc[1, column] = wrong
    with pytest.raises(ResponseError) as caught:
        value_indices(wellbeing, frame)
    assert str(caught.value).startswith(f'row 2, column "{column}": {problem}')
    assert "fifth" not in str(caught.value)
    assert "plenty" not in str(caught.value)


def test_long_lists_of_values_are_cut_short_in_messages() -> None:
    values = ", ".join(f'"v{number}"' for number in range(40))
    survey = survey_of((f'kind = "choice"\nvalues = [{values}]', "a", 'truth = "3/4"'))
    with pytest.raises(ResponseError, match=r"v10, v11, \.\.\. \(40 in all\)$"):
        value_indices(survey, pd.DataFrame({"q0": ["w"]}))


def test_every_code_stands_for_a_value_and_every_value_for_its_codes(wellbeing: Survey) -> None:
    for question in (*wellbeing.questions, *mixed_survey().questions):
        table = value_table(question)
        for code in question.codes:
            assert table[code] == question.coding.value_of(code)
        for value in range(len(question.values)):
            assert codes_of_values(question, {value}) == set(question.coding.codes_of(value))


def test_the_partner_of_a_value_left_alone_is_read_as_that_value() -> None:
    szucs = 'kind = "choice"\nvalues = ["a", "b", "c"]\ncoding = "szucs"'
    question = survey_of((szucs, "a", 'truth = "4/5"')).questions[0]
    (orphan,) = [code for code in question.codes if question.coding.value_of(code) is None]
    alone = question.coding.value_of(question.coding.complement(orphan))
    assert alone is not None
    assert value_table(question)[orphan] == alone
    assert codes_of_values(question, {alone}) == {orphan, question.coding.complement(orphan)}
    codes = np.array(question.codes, dtype=np.int16)[:, None]
    assert set(values_of_codes([question], codes)[:, 0].tolist()) == {0, 1, 2}


@pytest.mark.parametrize(("values", "bits"), [(126, 8), (127, 16)])
def test_codes_take_a_byte_each_where_all_of_them_fit(values: int, bits: int) -> None:
    listed = [f"v{number}" for number in range(values)]
    survey = survey_of((f'kind = "choice"\nvalues = {listed}\nsensitive = false', "", ""))
    responses = Responses(survey, np.array([[values - 1], [0], [values - 1]]))
    gathered = Data(survey, responses.in_blocks(), None)
    for codes in (responses.codes, gathered.in_memory().codes, next(gathered.code_parts())):
        assert codes.dtype.itemsize * 8 == bits
        assert sorted(codes.tolist()) == [[0], [values - 1], [values - 1]]
    assert (responses.frame * 2)["q0"].max() == 2 * values - 2
