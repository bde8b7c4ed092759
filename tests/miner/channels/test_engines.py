"""Every registered channel in every engine: counts, paths, forests, signed copies, mixtures and learners."""

from __future__ import annotations

import pytest

from collector.channel.channel import REPLACEMENTS
from engine_cases import (
    a_mixture_has_the_likelihood_of_the_exact_table,
    a_packed_tree_is_the_tree_on_product_weights,
    answers_that_agree,
    counts_at_leaves_are_the_product_weights,
    every_learner_learns,
    grouped_survey,
    signed_copies_are_the_product_weights,
)

YES_NO = 'kind = "yes_no"'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
UNEVEN = THREE + '\nreplacement = { a = "1/2", b = "1/3", c = "1/6" }'
SKEWED = YES_NO + '\nreplacement = { yes = "1/4", no = "3/4" }'
DESIGNS = [(name, kinds) for name in REPLACEMENTS for kinds in ([YES_NO, THREE, THREE], [THREE, YES_NO, YES_NO])]
DESIGNS += [("uniform", [UNEVEN, SKEWED, UNEVEN]), ("uniform", [THREE, UNEVEN, SKEWED])]
BITS = [(name, [YES_NO] * 4) for name in REPLACEMENTS] + [("uniform", [SKEWED, YES_NO, SKEWED, SKEWED])]


@pytest.mark.parametrize(("name", "kinds"), DESIGNS)
@pytest.mark.parametrize("target", ["q0", "q2", "told"])
def test_counts_and_paths_are_the_product_weights(name: str, kinds: list[str], target: str) -> None:
    counts_at_leaves_are_the_product_weights(grouped_survey(name, "3/5", kinds), target)


@pytest.mark.parametrize(("name", "kinds"), DESIGNS)
def test_signed_copies_are_the_product_weights(name: str, kinds: list[str]) -> None:
    for target in ("q0", "q2"):
        signed_copies_are_the_product_weights(grouped_survey(name, "4/7", kinds), target)


@pytest.mark.parametrize(("name", "kinds"), DESIGNS)
def test_a_mixture_has_the_likelihood_of_the_exact_table(name: str, kinds: list[str]) -> None:
    a_mixture_has_the_likelihood_of_the_exact_table(name, "5/7", kinds[:1] if UNEVEN in kinds else kinds[:2])


@pytest.mark.parametrize(("name", "kinds"), BITS)
@pytest.mark.parametrize("target", ["q0", "q3"])
def test_a_packed_tree_is_the_tree_on_product_weights(name: str, kinds: list[str], target: str) -> None:
    survey = grouped_survey(name, "9/10", kinds)
    a_packed_tree_is_the_tree_on_product_weights(survey, answers_that_agree(survey, 3000), target)


def test_every_learner_learns_under_uneven_replacements() -> None:
    survey = grouped_survey("uniform", "4/5", [SKEWED, SKEWED, SKEWED, YES_NO])
    every_learner_learns(survey, answers_that_agree(survey, 6000), "q0", ["faithful", "robust"])
