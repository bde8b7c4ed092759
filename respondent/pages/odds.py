"""The odds in plain words, computed from the published design: what may be sent in place of a true answer.

Exact fractions throughout. The words speak of people out of a round number of them; where no number up to 1,000 would
be exact they say "about".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from collector.channel.channel import Channel
from collector.channel.coin import sharp
from collector.channel.replacement import PAIR
from collector.channel.value_channel import value_transition
from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.accounting import fewest_asked
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Survey
from respondent.pages.languages import Interface
from respondent.pages.people import people, spans

Shares = dict[int, Fraction]
"""For each value that may be sent, by index, the chance that it is."""
THESE = -1


@dataclass(frozen=True)
class Odds:
    """What a question's page says of its disguise.

    Attributes:
        headline: One or two sentences.
        lines: What the headline does not say: what is sent for each true answer, and which questions share the coin.
    """

    headline: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeOdds:
    """How often a code is sent. The page's script makes a sentence of it.

    Attributes:
        base: Out of how many people with one true answer.
        shares: How many of them, in words, and with which answer, by index; None for any other, `THESE` for any that
            the code stands for. Empty if never sent.
    """

    base: int
    shares: tuple[tuple[str, int | None], ...]


def sent_values(question: Question, channel: Channel) -> list[Shares]:
    """For each true value of a question, which values are sent and how often: exact, each adding up to 1.

    The partner of a value that szucs coding left alone counts as that value: it is sent for no other.
    """
    return [_sent_for(question, channel, value) for value in range(len(question.values))]


def _sent_for(question: Question, channel: Channel, value: int) -> Shares:
    shares: Shares = {value: Fraction(0)}
    for code, chances in value_transition(question.coding, channel).items():
        meant = question.coding.value_of(code)
        meant = value if meant is None else meant
        shares[meant] = shares.get(meant, Fraction(0)) + chances[value]
    return {meant: share for meant, share in shares.items() if share}


def value_words(question: Question, value: int, interface: Interface) -> str:
    """A value as a respondent reads it: Yes, first, 400 to under 800 EUR."""
    _ = interface.gettext
    if question.shown:
        return question.shown[value][interface.language]
    if question.kind == "yes_no":
        return (_("Yes"), _("No"))[value]
    if question.kind != "number":
        return _readable(question.values)[value]
    cuts = question.cuts
    if value == 0:
        return _("under {number}").format(number=_with_unit(cuts[0], question))
    if value == len(cuts):
        return _("{number} or more").format(number=_with_unit(cuts[-1], question))
    return _("{low} to under {high}").format(low=cuts[value - 1], high=_with_unit(cuts[value], question))


def _with_unit(number: float, question: Question) -> str:
    """A number and its unit, as in 400 EUR; 1 stands alone: "1 days" is wrong, and the question names the unit."""
    return f"{number} {question.unit}" if question.unit and abs(number) != 1 else str(number)


def _readable(names: Sequence[str]) -> Sequence[str]:
    """Values that nobody gave words, as words: not_at_all reads "not at all" where no other value does."""
    words = [name.replace("_", " ").strip() or name for name in names]
    return words if len(set(words)) == len(words) else names


def question_odds(survey: Survey, question: Question, interface: Interface) -> Odds:
    """The odds of one question in words."""
    _ = interface.gettext
    group = survey.group_of(question.name)
    if group is None:
        return Odds(_("Sent as it is: this question is not disguised."))
    if group.channel.coin.varies:
        return Odds(_drawn_odds(survey, question, group, interface), (shared_coin(survey, group, interface),))
    if group.channel.coin.fixed == 1:
        return Odds(_("Sent as it is: this survey does not disguise it."))
    if question.coding.shared:
        odds = _shared_odds(question, [group.channel], interface)
    else:
        odds = _disguise_odds(question, group.channel, interface)
    headline = odds.headline
    if group.channel.coin.fixed == 0:
        headline += " " + _("The disguise is certain, so that it hides nothing.")
    if len(group.questions) > 1:
        return Odds(headline, (*odds.lines, shared_coin(survey, group, interface)))
    return Odds(headline, odds.lines)


def _drawn_odds(survey: Survey, question: Question, group: Group, interface: Interface) -> str:
    """Of a question whose odds depend on how many others of its group are asked: from the fewest to the most."""
    _ = interface.gettext
    channels = drawn_channels(survey, question, group)
    if question.coding.shared:
        return _shared_odds(question, channels, interface).headline
    lies = [1 - sent_values(question, channel)[0][0] for channel in channels]
    base, (count,) = spans([lies], interface)
    told = _("Of {base} people, whatever their true answer, {count} will have another answer sent.")
    return depending(told.format(base=base, count=count), lies, interface)


def depending(told: str, shares: Collection[Fraction], interface: Interface) -> str:
    """A sentence of chances, with what they depend on where they differ from one draw of the questions to another."""
    if len(set(shares)) == 1:
        return told
    return told.removesuffix(".") + interface.gettext(": the more, the more questions share their coin.")


def drawn_channels(survey: Survey, question: Question, group: Group) -> list[Channel]:
    """A group's channel where a question is asked: in the draws that ask least and most of the group, if it differs."""
    if survey.sampling is None or not group.channel.coin.varies:
        return [group.channel]
    members = survey.members(group)
    fixed = [each for each in members if each is question or not survey.may_miss(each.name)]
    others = sorted((each for each in members if each not in fixed), key=lambda each: -sharp(each.coding))
    room = survey.sampling.ask - len(survey.sampling.always) - survey.may_miss(question.name)
    ends = fewest_asked(survey, group, question.name), [*fixed, *others[:room]]
    return [group.channel.at([each.coding for each in asked]) for asked in ends]


