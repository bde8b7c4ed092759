"""Responses in blocks: each in the block that its codes decide, whatever holds the blocks."""

from __future__ import annotations

import numpy as np
import pytest

from latent_cases import yes_no_survey
from miner.responses import responses as responses_module
from miner.responses.blocks import unchanged
from miner.responses.responses import Data, Responses
from miner.responses.tally import Tally
from miner.simulation.simulation import simulate
from mode_surveys import alike

BLOCKS = 5


@pytest.fixture(scope="module")
def responses() -> Responses:
    """Of 1,000 people to six questions."""
    return simulate(yes_no_survey(6, 3, "5/6"), alike(1000, 6, np.random.default_rng(1)), np.random.default_rng(2))


@pytest.fixture
def several(responses: Responses, monkeypatch: pytest.MonkeyPatch) -> Data:
    monkeypatch.setattr(responses_module, "BLOCK", len(responses) // BLOCKS)
    return Data(responses.survey, responses.in_blocks(), None)


def test_each_response_is_in_one_block_and_equal_ones_in_the_same(several: Data, responses: Responses) -> None:
    blocks = [
        {tuple(row) for codes in block.parts() for row in codes.tolist()}
        for block in several.in_blocks().results(unchanged)
    ]
    assert len(blocks) == BLOCKS
    assert all(blocks)
    assert sum(map(len, blocks)) == len(set.union(*blocks)) == len(np.unique(responses.codes, axis=0))
    assert sum(several.in_blocks().results(Tally.people)) == len(several) == len(responses)


def test_the_blocks_do_not_depend_on_the_order_of_the_responses(several: Data, responses: Responses) -> None:
    other = responses.take(np.random.default_rng(3).permutation(len(responses)))
    for one, two in zip(several.code_parts(), other.code_parts(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_dealing_deals_every_response_once_and_as_many_as_are_asked_for(several: Data, responses: Responses) -> None:
    rest, some = several.dealt(250, 7)
    assert (len(rest), len(some)) == (750, 250)
    both = np.concatenate([rest.in_memory().codes, some.in_memory().codes])
    assert sorted(both.tolist()) == sorted(responses.codes.tolist())
    again = several.dealt(250, 7)[1].in_memory().codes
    np.testing.assert_array_equal(some.in_memory().codes, again)
    assert (several.dealt(250, 8)[1].in_memory().codes != again).any()


def test_every_response_is_as_likely_to_be_dealt(several: Data) -> None:
    first = next(several.code_parts())[0].tolist()
    there = sum(codes == first for codes in several.in_memory().codes.tolist())
    deals = [several.dealt(250, seed)[1].in_memory().codes.tolist() for seed in range(200)]
    drawn = np.array([sum(codes == first for codes in deal) for deal in deals])
    error = np.sqrt(there * (1 / 4) * (3 / 4) / len(deals))
    assert drawn.mean() == pytest.approx(there / 4, abs=3 * error)


def test_tallies_of_the_blocks_are_those_of_all_responses(several: Data, responses: Responses) -> None:
    for blocks, whole in zip(several.tallied([[0, 3], [5]]), responses.tallied([[0, 3], [5]]), strict=True):
        np.testing.assert_array_equal(blocks.words, whole.words)
        np.testing.assert_array_equal(blocks.occurrences, whole.occurrences)
