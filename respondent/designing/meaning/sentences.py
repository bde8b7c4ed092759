"""Sentences on a question: what an answer reveals, how many people the disguise needs, and what respondents read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, exp, floor, isfinite, log10, sqrt
from typing import Any

from collector.channel.value_channel import whole_transition
from collector.disclosure.disclosure import QuestionDisclosure, Risk
from collector.disclosure.family import Family
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.lints import NOTHING_TOLD
from collector.disclosure.precision import is_filtered
from collector.disclosure.privacy import SurveyPrivacy, never_replaced, quoted
from collector.disclosure.question_lints import listed
from collector.planning.expectations import asked_share
from collector.planning.shuffled import CentralPrivacy, factor
from collector.wording.wording import wordings

Json = dict[str, Any]
PEOPLE = 100
LARGE, MILLION = 10_000, 1_000_000  # numbers of people from which they have two figures, and are millions
LEAST_WHOLE = 9.95  # factor from which a factor is written without decimals
SIMPLE = (2, 3, 4, 5, 10)  # denominators that are preferred to 100 when they write a share exactly
NEARLY_ALL, MUCH, LITTLE = Fraction(99, 100), Fraction(95, 100), Fraction(3, 4)
AS_MANY = 1.05  # design effect up to which a question is said to need no more people than without disguise
LARGEST_EXPONENT = 13.8  # epsilon above which odds are "more than 999,999 of 1,000,000"; e^13.8 is about a million


def times(factor: float) -> str:
    """Return a factor as text with two significant digits, rounded as on the designer's page."""
    if factor < LEAST_WHOLE:
        return f"{floor(10 * factor + 0.5) / 10:,.1f}"
    step = 10.0 ** (floor(log10(factor)) - 1)
    return f"{floor(factor / step + 0.5) * step:,.0f}"


def about(people: int) -> str:
    """Return a number of people in words, with two figures from 10,000 on."""
    if people < LARGE:
        return f"{people:,}"
    rounded = float(f"{people:.2g}")
    return f"about {rounded / MILLION:g} million" if rounded >= MILLION else f"about {rounded:,.0f}"


def meaning_of(disclosed: QuestionDisclosure, words: Sequence[str], values: Sequence[Json], respondents: int) -> Json:
    """Return sentences on a question, by topic: ``belief``, ``cost`` and ``card``.

    Args:
        disclosed: Disclosure of the question.
        words: Wording of each value.
        values: Planned figures of each value (see `collector.planning`), as JSON.
        respondents: Assumed number of respondents.
    """
    question = disclosed.question
    asked = f"{floor(asked_share(question) * respondents + 0.5):,}"
    among = f" for shares among those asked, which are expected to be {asked}" if is_filtered(question) else ""
    if disclosed.group is None:
        return {
            "belief": "The collector knows this answer: it is sent as it is.",
            "cost": f"{respondents:,} people give {points(max(each['width'] for each in values))}{among}.",
            "card": None,
        }
    return {
        "belief": _belief(disclosed, words),
        "cost": cost_of(values, respondents, among),
        "card": _card(disclosed),
    }


def _belief(disclosed: QuestionDisclosure, words: Sequence[str]) -> str:
    risk = rarest(disclosed)
    word = quoted(words[risk.value])
    before, after = risk.rise.before, share_words(risk.rise.after, is_bound=True)
    if before is None:
        return f"How many would say {word} is not known: after the whole response, at most {after} would say it."
    code, alone = max(
        ((code, shares[risk.value]) for code, shares in disclosed.posteriors.items()), key=lambda each: each[1]
    )
    coding, now = disclosed.question.coding, share_words(alone, is_bound=True)
    belief = f"If {share_words(before)} would say {word}: of those "
    if not coding.shared and code in coding.codes_of(risk.value):
        belief += f"whose {word} arrives, at most {now} meant it."
    else:
        belief += f"whose answer arrives as the code that speaks most for it, at most {now} would say it."
    if disclosed.family is None or not disclosed.told_by_others[risk.value] or now == after:
        return belief
    return f"{belief} {_with_others(disclosed, disclosed.family)} can be right for {after}."


