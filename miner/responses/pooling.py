"""Pool the responses to several versions of a survey that agree with the newest version in questions and coding."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collector.database.batch import FIRST
from collector.errors import QueryError
from collector.store.published import Published
from collector.store.simulated import Simulated
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.responses.responses import Codes, Data, Responses
from miner.responses.tally import Tally, code_type

QUESTION_PARTS = ("kind", "values", "coding", "sensitive", "unit", "minimum", "maximum", "cuts")


@dataclass(frozen=True, eq=False)
class Versions(Data):
    """Source of the responses to several versions of a survey.

    If a tally needs only some questions, all versions that agree in these questions are pooled.

    Attributes:
        survey: Newest version.
        parts: Responses to each version that agrees with the newest version in some question, by version number.
        simulated: Record of simulated responses in any version, or None if no response is known to be simulated.
    """

    survey: Survey
    parts: Mapping[int, Responses]
    simulated: Simulated | None

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return a tally of each set of columns, over the versions that agree with the newest version in these columns.

        Raises:
            QueryError: If none of the versions that agree in the questions has a response.
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
            raise QueryError(place, "no version that agrees with the newest has a response", "collect responses first")
        return tally

    def agreeing(self, names: Collection[str]) -> list[int]:
        """Return the numbers of the versions that agree with the newest version in the given questions."""
        return [
            number for number, part in self.parts.items() if not disagreement(self.survey, part.survey, names or None)
        ]

    def in_memory(self, names: Collection[str] = ()) -> Responses:
        """Return the responses to the versions that agree with the newest version in the given questions.

        Columns of questions other than the given ones must not be used.
        """
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
        """Return a line that names, for some questions, the versions that are pooled and that are not pooled."""
        left = [
            f"version {number} is left aside: {disagreement(self.survey, part.survey, names)}"
            if names
            else f"version {number} where its questions agree: {disagreement(self.survey, part.survey)}"
            for number, part in self.parts.items()
            if disagreement(self.survey, part.survey, names or None)
        ]
        return _line(self.agreeing(names), left)


def _line(numbers: Sequence[int], left: Sequence[str]) -> str:
    pooled_versions = f"pooled versions: {', '.join(map(str, numbers))}"
    return "; ".join([pooled_versions if len(numbers) > 1 else f"version {numbers[0]} alone", *left])


def with_mates(survey: Survey, names: Collection[str]) -> set[str]:
    """Return the names of the given questions and of all questions in their groups."""
    groups = [group.questions for name in names if (group := survey.group_of(survey.question(name).name))]
    return {*names, *(name for group in groups for name in group)}


def disagreement(newest: Survey, older: Survey, wanted: Collection[str] | None = None) -> str:
    """Return why responses to two versions cannot be pooled, or an empty text if they can.

    The older version must have each question of the newest version, with equal values, coding, group and channel. Both
    versions must draw questions in the same way.

    Args:
        newest: Newest version.
        older: Older version.
        wanted: Names of the questions that must agree together with all questions of their groups, or None for all
            questions.
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


def pooled_by_question(store: Store, name: str) -> Versions:
    """Return the source of the responses to all versions that agree with the newest version in some question.

    Raises:
        StoreError: If the store does not contain the survey.
    """
    versions = store.versions(name)
    newest = versions[-1].survey
    names = [[question.name] for question in newest.questions]
    some = [each for each in versions if not all(disagreement(newest, each.survey, one) for one in names)]
    parts = {each.version: Responses.from_store(store, name, each.version) for each in some}
    return Versions(newest, parts, _simulated(store, some))


def pooled(store: Store, name: str) -> tuple[Responses, list[int], str]:
    """Pool all versions that agree with the newest version in all questions.

    Returns:
        Responses to the pooled versions, sorted by codes; their numbers, ascending; and a line that names them and the
        versions that have responses and are left aside, with reasons.

    Raises:
        StoreError: If the store does not contain the survey.
    """
    newest = store.published(name).survey
    reasons = {each: disagreement(newest, each.survey) for each in store.surveys() if each.name == name}
    agreeing = [each for each, reason in reasons.items() if not reason]
    tally = Tally(newest, range(len(newest.questions)))
    for each in agreeing:
        _add(tally, store, each, newest)
    left = [
        f"version {each.version} is left aside: {reason}"
        for each, reason in reasons.items()
        if reason and store.count(each.survey)
    ]
    numbers = [each.version for each in agreeing]
    return Responses.from_tally(tally, _simulated(store, agreeing)), numbers, _line(numbers, left)


def waves_of(
    store: Store, name: str, waves: Collection[int] = ()
) -> tuple[dict[float, list[Responses]], Simulated | None]:
    """Return the responses to each wave, one entry for each version, and the record of simulated responses.

    The number of a wave is the survey file's `wave`. If all versions belong to the same wave, each version stands for a
    wave of its own, and the number is that of the version.

    Args:
        store: Store of the survey.
        name: Name of the survey.
        waves: Numbers of the waves to read, or empty for all waves.

    Raises:
        StoreError: If the store does not contain the survey.
        QueryError: If a wave to read does not exist or has no response.
    """
    versions = store.versions(name)
    single = len({each.survey.wave for each in versions}) == 1
    numbers = {each.version: each.version if single else each.survey.wave for each in versions}
    chosen = [each for each in versions if not waves or numbers[each.version] in waves]
    found: dict[float, list[Responses]] = {}
    for each in chosen:
        responses = Responses.from_store(store, name, each.version)
        if len(responses):
            found.setdefault(numbers[each.version], []).append(responses)
    for wave in waves:
        if wave not in found:
            known = wave in numbers.values()
            problem = "the wave has no response yet" if known else "there is no such wave"
            raise QueryError(f"wave {wave}", problem, f"use one of: {', '.join(f'{each:g}' for each in found)}")
    return found, _simulated(store, chosen)


def pooled_count(store: Store, name: str) -> int:
    """Return the number of responses to the versions that can be pooled."""
    newest = store.published(name).survey
    versions = [each.survey for each in store.surveys() if each.name == name]
    return sum(store.count(each) for each in versions if not disagreement(newest, each))


def _add(tally: Tally, store: Store, published: Published, newest: Survey) -> None:
    """Count the responses to one version, with their columns in the order of the newest version."""
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
