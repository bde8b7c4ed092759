"""The tables of the store, and all SQL statements that use the tables.

- The table ``surveys`` has the fingerprint, name, version and design (canonical JSON) of each version of a survey. A
  version that was removed keeps its fingerprint and number, so that neither is used again, and has an empty design.
- The table ``revisions`` has the fingerprint, version (that is, fingerprint of its first wording), number and design of
  each later wording.
- The table ``closed`` has the names of surveys that take no responses, and whether they are closed for good.
- The table ``invitations`` has the survey and keyed hash of each invitation code, and whether the code was used.
- The table ``withdrawn`` has the survey and keyed hash of the receipt of each withdrawn response.
- The table ``imports`` has the version and keyed digest of each imported file, the number of responses and of imports,
  and whether the responses are simulated (NULL if the file does not say so).
- A table such as ``responses_wellbeing_1`` has the random id, codes, _receipt (keyed hash) and _by_hand (whether a
  person disguised it) of each response to a version.
- A view such as ``wellbeing_1`` shows the responses to a version in words.
- The table ``pictures`` has the name (SHA-256) and content of each picture.
- The tables ``runs`` and ``waits`` have the results of scheduled training (see `collector.store.registry`).

The name of a question never begins with an underscore, so the store can add the columns _receipt and _by_hand. SQL
texts are escaped in this module, and names need no escaping, because `Survey` has checked all names. No invitation is
linked to a response.
"""

from collector.database.batch import ABSENT, FIRST
from collector.database.session import Engine
from collector.store.pictures import PICTURES_SQL
from collector.store.registry import REGISTRY_SQL, REMOVE_RUNS_SQL
from collector.survey.question import Question
from collector.survey.survey import Survey

WITHDRAWN_SQL = """
CREATE TABLE withdrawn (
  survey TEXT NOT NULL,
  receipt BLOB NOT NULL CHECK (length(receipt) = 32),
  PRIMARY KEY (survey, receipt)
) STRICT, WITHOUT ROWID
"""
REVISIONS_TABLE_SQL = """
CREATE TABLE revisions (
  fingerprint TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 1),
  design TEXT NOT NULL,
  UNIQUE (version, number)
) STRICT, WITHOUT ROWID
"""
IMPORTS_SQL = """
CREATE TABLE imports (
  fingerprint TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  responses INTEGER NOT NULL CHECK (responses > 0),
  times INTEGER NOT NULL CHECK (times > 0),
  simulated TEXT CHECK (simulated IN ('seeded', 'unseeded')),
  PRIMARY KEY (fingerprint, digest)
) STRICT, WITHOUT ROWID
"""
TABLES_SQL = (
    """
CREATE TABLE surveys (
  fingerprint TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  design TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE closed (
  name TEXT PRIMARY KEY,
  for_good INTEGER NOT NULL CHECK (for_good IN (0, 1))
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE invitations (
  survey TEXT NOT NULL,
  code BLOB NOT NULL CHECK (length(code) = 32),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
  PRIMARY KEY (survey, code)
) STRICT, WITHOUT ROWID
""",
    WITHDRAWN_SQL,
    IMPORTS_SQL,
    REVISIONS_TABLE_SQL,
    PICTURES_SQL,
    *REGISTRY_SQL,
)
OWN_COLUMNS = {
    "_receipt": "BLOB UNIQUE CHECK (length(_receipt) = 32)",
    "_by_hand": "INTEGER NOT NULL DEFAULT 0 CHECK (_by_hand IN (0, 1))",
}
SENT_TABLES = (
    ("invitations", "survey, code"),
    ("withdrawn", "survey, receipt"),
    ("imports", "fingerprint, digest"),
    ("runs", "number"),
)
"""Further tables with traces of what respondents send, with the columns of their keys."""
SIMULATED_SQL = """EXISTS (
    SELECT 1 FROM imports WHERE imports.fingerprint = surveys.fingerprint AND simulated IS NOT NULL
  )"""
SHOWN_SQL = """coalesce(
    (SELECT fingerprint FROM revisions WHERE revisions.version = surveys.fingerprint ORDER BY number DESC LIMIT 1),
    surveys.fingerprint
  )"""