def _with_others(disclosed: QuestionDisclosure, family: Family) -> str:
    """Return a text on how answers to other questions reveal something about a question."""
    others, group = family.others(disclosed.question), disclosed.group
    is_shared = group is not None and {each.name for each in others} <= set(group.questions)
    if len(others) == 1:
        why = "shares its random draw" if is_shared else "depends on it"
        return f"The answer to {listed(others)} {why}: who also reads it"
    why = "share its random draw" if is_shared else "depend on it"
    return f"The answers to {listed(others)} {why}: who also reads them"


def rarest(disclosed: QuestionDisclosure) -> Risk:
    """Return the value with the smallest prior probability.

    If several values have the smallest prior probability, the value that a response can make most likely is returned.
    """
    risks = [each for each in disclosed.risks if each.rise.before != 0] or list(disclosed.risks)
    return min(risks, key=lambda each: (1 if each.rise.before is None else each.rise.before, -each.rise.after))


def share_words(share: Fraction, *, is_bound: bool = False) -> str:
    """Return a share of people in words, such as ``1 in 5``, ``44 in 100`` or ``999 in 1,000``.

    Args:
        share: The share, from 0 to 1.
        is_bound: Whether the share is an upper bound, which is rounded up.
    """
    for number in SIMPLE:
        if (share * number).denominator == 1 and 0 < share < 1:
            return f"{share * number} in {number}"
    if share == 1:
        return "all"
    for number in (PEOPLE, 1000, 10_000, 100_000):
        count = ceil(share * number) if is_bound else floor(share * number + Fraction(1, 2))
        if share * number >= 1 and count < number:
            return f"{count:,} in {number:,}"
    return "nearly all" if share > LITTLE else "nearly nobody"


def cost_of(values: Sequence[Json], respondents: int, among: str) -> str:
    """Return a sentence on how many people a question needs, and on how precise the shares of its values will be.

    Args:
        values: Planned figures of each value, as JSON.
        respondents: Assumed number of respondents.
        among: Words on whom the shares are of, which are empty for everybody.
    """
    factors = [each["design_effect"] for each in values if each["design_effect"] is not None]
    width = max(each["width"] for each in values)
    least = " That is next to nothing." if width >= NOTHING_TOLD else ""
    if factors and max(factors) > AS_MANY:
        need = f"You need {times(max(factors))} times as many people as without disguise"
    else:
        need = "You need as many people as without disguise"
    return f"{need}: {respondents:,} give {points(width)}{among}.{least}"


def points(width: float) -> str:
    """Return half the width of a 95 % interval of a share as text, in percentage points."""
    return f"\u00b1 {100 * width / 2:.1f} points (95 % interval)"


def _card(disclosed: QuestionDisclosure) -> str | None:
    """Return a sentence that relates the odds on the respondent's page to the truth probability, or None."""
    channel, coding = disclosed.channel, disclosed.question.coding
    if channel is None or coding.shared:
        return None
    truth, risk = channel.truth([each.coding for each in disclosed.asked or (disclosed.question,)]), rarest(disclosed)
    sent, over = whole_transition(coding, channel)
    value = min(risk.value, len(coding.owners) - 1)  # who is not asked may have no code to be sent
    right = Fraction(sum(sent[code][value] for code in coding.codes_of(value)), over)
    count, who = _of_100(right), "people who are asked" if coding.routed else "people"
    changed = f"chance changes the answer of {PEOPLE - count} in 100 {who} before it is sent"
    card = f"The respondent's page says that {changed}. The other {count} are"
    if right == truth:
        return f"{card} the truth probability, {_probability(truth)}. {_nobody_knows(count)}"
    truthful = min(_of_100(truth), count)
    return (
        f"{card} the truth probability {_probability(truth)} in other words: {truthful} have their answer "
        f"sent because the random draw says so, and {count - truthful} because the answer drawn in its place is the "
        f"same. {_nobody_knows(count)}"
    )


def _nobody_knows(count: int) -> str:
    return (
        f"This protects all 100: nobody who has only the responses can know which {count} they are, so an answer that "
        "arrives is no proof."
    )


def _probability(truth: Fraction) -> str:
    """Return a truth probability as a short fraction, or as a decimal if the denominator is above 100."""
    return str(truth) if truth.denominator <= PEOPLE else f"{float(truth):.3f}"


def _of_100(share: Fraction) -> int:
    """Return a share as a number of people out of 100, from 1 to 99, as on the respondent's page."""
    return min(max(floor(share * PEOPLE + Fraction(1, 2)), 1), PEOPLE - 1)


