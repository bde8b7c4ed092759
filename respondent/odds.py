"""The odds in plain words, computed from the published design: what may be sent in place of a true answer.

Exact fractions throughout. The words speak of people out of a round number of them; where no number up to 1,000 would
be exact they say "about".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from collector.channel import Channel
from collector.question import Question
from collector.survey import Group, Survey

Shares = dict[int, Fraction]
"""For each value that may be sent, by index, the chance that it is."""
PEOPLE = 100
MOST_PEOPLE = 1000


@dataclass(frozen=True)
class Odds:
    """What a question's page says of its disguise.

    Attributes:
        headline: One or two sentences.
        lines: What is sent for each true answer, where the headline does not say all of it.
    """

    headline: str
    lines: tuple[str, ...] = ()


def sent_values(question: Question, channel: Channel) -> list[Shares]:
    """For each true value of a question, which values are sent and how often: exact, each adding up to 1.

    The partner of a value that szucs coding left alone counts as that value: it is sent for no other.
    """
    return [_sent_for(question, channel, value) for value in range(len(question.values))]


def _sent_for(question: Question, channel: Channel, value: int) -> Shares:
    coding, lie = question.coding, 1 - channel.truth
    shares: Shares = {value: channel.truth}
    for code, chance in coding.draw_probabilities(value).items():
        for (sent,), probability in channel.replacements((code,), (coding,)):
            meant = coding.value_of(sent)
            meant = value if meant is None else meant
            shares[meant] = shares.get(meant, Fraction(0)) + lie * chance * probability
    return {meant: share for meant, share in shares.items() if share}


def value_words(question: Question, value: int) -> str:
    """A value as a respondent reads it: Yes, first, 400 to under 800 EUR."""
    word = question.values[value]
    if question.kind == "yes_no":
        return word.capitalize()
    if question.kind != "number":
        return word
    cuts, unit = question.cuts, f" {question.unit}" if question.unit else ""
    if value == 0:
        return f"under {cuts[0]}{unit}"
    if value == len(cuts):
        return f"{cuts[-1]}{unit} or more"
    return f"{cuts[value - 1]} to under {cuts[value]}{unit}"


def question_odds(survey: Survey, question: Question) -> Odds:
    """The odds of one question in words."""
    group = survey.group_of(question.name)
    if group is None:
        return Odds("Sent as it is: this question is not disguised.")
    if group.channel.truth == 1:
        return Odds("Sent as it is: this survey does not disguise it.")
    odds = _disguise_odds(question, group.channel)
    shared = _shared_coin(survey, group)
    warning = " The disguise is certain, so that it hides nothing." if group.channel.truth == 0 else ""
    return Odds(f"{odds.headline}{warning}{shared}", odds.lines)


def _disguise_odds(question: Question, channel: Channel) -> Odds:
    sent = sent_values(question, channel)
    if len(sent) == len(("yes", "no")):
        return Odds(" ".join(_line(question, value, shares, skip_truth=True) for value, shares in enumerate(sent)))
    lies = {1 - shares.get(value, Fraction(0)) for value, shares in enumerate(sent)}
    lines = tuple(_line(question, value, shares, skip_truth=False) for value, shares in enumerate(sent))
    if len(lies) > 1:
        return Odds("What is sent depends on your true answer.", lines)
    base, (count,) = _people(lies)
    headline = f"Of {base} people, whatever their true answer, {count} will have another answer sent"
    if channel.name == "uniform":
        return Odds(f"{headline}: any other, equally often.")
    return Odds(f"{headline}.", lines)


def _line(question: Question, value: int, shares: Shares, *, skip_truth: bool) -> str:
    """What 100 people with one true answer will have sent."""
    told = {meant: share for meant, share in sorted(shares.items()) if not (skip_truth and meant == value)}
    start = f"people whose true answer is {value_words(question, value)}"
    if told.get(value) == 1 or not told:
        return f"All {start} will have it sent as it is: what is sent shows it."
    base, counts = _people(told.values())
    parts = [
        f"{count} will have {value_words(question, meant)} sent" for meant, count in zip(told, counts, strict=True)
    ]
    return f"Of {base} {start}, {_listed(parts)}."


def _shared_coin(survey: Survey, group: Group) -> str:
    """That answers are disguised together, and what one outside fact would then reveal."""
    if len(group.questions) == 1:
        return ""
    numbers = [str(number) for number, each in enumerate(survey.questions, start=1) if each.name in group.questions]
    others = "the other" if len(numbers) == len(("one", "other")) else "the others"
    reveals = f"can work out {others}" if group.channel.name == "complement" else f"learns more about {others}"
    return (
        f" One coin decides for questions {_listed(numbers)} together: "
        f"whoever knows your true answer to one of them {reveals} from what is sent."
    )


def _people(shares: Iterable[Fraction]) -> tuple[int, list[str]]:
    """A number of people, and how many of them each share is: exactly where a number up to 1,000 allows it."""
    exact = list(shares)
    base = lcm(*(share.denominator for share in exact))
    if PEOPLE % base == 0:
        base = PEOPLE
    if base <= MOST_PEOPLE:
        return base, [str(int(share * base)) for share in exact]
    return MOST_PEOPLE, [_about(share * MOST_PEOPLE) for share in exact]


def _about(people: Fraction) -> str:
    if people < 1:
        return "fewer than 1"
    if people > MOST_PEOPLE - 1:
        return f"more than {MOST_PEOPLE - 1}"
    return f"about {round(people)}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
