"""Every figure of chance that a page prints, as a claim about people, and what simulated people did.

The sentences are read as a respondent reads them; what comes true of each is counted among people that the shipped
script disguised (`simulated_people`). Nothing is computed from a channel: the codes that the design publishes for each
value are used to know what a code stands for, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from collector.survey.question import Question
from simulated_people import Mask, People

PEOPLE = 100
CHANCE = 1e-9  # that one figure which is right is refused
FEWEST = 100  # people whom a figure is judged by

Event = Callable[[People], tuple[Mask, Mask]]


@dataclass(frozen=True)
class Claim:
    """A claim that something happens to a share of some people.

    Attributes:
        said: The sentence.
        question: Which it is about.
        least: The smallest share that the words allow.
        most: The largest.
        event: The people to whom it happens, and those of whom it is said.
    """

    said: str
    question: Question
    least: float
    most: float
    event: Event

    def holds(self, people: People, shifts: Sequence[float] = (0.0,)) -> list[bool]:
        """Whether simulated people bear it out, were the figure larger by each of these."""
        happened, concerned = self.event(people)
        count, told = int((happened & concerned).sum()), int(concerned.sum())
        assert told >= FEWEST, "too few people to judge by"
        return [_fits(count, told, self.least + shift, self.most + shift) for shift in shifts]


def _fits(count: int, people: int, least: float, most: float) -> bool:
    """Whether a count is one that a share from `least` to `most` makes more often than `CHANCE`."""
    least, most = (min(max(each, 0.0), 1.0) for each in (least, most))
    return bool(binom.cdf(count, people, least) >= CHANCE and binom.sf(count - 1, people, most) >= CHANCE)


COUNT = r"(?:about |fewer than |more than )?\d+"


def bounds(words: str) -> tuple[float, float]:
    """The shares that a count of 100 people in words may stand for."""
    number = int(re.findall(r"\d+", words)[0])
    if words.startswith("about"):
        return (number - 0.5) / PEOPLE, (number + 0.5) / PEOPLE
    if words.startswith("fewer"):
        return 0.0, number / PEOPLE
    return (number / PEOPLE, 1.0) if words.startswith("more") else (number / PEOPLE, number / PEOPLE)


def _claim(said: str, question: Question, count: str, event: Event) -> Claim:
    return Claim(said, question, *bounds(count), event)


def odds_claims(question: Question, line: str, words: list[str]) -> list[Claim]:
    """Claims of a line of odds at a question, or of the example on the card; the whole line is understood."""
    claims, left = [], line
    for reader in (_of_the_short_line, _of_one_answer, _of_any_answer, _of_sets, _of_sides, _of_sure_ones):
        found, left = reader(question, left, words)
        claims += found
    for word in words:
        left = left.replace(word, "")
    assert not re.search(r"\d", left), f"a figure is not checked: {left!r}"
    return claims


Read = tuple[list[Claim], str]


def _of_the_short_line(question: Question, line: str, words: list[str]) -> Read:
    right = rf"Of 100 people, what is sent is right for ({COUNT})\."
    changed = rf"Chance changes the answer of ({COUNT}) in 100 people(?: who are asked this)? before it is sent\."
    claims = []
    for count in re.findall(right if question.coding.shared else changed, line):
        for value in range(len(words)):
            event = _stands_for(question, value, 0) if question.coding.shared else _sent_as(question, value, None)
            claims.append(_claim(line, question, count, event))
    return claims, re.sub(f"{right}|{changed}", "", line)


def _of_one_answer(question: Question, line: str, words: list[str]) -> Read:
    answer = "|".join(re.escape(each) for each in words)
    part = rf"{COUNT}(?: are sent)? as (?:“(?:{answer})”|another answer)"
    whole = rf"Of 100 people who answer “({answer})”, ({part}(?:(?:, | and ){part})*)\."
    claims = []
    for truth, parts in re.findall(whole, line):
        for count, meant in re.findall(rf"({COUNT})(?: are sent)? as (?:“({answer})”|another answer)", parts):
            other = words.index(meant) if meant else None
            claims.append(_claim(line, question, count, _sent_as(question, words.index(truth), other)))
    return claims, re.sub(whole, "", line)


def _sent_as(question: Question, value: int, other: int | None) -> Event:
    """People of one value have another sent: this one, or any."""

    def event(people: People) -> tuple[Mask, Mask]:
        place = people.place(question)
        meant = _meant(question, people.sent[:, place], people.truth[:, place])
        own = people.truth[:, place] == value
        return (meant != value if other is None else meant == other), own

    return event


def _meant(question: Question, codes: NDArray[np.int64], truth: NDArray[np.int64]) -> NDArray[np.int64]:
    """The value that each code stands for; the true one where it stands for none."""
    meant = truth.copy()
    for value in range(len(question.values)):
        meant[np.isin(codes, question.coding.codes_of(value))] = value
    return meant


def _of_any_answer(question: Question, line: str, words: list[str]) -> Read:
    whole = (
        rf"Of 100 people, whatever they answer, ({COUNT}) are sent as they answer and ({COUNT}) as "
        r"any other answer, equally often\."
    )
    claims = []
    for kept, count in re.findall(whole, line):
        for value in range(len(words)):
            claims.append(_claim(line, question, kept, _sent_as(question, value, value)))
            claims.append(_claim(line, question, count, _sent_as(question, value, None)))
            least, most = (end / (len(words) - 1) for end in bounds(count))
            others = [other for other in range(len(words)) if other != value]
            claims += [Claim(line, question, least, most, _sent_as(question, value, other)) for other in others]
    return claims, re.sub(whole, "", line)


def _of_sets(question: Question, line: str, words: list[str]) -> Read:
    whole = (
        r"What is sent stands for several answers at once\. Of 100 people, whatever they answer, their answer is among "
        rf"them for ({COUNT}), and any other answer for ({COUNT})\."
    )
    claims = []
    for own, other in re.findall(whole, line):
        for value in range(len(words)):
            claims.append(_claim(line, question, own, _stands_for(question, value, 0)))
            claims += [_claim(line, question, other, _stands_for(question, value, at)) for at in range(1, len(words))]
    return claims, re.sub(whole, "", line)


def _stands_for(question: Question, value: int, step: int) -> Event:
    """The code of people of one value stands for the value so many places on, around the circle."""
    other = (value + step) % len(question.values)

    def event(people: People) -> tuple[Mask, Mask]:
        place = people.place(question)
        hit = np.isin(people.sent[:, place], question.coding.codes_of(other))
        return hit, people.truth[:, place] == value

    return event


def _of_sides(question: Question, line: str, words: list[str]) -> Read:
    whole = rf"Of 100 people, whatever they answer, this is right for ({COUNT})\."
    claims = [
        _claim(line, question, count, _stands_for(question, value, 0))
        for count in re.findall(whole, line)
        for value in range(len(words))
    ]
    return claims, re.sub(whole, "", line)


def _of_sure_ones(question: Question, line: str, words: list[str]) -> Read:
    whole = r"Everybody who answers “(.*?)” is sent as “\1”: what is sent shows it\."
    claims = [
        _claim(line, question, "0", _sent_as(question, words.index(truth), None)) for truth in re.findall(whole, line)
    ]
    return claims, re.sub(whole, "", line)


def code_claims(question: Question, code: int, line: str, words: list[str]) -> Iterator[Claim]:
    """The claim of a code's explanation: of how many people with which answer it is sent."""
    answer = "|".join(re.escape(each) for each in words)
    whole = rf"({COUNT}) of 100 people who answer (?:“({answer})”|(one of these|anything else))(?=[,.]| and )"
    parts = [(count, meant or other) for count, meant, other in re.findall(whole, line)]
    named = {words.index(meant) for _, meant in parts if meant in words}
    own = {value for value in range(len(words)) if code in question.coding.codes_of(value)}
    assert parts or line == "Never sent."
    for count, meant in parts or [("0", "anything else")]:
        told = {words.index(meant)} if meant in words else own if meant == "one of these" else set()
        if meant == "anything else":
            told = set(range(len(words))) - named - (own if any(each == "one of these" for _, each in parts) else set())
        for value in sorted(told):
            yield _claim(f"code {code}: {line}", question, count, _is_sent(question, value, code))


def _is_sent(question: Question, value: int, code: int) -> Event:
    def event(people: People) -> tuple[Mask, Mask]:
        place = people.place(question)
        return people.sent[:, place] == code, people.truth[:, place] == value

    return event
