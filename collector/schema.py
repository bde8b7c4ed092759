"""The tables of the store, as SQL. `collector.store` alone runs it.

    surveys                  fingerprint, name, version, design (canonical JSON)
    responses_wellbeing_1    id (random), a column of codes for each question; one such table per published version
    wellbeing_1              a view of the same in words

Names need no escaping: the survey has checked them. Texts are escaped here.
"""

from __future__ import annotations

from collector.question import Question
from collector.survey import Survey

SURVEYS_SQL = """
CREATE TABLE surveys (
  fingerprint TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  design TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT, WITHOUT ROWID
"""


def table_sql(table: str, survey: Survey) -> str:
    """The table of the responses to one published version: a random id, and a column of codes for each question."""
    columns = [f'"{each.name}" INTEGER NOT NULL CHECK ({_codes_sql(each)})' for each in survey.questions]
    return f'CREATE TABLE "{table}" (\n  {_listed("id INTEGER PRIMARY KEY", *columns)}\n) STRICT'


def _listed(*items: str) -> str:
    return ",\n  ".join(items)


def _codes_sql(question: Question) -> str:
    codes = question.codes
    if codes == tuple(range(len(codes))):
        return f'"{question.name}" BETWEEN 0 AND {codes[-1]}'
    return f'"{question.name}" IN ({", ".join(map(str, codes))})'


def view_sql(view: str, table: str, survey: Survey) -> str:
    """The view of the same in words, to read in Datasette or with ``sqlite3``."""
    columns = [f'{_words_sql(each)} AS "{each.name}"' for each in survey.questions]
    return f'CREATE VIEW "{view}" AS SELECT\n  {_listed("id", *columns)}\nFROM "{table}"'


def _words_sql(question: Question) -> str:
    cases = [f"WHEN {code} THEN {_text_sql(question.word_of(code))}" for code in question.codes]
    return f'CASE "{question.name}" {" ".join(cases)} END'


def _text_sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
