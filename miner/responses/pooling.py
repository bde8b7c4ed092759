"""Responses to several versions of a survey, pooled where the newest version's questions are asked and coded alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collector.database.batch import FIRST
from collector.errors import QueryError
from collector.store.published import Published
from collector.store.simulated import Simulated
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.responses.responses import Codes, Responses
from miner.responses.tally import Tally, code_type

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
        """The versions that are pooled, and those that are not, in words."""
        left = [f"version {number} is left aside: {reason}" for number, reason in self.left_aside.items()]
        numbers = ", ".join(map(str, self.versions))
        return "; ".join(
            [f"pooled versions: {numbers}" if len(self.versions) > 1 else f"version {numbers} alone", *left]
        )


@dataclass(frozen=True, eq=False)
class PooledByQuestion:
    """Responses to several versions as a source: those that agree in the questions that are counted are pooled.

    Attributes:
        survey: The newest version.
        parts: The responses to each version that agrees with it in some question, by its number.
        simulated: What is known of simulated responses among them; None if nothing says that there are.
    """

    survey: Survey
    parts: Mapping[int, Responses]
    simulated: Simulated | None

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """A tally of each set of columns, over the versions that agree with the newest in these.

        Raises:
            QueryError: If there is no response to any of them.
        """
        return [self._tally(columns) for columns in sets]

    def _tally(self, columns: Sequence[int]) -> Tally:
        names = [self.survey.questions[column].name for column in columns]
        tally, some = Tally(self.survey, columns), 0
        for number in self.agreeing(names):
            part = self.parts[number]
            places = [part.survey.column(name) for name in names]
            tally.add([(part.codes[:, place] + FIRST).astype(np.uint16) for place in places])
            some += len(part)
        if not some:
            place = f"question{'s' * (len(names) > 1)} {', '.join(names)}"
            raise QueryError(place, "there is no response to a version that agrees with the newest", "collect some")
        return tally

    def agreeing(self, names: Collection[str]) -> list[int]:
        """The numbers of the versions that agree with the newest in these questions."""
        return [
            number for number, part in self.parts.items() if not disagreement(self.survey, part.survey, names or None)
        ]

    def in_memory(self, names: Collection[str]) -> Responses:
        """The responses to the versions that agree in these questions; the columns of others tell nothing."""
        chosen = [self.survey.column(name) for name in with_mates(self.survey, names)]
        codes = [self._codes(self.parts[number], chosen) for number in self.agreeing(names)]
        return Responses(self.survey, np.concatenate(codes), simulated=self.simulated)

    def _codes(self, part: Responses, chosen: Sequence[int]) -> Codes:
        codes = np.tile(
            np.array([each.codes[0] for each in self.survey.questions], code_type(self.survey)), (len(part), 1)
        )
        for column in chosen:
            codes[:, column] = part.codes[:, part.survey.column(self.survey.questions[column].name)]
        return codes

    def line(self, names: Collection[str]) -> str:
        """The versions pooled for these questions, and those that are not; for each question if none is named."""
        numbers = self.agreeing(names)
        words = (
            f"pooled versions: {', '.join(map(str, numbers))}" if len(numbers) > 1 else f"version {numbers[0]} alone"
        )
        left = [
            f"version {number} is left aside: {disagreement(self.survey, part.survey, names)}"
            if names
            else f"version {number} where its questions agree: {disagreement(self.survey, part.survey)}"
            for number, part in self.parts.items()
            if disagreement(self.survey, part.survey, names or None)
        ]
        return "; ".join([words, *left])


def with_mates(survey: Survey, names: Collection[str]) -> set[str]:
    """Names of questions, and of those in their groups."""
    groups = [group.questions for name in names if (group := survey.group_of(survey.question(name).name))]
    return {*names, *(name for group in groups for name in group)}


def disagreement(newest: Survey, older: Survey, wanted: Collection[str] | None = None) -> str:
    """Why responses to an older version do not pool with those to the newest; empty if they do.

    Each question of the newest must be there with the same values and coding, and in the same group with the same
    channel; questions are drawn alike. Texts, priors, the target and questions that only the older version has may
    differ.

    Args:
        newest: The newest version.
        older: The older one.
        wanted: Names of the questions that matter, with those of their groups; all of them if None.
    """
    names = {question.name for question in older.questions}
    if wanted is not None:
        wanted = with_mates(newest, wanted)
    for question in newest.questions:
        if wanted is not None and question.name not in wanted:
            continue
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


def pooled_by_question(store: Store, name: str) -> PooledByQuestion:
    """The responses to all versions of a survey that agree with the newest in some question.

    Raises:
        StoreError: If the store has no such survey.
    """
    versions = store.versions(name)
    newest = versions[-1].survey
    names = [[question.name] for question in newest.questions]
    some = [each for each in versions if not all(disagreement(newest, each.survey, one) for one in names)]
    parts = {each.version: Responses.from_store(store, name, each.version) for each in some}
    return PooledByQuestion(newest, parts, _simulated(store, some))


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


def waves_of(store: Store, name: str, versions: Collection[int] = ()) -> tuple[dict[int, Responses], Simulated | None]:
    """The responses to each version of a survey that has some, and what is known of simulated ones among them.

    Args:
        store: The store.
        name: Name of the survey.
        versions: Numbers of the versions to read; all of them if empty.

    Raises:
        StoreError: If the store has no such survey or version.
        QueryError: If a version that is named has no response.
    """
    chosen = [store.published(name, number) for number in versions] or store.versions(name)
    waves = {each.version: Responses.from_store(store, name, each.version) for each in chosen}
    empty = [number for number, responses in waves.items() if number in versions and not len(responses)]
    if empty:
        raise QueryError(f"version {empty[0]}", "it has no response yet", "leave it out")
    return {number: each for number, each in waves.items() if len(each)}, _simulated(store, chosen)


def pooled_count(store: Store, name: str) -> int:
    """The number of responses that `pooled` has."""
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