"""The fingerprint of the newest wording of a version."""
NEWEST_SQL = "version = (SELECT max(version) FROM surveys AS each WHERE each.name = surveys.name AND each.design <> '')"
SURVEYS_SQL = "SELECT fingerprint, name, version, design FROM surveys WHERE design <> ''"
REVISIONS_SQL = "SELECT fingerprint, version, design FROM revisions WHERE design <> ''"
FOR_GOOD = 2
CLOSED_SQL = f"(SELECT CASE for_good WHEN 1 THEN {FOR_GOOD} ELSE 1 END FROM closed WHERE closed.name = surveys.name)"  # noqa: S608 - constants
"""SQL that says whether a survey is closed (for good), and is NULL for an open survey."""
STATES_SQL = f"""
SELECT name, version, fingerprint, {SHOWN_SQL}, {CLOSED_SQL},
  {SIMULATED_SQL}
FROM surveys WHERE {NEWEST_SQL} ORDER BY name
"""  # noqa: S608 - constants
STATE_SQL = f"""
SELECT fingerprint, {CLOSED_SQL},
  EXISTS (SELECT 1 FROM invitations WHERE invitations.survey = surveys.name),
  {SIMULATED_SQL}, {SHOWN_SQL}, version
FROM surveys WHERE name = ? AND design <> '' ORDER BY version DESC LIMIT 1
"""  # noqa: S608 - constants
EVERYBODY_SQL = f"""
EXISTS (
  SELECT 1 FROM surveys WHERE fingerprint = ? AND version = ? AND {SHOWN_SQL} = ?
  AND {NEWEST_SQL}
  AND NOT EXISTS (SELECT 1 FROM closed WHERE closed.name = surveys.name)
  AND NOT {SIMULATED_SQL}
  AND NOT EXISTS (SELECT 1 FROM invitations WHERE invitations.survey = surveys.name)
)
"""  # noqa: S608 - constants
NEXT_SQL = "SELECT coalesce(max(version), 0) + 1 FROM surveys WHERE name = ?"
PUBLISH_SQL = "INSERT INTO surveys (fingerprint, name, version, design) VALUES (?, ?, ?, ?)"
REVISE_SQL = """
INSERT INTO revisions (fingerprint, version, design, number)
SELECT ?, ?, ?, coalesce(max(number), 1) + 1 FROM revisions WHERE version = ?
ON CONFLICT (fingerprint) DO UPDATE SET number = excluded.number
"""
REMOVE_SQL = (
    "DELETE FROM surveys WHERE name = ?",
    "DELETE FROM closed WHERE name = ?",
    "DELETE FROM invitations WHERE survey = ?",
    "DELETE FROM withdrawn WHERE survey = ?",
)
REMOVE_TRAINING_SQL = (
    "DELETE FROM waits WHERE fingerprint = ? OR fingerprint IN (SELECT fingerprint FROM revisions WHERE version = ?)",
    REMOVE_RUNS_SQL,
)
REMOVE_VERSION_SQL = (
    *REMOVE_TRAINING_SQL,
    "DELETE FROM revisions WHERE version = ?",
    "DELETE FROM imports WHERE fingerprint = ?",
)
EMPTY_VERSION_SQL = (
    *REMOVE_TRAINING_SQL,
    "UPDATE revisions SET design = '' WHERE version = ?",
    "UPDATE surveys SET design = '' WHERE fingerprint = ?",
)
EMPTIED_SQL = """
SELECT version FROM surveys
WHERE design = '' AND (fingerprint = ? OR fingerprint = (SELECT version FROM revisions WHERE fingerprint = ?))
"""
"""The number of the removed version to which a fingerprint belongs."""
CLOSED_FOR_GOOD_SQL = "SELECT EXISTS (SELECT 1 FROM closed WHERE name = ? AND for_good = 1)"
CLOSE_SQL = """
INSERT INTO closed (name, for_good) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET for_good = CASE WHEN excluded.for_good = 1 THEN 1 ELSE closed.for_good END
"""
OPEN_SQL = "DELETE FROM closed WHERE name = ?"
INVITATION_SQL = "SELECT used FROM invitations WHERE survey = ? AND code = ?"
INVITE_SQL = "INSERT INTO invitations (survey, code) VALUES (?, ?)"
USE_SQL = "UPDATE invitations SET used = 1 WHERE survey = ? AND code = ?"
IS_WITHDRAWN_SQL = "SELECT EXISTS (SELECT 1 FROM withdrawn WHERE survey = ? AND receipt = ?)"
WITHDRAW_SQL = "INSERT INTO withdrawn (survey, receipt) VALUES (?, ?)"
FORGET_WITHDRAWN_SQL = "DELETE FROM withdrawn WHERE survey = ?"
IMPORTED_SQL = "SELECT responses, times, simulated FROM imports WHERE fingerprint = ? AND digest = ?"
IMPORTED_ELSEWHERE_SQL = """
SELECT fingerprint, version, digest FROM imports JOIN surveys USING (fingerprint)
WHERE name = ? AND responses = ? AND fingerprint <> ? ORDER BY version
"""
REMEMBER_IMPORT_SQL = """
INSERT INTO imports (fingerprint, digest, responses, simulated, times) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (fingerprint, digest) DO UPDATE SET times = imports.times + 1
"""
FORGET_IMPORT_SQL = (
    "DELETE FROM imports WHERE fingerprint = ? AND digest = ? AND times = 1",
    "UPDATE imports SET times = times - 1 WHERE fingerprint = ? AND digest = ?",
)
IMPORTS_COUNTED_SQL = "SELECT digest, responses * times FROM imports WHERE fingerprint = ?"
MARKED_SQL = """
SELECT simulated, sum(responses * times) FROM imports
WHERE fingerprint = ? AND simulated IS NOT NULL GROUP BY simulated
"""
INVITATIONS_SQL = "SELECT count(*), coalesce(sum(used), 0) FROM invitations WHERE survey = ?"


