"""Every figure of chance that a page prints, as a claim about people, and what simulated people did.

The sentences are read as a respondent reads them; what comes true of each is counted among people that the shipped
script disguised (`simulated_people`). Nothing is computed from a channel: the codes that the design publishes for each
value are used to know what a code stands for, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from collector.survey.question import Question
from collector.survey.survey import Survey
from respondent.pages.languages import interface
from respondent.pages.odds import value_words
from simulated_people import Mask, People

ENGLISH = interface("en")
CHANCE = 1e-9  # that one figure which is right is refused
FEWEST = 100  # people whom a figure is judged by

Event = Callable[[People], tuple[Mask, Mask]]


@dataclass(frozen=True)
class Claim:
    """That of some people a share has something happen to them.

    Attributes:
        said: The sentence.
        question: Which it is about.
        least: The smallest share that the words allow; where it depends on the draw, in the draw where it is least.
        most: The largest.
        spans: Whether the share is said to depend on the draw.
        event: Of people: to whom it happens, and of whom it is said.
    """

    said: str
    question: Question
    least: tuple[float, float]
    most: tuple[float, float]
    spans: bool
    event: Event

    def holds(self, people: People, shifts: Sequence[float] = (0.0,)) -> list[bool]:
        """Whether simulated people bear it out, were the figure larger by each of these."""
        happened, concerned = self.event(people)
        asked = concerned & (people.sent[:, people.place(self.question)] >= 0)
        draws = [asked & each for each in people.draws(self.question)] if self.spans else [asked]
        tallies = [(int((happened & each).sum()), int(each.sum())) for each in draws]
        judged = [tally for tally in tallies if tally[1] >= FEWEST]
        assert judged, "too few people to judge by"
        return [self._agrees(judged, shift) for shift in shifts]

    def _agrees(self, tallies: list[tuple[int, int]], shift: float) -> bool:
        """Whether every draw is within the bounds, and one at each."""
        low, high = [(least + shift, most + shift) for least, most in (self.least, self.most)]
        within = all(_fits(*tally, low[0], high[1]) for tally in tallies)
        return within and all(any(_fits(*tally, *end) for tally in tallies) for end in (low, high))


def _fits(count: int, people: int, least: float, most: float) -> bool:
    """Whether a count is one that a share from `least` to `most` makes more often than `CHANCE`."""
    least, most = (min(max(each, 0.0), 1.0) for each in (least, most))
    return bool(binom.cdf(count, people, least) >= CHANCE and binom.sf(count - 1, people, most) >= CHANCE)


COUNT = r"(?:about |fewer than |more than )?\d+"
SPAN = rf"({COUNT})(?: to ({COUNT}))?"
DEPENDS = ": the more, the more questions share their coin."


def bounds(words: str, base: int) -> tuple[float, float]:
    """The shares that a count in words may stand for."""
    number = int(re.findall(r"\d+", words)[0])
    if words.startswith("about"):
        return (number - 0.5) / base, (number + 0.5) / base
    if words.startswith("fewer"):
        return 0.0, number / base
    return (number / base, 1.0) if words.startswith("more") else (number / base, number / base)


def _claim(said: str, question: Question, base: str, span: Sequence[str | None], event: Event) -> Claim:
    low, high = str(span[0]), str(span[1] or span[0])
    return Claim(said, question, bounds(low, int(base)), bounds(high, int(base)), span[1] is not None, event)


def odds_claims(question: Question, line: str, survey: Survey) -> list[Claim]:
    """What a line of odds at a question, or of the example on the card, claims; the whole line is understood."""
    words = [value_words(question, value, ENGLISH) for value in range(len(question.values))]
    claims, left = [], line.replace(" The disguise is certain, so that it hides nothing.", "")
    for reader in (_of_one_answer, _of_any_answer, _of_sets, _of_sides, _of_sure_ones):
        found, left = reader(question, left, words, survey)
        claims += found
    assert not re.search(r"\d", left), f"a figure is not checked: {left!r}"
    return claims


Read = tuple[list[Claim], str]


def _of_one_answer(question: Question, line: str, words: list[str], survey: Survey) -> Read:
    del survey
    answer = "|".join(re.escape(each) for each in words)
    part = rf"{COUNT}(?: to {COUNT})? will have (?:{answer}|another answer) sent"
    whole = rf"Of (\d+) people whose true answer is ({answer}), ({part}(?:(?:, | and ){part})*)(?:\.|{DEPENDS})"
    claims = []
    for base, truth, parts in re.findall(whole, line):
        for low, high, meant in re.findall(rf"{SPAN} will have ({answer}|another answer) sent", parts):
            value = words.index(truth)
            other = None if meant == "another answer" else words.index(meant)
            claims.append(_claim(line, question, base, (low, high or None), _sent_as(question, value, other)))
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


def _of_any_answer(question: Question, line: str, words: list[str], survey: Survey) -> Read:
    del survey
    whole = (
        rf"Of (\d+) people, whatever their true answer, {SPAN} will have another answer sent"
        rf"(: any other, equally often\.|\.|{DEPENDS})"
    )
    claims = []
    for base, low, high, rest in re.findall(whole, line):
        assert bool(high) == (rest == DEPENDS)
        claims += [
            _claim(line, question, base, (low, high or None), _sent_as(question, value, None))
            for value in range(len(words))
        ]
        if "equally" in rest:
            share = bounds(low, int(base))[0] / (len(words) - 1)
            claims += [
                Claim(line, question, *[(share, share)] * 2, spans=False, event=_sent_as(question, value, other))
                for value in range(len(words))
                for other in range(len(words))
                if other != value
            ]
    return claims, re.sub(whole, "", line)


def _of_sets(question: Question, line: str, words: list[str], survey: Survey) -> Read:
    del survey
    whole = (
        r"What is sent stands for several answers at once\. Of (\d+) people, whatever their true answer, it is among "
        rf"them for {SPAN}; any other answer is among them for {SPAN}\."
    )
    claims = []
    for base, *spans in re.findall(whole, line):
        for value in range(len(words)):
            claims.append(_claim(line, question, base, (spans[0], spans[1] or None), _stands_for(question, value, 0)))
            claims += [
                _claim(line, question, base, (spans[2], spans[3] or None), _stands_for(question, value, step))
                for step in range(1, len(words))
            ]
    return claims, re.sub(whole, "", line)


def _stands_for(question: Question, value: int, step: int) -> Event:
    """The code of people of one value stands for the value so many places on, around the circle."""
    other = (value + step) % len(question.values)

    def event(people: People) -> tuple[Mask, Mask]:
        place = people.place(question)
        hit = np.isin(people.sent[:, place], question.coding.codes_of(other))
        return hit, people.truth[:, place] == value

    return event


def _of_sides(question: Question, line: str, words: list[str], survey: Survey) -> Read:
    del survey
    whole = r"Of (\d+) people, whatever their true answer, this is right for " + SPAN + r"\."
    claims = [
        _claim(line, question, base, (low, high or None), _stands_for(question, value, 0))
        for base, low, high in re.findall(whole, line)
        for value in range(len(words))
    ]
    return claims, re.sub(whole, "", line)


def _of_sure_ones(question: Question, line: str, words: list[str], survey: Survey) -> Read:
    del survey
    whole = r"All people whose true answer is (.*?) will have it sent as it is: what is sent shows it\."
    claims = [
        _claim(line, question, "1", ("0", None), _sent_as(question, words.index(truth), None))
        for truth in re.findall(whole, line)
    ]
    return claims, re.sub(whole, "", line)


def code_claims(question: Question, explained: dict[str, Any]) -> Iterator[Claim]:
    """What the explanation of each code claims: of how many people with which answer it is sent."""
    for key, (base, shares) in explained.items():
        for code in question.codes if key == "any" else (int(key),):
            stated = {meant for _, meant in shares}
            for count, meant in shares:
                for value in range(len(question.values)):
                    own = code in question.coding.codes_of(value)
                    if meant == value or (meant is None and (not own and value not in stated)) or (meant == -1 and own):
                        said = f"code {code}: {count} of {base}, answer {value}"
                        yield _claim(said, question, str(base), (count, None), _is_sent(question, value, code))
            if not shares:
                for value in range(len(question.values)):
                    yield _claim(f"code {code}: never", question, "1", ("0", None), _is_sent(question, value, code))


def _is_sent(question: Question, value: int, code: int) -> Event:
    def event(people: People) -> tuple[Mask, Mask]:
        place = people.place(question)
        return people.sent[:, place] == code, people.truth[:, place] == value

    return event
