"""What is in a release's file: by its schema, for other tools, and nothing of the data but through noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from collector.errors import ModelError
from collector.survey.survey import Survey
from miner.attacks.published import published_model
from miner.export import FORMATS, as_csv, as_sql, as_text
from miner.learners.id3 import ID3Classifier
from miner.models.training import train
from miner.release.ensemble import Ensemble
from miner.release.families.dpdf import rules_of
from miner.release.families.methods import METHODS, family
from miner.release.noise import Counts, SystemNoise
from miner.release.parties import merged
from miner.release.parts.budget_shares import FORMS
from miner.release.release import Release, read_release, release, release_of_model, write_release
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable
from miner.responses.responses import value_indices
from miner.simulation.simulation import simulate
from population import draw_answers

EXTRA: dict[str, dict[str, Any]] = {
    "private-rdt-vertical": {"parties": (("cannabis",), ("year", "income"))},
    "k-anon-rdt": {"delta": Fraction(1, 1000), "trees": 1},
}
MADE: list[tuple[str, dict[str, Any]]] = [(method, {}) for method in METHODS] + [
    ("ours", {"form": form}) for form in FORMS
]
each_made = pytest.mark.parametrize(("method", "more"), MADE, ids=[f"{name} {more}" for name, more in MADE])


class Account:
    """One that says yes."""

    name = "people"
    cohort = None

    def note(self, method: str) -> None:
        """See `miner.release.release.BudgetAccount`."""

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""


def made(table: TrustedTable, method: str, noise: Any = None, **more: Any) -> Release:  # noqa: ANN401 - tests' own
    parts = family(method, Fraction(1), 700, **(EXTRA.get(method, {}) | more))
    return release(table, parts, Account(), noise or SeededNoise(3), np.random.default_rng(1))


def table_of(survey: Survey, seed: int) -> TrustedTable:
    return TrustedTable.of(survey, value_indices(survey, draw_answers(700, np.random.default_rng(seed))))


@pytest.fixture(scope="module")
def table(wellbeing: Survey) -> TrustedTable:
    return table_of(wellbeing, 4)


@pytest.fixture(scope="module")
def validator(root: Path) -> Draft202012Validator:
    schema, model = (json.loads((root / "docs" / f"{name}.schema.json").read_text()) for name in ("release", "model"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(
        schema, registry=Registry().with_resource("model.schema.json", Resource.from_contents(model))
    )


# --- The schema -----------------------------------------------------------------------------------------------------


def check(found: Release, validator: Draft202012Validator) -> None:
    document = json.loads(json.dumps(found.as_json))
    assert [error.message for error in validator.iter_errors(document)] == []
    wrong: Sequence[dict[str, Any]] = (
        *({"format": 2}, {"kind": "oracle"}, {"fingerprint": "0"}, {"x": 1}, {"privacy": []}, {"learnt": {}}),
        {"statement": document["statement"] | {"guarantee": {"add_or_remove": {"epsilon": "1", "delta": "0"}}}},
        {"learnt": document["learnt"] | {"truth": [1, 2]}},
    )
    for change in wrong:
        assert list(validator.iter_errors(document | change)), change


@each_made
def test_a_file_has_the_published_schema(
    method: str, more: dict[str, Any], table: TrustedTable, validator: Draft202012Validator
) -> None:
    check(made(table, method, **more), validator)


def test_a_merged_file_has_the_published_schema(table: TrustedTable, validator: Draft202012Validator) -> None:
    halves = [made(table.take(part), "private-rdt") for part in (np.arange(350), np.arange(350, 700))]
    check(merged(halves), validator)


@pytest.fixture(scope="module")
def inherited(wellbeing: Survey) -> Release:
    people = value_indices(wellbeing, draw_answers(600, np.random.default_rng(4)))
    responses = simulate(wellbeing, people, np.random.default_rng(1))
    return release_of_model(train(responses, ID3Classifier(wellbeing, mode="robust"), Fraction(0), seed=7))


def test_a_file_of_a_mined_model_has_the_published_schema(inherited: Release, validator: Draft202012Validator) -> None:
    check(inherited, validator)
    document = json.loads(json.dumps(inherited.as_json))
    for change in ({"kind": "release"}, {"kind": "study"}, {"learnt": document["learnt"] | {"training": {}}}):
        assert list(validator.iter_errors(document | change)), change


# --- What is in it of the data --------------------------------------------------------------------------------------


class DeafNoise(SeededNoise):
    """Noise that hears nothing: counts and choices have nothing to do with the data."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Noise around 40."""
        return super().laplace(np.full_like(counts, 40), sensitivity, epsilon)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Any."""
        return super().flip([0] * len(scores), sensitivity, epsilon, monotone=monotone)

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Any."""
        return super().exponential([0] * len(scores), sensitivity, epsilon, monotone=monotone)