def table_sql(table: str, survey: Survey) -> str:
    """Return the SQL that creates the table of responses to a version, with a random id and a column per question.

    Codes of questions that not everybody is asked may be NULL. Each row must have as many codes as one respondent is
    asked questions.
    """
    columns = [_column_sql(survey, each) for each in survey.questions]
    own = [f"{name} {kind}" for name, kind in OWN_COLUMNS.items()]
    checks = [] if survey.sampling is None else [f"CHECK ({_asked_sql(survey)} = {survey.sampling.ask})"]
    return f'CREATE TABLE "{table}" (\n  {_listed("id INTEGER PRIMARY KEY", *columns, *own, *checks)}\n) STRICT'


def _column_sql(survey: Survey, question: Question) -> str:
    needed = "" if survey.may_miss(question.name) else "NOT NULL "
    return f'"{question.name}" INTEGER {needed}CHECK ({_codes_sql(question.name, question.codes)})'


def _asked_sql(survey: Survey) -> str:
    """Return SQL that counts the questions that a row of responses answers.

    The SQL is a balanced tree of additions, because SQLite limits the depth of an expression to 1000.
    """
    terms = [f'("{question.name}" IS NOT NULL)' for question in survey.questions]
    while len(terms) > 1:
        terms = ["(" + " + ".join(terms[start : start + 2]) + ")" for start in range(0, len(terms), 2)]
    return terms[0]


def insert_sql(table: str, survey: Survey) -> str:
    """Return the SQL that stores one response: id, codes, receipt, and whether a person disguised it by hand.

    The SQL statement stores nothing if the id or the receipt already exists.
    """
    slots = ", ".join("?" for _ in insert_columns(survey))
    return f'INSERT INTO "{table}" ({", ".join(insert_columns(survey))}) VALUES ({slots}) ON CONFLICT DO NOTHING'  # noqa: S608 - checked names


def everybody_sql(is_receipt: str) -> str:
    """Return the SQL condition under which a batch of responses may be stored without further checks.

    The SQL condition is true if the survey's wording takes responses from everybody now, and no response of the batch
    was withdrawn before.

    Args:
        is_receipt: SQL condition that the column ``receipt`` holds a receipt of the batch.

    Returns:
        The SQL condition, whose placeholders are for the version's fingerprint, number and newest fingerprint, and for
        the survey's name and `is_receipt`.
    """
    return f"{EVERYBODY_SQL} AND NOT EXISTS (SELECT 1 FROM withdrawn WHERE survey = ? AND {is_receipt})"  # noqa: S608 - slots


