"""The benchmark's tables with scales: the same people, their values in order."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.local_privacy import scaled, uniform
from benchmarks.local_privacy.uniform import survey_of


@pytest.mark.usefixtures("datasets")
@pytest.mark.parametrize("name", ["nursery", "adult"])
def test_every_question_keeps_its_counts_and_only_scales_change_their_order(name: str) -> None:
    nominal, ordered = getattr(uniform, name)(), getattr(scaled, name)()

    assert nominal.kinds == ordered.kinds
    assert not any(nominal.scales)
    for column, scale in enumerate(ordered.scales):
        counts, others = (np.bincount(table.values[:, column]) for table in (nominal, ordered))
        assert sorted(counts) == sorted(others)
        if not scale:
            np.testing.assert_array_equal(nominal.values[:, column], ordered.values[:, column])
    assert [question.ordered for question in survey_of(ordered, "1").questions] == list(ordered.scales)


@pytest.mark.usefixtures("datasets")
def test_education_stands_in_the_order_of_its_number_and_the_class_has_none() -> None:
    rows, table = uniform.adult_rows(), scaled.adult()
    column = [name for name in rows if name not in ("fnlwgt", "education_num")].index("education")

    np.testing.assert_array_equal(table.values[:, column], rows["education_num"].astype(int) - 1)
    assert not table.scales[-1]
