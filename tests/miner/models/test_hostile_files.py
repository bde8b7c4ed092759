"""Model and release files that were altered: every command that reads one ends in one line, or works."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collector.errors import DeniableError
from collector.store.store import Store
from collector.survey.design import survey_from_design
from collector.survey.survey import Survey
from miner.learners.kinds import KINDS
from miner.models.model import Model
from miner.models.training import train
from miner.release.families.methods import METHODS, family
from miner.release.parts.budget_shares import FORMS
from miner.release.release import release, release_of_model
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner_command import refused, run
from population import draw_answers

Document = dict[str, Any]
PEOPLE = 150
MADE: dict[str, dict[str, Any]] = {
    "private-rdt-vertical": {"parties": (("cannabis",), ("year", "income"))},
    "k-anon-rdt": {"delta": Fraction(1, 1000), "trees": 1},
    "private-rdt": {"trees": 2},
    "private-rdt-improved": {"trees": 2},
    "dpdf": {"trees": 2},
}
CHANGED_EACH = 60  # files of each kind
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 10**6, 2**31, -(2**31), 2**53 + 1, 2**63, -(2**63), 2**64, 10**400),
    *(0.5, -0.0, 1e308, -1e308, 1e-320, float("nan"), float("inf"), -float("inf")),
    *("", "0", "1", "nan", "inf", "1e999999999", "1/0", "yes", "\x00", "\ud800", "x" * 5000, "1" * 5000),
    *([], {}, [[]], [None], [0], [{}], {"": 0}, [[[0]]], ["a"], [1e308, 1e308]),
)


class Account:
    """One that says yes."""

    name = "people"
    cohort = None

    def note(self, method: str) -> None:
        """See `miner.release.release.BudgetAccount`."""

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""


@pytest.fixture(scope="module")
def place(wellbeing: Survey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of responses and a file of true answers."""
    folder = tmp_path_factory.mktemp("hostile")
    people = draw_answers(PEOPLE, np.random.default_rng(3))
    people.head(20).to_csv(folder / "answers.csv", index=False)
    with Store(folder / "s.db", create=True) as store:
        store.publish(wellbeing)
        codes = simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(3)).codes
        store.add(wellbeing, codes.tolist())
    return folder


@pytest.fixture(scope="module")
def documents(place: Path, wellbeing: Survey) -> dict[str, Document]:
    """A document of every kind of model, and of every release."""
    with Store(place / "s.db") as store:
        responses = Responses.from_store(store, "wellbeing")
    models: dict[str, Model] = {}
    for kind, made in KINDS.items():
        if kind not in {"auto", "distilled"}:  # they compare many, which takes long
            small = {"n_estimators": 2} if "n_estimators" in made(wellbeing).get_params() else {}
            small |= {"mode": "robust"} if "mode" in made(wellbeing).get_params() else {}
            classifier = made(wellbeing).set_params(random_state=1, **small)
            models[kind] = train(responses, classifier, Fraction(1, 3), 1)
    found = {kind: model.as_json for kind, model in models.items()}
    found["auto"] = _pooled(found, ("naive-bayes", "logit", "forest", "boosted"))
    found["distilled"] = found["id3"] | {"kind": "distilled"}
    found["inherited"] = release_of_model(models["id3"]).as_json
    table = TrustedTable.of(wellbeing, value_indices(wellbeing, draw_answers(PEOPLE, np.random.default_rng(4))))
    systems = [(method, MADE.get(method, {})) for method in METHODS] + [("ours", {"form": form}) for form in FORMS]
    for method, more in systems:
        parts = family(method, Fraction(1), PEOPLE, **more)
        made = release(table, parts, Account(), SeededNoise(3), np.random.default_rng(1))
        found[f"{method} {more}"] = made.as_json
    return json.loads(json.dumps(found))


def _pooled(found: dict[str, Document], kinds: tuple[str, ...]) -> Document:
    """A document of the pool of these kinds."""
    members = [{"name": kind, "kind": kind, "weight": 0.5, "learnt": found[kind]["learnt"]} for kind in kinds]
    learnt = {"why": "by hand", "intercepts": [0.0, 0.5], "members": members}
    parameters = {"by": "log-loss", "random_state": 1, "time_limit": None}
    return found[kinds[0]] | {"kind": "auto", "parameters": parameters, "learnt": learnt}


def _drawn_place(document: Document, rng: random.Random) -> tuple[Any, ...]:
    """A place in a document: parts that hold much are not drawn more often than those that hold little."""
    place: tuple[Any, ...] = ()
    value: Any = document
    while isinstance(value, dict | list) and value and (not place or rng.random() < 0.8):
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        place, value = (*place, key), value[key]
    return place


