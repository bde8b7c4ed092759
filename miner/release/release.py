"""Make a release: check the table, state the guarantee, charge the ledger, then read the data and write the file."""

import json
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError, QueryError
from collector.output import write_text
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.json_values import json_values
from miner.learners.classifier import SurveyPredictor
from miner.models.model import Model, model_from_document, read_design, read_document
from miner.release.counted_tables import PARTS, CountedTable
from miner.release.ensemble import Ensemble, ReleasedModel
from miner.release.families.naive_bayes import NaiveBayesTables
from miner.release.family import ReleaseMethod
from miner.release.noise import Noise
from miner.release.parts.additive import ScoreTables
from miner.release.parts.mixture import GeometricMixture
from miner.release.statement import AGAIN, NO_GUARANTEE, Statement
from miner.release.table import TrustedTable
from miner.responses.responses import Values

FORMAT = 1
MARKS: dict[str, type[GeometricMixture | ScoreTables | NaiveBayesTables]] = {
    "weight": GeometricMixture,
    "scores": ScoreTables,
    "cells": NaiveBayesTables,
}
RELEASE, STUDY, INHERITED = KINDS = ("release", "study", "inherited")


class BudgetAccount(Protocol):
    """Interface of a budget account, which records how much of a data set's privacy budget is spent."""

    @property
    def name(self) -> str:
        """Return the name of the data set."""

    @property
    def cohort(self) -> str | None:
        """Return the name of the cohort (one of several disjoint parts of a data set), or None for all rows."""

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """Record permanently that a method spends privacy budget, for adding or removing one record.

        Raises:
            DeniableError: If the budget that is left is too small.
        """

    def note(self, method: str) -> None:
        """Record permanently, without a cost, that a method without a privacy guarantee reads the data.

        Raises:
            DeniableError: If the record cannot be written.
        """


@dataclass(frozen=True, eq=False)
class Release:
    """Model made from trusted data, with its privacy statement.

    Attributes:
        survey: Survey with the public values of each question.
        target: Name of the class question.
        method: Name of the release method.
        parameters: Parameters of the release method as plain JSON values, all public.
        statement: Privacy statement.
        model: Learnt model, which contains only noisy counts.
        official: Whether the noise was secure. A model with seeded noise is not saved.
    """

    survey: Survey
    target: str
    method: str
    parameters: dict[str, Any]
    statement: Statement
    model: ReleasedModel
    official: bool = True

    @property
    def kind(self) -> str:
        """Return ``release``, ``study`` (no guarantee) or ``inherited`` (learnt from disguised responses)."""
        if self.statement.inherited:
            return INHERITED
        return STUDY if self.statement.adding is None else RELEASE

    @cached_property
    def classifier(self) -> "ReleasedClassifier":
        """Return a classifier that predicts from frames of true values."""
        return ReleasedClassifier(self.survey, self.target).holding(self.model)

    @property
    def text(self) -> str:
        """Return the model as text for people."""
        return self.model.text(self.survey, self.target)

    @property
    def privacy(self) -> tuple[str, ...]:
        """Return the privacy statement in words."""
        return self.statement.lines

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the release as a document of plain JSON values."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "method": self.method,
            "fingerprint": self.survey.fingerprint,
            "target": self.target,
            "parameters": self.parameters,
            "privacy": list(self.privacy),
            "statement": self.statement.as_json,
            "survey": self.survey.design,
            "learnt": self.model.learnt,
        }