@pytest.mark.parametrize(("method", "more"), [each for each in MADE if each[0] not in {"k-anon-rdt", "dpdf-published"}])
def test_a_file_knows_of_the_data_only_what_noise_let_through(
    method: str, more: dict[str, Any], wellbeing: Survey
) -> None:
    """k-AnonToRdt has no noise, and DPDF as published normalises by a true size; both are left out."""
    files = [
        made(table_of(wellbeing, seed).take(np.arange(rows)), method, DeafNoise(5), **more).as_json
        for seed, rows in ((4, 700), (5, 650))
    ]
    assert json.dumps(files[0]) == json.dumps(files[1])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_ours_survives_its_file(form: str, table: TrustedTable, tmp_path: Path) -> None:
    first = made(table, "ours", SystemNoise(), form=form)
    write_release(first, tmp_path / "model.json")
    again = read_release(tmp_path / "model.json")
    words = table.frame.drop(columns=table.target)
    assert again.as_json == first.as_json
    assert (again.classifier.predict_proba(words) == first.classifier.predict_proba(words)).all()
    assert again.text == first.text


def test_the_tree_of_a_mixture_is_attacked_like_any_other(table: TrustedTable) -> None:
    counts = published_model(made(table, "ours", form="mixture")).counts
    assert len(counts) == 1
    for form in ("scores", "tables"):
        with pytest.raises(ModelError, match=r"ours .* form=tree or form=mixture"):
            published_model(made(table, "ours", form=form))


@each_made
def test_all_methods_have_trees_to_attack_but_those_that_the_refusal_names(
    table: TrustedTable, method: str, more: dict[str, Any]
) -> None:
    release = made(table, method, **more)
    if method == "naive-bayes" or more.get("form") in {"scores", "tables"}:
        with pytest.raises(ModelError, match="other than naive-bayes"):
            published_model(release)
    elif method != "ours" or more:  # else its form is a choice by public facts
        assert published_model(release).counts


# --- For other tools ------------------------------------------------------------------------------------------------


def test_a_released_tree_is_exported_as_it_predicts(table: TrustedTable) -> None:
    found = made(table, "ours", form="tree")
    assert isinstance(found.model, Ensemble)
    tree = found.model.trees[0]
    assert as_text(found).count("\n") == as_sql(found).count("WHEN") == len(tree.merged().leaves())
    for rule, line in zip(tree.merged().rules(found.survey, found.target), as_text(found).splitlines(), strict=True):
        assert line.startswith(rule)
    assert FORMATS["dot"](found).count("label") >= len(tree.merged())


def test_dpdf_is_exported_with_all_sub_rules(table: TrustedTable) -> None:
    found = made(table, "dpdf")
    assert isinstance(found.model, Ensemble)
    rules = rules_of(found.model)
    lines = as_text(found).splitlines()
    assert len(lines) == len(as_csv(found).splitlines()) - 1 == len(rules)
    assert any(not rule.whole for rule in rules)
    assert lines[0].endswith(f"(confidence {rules[0].confidence:.2f}, support {rules[0].support:.2f})")
    with pytest.raises(ModelError, match="dpdf"):
        as_sql(found)


@pytest.mark.parametrize("method", ["private-rdt", "naive-bayes"])
def test_what_is_no_tree_is_not_exported(method: str, table: TrustedTable) -> None:
    with pytest.raises(ModelError, match="is not a single tree"):
        as_text(made(table, method))


def test_a_mined_model_is_exported_as_before_its_release(inherited: Release) -> None:
    source: Any = inherited.model
    for write in FORMATS.values():
        assert write(inherited) == write(source.source)
