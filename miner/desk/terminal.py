"""Write the desk as text for ``collector status --watch``, which finds the module by an entry point."""

from collector.maintenance.running import Counts
from collector.store.published import SurveyState
from collector.store.store import Store
from miner.desk.desk import Desk, Snapshot
from miner.desk.page import ValueRow, part_rows, rows_of


def counts_and_estimates(store: Store, state: SurveyState) -> Counts:
    """Return the present counts of a survey, with the estimates from the same responses."""
    desk, survey = Desk(store, state.newest.name), state.newest.survey
    now, outlook = desk.snapshot(state), desk.outlook(survey)
    rows = {each.name: part_rows(now, each.name) or [*rows_of(desk, now, outlook, each)] for each in survey.questions}
    estimates = tuple(
        (
            name,
            _value(now, name, row),
            row.words,
            _half(row.reach),
            *([] if row.planned is None else [_half(row.planned)]),
        )
        for name, some in rows.items()
        for row in some
    )
    return Counts(len(now), now.invitations, estimates)


def _value(now: Snapshot, name: str, row: ValueRow) -> str:
    """Return a value in words, or the item in first place for a ranking."""
    return f"first: {row.value}" if name in now.composed and now.composed[name].is_ranking else row.value


def _half(reach: float | None) -> str:
    return "none" if reach is None else f"{100 * reach:.1f}"
