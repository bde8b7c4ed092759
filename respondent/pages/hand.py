"""Instructions for disguising by hand with a die, ten cards or a coin, computed from the published design.

The respondent makes every draw in private and writes down the code to send, and the page never asks for the true
answer. A device with f equally likely faces is thrown n times, and the throws are read as one number of n digits. A
device with f faces can draw a result with the probability a/b if f^n is a multiple of b.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from math import lcm

from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.wording.wording import wordings
from respondent.pages.languages import Interface
from respondent.pages.words import code_words

DEVICES: dict[str, tuple[str, int]] = {"die": ("123456", 3), "cards": ("0123456789", 3), "coin": ("12", 6)}
"""Digits on the faces of each device, and the largest number of throws that a person is asked to make."""


@dataclass(frozen=True)
class Throws:
    """A way to draw one of several results by hand.

    Attributes:
        device: ``die``, ``cards`` (numbered 0 to 9, drawn and put back) or ``coin`` (1 for heads, 2 for tails).
        number: Number of throws, whose digits are read as one number.
        ranges: First and last of the numbers that mean a result, for each result.
    """

    device: str
    number: int
    ranges: tuple[tuple[str, str], ...]

    def range_words(self, result: int, interface: Interface) -> str:
        """Return words for a range of numbers, such as "3", "1 or 2" or "1 to 3"."""
        _ = interface.gettext
        first, last = self.ranges[result]
        if first == last:
            return first
        words = _("{first} or {last}") if int(last) - int(first) == 1 else _("{first} to {last}")
        return words.format(first=first, last=last)

    def instruction(self, interface: Interface) -> str:
        """Return the instruction for drawing a random number with a die, cards or a coin."""
        _ = interface.gettext
        instructions = {
            ("die", False): _("Roll a die."),
            ("die", True): _("Roll a die {number} times and read the rolls as one number."),
            ("cards", False): _("Shuffle ten cards numbered 0 to 9 and draw one."),
            ("cards", True): _(
                "Shuffle ten cards numbered 0 to 9 and draw one; put it back and repeat, {number} draws in all, and "
                "read them as one number."
            ),
            ("coin", False): _("Toss a coin: heads is 1, tails is 2."),
            ("coin", True): _(
                "Toss a coin {number} times, write 1 for heads and 2 for tails, and read that as one number."
            ),
        }
        return instructions[self.device, self.number > 1].format(number=self.number)


def throws(chances: Sequence[Fraction]) -> Throws | None:
    """Return a way to draw one of several results by hand with exact probabilities, or None if it is impossible.

    Args:
        chances: Probability of each result.
    """
    denominator = lcm(*(chance.denominator for chance in chances))
    ways = [
        (number, device)
        for device, (faces, most) in DEVICES.items()
        for number in range(1, most + 1)
        if len(faces) ** number % denominator == 0
    ]
    if not ways:
        return None
    number, device = min(ways, key=lambda way: way[0])
    numbers = ["".join(digits) for digits in product(DEVICES[device][0], repeat=number)]
    ends = list(accumulate(int(chance * len(numbers)) for chance in chances))
    starts = [0, *ends[:-1]]
    return Throws(
        device, number, tuple((numbers[start], numbers[end - 1]) for start, end in zip(starts, ends, strict=True))
    )


@dataclass(frozen=True)
class Row:
    """A line of the table that shows, in the form for disguising by hand, which code to choose for an answer.

    Attributes:
        answer: True answer.
        draw: Numbers of the first throw that lead to this line; empty if nothing is thrown.
        keep: Code to choose if the coin says keep.
        swap: Code to choose if the coin says swap, or None if another throw decides.
    """

    answer: str
    draw: str
    keep: int
    swap: int | None


@dataclass(frozen=True)
class HandQuestion:
    """A question in the form for disguising by hand.

    Attributes:
        question: Question of the survey.
        options: Meaning of each code in words.
        rows: Table of the codes to choose for each answer; empty for an undisguised question.
        draw: Instructions for drawing among several codes of a value; may be empty.
        swap: Way to draw the replacement in the uniform channel, or None if the table gives the code.
        swap_codes: Codes among which the replacement is drawn.
    """

    question: Question
    options: dict[int, str]
    rows: tuple[Row, ...]
    draw: str
    swap: Throws | None
    swap_codes: tuple[int, ...] = ()


@dataclass(frozen=True)
class HandGroup:
    """A group of questions, or one undisguised question, in the form for disguising by hand.

    Attributes:
        group: Group of the survey, or None for an undisguised question.
        coin: Way to draw whether to keep (result 1) or swap (result 0) the code, or None if nothing is drawn.
        questions: Questions in survey order.
    """

    group: Group | None
    coin: Throws | None
    questions: tuple[HandQuestion, ...]


class NotByHandError(Exception):
    """An error for a design whose draws are not possible with a die, cards or a coin.

    Args:
        question: Number (from 1) of the first question for which a draw is impossible.
    """

    def __init__(self, question: int) -> None:
        super().__init__(f"question {question}")
        self.question = question


def by_hand(survey: Survey, interface: Interface) -> list[HandGroup]:
    """Return the groups of the form for disguising by hand, in the order of each group's first question.

    Raises:
        NotByHandError: If some draw of the design is not possible with a die, ten cards or a coin.
    """
    numbers = {question.name: number for number, question in enumerate(survey.questions, start=1)}
    done: set[str] = set()
    groups = []
    for question in survey.questions:
        group = survey.group_of(question.name)
        if question.name in done:
            continue
        members = (question,) if group is None else survey.members(group)
        done |= {member.name for member in members}
        groups.append(_group(survey, group, members, numbers, interface))
    return groups


def _group(
    survey: Survey, group: Group | None, members: Sequence[Question], numbers: dict[str, int], interface: Interface
) -> HandGroup:
    coin = None
    truth = None if group is None else group.channel.coin.fixed
    if truth is not None and 0 < truth < 1:
        coin = _needed([1 - truth, truth], numbers[members[0].name])
    questions = tuple(_hand_question(survey, member, group, numbers[member.name], interface) for member in members)
    return HandGroup(group, coin, questions)


def _needed(chances: Sequence[Fraction], number: int) -> Throws:
    way = throws(chances)
    if way is None:
        raise NotByHandError(number)
    return way


def _hand_question(
    survey: Survey, question: Question, group: Group | None, number: int, interface: Interface
) -> HandQuestion:
    options = code_words(survey, question, interface)
    if group is None or (group.channel.coin.fixed == 1 and question.coding.scheme == "plain"):
        return HandQuestion(question, options, (), "", None)
    swap, swap_codes = None, tuple[int, ...]()
    if not group.channel.replacement.paired:
        chances = {code: chance for code, chance in question.coding.replacement_probabilities.items() if chance}
        swap, swap_codes = _needed(list(chances.values()), number), tuple(chances)
    rows, instructions = [], []
    for value, words in enumerate(wordings(survey, question, interface.language)):
        chances = question.coding.draw_probabilities(value)
        way = _needed(list(chances.values()), number) if len(chances) > 1 else None
        if way is not None and way.instruction(interface) not in instructions:
            instructions.append(way.instruction(interface))
        for place, code in enumerate(chances):
            partner = None if swap else question.coding.complement(code)
            draw = f"{_throw_name(way, interface)} {way.range_words(place, interface)}" if way else ""
            rows.append(Row(words, draw, code, partner))
    return HandQuestion(question, options, tuple(rows), " ".join(instructions), swap, swap_codes)


def _throw_name(way: Throws, interface: Interface) -> str:
    _ = interface.gettext
    return {"die": _("die"), "cards": _("cards"), "coin": _("coin")}[way.device]
