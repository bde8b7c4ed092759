"""Estimate the frequency of an event from disguised responses, with its standard error and interval.

Every estimate is the mean of unbiased weights of the responses, which may be negative or above 1
(`miner.weights.weights`). Estimates and intervals are not clipped to [0, 1]. With fewer than `FEWEST` responses an
estimate has neither an interval nor a standard error, because both would be unreliable.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from collector.errors import QueryError
from collector.survey.question import Question
from miner.figures.estimate import Estimate
from miner.figures.means import mean_estimate
from miner.figures.partition import Boxes, Partition
from miner.figures.sample import Sample
from miner.figures.sampled_figure import sampled_shares
from miner.responses.condition import boxes_of, events_of
from miner.responses.responses import Counted, Data, codes_of_values
from miner.weights.events import Events, each_of, names_of
from miner.weights.fitted_weights import FittedWeights
from miner.weights.possible_weights import has_shared_codes, possible_weights
from miner.weights.weights import touched


def estimate(responses: Data, event: Events | str) -> Estimate:
    """Estimate the frequency of an event in the respondents' population (docs/guarantee.md, section 2).

    In a split questionnaire, the estimate is the mean over respondents who were asked all questions of the event, and
    `n` is the number of these respondents. If a code stands for several values, its weights depend on estimated
    frequencies (`miner.weights.fitted_weights`).

    Args:
        responses: Disguised responses, in memory or on disk.
        event: Condition as text, such as ``"cannabis = yes or debt = yes and not year in (first, second)"``, or the
            codes of each question that belong to the event, from `miner.responses.condition.event_of`. A list of
            disjoint events is counted as one event.

    Raises:
        QueryError: If there are no responses, the event does not fit the survey, or no respondent was asked all
            questions of the event.
    """
    if isinstance(event, str):
        (found,) = shares_of(responses, [boxes_of(responses.survey, event)])
    else:
        (found,) = estimates(responses, [event])
    return found


def shares_of(data: Data, conditions: Sequence[Boxes]) -> list[Estimate]:
    """Estimate the shares of several conditions, each among the people who were asked all of its questions.

    Raises:
        QueryError: If there are no responses, the design of a sample does not fit the survey, or no respondent was
            asked all questions of a condition.
    """
    if not isinstance(data, Sample):
        return estimates(data, [events_of(data.survey, boxes) for boxes in conditions])
    return [sampled_shares(Partition.of(data, [[boxes]]), [[{0: 0}]])[0] for boxes in conditions]


def estimates(responses: Data, events: Iterable[Events]) -> list[Estimate]:
    """Estimate the frequency of each of several events, in one pass over the responses.

    Raises:
        QueryError: If there are no responses, an event does not fit the survey, or no respondent was asked all
            questions of an event.
    """
    events = list(events)
    names = [frozenset(names_of(event)) for event in events]
    sets = list(dict.fromkeys(names))
    among = responses.on([touched(responses.survey, some) for some in sets])
    weights = {some: FittedWeights.among_asked(each, some) for some, each in zip(sets, among, strict=True)}
    return [mean_of(weights[some], event) for some, event in zip(names, events, strict=True)]


def frequencies(responses: Data) -> dict[str, tuple[Estimate | None, ...]]:
    """Estimate the frequencies of all values of all questions, in one pass over the responses.

    Returns:
        Estimates of each question's values by the question's name, in the order of the values. A question that no
        respondent was asked has None instead of estimates.

    Raises:
        QueryError: If there are no responses, or the design of a sample does not fit the survey.
    """
    questions = responses.survey.questions
    if isinstance(responses, Sample):
        return {question.name: tuple(_of_sample(responses, question)) for question in questions}
    among = responses.on([touched(responses.survey, [question.name]) for question in questions])
    return {question.name: _of_values(each, question) for each, question in zip(among, questions, strict=True)}


def _of_values(found: Counted, question: Question) -> tuple[Estimate | None, ...]:
    values = range(len(question.values))
    try:
        weights = FittedWeights.among_asked(found, [question.name])
    except QueryError:
        return (None,) * len(values)
    return tuple(mean_of(weights, {question.name: codes_of_values(question, {value})}) for value in values)


def _of_sample(sample: Sample, question: Question) -> list[Estimate]:
    values = range(len(question.values))
    cells = Partition.of(sample, [[({question.name: frozenset({value})},) for value in values]])
    return sampled_shares(cells, [[{0: value}] for value in values])


def mean_of(weights: FittedWeights, event: Events) -> Estimate:
    """Return the estimate of an event's frequency: the mean of the responses' weights."""
    extremes = weights.range(event)
    if len(each_of(event)) > 1 and not has_shared_codes(weights.survey, [event]):
        every = possible_weights(weights.survey, [event])  # the ends of the sum lie within the sums of the ends
        extremes = extremes if every is None else (float(every.min()), float(every.max()))
    return replace(mean_estimate(weights.of(event), extremes, weights.counts), extremes=extremes)
