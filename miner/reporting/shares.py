"""Prepare the shares of a report: dot plots with intervals, shares of those asked, and the cost of the disguise."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import median

from collector.disclosure.precision import NORMAL_975
from collector.errors import QueryError
from collector.survey.question import NOT_APPLICABLE, YES_NO
from collector.survey.screen import MULTIPLE
from collector.survey.survey import Survey
from miner.estimates.comparison import share_within
from miner.figures.estimate import Estimate
from miner.reporting.composed import Composed
from miner.reporting.figure import Scale, place_scale, share_scale
from miner.reporting.words import question_words, value_words, with_answer
from miner.responses.responses import Responses, codes_of_values
from miner.weights.fitted_weights import FittedWeights
from miner.weights.weights import touched

Shares = dict[str, tuple[Estimate | None, ...]]
HEADLINES = 5
LONG = 0.8  # length of an interval that leaves nearly every share possible


@dataclass(frozen=True)
class Dot:
    """Share that is shown in a plot.

    Attributes:
        words: Name of the share in words.
        share: Estimate of the share.
    """

    words: str
    share: Estimate | None

    @property
    def tells(self) -> bool:
        """Return whether the interval is short enough to be informative."""
        limits = None if self.share is None else self.share.interval
        return limits is not None and limits[1] - limits[0] < LONG and min(limits) < 1 and max(limits) > 0


@dataclass(frozen=True)
class Plot:
    """Plot of the shares of one question, or of all options of a screen.

    Attributes:
        words: Question in words.
        names: Names of the questions in the plot.
        dots: Shares in the plot, which are those of first choices for a ranking.
        asked: Share of respondents who were asked, or None if everybody was asked.
        among: All shares among respondents who were asked, including shares without a dot.
        is_yes_no: Whether the first share is the share of "yes".
        places: Mean places, if the values are orders of items.
        every: Shares of all values, if the values are orders or combinations.
    """

    words: str
    names: tuple[str, ...]
    dots: tuple[Dot, ...]
    asked: Estimate | None
    among: tuple[Estimate | None, ...] = ()
    is_yes_no: bool = False
    places: tuple[Dot, ...] = ()
    every: tuple[Dot, ...] = ()

    @property
    def scale(self) -> Scale:
        """Return the axis on which the plot shows the shares."""
        return share_scale(dot.share for dot in self.dots)

    @property
    def place_scale(self) -> Scale:
        """Return the axis on which the plot shows the mean places."""
        return place_scale(len(self.places))

    @property
    def every_scale(self) -> Scale:
        """Return the axis on which the plot shows the shares of all values."""
        return share_scale(dot.share for dot in self.every)

    @property
    def headline_words(self) -> str:
        """Return the question and answer of the plot's headline, in one line."""
        answer = f"{self.headline.words} (first choice)" if self.places else self.headline.words
        return with_answer(self.words, answer)

    @property
    def tells(self) -> bool:
        """Return whether at least one of the shares is informative."""
        return any(dot.tells for dot in self.dots)

    @property
    def headline(self) -> Dot:
        """Return the share for the headline of a plot: that of "yes", or of the most frequent answer."""
        if self.is_yes_no:
            return self.dots[0]
        known = [dot for dot in self.dots if dot.share is not None] or list(self.dots)
        return max(known, key=lambda dot: dot.share.estimate if dot.share is not None else 0.0)


def among_asked(responses: Responses, stretch: Callable[[int], float] = lambda _: 1.0) -> Shares:
    """Estimate the shares of each question that is not asked of everybody, among the respondents who were asked.

    Args:
        responses: Disguised responses.
        stretch: Function from the number of responses to the length of an interval, as a multiple of the length for a
            single look.

    Returns:
        Ratios of estimates of each question that is not asked of everybody, by name. The ratios of a question are
        sorted by its values, without the last value. If the estimated number of respondents who were asked is not above
        0, the ratio is None.
    """
    survey = responses.survey
    routed = [each for each in survey.questions if each.values[-1] == NOT_APPLICABLE]
    found: Shares = {}
    parts = responses.on([touched(survey, [each.name]) for each in routed]) if routed else []
    for question, part in zip(routed, parts, strict=True):
        places = range(len(question.values) - 1)
        try:
            weights = FittedWeights.among_asked(part, [question.name])
        except QueryError:  # of a split questionnaire
            found[question.name] = (None,) * len(places)
            continue
        asked = {question.name: codes_of_values(question, set(places))}
        shares = (
            share_within(weights, weights.counts, {question.name: codes_of_values(question, {place})}, asked)
            for place in places
        )
        found[question.name] = tuple(None if share is None else share.at(stretch(share.n)) for share in shares)
    return found