class ReleasedClassifier(SurveyPredictor):
    """Classifier with scikit-learn's interface that predicts with a released model, without fitting."""

    def holding(self, model: ReleasedModel) -> "ReleasedClassifier":
        """Give the classifier its released model, and return the classifier."""
        self._name_features(self.target or "")
        self.model_ = model
        return self

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Return class probabilities of rows of value indices."""
        return self.model_.probabilities(values)


def release(
    table: TrustedTable,
    family: ReleaseMethod,
    account: BudgetAccount,
    noise: Noise,
    rng: np.random.Generator | None = None,
) -> Release:
    """Release a model: check the table, charge the account, then fit the model.

    Args:
        table: Trusted table of true answers.
        family: Release method with its parameters and privacy cost.
        account: Budget account, which is charged before the data are read.
        noise: `miner.release.noise.SystemNoise`, or seeded noise for a trial.
        rng: Random generator for the structures of random trees, or None for a new generator.

    Raises:
        DeniableError: If the table or the parameters do not fit the survey, or the budget account refuses the cost.
    """
    family.admit(table.checked(family.asks))
    statement = family.statement(table.survey, table.target)
    if statement.adding is None:
        account.note(family.method)
    else:
        account.charge(family.method, statement.adding.epsilon, statement.adding.delta)
    family = family.with_size_of(table, noise)
    model = family.fit(table, noise, np.random.default_rng() if rng is None else rng)
    parameters = parameters_of(family)
    if family.adds_up and statement.adding is not None:
        parameters[PARTS] = [CountedTable(account.name, account.cohort, statement.adding.epsilon).as_json]
    return Release(table.survey, table.target, family.method, parameters, statement, model, noise.official)


def parameters_of(family: ReleaseMethod) -> dict[str, Any]:
    """Return the parameters of a release method as plain JSON values, with fractions as text."""
    return {each.name: json_values(getattr(family, each.name)) for each in fields(family)}


def write_release(made: Release, path: Path) -> None:
    """Write a release to a file. If writing fails, an existing file remains unchanged.

    Raises:
        ModelError: If the noise of the model was seeded.
        OutputError: If the file cannot be written.
    """
    if not made.official:
        raise ModelError(
            "release",
            "the release was a rehearsal, whose noise can be repeated",
            "release without a seed for the noise",
        )
    write_text(path, [json.dumps(made.as_json, ensure_ascii=False, allow_nan=False), "\n"])


@dataclass(frozen=True, eq=False)
class Inherited:
    """Released model that was learnt from disguised responses."""

    source: Model

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Return class probabilities of rows of value indices, shape (rows, classes)."""
        return self.source.classifier.probabilities(values)

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the model file's content as plain JSON values."""
        return self.source.as_json

    def text(self, survey: Survey, target: str) -> str:
        """Return the model as text for people."""
        del survey, target
        return self.source.classifier.text


def release_of_model(model: Model) -> Release:
    """Release a model that was learnt from disguised responses.

    Releasing a model of disguised responses is post-processing and has no cost.

    Raises:
        QueryError: If the model was also learnt from undisguised rows.
    """
    if model.training.n_plain:
        problem = "undisguised rows went into it, whose people it promises nothing"
        raise QueryError("model", problem, "train it on responses alone, or release from the rows with a budget")
    statement = Statement(f"{model.kind}, mined from disguised responses", None, inherited=model.privacy)
    return Release(model.survey, model.target, model.kind, model.parameters, statement, Inherited(model))


def read_release(path: Path) -> Release:
    """Read a release from its file.

    Raises:
        ModelError: If the file does not exist, or is not a complete and consistent release.
    """
    return read_document(path, release_from_document)


def read_model_or_release(path: Path) -> Model | Release:
    """Read a model or a release, whichever the file holds.

    Raises:
        ModelError: If the file does not exist, or holds neither a model nor a release.
    """
    return read_document(path, _either)


def _either(document: object) -> Model | Release:
    released = isinstance(document, dict) and document.get("kind") in KINDS
    return release_from_document(document) if released else model_from_document(document)


def _held(kind: str, learnt: dict[str, Any], survey: Survey, target: str) -> ReleasedModel:
    if kind == INHERITED:
        source = model_from_document(learnt)
        if source.survey.fingerprint != survey.fingerprint or source.target != target:
            raise ModelError("model, learnt", "the release belongs to another survey or target", AGAIN)
        return Inherited(source)
    held = next((each for mark, each in MARKS.items() if mark in learnt), Ensemble)
    return held.restored(learnt, survey, target)


def release_from_document(document: object) -> Release:
    """Read a release from the JSON content of a file, which is not trusted.

    Raises:
        DeniableError: If the JSON content is not a complete and consistent release.
    """
    given = Fields(document, "model")
    survey, target = read_design(given, FORMAT, AGAIN)
    kind, learnt = given.take("kind", str), given.take("learnt", dict)
    made = Release(
        survey=survey,
        target=target,
        method=given.take("method", str),
        parameters=given.take("parameters", dict),
        statement=Statement.from_fields(Fields(given.take("statement", dict), "model, statement")),
        model=_held(kind, learnt, survey, target),
    )
    given.take_list("privacy", str)  # for people; it is computed from the statement
    given.finish()
    if made.kind != kind:
        raise ModelError("model, kind", f"it does not go with {NO_GUARANTEE}", AGAIN)
    return made
