"""The importances of a forest, from the sizes and impurities of its nodes."""

from __future__ import annotations

import numpy as np

from miner.trees.criteria import forest_importances


def test_a_split_counts_for_its_question_by_what_its_children_are_purer() -> None:
    begin = np.array([0, 3, 8, 9])
    question = np.array([1, -1, -1, 0, -1, 2, -1, -1, -1], np.int32)
    child = np.array([1, 0, 0, 1, 0, 3, 0, 0, 0], np.int32)
    nodes = np.array([[10, 5], [4, 1], [6, 2], [20, 9], [8, 3], [12, 4], [5, 1], [7, 1.5], [0, 0]])
    found = forest_importances(begin, question, child, nodes, 3)
    assert found.tolist() == [[0, 0.2, 0], [0.1, 0, 0.075], [0, 0, 0]]
