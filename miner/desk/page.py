"""The desk as one page of HTML, of which a small script replaces what has changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from collector.maintenance.running import BATCH, FEW, state_line
from collector.store.published import State
from collector.survey.question import Question
from miner.desk.desk import Desk, Outlook, Snapshot
from miner.drawing.tree import ENVIRONMENT
from miner.estimates.estimate import Estimate, Range
from miner.reporting.figure import BAR, bar, false_line, figure

Ends = dict[str, float]
"""Where a line begins and ends, in hundredths of the bar."""


@dataclass(frozen=True)
class Row:
    """A value of a question.

    Attributes:
        value: In words.
        words: Its estimate with the interval.
        reach: Half of the length of the interval; None without one.
        planned: What that was planned to be; None if nothing was planned.
        drawn: The bar; None without an estimate.
        band: The planned interval around the estimate.
        earlier: Intervals from when there were fewer responses, the latest first.
    """

    value: str
    words: str
    reach: float | None
    planned: float | None
    drawn: Ends | None
    band: Ends | None
    earlier: list[Ends]


def page(desk: Desk, state: State) -> str:
    """The whole document."""
    survey, shown, outlook = state.newest.survey, desk.shown(state), desk.outlook(state.newest.survey)
    questions = (
        [] if shown is None else [(each, list(rows_of(desk, shown, outlook, each))) for each in survey.questions]
    )
    reaches = [row.reach for _, rows in questions for row in rows if row.reach is not None]
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
        widest=max(reaches, default=None),
        planned=max((max(each) for each in outlook.reaches), default=None),
        moved="" if shown is None else false_line(chain.from_iterable(shown.estimates), len(shown.responses)),
        simulated=None if shown is None else shown.responses.simulated,
    )


def message(title: str, words: str, *, way_back: bool) -> str:
    """A page that says what is wrong."""
    return ENVIRONMENT.get_template("desk/message.html").render(title=title, words=words, way_back=way_back)


def rows_of(desk: Desk, shown: Snapshot, outlook: Outlook, question: Question) -> Iterator[Row]:
    """The values of a question of the newest version."""
    place = [each.name for each in shown.published.survey.questions].index(question.name)
    for value, name in enumerate(question.values):
        found = shown.estimates[place][value]
        planned = outlook.reaches[place][value] if outlook.reaches else None
        before = [then[place][value] for _, then in reversed(desk.earlier)]
        yield Row(
            value=name,
            words=figure(found),
            reach=None if found is None or found.interval is None else (found.interval[1] - found.interval[0]) / 2,
            planned=planned,
            drawn=None if found is None else bar(found),
            band=None if found is None or planned is None else _ends(_around(found, planned)),
            earlier=[_ends(each.interval) for each in before if each is not None and each.interval is not None],
        )


def _around(found: Estimate, reach: float) -> Range:
    return found.estimate - reach, found.estimate + reach


def _ends(interval: Range) -> Ends:
    low, high = (round(BAR * min(max(each, 0.0), 1.0), 2) for each in interval)
    return {"low": low, "high": high}
