"""The odds in words by other means than static/page/odds.mjs: from the channel's transition table, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition
from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.families import family_of
from collector.disclosure.family import Family
from collector.survey.group import Group
from collector.survey.question import EXTRAS, Question
from collector.survey.survey import Survey
from collector.wording.wording import wordings
from respondent.pages.languages import interface
from respondent.pages.texts import script_texts

TEXTS = script_texts(interface("en"))
PEOPLE = 100


def people(share: Fraction) -> str:
    """A share as people out of 100."""
    count = share * PEOPLE
    if count.denominator == 1:
        return str(count)
    if count < 1:
        return "fewer than 1"
    return "more than 99" if count > PEOPLE - 1 else f"about {int(count + Fraction(1, 2))}"


def listed(parts: Sequence[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass(frozen=True)
class Told:
    """The sentences about one question for those who are asked certain questions."""

    survey: Survey
    question: Question
    asked: Sequence[str]

    @property
    def members(self) -> list[Question]:
        """The questions of its group that are asked."""
        group = self.survey.group_of(self.question.name)
        return [] if group is None else [each for each in self.survey.members(group) if each.name in self.asked]

    @property
    def group(self) -> Group | None:
        """The group that disguises it."""
        group = self.survey.group_of(self.question.name)
        return None if group is None or self.channel.coin.fixed == 1 else group

    @property
    def channel(self) -> Channel:
        """The channel of its group, where these are asked."""
        group = self.survey.group_of(self.question.name)
        assert group is not None
        return group.channel.at([each.coding for each in self.members])

    @property
    def numbers(self) -> list[str]:
        """The numbers of its group's questions, among those asked."""
        return [
            str(number) for number, name in enumerate(self.asked, 1) if name in [each.name for each in self.members]
        ]

    @property
    def words(self) -> list[str]:
        """Words for its values."""
        return list(wordings(self.survey, self.question, "en"))

    @property
    def sent(self) -> Mapping[int, tuple[Fraction, ...]]:
        """P(code | value)."""
        return value_transition(self.question.coding, self.channel)

    def shares(self, value: int) -> dict[int, Fraction]:
        """The shares of the values sent for one; a code that stands for none counts for that one."""
        shares = {value: Fraction(0)}
        for code, chances in self.sent.items():
            meant = self.question.coding.value_of(code)
            shares[value if meant is None else meant] = (
                shares.get(value if meant is None else meant, Fraction(0)) + (chances[value])
            )
        return {meant: share for meant, share in shares.items() if share}

    def odds(self) -> list[str]:
        """A headline, and what it does not say."""
        if self.group is None:
            return [TEXTS["open"]]
        lines = self._sets() if self.question.coding.shared else self._values()
        sure = [TEXTS["certain"]] if self.channel.coin.fixed == 0 else []
        return [*lines, *sure, *([self.coin()] if len(self.members) > 1 else [])]

    def coin(self) -> str:
        """The line that says which questions share a coin."""
        key = "coin" if self.channel.replacement.paired else "coin-more"
        return TEXTS[key].format(numbers=listed(self.numbers))

    def _sets(self) -> list[str]:
        first, second = (
            sum((self.sent[code][0] for code in block), start=Fraction(0)) for block in self.question.coding.blocks[:2]
        )
        key = "side" if self.question.coding.scheme == THRESHOLDS else "set"
        told = {"count": people(first), "other": people(second)}
        return [TEXTS["right"].format(**told), TEXTS[key].format(**told)]

    def _values(self) -> list[str]:
        values = range(len(self.words))
        lines = [self.line(value) for value in values]
        answers = range(len(self.question.coding.owners))  # who is not asked may have no code to be sent
        kept = {self.shares(value).get(value, Fraction(0)) for value in answers}
        if len(kept) > 1:
            return [TEXTS["differs"], *lines]
        (share,) = kept
        others = [
            {self.shares(value).get(other, Fraction(0)) for other in answers if other != value} for value in answers
        ]
        told = {"count": people(share), "other": people(1 - share)}
        if len(answers) > 2 and all(len(each) == 1 for each in others):
            lines = [TEXTS["even"].format(**told), *lines[len(answers) :]]
        key = "changed" if len(answers) == len(values) else "changed-asked"
        return [TEXTS[key].format(**told), *lines]

    def line(self, value: int) -> str:
        """The line that says what is sent for 100 people with one answer."""
        shares = self.shares(value)
        if shares.get(value) == 1:
            return TEXTS["sure"].format(answer=self.words[value])
        order = sorted(shares, key=lambda meant: (meant != value, meant))
        return sentence(self.words[value], [(shares[each], self.words[each]) for each in order])

    def code(self, code: int) -> str:
        """The line that says how often a code is sent, and for whom."""
        if self.group is None:
            return TEXTS["open"]
        row, own = self.sent[code], [] if self._alone(code) else list(self.question.coding.values_of(code))
        own = [each for each in own if each < len(self.question.coding.owners)]
        others = {chance for value, chance in enumerate(row) if value not in own}
        alike = len(row) - len(own) > 1 and len(others) == 1
        told = []
        if len(own) > 1:
            told.append(TEXTS["who-these"].format(count=people(row[own[0]])))
        else:
            singles = own if alike else range(len(row))
            told += [
                TEXTS["who-one"].format(count=people(row[each]), answer=self.words[each])
                for each in singles
                if row[each]
            ]
        if (alike or len(own) > 1) and max(others):
            told.append(TEXTS["who-others"].format(count=people(max(others))))
        return TEXTS["code"].format(people=listed(told)) if told else TEXTS["never"]

    def _alone(self, code: int) -> bool:
        """Whether a code stands for no value: the partner of one that szucs coding left alone."""
        return not any(code == each for draws in self.question.coding.draws for each, _ in draws)

    def rise(self) -> tuple[Fraction, Fraction, int]:
        """The largest rise of the chance of a value: before, after, and the value."""
        names = {each.name for each in family_of(self.survey, self.question.name).questions} & {*self.asked}
        family = Family(
            self.survey, tuple(each for each in self.survey.questions if each.name in names), (frozenset(names),)
        )
        owned = len(self.question.coding.owners)
        rises = (family.free_rises if family.free else family.bounded_rises)(self.question)[:owned]
        value = max(range(owned), key=lambda each: rises[each][1] - rises[each][0])
        return rises[value][0], rises[value][1], value

    def limit(self) -> str:
        """The line that says how far the chance of an answer may rise."""
        before, after, value = self.rise()
        return TEXTS["limit"].format(
            number=self.asked.index(self.question.name) + 1,
            answer=self.words[value],
            before=people(before),
            after=people(after),
        )