def _at(document: Document, place: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever stands there
    value: Any = document
    for key in place:
        value = value[key]
    return value


def _change(document: Document, rng: random.Random) -> tuple[Any, ...]:
    """Change one thing in a document; returns where."""
    *path, last = place = _drawn_place(document, rng)
    holder = _at(document, path)
    way = rng.randrange(10)
    if way == 0:
        del holder[last]
    elif way == 1:
        holder[last] = copy.deepcopy(_at(document, _drawn_place(document, rng)))
    elif way == 2 and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    elif way == 2:
        holder[f"{last}_"] = holder[last]
    elif way == 3:
        holder[last] = [holder[last]]
    else:
        holder[last] = rng.choice(HOSTILE)
    return place


def _altered(document: Document, rng: random.Random) -> str:
    """The text of a document with one alteration."""
    changed = copy.deepcopy(document)
    if _change(changed, rng)[0] == "survey":  # a design that is sound with this change, and named by its fingerprint
        with suppress(DeniableError, KeyError):
            changed["fingerprint"] = survey_from_design(changed["survey"]).fingerprint
    text, way = json.dumps(changed), rng.randrange(30)
    if way == 0:
        return text[: rng.randrange(len(text))]
    if way == 1:
        return text.replace("[", "[" * rng.choice((2, 400, 900, 50_000)), 1)
    return text.replace("Infinity", "1e999")  # which JSON may say


def commands(place: Path, file: Path) -> tuple[tuple[object, ...], ...]:
    """Every command that reads a model or a release."""
    store, answers, out = ("--store", place / "s.db"), place / "answers.csv", place / "out.json"
    return (
        ("predict", file, answers),
        ("show", file),
        ("show", file, "--json"),
        ("export", file),
        ("export", file, "--format", "sql"),
        ("export", file, "--format", "dot"),
        ("evaluate", file, "wellbeing", "--importances", "--dependence", *store),
        ("audit", file, "--seed", 1),
        ("audit", file, "--data", answers, "--seed", 1),
        ("release", file, "-o", out),
        ("merge", file, place / "sound.json", "-o", out),
    )


@pytest.mark.filterwarnings("error")
def test_no_altered_file_ends_a_command_otherwise_than_in_one_line(place: Path, documents: dict[str, Document]) -> None:
    rng, file = random.Random(36), place / "altered.json"  # noqa: S311 - not for secrets
    (place / "sound.json").write_text(json.dumps(documents["private-rdt {'trees': 2}"]), encoding="utf-8")
    read = 0
    for name, document in documents.items():
        for number in range(CHANGED_EACH):
            text = _altered(document, rng)
            file.write_text(text, encoding="utf-8")
            command = rng.choice(commands(place, file))
            ended = run(*command)
            told = f"{name}, change {number}, miner {command[0]}: {ended.stderr} {ended.exception!r}\n{text[:200_000]}"
            assert ended.exit_code in {0, 2}, told
            assert ended.exit_code == 0 or len(ended.stderr.splitlines()) == 1, told
            read += ended.exit_code == 0
    assert read > len(documents)  # some changes do no harm, so that commands work with what was read


@pytest.mark.parametrize(
    ("kind", "change", "problem"),
    [
        (
            "majority",
            (("learnt", "intercept", 0), 10**200),
            "learnt, intercept: the model does not have 2 finite numbers",
        ),
        ("boosted", (("learnt", "intercept", 0), "1"), "learnt, intercept: the model does not have"),
        (
            "forest",
            (("learnt", "forest", "trees", 0, "counts", 0, 0), 1e39),
            "forest, tree, counts: the model does not have",
        ),
        ("id3", (("learnt", "tree", "probabilities", 0, 0), -1), "tree: its predictions are no probabilities"),
        (
            "id3",
            (("training", "test_share"), "1e999999999"),
            "model, training, test_share: the test share is not a fraction",
        ),
        ("id3", (("training", "accuracy", "interval", 0), 10**400), "the file is not JSON"),
        ("id3", (("learnt", "why"), "\ud800"), "the file is not JSON"),
        ("auto", (("learnt", "members", 1, "name"), "logit "), ""),
        (
            "auto",
            (("learnt", "members", 0, "name"), "logit"),
            "learnt: two members of the model have the same name",
        ),
        ("auto", (("learnt", "members", 0, "kind"), "auto"), "or one has an unknown type"),
        ("ours {}", (("learnt", "vote"), []), "learnt, vote: it is not text"),
        (
            "ours {}",
            (("statement", "guarantee", "replace", "epsilon"), "1e999999999"),
            "the statement does not contain fractions",
        ),
    ],
)
def test_what_an_altered_file_has_wrong_is_named(
    place: Path, documents: dict[str, Document], kind: str, change: tuple[tuple[Any, ...], object], problem: str
) -> None:
    document = copy.deepcopy(documents[kind])
    (*path, last), value = change
    _at(document, path)[last] = value
    (place / "one.json").write_text(json.dumps(document), encoding="utf-8")
    if not problem:
        assert run("show", place / "one.json").exit_code == 0
        return
    assert problem in refused("show", place / "one.json")


@pytest.mark.parametrize("change", [{"epsilon": "1e999999999"}, {"batches": 10**200}, {"batches": "many"}])
def test_parties_of_altered_releases_are_refused_before_anything_is_added(
    place: Path, documents: dict[str, Document], change: Document
) -> None:
    first, second = (copy.deepcopy(documents["private-rdt {'trees': 2}"]) for _ in range(2))
    second["learnt"]["trees"][0]["counts"][0][0] += 1
    second["parameters"] |= change
    first["parameters"] |= change
    for name, document in (("one", first), ("other", second)):
        (place / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    told = refused("merge", place / "one.json", place / "other.json", "-o", place / "both.json")
    assert told.startswith("model, parameters: ")
