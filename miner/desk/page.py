"""Write the desk as one HTML page. A small script on the page replaces the parts that have changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from collector.disclosure.lint import Lint
from collector.maintenance.running import BATCH, FEW, state_line
from collector.store.published import SurveyState
from collector.survey.question import Question
from miner.desk.desk import Desk, Outlook, Snapshot, reach_of
from miner.drawing.tree import ENVIRONMENT
from miner.figures.estimate import Estimate, Range
from miner.reporting.figure import (
    BAR,
    bar,
    false_line,
    false_within,
    has_no_denominator,
    in_percent,
    in_places,
    place_scale,
)
from miner.reporting.words import question_words, value_words

WIDE, HIGH = 300, 60
NUMBERS = re.compile(r'[0-9.,%]+|"[^"]*"')
Ends = dict[str, float]
"""Where a line begins and ends, in hundredths of the bar."""


@dataclass(frozen=True)
class ValueRow:
    """Row of the desk for a value of a question.

    Attributes:
        value: Value in words.
        words: Estimate of the value's share with the interval, in words.
        reach: Half of the length of the interval, or None without an interval.
        planned: Planned half length of the interval, or None without a plan.
        drawn: Bar of the share, or None without an estimate.
        band: Planned interval around the estimate.
        earlier: Intervals from earlier batches, from the latest to the earliest.
    """

    value: str
    words: str
    reach: float | None
    planned: float | None
    drawn: Ends | None
    band: Ends | None
    earlier: list[Ends]


@dataclass(frozen=True)
class AskedQuestion:
    """Question with its shares, as the desk shows it.

    Attributes:
        name: Name of the question.
        words: Question in words, with the question of the screen before an option or a statement.
        rows: Values of the question.
        among: Words on shares among those who were asked, or empty if everybody was asked.
        parts: First choice of each item of a ranking, or shares of options that are ticked together. If a question is
            shown in parts, `rows` has all orders or combinations.
        places: Mean place of each item of a ranking.
    """

    name: str
    words: str
    rows: list[ValueRow]
    among: str
    parts: list[ValueRow]
    places: list[ValueRow]

    @property
    def measured(self) -> list[ValueRow]:
        """Return the shares with a known interval, also those of first choices and of options ticked together."""
        return [row for row in (*self.rows, *self.parts) if row.reach is not None]


@dataclass(frozen=True)
class WidthPath:
    """Line that shows the width of intervals by the number of responses, in a drawing of `WIDE` by `HIGH`.

    Attributes:
        line: SVG path of half the length of the widest interval, by the number of responses.
        goal: SVG path of a horizontal line at the planned value of half the length, or empty without such a value.
        end: Point of the drawing where the planned number of responses is reached, or empty.
        words: Description of the line in words.
    """

    line: str
    goal: str
    end: str
    words: str


def page(desk: Desk, state: SurveyState) -> str:
    """Return the whole HTML document."""
    survey, shown, outlook = state.newest.survey, desk.shown(state), desk.outlook(state.newest.survey)
    questions = (
        []
        if shown is None
        else [
            AskedQuestion(
                each.name,
                question_words(survey, each.name),
                list(rows_of(desk, shown, outlook, each)),
                among(shown, each, found),
                part_rows(shown, each.name),
                place_rows(shown, each.name),
            )
            for each, found in zip(survey.questions, shown.estimates, strict=True)
        ]
    )
    widest = max((row for each in questions for row in each.measured), key=lambda row: row.reach or 0, default=None)
    return ENVIRONMENT.get_template("desk/desk.html").render(
        survey=survey,
        language=survey.languages[0],
        version=state.newest.version,
        state=state,
        line=state_line(state),
        shown=shown,
        few=FEW,
        batch=BATCH,
        issued=desk.store.invitations(desk.name).issued,
        outlook=outlook,
        questions=questions,
        earlier=[count for count, _ in reversed(desk.earlier)],
        widest=widest,
        moved="" if shown is None else false_line(_all_shares(shown), len(shown.responses)),
        simulated=None if shown is None else shown.responses.simulated,
        path=path_of(desk, outlook, is_planned=shown is not None and not shown.composed),
        remarks=remarks_of(outlook.lints),
    )


def among(shown: Snapshot, question: Question, estimates: Sequence[Estimate | None]) -> str:
    """Return words on shares among those who were asked, or an empty text if everybody was asked."""
    if len(estimates) == len(question.values):
        return ""
    made = shown.composed.get(question.name)
    parts = () if made is None else (share for _, share in made.shares)
    moved = false_within((*estimates, *parts), len(shown))
    return f"among those asked; {moved}" if moved else "among those asked"


def path_of(desk: Desk, outlook: Outlook, *, is_planned: bool) -> WidthPath | None:
    """Draw the length of the widest interval by the number of responses, if there are a plan and two batches.

    Args:
        desk: Desk with the widest interval of each batch.
        outlook: Planned figures.
        is_planned: Whether every interval on the page has a planned length. First choices, and options that are ticked
            together, have none.
    """
    walked = [(count, reach) for count, reach in desk.path if reach == reach]  # noqa: PLR0124 - not NaN
    if len(walked) < 2 or outlook.respondents is None:  # a line has two ends
        return None
    most = max(reach for _, reach in walked)
    goal = max(map(max, outlook.reaches)) if is_planned else 0.0
    longest = max(outlook.respondents, walked[-1][0])

    def at(count: int, reach: float) -> str:
        return f"{round(WIDE * count / longest, 1)} {round(HIGH * (1 - reach / max(most, goal)), 1)}"

    line = "L".join(at(*each) for each in walked)
    (first, wide), (last, narrow) = walked[0], walked[-1]
    words = f"from ± {100 * wide:.1f} points with {first} responses to ± {100 * narrow:.1f} with {last}"
    if not is_planned:
        return WidthPath(f"M{line}", "", "", words)
    return WidthPath(f"M{line}", f"M0 {at(0, goal).split()[1]}H{WIDE}", at(outlook.respondents, goal), words)


def remarks_of(lints: Sequence[Lint]) -> list[tuple[Lint, list[Lint]]]:
    """Group the remarks of the check: one remark, with the similar remarks that it stands for.

    The first remark stands for all remarks that differ from it only in numbers and values.
    """
    alike: dict[tuple[str, str, str], list[Lint]] = {}
    for lint in lints:
        alike.setdefault((lint.severity, lint.place, NUMBERS.sub("", lint.remedy)), []).append(lint)
    return [(first, others) for first, *others in alike.values()]


def rows_of(desk: Desk, shown: Snapshot, outlook: Outlook, question: Question) -> Iterator[ValueRow]:
    """Return the values of a question, in the order of the survey."""
    place = [each.name for each in shown.published.survey.questions].index(question.name)
    estimates, words = shown.estimates[place], value_words(shown.published.survey, question.name)
    for value, found in enumerate(estimates):
        planned = outlook.reaches[place][value] if outlook.reaches else None
        before = [then[place][value] for _, then in reversed(desk.earlier)]
        yield ValueRow(
            value=words[value],
            words=in_percent(found),
            reach=reach_of(found),
            planned=planned,
            drawn=None if found is None or has_no_denominator(found) else bar(found),
            band=None if found is None or planned is None else _ends(_around(found, planned)),
            earlier=[_ends(each.interval) for each in before if each is not None and each.interval is not None],
        )


def part_rows(shown: Snapshot, name: str) -> list[ValueRow]:
    """Return the first choices of a ranking, or the options that are ticked together.

    Questions other than rankings and ticked options have no such rows.
    """
    found = shown.composed.get(name)
    shares = () if found is None else found.shares
    drawn = [None if each is None or has_no_denominator(each) else bar(each) for _, each in shares]
    return [
        ValueRow(words, in_percent(each), reach_of(each), None, at, None, [])
        for (words, each), at in zip(shares, drawn, strict=True)
    ]


def place_rows(shown: Snapshot, name: str) -> list[ValueRow]:
    """Return the mean places of the items of a ranking. Questions other than rankings have no mean places."""
    found = shown.composed.get(name)
    places = () if found is None else found.places
    scale = place_scale(len(places))
    drawn = [None if each is None or each.interval is None else bar(each, scale) for _, each in places]
    return [
        ValueRow(words, in_places(each), reach_of(each), None, at, None, [])
        for (words, each), at in zip(places, drawn, strict=True)
    ]


def _all_shares(shown: Snapshot) -> Iterator[Estimate | None]:
    yield from chain.from_iterable(shown.estimates)
    yield from (share for found in shown.composed.values() for _, share in found.shares)


def _around(found: Estimate, reach: float) -> Range:
    return found.estimate - reach, found.estimate + reach


def _ends(interval: Range) -> Ends:
    low, high = (round(BAR * min(max(each, 0.0), 1.0), 2) for each in interval)
    return {"low": low, "high": high}
