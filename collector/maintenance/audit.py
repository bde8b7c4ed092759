"""The findings of an audit: the content of each column of a store, and checks with remedies."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from collector.database.session import Session
from collector.ledger.schema import HOLDS as LEDGER_HOLDS
from collector.store.published import Published
from collector.survey.survey import Survey

TIDY = "run collector tidy"
BUCKETS = 16
FEWEST_IDS = 200  # smallest number of ids whose distribution is checked
SPREAD_LIMIT = 86.0  # chi-square with 15 degrees of freedom, exceeded by one in 10^11 sound stores
HOLDS = {
    ("about", "format"): "the number of the store's format",
    ("about", "key_check"): "a keyed hash that tells whether a pepper is the store's",
    ("surveys", "fingerprint"): "SHA-256 of the design",
    ("surveys", "name"): "name of the survey",
    ("surveys", "version"): "1, 2, ... in order of publication",
    ("surveys", "design"): "the published design, or nothing if the version was removed",
    ("revisions", "fingerprint"): "SHA-256 of a later wording of a version",
    ("revisions", "version"): "SHA-256 of the version's first wording",
    ("revisions", "number"): "2, 3, ... in order of publication",
    ("revisions", "design"): "the published design in that wording, or nothing if the version was removed",
    ("pictures", "name"): "SHA-256 of a picture that a survey shows, and its type",
    ("pictures", "content"): "its bytes",
    ("closed", "name"): "name of a survey that takes no responses",
    ("closed", "for_good"): "0, or 1 if its receipts are erased",
    ("invitations", "survey"): "name of the survey",
    ("invitations", "code"): "keyed hash of an invitation code",
    ("invitations", "used"): "0, or 1 once a response came with it",
    ("withdrawn", "survey"): "name of the survey",
    ("withdrawn", "receipt"): "keyed hash of the receipt of a response that was taken back",
    ("imports", "fingerprint"): "of the survey that a file has responses to",
    ("imports", "digest"): "keyed digest of all its rows, in no order",
    ("imports", "responses"): "how many there are",
    ("imports", "times"): "how often it was imported",
    ("imports", "simulated"): "whether it says that they are simulated, and with which coins",
    ("runs", "number"): "1, 2, ... in order of training",
    ("runs", "fingerprint"): "of the survey that was trained on",
    ("runs", "settings"): "the settings of the job",
    ("runs", "responses"): "how many there were",
    ("runs", "result"): "what came of it",
    (
        "runs",
        "figures",
    ): (
        "what it measured of the responses, exactly, the model it replaced, and the files there were; "
        "after a deletion, no figure and no model"
    ),
    ("runs", "model"): "SHA-256 of the model file; after a deletion, nothing",
    ("waits", "fingerprint"): "of a survey",
    ("waits", "count"): "how many runs found too few new responses",
    **LEDGER_HOLDS,
}
OWN = {
    "id": "random number of 63 bits",
    "_receipt": "keyed hash of the receipt, or nothing",
    "_by_hand": "1 if a person disguised it, else 0",
}


@dataclass(frozen=True)
class StoreColumn:
    """A column of the store, with a description of its content."""

    table: str
    name: str
    holds: str


@dataclass(frozen=True)
class Check:
    """The result of one check of an audit."""

    what: str
    green: bool
    found: str
    remedy: str


@dataclass(frozen=True)
class StoreAudit:
    """The findings of an audit of a store."""

    columns: tuple[StoreColumn, ...]
    checks: tuple[Check, ...]

    @property
    def green(self) -> bool:
        """Whether every check passed."""
        return all(check.green for check in self.checks)


def known_columns(found: Iterable[tuple[str, str]], versions: list[Published]) -> Iterator[StoreColumn]:
    """Yield a description of what each column of the store contains."""
    surveys = {each.table: each.survey for each in versions}
    for table, name in found:
        holds = HOLDS.get((table, name))
        if table in surveys:
            holds = OWN.get(name) or _answer(surveys[table], name)
        yield StoreColumn(table, name, holds or "NOT KNOWN TO THIS PROJECT")


def _answer(survey: Survey, column: str) -> str | None:
    """Return a description of what a question's column contains, or None if the question does not exist."""
    if all(column != question.name for question in survey.questions):
        return None
    code = "a disguised code" if survey.is_disguised(column) else "the answer as it is, not disguised"
    return f"{code}, or nothing: not asked" if survey.may_miss(column) else code


def ids_check(database: Session, published: Published) -> Check:
    """Check that the ids of responses are random, with Pearson's chi-square test over equal intervals."""
    counts = dict.fromkeys(range(BUCKETS), 0)
    counts.update(database.execute(f'SELECT id >> 59, count(*) FROM "{published.table}" GROUP BY 1').fetchall())  # noqa: S608 - a checked name
    total = sum(counts.values())
    spread = sum((count - total / BUCKETS) ** 2 for count in counts.values()) * BUCKETS / max(total, 1)
    return Check(
        f"the ids of {published.view} are spread over their whole range",
        len(counts) == BUCKETS and (total < FEWEST_IDS or spread < SPREAD_LIMIT),
        f"{total} ids, chi-square {spread:.1f}",
        "find out who wrote into the store",
    )
