"""Releasing: the order of things, what is refused, what is in the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from collector.errors import BudgetError, DeniableError, ModelError, QueryError, ResponseError
from collector.ledger.budget import Charge, Cost, DataSet
from collector.survey.survey import Survey
from miner.learners.id3 import ID3Classifier
from miner.models.training import train
from miner.release.ensemble import Ensemble
from miner.release.families.dpdf import rules_of
from miner.release.families.methods import METHODS, family, read_settings
from miner.release.families.private_rdt import PrivateRDT, VerticalRDT, published_depth
from miner.release.noise import SystemNoise
from miner.release.parties import merged, released_onto
from miner.release.release import Release, read_release, release, release_of_model, write_release
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable
from miner.responses.responses import value_indices
from miner.simulation.simulation import simulate
from miner.trees.counts import Disguise
from population import draw_answers
from said import figures
from small_surveys import plain_survey

ONE = Fraction(1)
EXTRA: dict[str, dict[str, Any]] = {
    "private-rdt-vertical": {"parties": (("cannabis",), ("year", "income"))},
    "k-anon-rdt": {"delta": Fraction(1, 1000), "trees": 1},
}


@dataclass
class Book:
    """An account that says yes, or no, and remembers."""

    refuse: bool = False
    name: str = "people"
    cohort: str | None = None
    charged: list[tuple[str, Fraction, Fraction]] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""
        if self.refuse:
            raise BudgetError("data set", "nothing is left", "ask for less")
        self.charged.append((method, epsilon, delta))

    def note(self, method: str) -> None:
        """See `miner.release.release.BudgetAccount`."""
        if self.refuse:
            raise BudgetError("data set", "it is unknown here", "set a budget")
        self.noted.append(method)


@pytest.fixture(scope="module")
def table(wellbeing: Survey) -> TrustedTable:
    people = draw_answers(700, np.random.default_rng(4))
    return TrustedTable.of(wellbeing, value_indices(wellbeing, people))


def made(table: TrustedTable, method: str, noise: Any = None, **more: Any) -> Release:  # noqa: ANN401 - tests' own
    parts = family(method, ONE, len(table), **(EXTRA.get(method, {}) | more))
    return release(table, parts, Book(), noise or SystemNoise(), np.random.default_rng(1))


@pytest.mark.parametrize("method", METHODS)
def test_a_release_survives_its_file_and_predicts_the_same(method: str, table: TrustedTable, tmp_path: Path) -> None:
    first = made(table, method)
    write_release(first, tmp_path / "model.json")
    again = read_release(tmp_path / "model.json")
    assert again.as_json == first.as_json
    words = table.frame.drop(columns=table.target)
    assert (again.classifier.predict_proba(words) == first.classifier.predict_proba(words)).all()
    assert first.classifier.predict_proba(words).sum(axis=1) == pytest.approx(1)
    assert first.kind == ("study" if method == "dpdf-published" else "release")


def numbers_in(document: object) -> list[float]:
    """Every number of a document, wherever it stands."""
    if isinstance(document, dict):
        return [each for value in document.values() for each in numbers_in(value)]
    if isinstance(document, list):
        return [each for value in document for each in numbers_in(value)]
    return [document] if isinstance(document, int | float) and not isinstance(document, bool) else []


class FarNoise(SeededNoise):
    """Noise that is a long way off, so that a true count cannot be mistaken for a noisy one."""

    def laplace(self, counts: Any, sensitivity: int, epsilon: Fraction) -> Any:  # noqa: ANN401 - as there
        """Noise, and far away."""
        return super().laplace(counts, sensitivity, epsilon) + 1_000_003


@pytest.mark.parametrize("method", [each for each in METHODS if each != "k-anon-rdt"])
def test_a_file_holds_no_true_count(method: str, table: TrustedTable) -> None:
    learnt = made(table, method, FarNoise(1)).as_json["learnt"]
    for part in ("counts", "classes", "cells"):
        for tree in learnt.get("trees", [learnt]):
            found = [each for each in numbers_in(tree.get(part, [])) if each]
            assert all(each >= 900_000 for each in found), part


def test_a_size_is_rounded_before_it_is_used(table: TrustedTable) -> None:
    document = made(table.take(np.arange(683)), "ours").as_json
    assert document["parameters"]["size"] == 680
    del document["learnt"]  # noise may be any number
    assert "683" not in json.dumps(document)


def test_without_a_declared_size_no_file_depends_on_the_number_of_rows_but_through_noise(table: TrustedTable) -> None:
    for method in ("ours", "private-rdt", "dpdf", "dpdf-published", "naive-bayes"):
        chosen, book = family(method, ONE, None), Book()
        document = release(table, chosen, book, FarNoise(3), np.random.default_rng(1)).as_json
        assert document["parameters"]["counting"] == "1/20"
        assert document["parameters"]["size"] >= 1_000_000  # what was counted is far away
        assert [spent for _, spent, _ in book.charged] == ([] if chosen.guarantee is None else [ONE])
        assert not any("a size of about" in line for line in document["privacy"])
        assert any("noise of scale 20." in line for line in document["privacy"])
    with pytest.raises(QueryError, match="a size that is public"):
        family("diffpid3-gain", ONE, None)


def test_the_account_is_charged_before_the_data_are_read(table: TrustedTable) -> None:
    with pytest.raises(BudgetError, match="nothing is left"):
        release(table, Unread(ONE, 10), Book(refuse=True), SystemNoise())


class Unread(PrivateRDT):
    """A family that must not be asked."""

    def fit(self, *_: object) -> Ensemble:  # type: ignore[override] # nothing of it matters
        """Never."""
        raise AssertionError("the data were read")


@pytest.mark.parametrize("method", METHODS)
def test_what_is_charged_is_what_the_file_states(method: str, table: TrustedTable) -> None:
    book = Book()
    found = release(table, family(method, ONE, 700, **EXTRA.get(method, {})), book, SeededNoise(1))
    adding = found.statement.adding
    if adding is None:
        assert not book.charged
        assert "no differential privacy guarantee" in found.privacy[0]
    else:
        assert book.charged[0][1:] == (adding.epsilon, adding.delta)
        assert found.statement.as_json["guarantee"]["replace"]["epsilon"] == str(2 * adding.epsilon)


def test_vertical_parties_are_charged_epsilon_each(table: TrustedTable) -> None:
    book = Book()
    release(table, family("private-rdt-vertical", ONE, 700, **EXTRA["private-rdt-vertical"]), book, SeededNoise(1))
    assert book.charged == [("private-rdt-vertical", Fraction(2), Fraction(0))]


def test_a_rehearsal_is_not_saved(table: TrustedTable, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="rehearsal"):
        write_release(made(table, "ours", SeededNoise(1)), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_system_noise_differs_and_a_seed_only_repeats_structures(table: TrustedTable) -> None:
    first, second = (made(table, "private-rdt").model for _ in range(2))
    assert isinstance(first, Ensemble)
    assert isinstance(second, Ensemble)
    assert (first.trees[0].question == second.trees[0].question).all()
    assert (first.trees[0].counts != second.trees[0].counts).any()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda frame: frame.assign(year=["sixth", *frame["year"][1:]]), 'row 1, column "year": it is not a value'),
        (lambda frame: frame.assign(year=[None, *frame["year"][1:]]), 'row 1, column "year": the value is missing'),
        (lambda frame: frame.assign(year=["", *frame["year"][1:]]), 'row 1, column "year": the value is missing'),
        (lambda frame: frame.drop(columns="year"), 'column "year": it is missing'),
        (lambda frame: frame[frame["distress"] == "no"], "all rows are of one class"),
        (lambda frame: frame.head(0), "table: the table has no rows"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_and_nothing_charged(
    change: Callable[[pd.DataFrame], pd.DataFrame], line: str, table: TrustedTable
) -> None:
    book, parts = Book(), family("ours", ONE, 700)
    with pytest.raises((ResponseError, QueryError), match=line) as caught:
        release(TrustedTable.from_frame(table.survey, change(table.frame)), parts, book, SystemNoise())
    assert "\n" not in str(caught.value)
    assert not book.charged


@pytest.mark.parametrize(
    ("method", "epsilon", "more", "line"),
    [
        ("ours", Fraction(0), {}, "epsilon: the value is not above 0"),
        ("ours", Fraction(-1), {}, "epsilon: the value is not above 0"),
        ("oracle", ONE, {}, "method: the method does not exist; use one of: ours"),
        ("ours", ONE, {"trees": 3}, "trees: ours has no such parameter"),
        ("ours", ONE, {"selecting": ONE}, "selecting: the share is not between 0 and 1"),
        ("ours", ONE, {"depth": 0}, "depth: the number is below 1"),
        ("private-rdt", ONE, {"trees": 0}, "trees: the number is below 1"),
        ("k-anon-rdt", ONE, {"delta": ONE}, "delta: delta is not between 0 and 1"),
        ("private-rdt-vertical", ONE, {"parties": (("q0",), ("q0",))}, "parties: they do not share out the questions"),
        ("private-rdt-vertical", ONE, {"parties": (("q2",),)}, "parties: they do not share out the questions"),
    ],
)
def test_parameters_out_of_range_are_refused(method: str, epsilon: Fraction, more: dict[str, Any], line: str) -> None:
    with pytest.raises(DeniableError, match=line):
        family(method, epsilon, 100, **more).check(plain_survey(3), "q2")


def test_settings_are_read_from_text() -> None:
    read = read_settings(["trees=5", "selecting=1/3", "score=max", "parties=a,b;c"])
    assert read == {"trees": 5, "selecting": Fraction(1, 3), "score": "max", "parties": (("a", "b"), ("c",))}
    for wrong in ("trees", "trees=x", "colour=red", "beta=1/0"):
        with pytest.raises(QueryError, match="a parameter with its value"):
            read_settings([wrong])


def in_halves(table: TrustedTable) -> list[tuple[TrustedTable, Book]]:
    """Two tables of different people, charged as cohorts."""
    rows = np.arange(len(table))
    return [(table.take(rows[each::2]), Book(cohort=name)) for each, name in enumerate(("north", "south"))]


def test_parties_and_batches_add_up(table: TrustedTable) -> None:
    parts = family("private-rdt", ONE, 700, trees=3)
    halves = in_halves(table)
    parties = [release(each, parts, book, SystemNoise(), np.random.default_rng(5)) for each, book in halves]
    both = merged(parties)
    assert both.statement.adding == parties[0].statement.adding
    (line,) = set(both.statement.uncovered) - set(parties[0].statement.uncovered)
    assert line.endswith("(people, cohort north; people, cohort south)")
    counts = [each.model.trees[0].counts for each in (*parties, both) if isinstance(each.model, Ensemble)]
    assert (counts[0] + counts[1] == counts[2]).all()
    book = Book(cohort="east")
    more = released_onto(both, halves[0][0], book, SystemNoise())
    assert more.parameters["batches"] == 3
    assert more.statement.adding == Cost(ONE)
    assert book.charged == [("private-rdt", ONE, Fraction(0))]
    other = release(halves[0][0], parts, Book(), SystemNoise(), np.random.default_rng(6))
    with pytest.raises(ModelError, match="trees of the releases"):
        merged([parties[0], other])
    with pytest.raises(ModelError, match="not releases with private-rdt"):
        merged([parties[0], made(halves[0][0], "ours")])
    with pytest.raises(ModelError, match="one release is given twice"):
        merged([parties[0], parties[1], parties[0]])


def charged_as(name: str, cohort: str | None) -> Book:
    """An account of a data set."""
    return Book(name=name, cohort=cohort)


@pytest.mark.parametrize(
    ("accounts", "epsilon"),
    [
        ([("people", None), ("people", None)], 2),
        ([("people", "north"), ("people", "north")], 2),
        ([("people", "north"), ("people", "south")], 1),
        ([("people", None), ("people", "north"), ("people", "south")], 2),
        ([("people", None), ("strangers", None)], 1),
        ([("people", "north"), ("strangers", "south"), ("people", "north"), ("strangers", "north")], 2),
    ],
)
def test_a_release_states_what_the_ledger_counts_for_all_its_tables(
    table: TrustedTable, tmp_path: Path, accounts: list[tuple[str, str | None]], epsilon: int
) -> None:
    books = [charged_as(*each) for each in accounts]
    parts = family("private-rdt", ONE, 700, trees=1, depth=1)
    first, *later = [release(table, parts, book, SystemNoise(), np.random.default_rng(5)) for book in books]
    onto = first
    for book in books[1:]:
        onto = released_onto(onto, table, book, SystemNoise())
    charges = [Charge("private-rdt", Cost(ONE), cohort=cohort) for _, cohort in accounts]
    by_name = {name: [c for c, (n, _) in zip(charges, accounts, strict=True) if n == name] for name, _ in accounts}
    counted = max(DataSet(name, Cost(Fraction(9))).spent(each).epsilon for name, each in by_name.items())
    for every in (onto, merged([first, *later])):
        write_release(every, tmp_path / "model.json")
        read = read_release(tmp_path / "model.json")
        assert read.statement.adding == Cost(counted) == Cost(Fraction(epsilon))
        assert figures(read.privacy[0]) == [float(epsilon)]
        assert any("thought to be disjoint" in line for line in read.privacy) == (epsilon < len(accounts))


def test_a_file_that_does_not_say_which_tables_it_counted_is_refused(table: TrustedTable) -> None:
    (north, book), (south, _) = in_halves(table)
    first = release(north, family("private-rdt", ONE, 700, trees=1), book, SystemNoise(), np.random.default_rng(5))
    halved, number, nameless = [["people", "north", "1/2"]], [["people", 1, "1"]], [[None, "north", "1"]]
    for wrong in (["people"], halved, number, nameless, [["people", "north", "1/0"]], 7, None):
        with pytest.raises(ModelError, match="tables"):
            released_onto(replace(first, parameters=first.parameters | {"tables": wrong}), south, book, SystemNoise())


def test_the_published_depth_is_that_of_the_paper() -> None:
    disguise = Disguise.of(plain_survey(9), "q8")
    assert published_depth(disguise, 12_960) == 4  # k / 2
    assert published_depth(disguise, 12) == 2  # log2(12) - 1


def test_vertical_trees_ask_their_own_questions_only(table: TrustedTable) -> None:
    parties = EXTRA["private-rdt-vertical"]["parties"]
    trees = VerticalRDT(ONE, 700, trees=2, parties=parties).structures(
        table.survey, table.target, np.random.default_rng(1)
    )
    names = [{table.survey.questions[each].name for each in tree.question[tree.question >= 0]} for tree in trees]
    assert all(asked <= set(parties[number // 2]) for number, asked in enumerate(names))


def test_dpdf_has_distinct_roots_and_tells_rules_with_all_sub_rules(table: TrustedTable) -> None:
    model = made(table, "dpdf", SeededNoise(1), trees=3).model
    assert isinstance(model, Ensemble)
    roots = [int(tree.question[0]) for tree in model.trees]
    assert len(set(roots)) == len(roots)
    rules = rules_of(model)
    assert len(rules) == sum(len(tree) - 1 for tree in model.trees)
    assert [rule.confidence for rule in rules] == sorted((rule.confidence for rule in rules), reverse=True)


@pytest.mark.parametrize("change", [{"kind": "study"}, {"format": 2}, {"learnt": {}}, {"fingerprint": "0"}, {"x": 1}])
def test_a_file_that_is_no_release_is_refused(change: dict[str, Any], table: TrustedTable, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(made(table, "ours").as_json | change), encoding="utf-8")
    with pytest.raises(ModelError, match=r"model\.json: "):
        read_release(tmp_path / "model.json")


def test_a_model_of_disguised_responses_is_released_at_no_cost(wellbeing: Survey, tmp_path: Path) -> None:
    people = value_indices(wellbeing, draw_answers(600, np.random.default_rng(4)))
    responses = simulate(wellbeing, people, np.random.default_rng(1))
    model = train(responses, ID3Classifier(wellbeing, mode="robust"), Fraction(0), seed=7)
    write_release(release_of_model(model), tmp_path / "model.json")
    again = read_release(tmp_path / "model.json")
    assert again.kind == "inherited"
    assert "costs nothing" in again.privacy[0]
    assert set(model.privacy) <= set(again.privacy)
