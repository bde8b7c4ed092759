"""The published design: what is asked, how it is coded, how it is disguised. Frozen, canonical, fingerprinted.

A `Survey` is read from a TOML file once (`collector.survey_file`), compiled, and from then on travels as canonical
JSON (`collector.design` reads it back). Browser, store and miner read codes, complements and channels from it and
never derive them again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from collector.channel import Channel
from collector.errors import QueryError, ResponseError, SurveyError
from collector.question import Question, check_name, fraction_design
from collector.study import Study
from collector.text import Text

FORMAT = 1
MOST_QUESTIONS = 1000  # a table of the store has room for 2000 columns
RESERVED_BEGINNINGS = ("responses_", "sqlite_")  # the store's own tables, and SQLite's
PREVIEWS = ("before", "after", "off")
LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*")


def check_languages(languages: Sequence[str]) -> None:
    """Refuse what is not one or more distinct language tags.

    Raises:
        SurveyError: If they are not.
    """
    if not languages or not all(LANGUAGE.fullmatch(tag) for tag in languages):
        raise SurveyError("languages", "they are not language tags", 'list tags such as "en" or "pt-BR"')
    if len({tag.lower() for tag in languages}) < len(languages):
        raise SurveyError("languages", "one is listed twice", "list each once")


@dataclass(frozen=True)
class Group:
    """Questions disguised by one shared coin.

    Attributes:
        name: Of the group.
        channel: How it is disguised, with its truth probability.
        questions: Names, in survey order.
    """

    name: str
    channel: Channel
    questions: tuple[str, ...]

    @property
    def design(self) -> dict[str, Any]:
        """The group as plain JSON values."""
        return {
            "name": self.name,
            "channel": self.channel.name,
            "truth": fraction_design(self.channel.truth),
            "questions": list(self.questions),
        }


@dataclass(frozen=True)
class Survey:
    """The published design.

    Attributes:
        name: Of the survey; commands and addresses use it.
        title: What the respondent reads first.
        languages: BCP 47 tags; every text is in each of them, and the first is shown unless another is asked for.
        questions: In the order they are asked.
        groups: In file order; every sensitive question is in exactly one.
        target: The class question, or None.
        study: What respondents read before they consent, or None.
        preview: When they may see what is sent: ``before`` Send, ``after`` it, or never (``off``).
    """

    name: str
    title: Text
    languages: tuple[str, ...]
    questions: tuple[Question, ...]
    groups: tuple[Group, ...]
    target: str | None = None
    study: Study | None = None
    preview: str = "after"

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        if self.name.startswith(RESERVED_BEGINNINGS):
            raise SurveyError("name", f"it begins with {' or '.join(RESERVED_BEGINNINGS)}", "choose another")
        check_languages(self.languages)
        self.title.check("title")
        self._check_texts()
        if self.preview not in PREVIEWS:
            raise SurveyError("preview", "there is no such preview", f"use one of: {', '.join(PREVIEWS)}")
        if not self.questions:
            raise SurveyError("questions", "there are none", "add a [[questions]] table")
        if len(self.questions) > MOST_QUESTIONS:
            raise SurveyError("questions", f"there are more than {MOST_QUESTIONS}", "split the survey")
        names = [question.name for question in self.questions]
        for name in names:
            if names.count(name) > 1:
                raise SurveyError(f'question "{name}"', "the name is used twice", "rename one")
        self._check_groups()
        if self.target is not None and self.target not in self._by_name:
            raise SurveyError("mining, target", "no question has this name", f"use one of: {', '.join(names)}")

    def _check_texts(self) -> None:
        """Refuse a text that is not in each language of the survey."""
        self.title.check_languages(self.languages, "title")
        for key, text in self.study.texts() if self.study else ():
            text.check_languages(self.languages, f"study, {key}")
        for question in self.questions:
            for key, text in question.texts():
                text.check_languages(self.languages, f'question "{question.name}", {key}')

    def _check_groups(self) -> None:
        if len({group.name for group in self.groups}) < len(self.groups):
            raise SurveyError("groups", "a name is used twice", "rename one")
        homes: dict[str, str] = {}
        for group in self.groups:
            self._check_group(group, homes)
        for question in self.questions:
            if question.sensitive and question.name not in homes:
                raise SurveyError(
                    f'question "{question.name}"',
                    "it is sensitive and in no group",
                    "give it a group, or say sensitive = false to have it sent as it is",
                )
            if not question.sensitive and question.coding.scheme != "plain":
                raise SurveyError(f'question "{question.name}"', "it is not disguised", "drop its coding")

    def _check_group(self, group: Group, homes: dict[str, str]) -> None:
        """Refuse a group that does not fit; note down where its questions live."""
        place = f'group "{group.name}"'
        check_name(group.name, place)
        if not group.questions:
            raise SurveyError(place, "it is empty", f'give a question group = "{group.name}", or drop the group')
        for name in group.questions:
            if name in homes or name not in self._by_name:
                raise SurveyError(place, "it shares or misses a question", "publish the survey file again")
            homes[name] = group.name
            self._check_member(self._by_name[name], group)
        if list(group.questions) != [name for name in self._by_name if homes.get(name) == group.name]:
            raise SurveyError(place, "its questions are not in survey order", "publish the survey file again")

    @staticmethod
    def _check_member(question: Question, group: Group) -> None:
        place = f'question "{question.name}"'
        if not question.sensitive:
            raise SurveyError(place, "it is not sensitive, yet in a group", "drop its group, or sensitive = false")
        if (question.coding.scheme == "plain") != (group.channel.name == "uniform"):
            raise SurveyError(
                f"{place}, coding",
                f"{question.coding.scheme} does not go with the {group.channel.name} channel",
                "drop the coding under uniform; use balanced or szucs under complement",
            )

    @cached_property
    def _by_name(self) -> Mapping[str, Question]:
        return {question.name: question for question in self.questions}

    def question(self, name: str) -> Question:
        """The question of this name.

        Raises:
            QueryError: If there is none; the message lists those there are.
        """
        if name not in self._by_name:
            raise QueryError(
                f'survey "{self.name}"', f'there is no question "{name}"', f"use one of: {', '.join(self._by_name)}"
            )
        return self._by_name[name]

    def members(self, group: Group) -> tuple[Question, ...]:
        """The questions of a group."""
        return tuple(self._by_name[name] for name in group.questions)

    def group_of(self, name: str) -> Group | None:
        """The group a question is in; None if it is sent as it is."""
        return next((group for group in self.groups if name in group.questions), None)

    def checked_codes(self, codes: Mapping[str, object]) -> tuple[int, ...]:
        """The codes of one response in question order, once they are known to fit.

        Raises:
            ResponseError: Naming the question, never the code: it might be somebody's truth sent by mistake.
        """
        for name in codes:
            if name not in self._by_name:
                raise ResponseError("codes", "there is a key that is no question", "send the questions' names only")
        row = []
        for question in self.questions:
            code = codes.get(question.name)
            if type(code) is not int or code not in question.codes:
                raise ResponseError(
                    f'question "{question.name}"',
                    "the code is missing or not one of its codes",
                    f"send one of: {', '.join(map(str, question.codes))}",
                )
            row.append(code)
        return tuple(row)

    @cached_property
    def design(self) -> dict[str, Any]:
        """The whole design as plain JSON values."""
        return {
            "format": FORMAT,
            "name": self.name,
            "title": self.title.design,
            "languages": list(self.languages),
            "study": None if self.study is None else self.study.design,
            "preview": self.preview,
            "questions": [question.design for question in self.questions],
            "groups": [group.design for group in self.groups],
            "target": self.target,
        }

    @cached_property
    def canonical(self) -> str:
        """The canonical JSON: sorted keys, no white space, UTF-8 as it is."""
        return json.dumps(self.design, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical JSON, in lower-case hexadecimal."""
        return sha256(self.canonical.encode()).hexdigest()
