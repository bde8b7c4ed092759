"""Convert conditions, in the language of `collector.conditions.language`, to events of a survey.

A condition is converted to disjoint *boxes*: sets of answers, each given by the admitted values of some questions. The
weight of a response for a condition is the sum of its weights for the boxes, because P(A or B) = P(A) + P(not A and B).
"""

from collections.abc import Collection, Mapping, Sequence

from collector.conditions.language import Comparison, comparisons, parsed
from collector.conditions.meaning import Subject, disjoint_boxes
from collector.errors import QueryError, SurveyError
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey.ticks import holding
from miner.responses.responses import codes_of_values

ValueSets = Mapping[str, frozenset[int]]
"""Question names, each with the indices of the values admitted. A question that is not named may have any."""
PLACE = "condition"


def boxes_of(survey: Survey, text: str) -> tuple[dict[str, frozenset[int]], ...]:
    """Read a condition whose questions may be joined by ``or`` and ``not``, as disjoint boxes.

    Args:
        survey: Survey whose questions the condition names.
        text: Text of the condition.

    Returns:
        Disjoint boxes. Each box gives the indices of the admitted values of some questions. If a condition is a single
        box (a set of values for each question), the box has all questions that the condition names.

    Raises:
        QueryError: If the condition is not valid, or no answers meet it.
    """
    try:
        node = parsed(text, PLACE)
        subjects = {test: _subject(survey, test) for test in comparisons(node)}
        values = {test.name: subject.values for test, subject in subjects.items()}
        found = disjoint_boxes(node, lambda test: subjects[test].meant(test, PLACE), values.__getitem__, PLACE)
    except SurveyError as error:
        raise QueryError(error.place, error.problem, error.remedy) from None
    if not found:
        meets = f'no value of "{next(iter(values))}" meets' if len(values) == 1 else "no answers meet"
        raise QueryError(PLACE, f"{meets} the condition", "write a condition that some answers meet")
    if len(found) == 1:
        found = ({name: found[0].get(name, frozenset(each)) for name, each in values.items()},)
    return tuple(
        {name: frozenset(map(values[name].index, box[name])) for name in values if name in box} for box in found
    )


def parse_condition(survey: Survey, text: str) -> dict[str, frozenset[int]]:
    """Read a condition that is a single box: a set of values for each named question.

    Args:
        survey: Survey whose questions the condition names.
        text: Text of the condition.

    Returns:
        Indices of the admitted values of each question that the condition names.

    Raises:
        QueryError: If the condition is not valid, no answers meet it, or it joins different questions by ``or``.
    """
    boxes = boxes_of(survey, text)
    if len(boxes) > 1:
        names = dict.fromkeys(name for box in boxes for name in box)
        remedy = "give the text of the condition to estimate or difference, which take it"
        raise QueryError(PLACE, f'it joins questions by "or": {", ".join(names)}; it is more than one event', remedy)
    return boxes[0]


def read_condition(survey: Survey, condition: ValueSets | str) -> tuple[ValueSets, ...]:
    """Return a condition, given as text or as a set of values for each question, as disjoint boxes."""
    return boxes_of(survey, condition) if isinstance(condition, str) else (condition,)


def event_of(survey: Survey, condition: Mapping[str, Collection[int]] | str) -> dict[str, frozenset[int]]:
    """Return the codes that stand for the admitted values of each question in a condition."""
    if isinstance(condition, str):
        condition = parse_condition(survey, condition)
    return {name: codes_of_values(survey.question(name), values) for name, values in condition.items()}


def events_of(survey: Survey, boxes: Sequence[ValueSets]) -> tuple[dict[str, frozenset[int]], ...]:
    """Return the codes of each disjoint box (a set of values for each question) of a condition."""
    return tuple(event_of(survey, box) for box in boxes)


def options_of(survey: Survey, question: Question) -> tuple[str, ...]:
    """Return the options of a question whose values are combinations of ticked options, otherwise none."""
    screen = survey.screen_of(question.name)
    return tuple(name for name, _ in screen.items) if screen is not None and screen.is_combined else ()


def values_having(question: Question, option: str) -> frozenset[int]:
    """Return the indices of the values that are combinations with a given option."""
    return frozenset(map(question.values.index, holding(question.base, option)))


def _subject(survey: Survey, test: Comparison) -> Subject:
    try:
        question = survey.question(test.name)
    except QueryError as error:
        raise SurveyError(f"{PLACE}, character {test.at + 1}", error.problem, error.remedy) from None
    return Subject(question.name, question.values, question.ordered, options_of(survey, question))