def _shared_odds(question: Question, channels: Sequence[Channel], interface: Interface) -> Odds:
    """How often the true answer, and any other, is among those of the code sent; of thresholds, how often right."""
    _ = interface.gettext
    sent = [value_transition(question.coding, channel) for channel in channels]
    shares = [
        [sum((chances[code][0] for code in block), start=Fraction(0)) for chances in sent]
        for block in question.coding.blocks[:PAIR]
    ]
    if question.coding.scheme == THRESHOLDS:
        base, (right,) = spans(shares[:1], interface)
        told = _(
            "What is sent says whether your answer is above a point of the scale that is drawn by chance. Of {base} "
            "people, whatever their true answer, this is right for {count}."
        )
        return Odds(told.format(base=base, count=right))
    base, (first, second) = spans(shares, interface)
    told = _(
        "What is sent stands for several answers at once. Of {base} people, whatever their true answer, it is among "
        "them for {first}; any other answer is among them for {second}."
    )
    return Odds(told.format(base=base, first=first, second=second))


def _disguise_odds(question: Question, channel: Channel, interface: Interface) -> Odds:
    _ = interface.gettext
    sent = sent_values(question, channel)
    if len(sent) == PAIR:
        lines = [_line(question, value, shares, interface, skip_truth=True) for value, shares in enumerate(sent)]
        return Odds(" ".join(lines))
    lies = {1 - shares.get(value, Fraction(0)) for value, shares in enumerate(sent)}
    told = tuple(_line(question, value, shares, interface, skip_truth=False) for value, shares in enumerate(sent))
    if len(lies) > 1:
        return Odds(_("What is sent depends on your true answer."), told)
    base, (count,) = people(lies, interface)
    if channel.replacement.candidates is None and question.coding.replacement is None:
        headline = _(
            "Of {base} people, whatever their true answer, {count} will have another answer sent: any other, "
            "equally often."
        )
        return Odds(headline.format(base=base, count=count))
    headline = _("Of {base} people, whatever their true answer, {count} will have another answer sent.")
    return Odds(headline.format(base=base, count=count), told)


