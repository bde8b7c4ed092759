"""The published design of a survey. Designs are immutable, and have a canonical JSON text and a fingerprint.

A `Survey` is compiled once from a TOML file (see `collector.survey_file.survey_file`), and is then passed on as
canonical JSON (see `collector.survey.design`). Browser, store and miner read codes, complements and channels from the
design, and never compute them again.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any

from collector.channel.channel import Channel
from collector.coding.coding import Coding
from collector.errors import Faults, QueryError, ResponseError, SurveyError, suggestion
from collector.survey.group import Group, check_groups
from collector.survey.picture import Picture
from collector.survey.question import Question, check_name
from collector.survey.routing import Routes, Rule, rules_of
from collector.survey.sampling import Sampling
from collector.survey.screen import MULTIPLE, Screen, check_screens
from collector.survey.study import Study
from collector.survey.text import Text, check_languages

__all__ = ["Group", "Row", "Survey", "check_languages"]

FORMAT = 1
MOST_QUESTIONS = 1000  # maximum number of questions. A table of the store can have 2000 columns
LARGEST_RESPONSE = 64 * 1024  # maximum size of a request body that a server accepts, in bytes
BESIDE_CODES = 512  # size of a response without its codes (fingerprint, receipt, invitation, keys), in bytes
AROUND_CODE = 4  # bytes around a code: "name":5, in JSON, q-name=5& in a form
COIN_SIDES = 2  # number of codes of the only question with which a complement group has an epsilon
NULL = 4  # number of characters of the word null
RESERVED_BEGINNINGS = ("responses_", "sqlite_")  # beginnings of the names of the store's tables and SQLite's
PREVIEWS = ("before", "after", "off")
Row = tuple[int | None, ...]
"""The codes of one response in question order, with None for a question that was not asked."""


def check_number_of_questions(number: int) -> None:
    """Check that a survey may have so many questions.

    Raises:
        SurveyError: If it may not.
    """
    if number > MOST_QUESTIONS:
        problem = f"the survey has more than {MOST_QUESTIONS} questions"
        raise SurveyError("questions", problem, "split it into several surveys")


@dataclass(frozen=True, repr=False)
class Survey:
    """The published design of a survey.

    Attributes:
        name: Name of the survey in commands and addresses.
        title: Title that the respondent reads first.
        languages: BCP 47 tags of the languages, the default first. Every text of the survey exists in each language.
        questions: Questions in the order in which they are asked.
        groups: Groups in the order of the survey file. Every sensitive question is in exactly one group.
        target: Name of the class question, or None.
        study: Study card that respondents read before they consent, or None.
        preview: When respondents may see the data that is sent: ``before`` or ``after`` sending, or never (``off``).
        sampling: Settings of a split questionnaire, or None if everybody is asked all questions.
        screens: Screens, in survey order. A question needs no screen if it is asked alone and of everybody.
        shuffle: Whether screens are shown in a random order, drawn by the browser.
        wave: Number of the wave (a repetition of the survey), from 1. Each wave has a separate design and separate
            responses.
        deposit: Whether the disguised responses may be published (``miner deposit``), as respondents read beforehand.
    """

    name: str
    title: Text
    languages: tuple[str, ...]
    questions: tuple[Question, ...]
    groups: tuple[Group, ...]
    target: str | None = None
    study: Study | None = None
    preview: str = "after"
    sampling: Sampling | None = None
    screens: tuple[Screen, ...] = ()
    shuffle: bool = False
    wave: int = 1
    deposit: bool = False

    def __repr__(self) -> str:
        return f"<Survey {self.name}: {len(self.questions)} questions>"

    def __post_init__(self) -> None:
        self._check_identity()
        check_languages(self.languages)
        self.title.check("title")
        self._check_texts()
        if self.preview not in PREVIEWS:
            raise SurveyError("preview", "there is no such setting of preview", suggestion(self.preview, PREVIEWS))
        if not self.questions:
            raise SurveyError("questions", "the survey has no questions", "add a question under [[questions]]")
        check_number_of_questions(len(self.questions))
        names = [question.name for question in self.questions]
        for twice in (name for name, count in Counter(names).items() if count > 1):
            raise SurveyError(f'question "{twice}"', "the name is used twice", "rename one of the two questions")
        if self.sampling is not None:
            self.sampling.check(names)
        check_groups(self.groups, self.questions, self.sampling)
        check_screens(self.screens, self.questions, self.sampling)
        self.routes.asked_if(names[0])  # refuses conditions that are too many
        if self.shuffle and any(screen.ask_if or screen.section for screen in self.screens):
            problem = "questions in random order would not stand behind those that they depend on, nor in their section"
            raise SurveyError(
                "shuffle", problem, "remove shuffle, or remove ask_if and section; options may still be shuffled"
            )
        if self.target is not None and self.target not in self._by_name:
            raise SurveyError("mining, target", "no question has this name", suggestion(self.target, names))
        self._check_quotas()
        self._check_deposit()

    def _check_identity(self) -> None:
        check_name(self.name, "name")
        if self.name.startswith(RESERVED_BEGINNINGS):
            raise SurveyError("name", f"it begins with {' or '.join(RESERVED_BEGINNINGS)}", "choose another")
        if self.wave < 1:
            raise SurveyError("wave", "the wave is below 1", "number waves from 1 up")

    def _check_quotas(self) -> None:
        """Check that quotas count only valid values of undisguised questions."""
        for name, values in self.study.quotas if self.study else ():
            place = f"study, quotas, {name}"
            question = self._by_name.get(name)
            if question is None or question.sensitive:
                problem = "it is not a question that is sent as it is"
                remedy = "count a question with sensitive = false, or give quota for all responses"
                raise SurveyError(place, problem, remedy)
            for value, _ in values:
                if value not in question.values:
                    remedy = suggestion(value, question.values)
                    raise SurveyError(place, f'"{value}" is no value of the question', remedy)

    def _check_deposit(self) -> None:
        """Check that no response that may be published leaves only two candidates for several answers."""
        for group in self.groups if self.deposit else ():
            if group.channel.replacement.paired and [len(each.codes) for each in self.members(group)] != [COIN_SIDES]:
                remedy = 'write channel = "uniform" for the group, or remove deposit'
                raise SurveyError("deposit", f'the complement group "{group.name}" has no epsilon', remedy)

    def _check_texts(self) -> None:
        """Check that every text exists in each language of the survey."""
        faults = Faults()
        texts = [("title", self.title)]
        texts += [(f"study, {key}", text) for key, text in (self.study.texts() if self.study else ())]
        texts += [(f'question "{each.name}", {key}', text) for each in self.questions for key, text in each.texts()]
        for place, text in texts:
            with faults.part():
                text.check_languages(self.languages, place)
        for screen in self.screens:
            for key, text in screen.texts():
                with faults.part():
                    text.check(f"{screen.place}, {key}")
                    text.check_languages(self.languages, f"{screen.place}, {key}")
        faults.check()

    @cached_property
    def _by_name(self) -> Mapping[str, Question]:
        return {question.name: question for question in self.questions}

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of the survey without duplicates: first the logo, then pictures of questions in survey order."""
        logo = self.study.logo if self.study else None
        shown = [logo, *(each for screen in self.screens for each in screen.all_pictures)]
        return tuple({each.name: each for each in shown if each is not None}.values())

    def question(self, name: str) -> Question:
        """Return the question of the survey with a name.

        Raises:
            QueryError: If no question has this name.
        """
        if name not in self._by_name:
            remedy = suggestion(name, self._by_name)
            raise QueryError(f'survey "{self.name}"', f'there is no question "{name}"', remedy)
        return self._by_name[name]

    def column(self, name: str) -> int:
        """Return the position of a question among all questions.

        Raises:
            QueryError: If no question has this name.
        """
        return self.questions.index(self.question(name))

    def in_order(self, names: Iterable[str]) -> tuple[Question, ...]:
        """Return the questions with these names, in survey order."""
        return tuple(self._by_name[name] for name in sorted(names, key=self._position.__getitem__))

    @cached_property
    def _position(self) -> Mapping[str, int]:
        return {question.name: at for at, question in enumerate(self.questions)}

    def members(self, group: Group) -> tuple[Question, ...]:
        """Return the questions of a group."""
        return tuple(self._by_name[name] for name in group.questions)

    def is_disguised(self, name: str) -> bool:
        """Return whether a question is disguised, that is, whether chance decides which code is sent."""
        group = self.group_of(name)
        return group is not None and group.channel.may_change

    def group_of(self, name: str) -> Group | None:
        """Return the group of a question, or None if the question is sent as it is."""
        return self._homes.get(name)

    @cached_property
    def _homes(self) -> Mapping[str, Group]:
        return {name: group for group in self.groups for name in group.questions}

    def is_tied(self, screen: Screen) -> bool:
        """Return whether a screen allows only some combinations of answers to its questions."""
        if screen.kind != MULTIPLE or screen.is_combined:
            return False
        return screen.is_tied(self.question(screen.questions[0]).values)

    def together(self, name: str) -> frozenset[str]:
        """Return the names of all questions that a shared group, screen or condition connects with a question."""
        return self._together[name]

    @cached_property
    def _together(self) -> Mapping[str, frozenset[str]]:
        links: list[Iterable[str]] = [group.questions for group in self.groups]
        for screen in self.screens:
            if screen.ask_if:
                links.append((*screen.questions, *(parent for parent, _ in screen.ask_if)))
            elif self.is_tied(screen):
                links.append(screen.questions)
        found = {question.name: frozenset({question.name}) for question in self.questions}
        for link in links:
            joined = frozenset[str]().union(*(found[name] for name in link))
            found |= dict.fromkeys(joined, joined)
        return found

    def screen_of(self, name: str) -> Screen | None:
        """Return the screen of a question, or None if the question is asked alone and of everybody."""
        return self._screens.get(name)

    @cached_property
    def _screens(self) -> Mapping[str, Screen]:
        return {name: screen for screen in self.screens for name in screen.questions}

    def only(self, names: Iterable[str]) -> "Survey":
        """Return a smaller survey with only the named questions, without sampling and without a study card.

        Args:
            names: Names of questions that are not connected with other questions (see `together`). A screen is left out
                if any of its questions is not named.
        """
        questions = self.in_order(names)
        homes = {home.name: home for each in questions if (home := self.group_of(each.name)) is not None}
        found = {screen.questions: screen for each in questions if (screen := self.screen_of(each.name)) is not None}
        kept = {each.name for each in questions}
        groups = tuple(homes[name] for name in sorted(homes, key=self._rank.__getitem__))
        screens = tuple(each for each in found.values() if kept.issuperset(each.questions))
        return Survey(self.name, self.title, self.languages, questions, groups, screens=screens)

    @cached_property
    def _rank(self) -> Mapping[str, int]:
        return {group.name: at for at, group in enumerate(self.groups)}

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that conditions for asking questions impose on answers (see `collector.survey.routing`)."""
        return rules_of(self.questions, self.screens)

    @cached_property
    def routes(self) -> Routes:
        """The conditions under which each question is asked."""
        return Routes(self.questions, self.screens)

    def channel_at(self, group: Group, asked: Collection[str]) -> Channel:
        """Return the channel of a group for a respondent who is asked the questions in `asked`."""
        return group.channel.at(self._codings(group, asked))

    def truth_at(self, group: Group, asked: Collection[str]) -> Fraction:
        """Return the truth probability of a group for a respondent who is asked the named questions."""
        return group.channel.truth(self._codings(group, asked))

    def weights_at(self, group: Group, asked: Collection[str]) -> tuple[Fraction, Fraction]:
        """Return two weights of a response, for the codes as sent and for their replacements, which add up to 1."""
        return group.channel.weights(self._codings(group, asked))

    def _codings(self, group: Group, asked: Collection[str]) -> list[Coding]:
        return [each.coding for each in self.members(group) if each.name in asked]

    def may_miss(self, name: str) -> bool:
        """Return whether a split questionnaire may leave out the question for some respondents."""
        return self.sampling is not None and name not in self.sampling.always

    def asking_probability(self, names: Collection[str]) -> Fraction:
        """Return the probability that a respondent is asked all of the named questions, which is 1 without sampling."""
        return Fraction(1) if self.sampling is None else self.sampling.probability(names, len(self.questions))

    def check_length(self) -> None:
        """Check that no response to the survey can be longer than a server accepts.

        Raises:
            SurveyError: If a response can be too long.
        """
        longest = BESIDE_CODES + sum(len(each.name) + AROUND_CODE + self._longest_code(each) for each in self.questions)
        if longest > LARGEST_RESPONSE:
            problem = f"a response may be {longest:,} bytes long, and a server takes {LARGEST_RESPONSE:,}"
            raise SurveyError("questions", problem, "give the questions shorter names, or split the survey")

    def _longest_code(self, question: Question) -> int:
        return max(len(str(question.codes[-1])), NULL if self.may_miss(question.name) else 0)

    def checked_codes(self, codes: Mapping[str, object]) -> Row:
        """Return the codes of one response in question order after checking all codes.

        Args:
            codes: Codes by name of the question. Codes of questions that were not asked are missing or None.

        Raises:
            ResponseError: If a code is not valid. The error never repeats the code, which might be a true answer that
                was sent by mistake.
        """
        for name in codes:
            if name not in self._by_name:
                raise ResponseError(
                    "codes",
                    "a code is sent under a name that is not a question",
                    "send codes under the names of questions only",
                )
        row = tuple(self._checked_code(question, codes.get(question.name)) for question in self.questions)
        self.check_count(row)
        return row

    def _checked_code(self, question: Question, code: object) -> int | None:
        if code is None and self.may_miss(question.name):
            return None
        if type(code) is not int or code not in question.codes:
            raise ResponseError(
                f'question "{question.name}"',
                "the code is missing, or the question has no such code",
                f"send one of: {', '.join(map(str, question.codes))}",
            )
        return code

    def check_count(self, row: Sequence[int | None]) -> None:
        """Check that a response answers as many questions as one respondent is asked.

        Raises:
            ResponseError: If the response has more or fewer answers.
        """
        if self.sampling is not None and sum(code is not None for code in row) != self.sampling.ask:
            remedy = f"send {self.sampling.ask} codes, and nothing for the others"
            raise ResponseError(
                "codes", "the number of answered questions is not the number that one respondent is asked", remedy
            )

    @property
    def is_over(self) -> bool:
        """Whether the last day of the survey is over, so that responses can no longer be sent."""
        return self.study is not None and self.study.is_over

    @cached_property
    def design(self) -> dict[str, Any]:
        """The whole design as plain JSON values, without unused optional parts."""
        some: dict[str, Any] = {} if self.sampling is None else {"sampling": self.sampling.design}
        some |= {"screens": [screen.design for screen in self.screens]} if self.screens else {}
        some |= {"shuffle": True} if self.shuffle else {}
        some |= {"wave": self.wave} if self.wave > 1 else {}
        some |= {"deposit": True} if self.deposit else {}
        return some | {
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
        """The canonical JSON of the design, with sorted keys, no white space and unescaped UTF-8."""
        return json.dumps(self.design, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, in lower-case hexadecimal."""
        return sha256(self.canonical.encode()).hexdigest()