def count_sql(table: str) -> str:
    """Return SQL that counts the responses in a table."""
    return f'SELECT count(*) FROM "{table}"'  # noqa: S608 - a checked name


def cells_sql(table: str, survey: Survey) -> str:
    """Return SQL that counts the responses in each combination of what is not disguised in them.

    The SQL selects the number of responses, whether a person disguised them by hand, the codes of each undisguised
    question, and 1 or 0 for each disguised question that not everybody is asked.
    """
    plain = [f'"{each.name}"' for each in survey.questions if not survey.is_disguised(each.name)]
    drawn = [each.name for each in survey.questions if survey.is_disguised(each.name) and survey.may_miss(each.name)]
    kept = ", ".join(["_by_hand", *plain, *(f'CASE WHEN "{name}" IS NULL THEN 0 ELSE 1 END' for name in drawn)])
    places = ", ".join(str(place) for place in range(2, 3 + len(plain) + len(drawn)))
    return f'SELECT count(*), {kept} FROM "{table}" GROUP BY {places}'  # noqa: S608 - checked names


def imported_sql(table: str, survey: Survey) -> str:
    """Return SQL that selects the id and codes of every response that may have been imported from a file."""
    names = ", ".join(f'"{question.name}"' for question in survey.questions)
    return f'SELECT id, {names} FROM "{table}" WHERE _receipt IS NULL AND _by_hand = 0'  # noqa: S608 - checked names


def batch_sql(table: str, survey: Survey, engine: Engine, *, with_ids: bool = False) -> str:
    """Return SQL that selects the responses after an id, as the last id, all codes, and (if wanted) all ids.

    All codes are selected as one text with a character for each code, which `collector.database.batch` reads.
    """
    cells = [f'coalesce("{question.name}" + {FIRST}, {ABSENT})' for question in survey.questions]
    shard = f'SELECT * FROM "{table}" WHERE id > ? ORDER BY id LIMIT ?'  # noqa: S608 - checked names
    ids = engine.as_list("id") if with_ids else "NULL"
    return f"SELECT max(id), {engine.as_text(cells)}, {ids} FROM ({shard}) AS shard"  # noqa: S608 - checked names


def receipt_sql(table: str) -> str:
    """Return SQL that finds out whether there is a response with a receipt."""
    return f'SELECT EXISTS (SELECT 1 FROM "{table}" WHERE _receipt = ?)'  # noqa: S608 - a checked name


def withdraw_sql(table: str) -> str:
    """Return the SQL that deletes the response with a receipt."""
    return f'DELETE FROM "{table}" WHERE _receipt = ?'  # noqa: S608 - a checked name


def forget_sql(table: str) -> str:
    """Return the SQL that erases every receipt in a table of responses."""
    return f'UPDATE "{table}" SET _receipt = NULL'  # noqa: S608 - a checked name


def insert_columns(survey: Survey) -> list[str]:
    """Return the columns of a table of responses, in the order in which rows are stored."""
    return ["id", *(f'"{question.name}"' for question in survey.questions), *OWN_COLUMNS]


def _listed(*items: str) -> str:
    return ",\n  ".join(items)


def _codes_sql(name: str, codes: tuple[int, ...]) -> str:
    if codes == tuple(range(len(codes))):
        return f'"{name}" BETWEEN 0 AND {codes[-1]}'
    return f'"{name}" IN ({", ".join(map(str, codes))})'


def view_sql(view: str, table: str, survey: Survey) -> str:
    """Return the SQL that creates the view of responses in words, for Datasette or ``sqlite3``."""
    columns = [f'{_words_sql(each)} AS "{each.name}"' for each in survey.questions]
    return f'CREATE VIEW "{view}" AS SELECT\n  {_listed("id", *columns)}\nFROM "{table}"'


def _words_sql(question: Question) -> str:
    if question.coding.shared:
        return f"'#' || \"{question.name}\""
    cases = [f"WHEN {code} THEN {_text_sql(question.word_of(code))}" for code in question.codes]
    return f'CASE "{question.name}" {" ".join(cases)} END'


def _text_sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