def together(privacy: SurveyPrivacy) -> str:
    """Return a sentence on what all answers of a response reveal together."""
    if not privacy.groups:
        return "Taken together, a response tells all: nothing is disguised."
    without = [each for each in privacy.groups if not isfinite(each.epsilon)]
    plain = [each for each in privacy.survey.questions if not each.sensitive]
    known = f" What is answered to {listed(plain)} is sent as it is." if plain else ""
    if without:
        parts = []
        for each in without:
            if never_replaced(each):
                parts.append(f'an answer of group "{each.group.name}" can be certain')
            elif each.candidates == 1:
                parts.append(f'the answers of group "{each.group.name}" are hardly disguised')
            else:
                parts.append(_ruled_out(each))
        return f"Taken together, a response can tell nearly all: {'; '.join(parts)}.{known}"
    return f"Taken together, a response tells {_told(privacy.epsilon)}{known}"


def _told(epsilon: float) -> str:
    if epsilon > LARGEST_EXPONENT:
        level, cases = "nearly all", "more than 999,999 of 1,000,000"
    else:
        sure = Fraction(exp(epsilon)) / (1 + Fraction(exp(epsilon)))
        level = next((word for word, least in LEVELS.items() if sure >= least), "little")
        number = ceil(round(exp(epsilon), 6) + 1)  # exp of a logarithm of a whole number is that number
        right = f"{ceil(sure * PEOPLE)} of 100" if sure < NEARLY_ALL else f"{number - 1:,} of {number:,}"
        cases = f"up to {right}"
    between = "between two sets of answers that seemed equally likely before"
    return f"{level}: {between}, the collector can pick the right one in {cases} cases (50 of 100 by guessing)."


def _ruled_out(group: GroupDisclosure) -> str:
    """Return a clause on a group of questions for which a response rules out some answers."""
    if len(group.questions) == 1:
        return (
            f"an answer to {listed(group.questions)} arrives as it is or as its opposite, and all others are ruled out"
        )
    return (
        f"the answers to {listed(group.questions)} share one random draw, so that all arrive as they are or all as "
        "their opposites: whoever knows one of them from elsewhere knows all of them"
    )


LEVELS: Mapping[str, Fraction] = {"nearly all": NEARLY_ALL, "much": MUCH, "something": LITTLE}
"""Least probability of picking the right one of two sets of answers, for each word. Below 3/4 the word is "little"."""


def doubled(how: str, before: tuple[Sequence[Json], Fraction], after: tuple[Sequence[Json], Fraction]) -> str:
    """Return a sentence on what twice the privacy costs, and on how it changes the belief in the rarest answer.

    Args:
        how: Description of the epsilon that is halved.
        before: Planned figures of each value now, as JSON, and the largest belief.
        after: Planned figures and largest belief at half the epsilon.
    """
    more = (max(each["width"] for each in after[0]) / max(each["width"] for each in before[0])) ** 2
    now, then = (share_words(each[1], is_bound=True) for each in (before, after))
    most = f"the largest belief named above, \u201cat most {now}\u201d,"
    belief = f"brings {most} down to \u201cat most {then}\u201d" if now != then else f"leaves {most} as it is"
    return (
        f"Twice the privacy ({how}) {belief}. It takes {times(more)} times as many people as the present design; with "
        f"no more people, the interval is {times(sqrt(more))} times as wide."
    )


def for_readers(central: CentralPrivacy) -> str:
    """Return a sentence on what a reader of only the published figures can learn, without technical terms."""
    readers = "who reads only what you publish, and sees no single response,"
    people = f"{central.respondents:,} people"
    if central.alike:
        people += f" who gave the same answers to {', '.join(central.alike)}"
    if not central.is_finite:
        return f"No limit holds for somebody {readers} because no limit holds for a response."
    if not central.is_smaller:
        return (
            f"Somebody {readers} may learn as much of a person as somebody who has the response: with {people}, no "
            "smaller limit can be proved. More people may change that."
        )
    return (
        f"Somebody {readers} learns less of a person: with {people}, whatever you publish is at most "
        f"{factor(central.epsilon)} times as likely with one set of their answers as with another, but for a "
        f"probability of {central.delta:g}."
    )


def words_of(privacy: SurveyPrivacy, disclosed: QuestionDisclosure) -> tuple[str, ...]:
    """Return the wordings of the values of a question in the first language of the survey."""
    return wordings(privacy.survey, disclosed.question, privacy.survey.languages[0])