def _line(question: Question, value: int, shares: Shares, interface: Interface, *, skip_truth: bool) -> str:
    """What 100 people with one true answer will have sent."""
    _ = interface.gettext
    told = {meant: share for meant, share in sorted(shares.items()) if not (skip_truth and meant == value)}
    answer = value_words(question, value, interface)
    if told.get(value) == 1 or not told:
        return _("All people whose true answer is {answer} will have it sent as it is: what is sent shows it.").format(
            answer=answer
        )
    base, counts = people(told.values(), interface)
    parts = [
        _("{count} will have {answer} sent").format(count=count, answer=value_words(question, meant, interface))
        for meant, count in zip(told, counts, strict=True)
    ]
    return _("Of {base} people whose true answer is {answer}, {parts}.").format(
        base=base, answer=answer, parts=interface.listed(parts)
    )


def names_of(survey: Survey, questions: Collection[str], interface: Interface) -> list[str]:
    """What questions are called in a sentence: by number, or by label where not everybody is asked the same."""
    _ = interface.gettext
    return [
        str(number) if survey.sampling is None else _("“{label}”").format(label=each.label[interface.language])
        for number, each in enumerate(survey.questions, start=1)
        if each.name in questions
    ]


def shared_coin(survey: Survey, group: Group, interface: Interface) -> str:
    """That the questions of a group are disguised together, and what one outside fact would then reveal."""
    _ = interface.gettext
    numbers = names_of(survey, group.questions, interface)
    if group.channel.replacement.candidates is None:
        told = _(
            "One coin decides for questions {numbers} together: whoever knows your true answer to one of them learns "
            "more about the others from what is sent."
        )
    elif len(numbers) == PAIR:
        told = _(
            "One coin decides for questions {numbers} together: whoever knows your true answer to one of them can "
            "work out the other from what is sent."
        )
    else:
        told = _(
            "One coin decides for questions {numbers} together: whoever knows your true answer to one of them can "
            "work out the others from what is sent."
        )
    return told.format(numbers=interface.listed(numbers))


def code_words(question: Question, code: int, interface: Interface) -> str:
    """What a code stands for; with the code where it is one of several, or stands for nothing."""
    value = None if question.coding.shared else question.coding.value_of(code)
    if value is None:
        return interface.gettext("code {code}").format(code=code)
    words = value_words(question, value, interface)
    if len(question.coding.codes_of(value)) == 1:
        return words
    return interface.gettext("{answer} (code {code})").format(answer=words, code=code)


def code_odds(survey: Survey, question: Question, interface: Interface) -> dict[int | str, CodeOdds]:
    """For each code that may be sent, of how many people with which true answer it is.

    One entry, ``any``, is for all codes that stand for several answers. None where the odds of the question say it all:
    it is sent as it is, or they depend on what else is asked.
    """
    group = survey.group_of(question.name)
    if group is None or group.channel.coin.fixed in {None, 1}:
        return {}
    chances = value_transition(question.coding, group.channel)
    if question.coding.shared:
        own = [chances[code][question.coding.values_of(code)[0]] for code in question.coding.codes_of(0)]
        other = next(
            chances[0][value] for value in range(len(question.values)) if value not in question.coding.values_of(0)
        )
        base, (first, second) = people((own[0], other), interface)
        return {"any": CodeOdds(base, ((first, THESE), (second, None)))}
    return {code: _code_odds(chances[code], group.channel, interface) for code in question.codes}


def _code_odds(chances: Sequence[Fraction], channel: Channel, interface: Interface) -> CodeOdds:
    told: dict[int | None, Fraction] = {value: chance for value, chance in enumerate(chances) if chance}
    if channel.replacement.candidates is None and len(told) > PAIR:  # every other answer has the same chance
        first, other = sorted(range(len(chances)), key=lambda value: -chances[value])[:PAIR]
        told = {first: chances[first], None: chances[other]}
    base, counts = people(told.values(), interface)
    return CodeOdds(base, tuple(zip(counts, told, strict=True)))