def sentence(answer: str, parts: Sequence[tuple[Fraction, str]]) -> str:
    """The sentence that says, of 100 people with an answer, how many are sent as what."""
    told = [
        TEXTS[("more" if at else "first") if sent else "another"].format(count=people(share), sent=sent)
        for at, (share, sent) in enumerate(parts)
    ]
    return TEXTS["people"].format(answer=answer, parts=listed(told))


def example(survey: Survey, asked: Sequence[str]) -> list[str | int] | None:
    """The line of the card and how many of 100 it marks."""
    told = [Told(survey, each, asked) for each in survey.questions if each.name in asked]
    told = [each for each in told if each.group is not None and not each.question.coding.shared]
    if not told:
        return None
    chosen = max(told, key=lambda each: each.rise()[1] - each.rise()[0])
    lies = [1 - chosen.shares(value).get(value, Fraction(0)) for value in range(len(chosen.words))]
    own = [each for each, lie in enumerate(lies) if lie and chosen.question.values[each] not in EXTRAS]
    if not own:
        return None
    value = own[-1]
    other = chosen.words[1 - value] if len(lies) == 2 else ""
    parts = [(1 - lies[value], chosen.words[value]), (lies[value], other)]
    number = TEXTS["example"].format(number=asked.index(chosen.question.name) + 1)
    line = sentence(chosen.words[value], parts)
    marked = int(lies[value] * PEOPLE + Fraction(1, 2))
    return [f"{number} {line}", min(max(marked, 1), PEOPLE if lies[value] == 1 else PEOPLE - 1)]


def total(survey: Survey, asked: Sequence[str]) -> float | None:
    """The largest likelihood ratio of all that is sent; None if there is no bound."""
    ratios = []
    for group in survey.groups:
        codings = [each.coding for each in survey.members(group) if each.name in asked]
        if codings:
            ratios.append(group.channel.ratio(codings))
    known = [each for each in ratios if each is not None]
    return float(prod(known, start=Fraction(1))) if len(known) == len(ratios) else None
