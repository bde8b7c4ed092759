"""Responses in a temporary file are those in memory, and whatever is learnt from them is the same."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collector.survey.survey import Survey
from miner.learners.kinds import KINDS
from miner.models import training
from miner.responses import filed
from miner.responses import responses as responses_module
from miner.responses.blocks import LocalBlocks, unchanged
from miner.responses.filed import FiledBlocks
from miner.simulation.simulation import simulate

ITEMS: list[dict[str, Any]] = [
    {"a": np.arange(5000), "b": np.ones((3, 7), np.uint16)},
    {"a": np.zeros(0), "b": "no array with any bytes"},
    {"a": np.arange(3, dtype=np.float32), "b": np.array([True, False])},
]


def sized(item: dict[str, Any], more: int, own: int) -> tuple[int, int]:
    return len(item["a"]) + more, own


def doubled(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"a": item["a"] * 2}


def test_items_are_read_as_they_were_written() -> None:
    blocks = FiledBlocks(iter(ITEMS))
    read = list(blocks.results(unchanged))
    assert len(blocks) == len(read) == 3
    for each, expected in zip([*read, blocks[0]], [*ITEMS, ITEMS[0]], strict=True):
        assert {name: np.array(value).tolist() for name, value in each.items()} == {
            name: np.array(value).tolist() for name, value in expected.items()
        }
    assert all(each["a"].flags.aligned for each in read)


def test_functions_give_what_they_give_in_memory() -> None:
    here, there = LocalBlocks(ITEMS), FiledBlocks(ITEMS)
    own = [(1,), (2,), (3,)]
    assert list(there.results(sized, 10, own=own)) == list(here.results(sized, 10, own=own))
    assert [each["a"].tolist() for each in there.each(doubled).results(unchanged)] == [
        each["a"].tolist() for each in here.each(doubled).results(unchanged)
    ]
    assert there[0]["a"].tolist() == list(range(5000))  # what a function changes is not written back


def test_the_file_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    blocks = FiledBlocks(ITEMS)
    assert not list(tmp_path.iterdir())
    assert len(blocks[0]["a"]) == 5000


def test_a_full_disk_is_said_with_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr(filed, "TemporaryFile", lambda **_: full)
        with pytest.raises(OSError, match="No space left") as raised:
            FiledBlocks([np.zeros(10**6)])
    assert raised.value.filename == filed.gettempdir()


@pytest.mark.parametrize(("kind", "parameters"), [("id3", {"mode": "robust"}), ("forest", {"n_estimators": 3})])
@pytest.mark.parametrize("limit", [0, 2**40], ids=["in a file", "in memory"])
def test_a_model_is_the_same_bit_for_bit(
    kind: str, parameters: dict[str, Any], limit: int, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "LARGE", 100)
    monkeypatch.setattr(responses_module, "BLOCK", 500)
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (2000, len(wellbeing.questions))).astype(np.int16)
    responses = simulate(wellbeing, values, rng)

    def model() -> dict[str, Any]:
        classifier = KINDS[kind](wellbeing, "cannabis").set_params(random_state=3, **parameters)
        return training.train(responses, classifier, Fraction(1, 4), 7).as_json

    expected = model()
    token = filed.memory.set(limit)
    try:
        assert isinstance(responses.in_blocks(), FiledBlocks if limit == 0 else LocalBlocks)
        assert model() == expected
    finally:
        filed.memory.reset(token)
