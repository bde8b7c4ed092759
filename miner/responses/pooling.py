"""Responses to several versions of a survey, pooled where the newest version's questions are asked and coded alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collector.store.published import Published
from collector.store.simulated import Simulated
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.responses.responses import Responses
from miner.responses.tally import Tally

QUESTION_PARTS = ("kind", "values", "coding", "sensitive", "unit", "minimum", "maximum", "cuts")


@dataclass(frozen=True)
class Pooled:
    """Responses to several versions.

    Attributes:
        responses: All of them, as responses to the newest version.
        versions: The numbers of the versions that they are to, ascending.
        left_aside: The other versions that have responses, each with the reason.
    """

    responses: Responses
    versions: tuple[int, ...]
    left_aside: Mapping[int, str]

    @property
    def line(self) -> str:
        """Which versions are pooled, and which are not, in words."""
        left = [f"version {number} is left aside: {reason}" for number, reason in self.left_aside.items()]
        numbers = ", ".join(map(str, self.versions))
        return "; ".join(
            [f"pooled versions: {numbers}" if len(self.versions) > 1 else f"version {numbers} alone", *left]
        )


def disagreement(newest: Survey, older: Survey) -> str:
    """Why responses to an older version do not pool with those to the newest; empty if they do.

    Each question of the newest must be there with the same values and coding, and in the same group with the same
    channel; questions are drawn alike. Texts, priors, the target and questions that only the older version has may
    differ.
    """
    names = {question.name for question in older.questions}
    for question in newest.questions:
        if question.name not in names:
            return f'question "{question.name}" is not in it'
        before = older.question(question.name)
        if any(getattr(question, part) != getattr(before, part) for part in QUESTION_PARTS):
            return f'question "{question.name}" is coded differently'
        if newest.group_of(question.name) != older.group_of(question.name):
            return f'question "{question.name}" is disguised differently'
    drawn = newest.sampling is not None or older.sampling is not None
    alike = [each.name for each in newest.questions] == [each.name for each in older.questions]
    if newest.sampling != older.sampling or (drawn and not alike):
        return "its questions are drawn differently"
    return ""


def pooled(store: Store, name: str) -> Pooled:
    """The responses to all versions of a survey whose questions agree with the newest version's, sorted by codes.

    Raises:
        StoreError: If the store has no such survey.
    """
    newest = store.published(name).survey
    reasons = {each: disagreement(newest, each.survey) for each in store.surveys() if each.name == name}
    agreeing = [each for each, reason in reasons.items() if not reason]
    tally = Tally(newest, range(len(newest.questions)))
    for each in agreeing:
        _add(tally, store, each, newest)
    left = {each.version: reason for each, reason in reasons.items() if reason and store.count(each.survey)}
    responses = Responses.from_tally(tally, _simulated(store, agreeing))
    return Pooled(responses, tuple(each.version for each in agreeing), left)


def pooled_count(store: Store, name: str) -> int:
    """How many responses `pooled` has."""
    newest = store.published(name).survey
    versions = [each.survey for each in store.surveys() if each.name == name]
    return sum(store.count(each) for each in versions if not disagreement(newest, each))


def _add(tally: Tally, store: Store, published: Published, newest: Survey) -> None:
    """Count the responses to one version, with the newest version's columns in their order."""
    names = [question.name for question in published.survey.questions]
    order = [names.index(question.name) for question in newest.questions]
    for batch in store.batches(published.survey):
        table = np.frombuffer(batch, batch.typecode).reshape(-1, len(names))
        tally.add([table[:, column] for column in order])


def _simulated(store: Store, versions: Sequence[Published]) -> Simulated | None:
    found = [each for version in versions if (each := store.imports.simulated(version)) is not None]
    if not found:
        return None
    count = sum(store.count(version.survey) for version in versions)
    return Simulated(sum(each.responses for each in found), sum(each.seeded for each in found), count)
