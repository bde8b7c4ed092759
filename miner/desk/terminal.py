"""Text of the desk for a batch, for ``collector status --watch``, which finds it by an entry point of the package."""

from collector.maintenance.running import Counts
from collector.store.published import SurveyState
from collector.store.store import Store
from miner.desk.desk import Desk
from miner.desk.page import rows_of


def counts_and_estimates(store: Store, state: SurveyState) -> Counts:
    """The counts of a survey as they are now, with the estimates of the very same responses."""
    desk, survey = Desk(store, state.newest.name), state.newest.survey
    now, outlook = desk.snapshot(state), desk.outlook(survey)
    estimates = tuple(
        (question.name, row.value, row.words, _half(row.reach), *([] if row.planned is None else [_half(row.planned)]))
        for question in survey.questions
        for row in rows_of(desk, now, outlook, question)
    )
    return Counts(len(now), now.invitations, estimates)


def _half(reach: float | None) -> str:
    return "none" if reach is None else f"{100 * reach:.1f}"