def plots(survey: Survey, everybody: Shares, asked: Shares, made: Mapping[str, Composed]) -> list[Plot]:
    """Return the plots of a survey in its order, with one plot for options that may be ticked together.

    Args:
        survey: Published survey.
        everybody: Shares of the values of each question (`miner.estimates.estimate.frequencies`).
        asked: Shares that `among_asked` returned.
        made: Figures of questions whose values are orders of items or combinations of options.
    """
    found: list[Plot] = []
    for question in survey.questions:
        screen, name = survey.screen_of(question.name), question.name
        shares = asked.get(name, everybody[name])
        values = value_words(survey, name)
        dots = [Dot(values[place], share) for place, share in enumerate(shares)]
        if len(dots) == 2 and question.values[:2] == YES_NO:
            del dots[1]
        base = everybody[name][-1] if name in asked else None
        among = None if base is None else _rest(base)
        if name in made:
            parts = made[name]
            together = (*asked.get(name, ()), *(share for _, share in parts.shares)) if name in asked else ()
            first, places = (tuple(Dot(*each) for each in some) for some in (parts.shares, parts.places))
            words = question_words(survey, name)
            found.append(Plot(words, (name,), first, among, together, places=places, every=tuple(dots)))
            continue
        if screen is None or screen.kind != MULTIPLE or len(screen.questions) == 1 or screen.label is None:
            yes_no = question.values[:2] == YES_NO
            words = question_words(survey, name)
            found.append(Plot(words, (name,), tuple(dots), among, asked.get(name, ()), yes_no))
            continue
        language = survey.languages[0]
        ticked = Dot(question.label[language], dots[0].share)
        if found and found[-1].names[-1] in screen.questions:
            before = found.pop()
            together = (*before.among, *asked.get(name, ()))
            found.append(Plot(before.words, (*before.names, name), (*before.dots, ticked), before.asked, together))
        else:
            found.append(Plot(screen.label[language], (name,), (ticked,), among, asked.get(name, ())))
    return found


def _rest(share: Estimate) -> Estimate:
    """Return 1 minus a share, with its interval."""
    limits = None if share.interval is None else (1 - share.interval[1], 1 - share.interval[0])
    return Estimate(1 - share.estimate, share.standard_error, limits, share.n)


def headlines(survey: Survey, drawn: list[Plot]) -> list[Plot]:
    """Return a report's first plots: the class question, then disguised questions with informative shares."""
    known = [
        plot
        for plot in drawn
        if plot.headline.tells and (survey.is_disguised(plot.names[0]) or survey.target in plot.names)
    ]
    return sorted(known, key=lambda plot: survey.target not in plot.names)[:HEADLINES]


def cost_line(survey: Survey, drawn: list[Plot]) -> str:
    """Return a sentence on the precision lost by the disguise, compared with open questions, or an empty text."""
    pairs = list(_openly(survey, drawn))
    if not pairs:
        return ""
    here, open_, people = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs), pairs[0][2]
    worth = round(people * (open_ / here) ** 2)
    return (
        f"Disguise has its price: a disguised share is known to within {100 * here:.1f} percentage points (the middle "
        f"of {len(pairs)} questions), where answers sent as they are would give {100 * open_:.1f}. It is as if {worth} "
        f"of {people} people had been asked openly."
    )


def _openly(survey: Survey, drawn: list[Plot]) -> Iterator[tuple[float, float, int]]:
    """Yield half the length of each disguised question's interval with and without disguise, and its respondents."""
    for plot in drawn:
        share = plot.headline.share
        if share is None or share.interval is None or plot.asked or not survey.is_disguised(plot.names[0]):
            continue
        if 0 < share.estimate < 1:
            openly = NORMAL_975 * sqrt(share.estimate * (1 - share.estimate) / share.n)
            yield (share.interval[1] - share.interval[0]) / 2, openly, share.n
