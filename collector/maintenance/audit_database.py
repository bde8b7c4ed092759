"""The audit of a store in PostgreSQL, which checks tables, order of rows, and settings of the server."""

from collections.abc import Iterator
from contextlib import contextmanager

from collector.database.address import Address
from collector.database.session import Session
from collector.maintenance.audit import TIDY, Check, StoreAudit, ids_check, known_columns
from collector.store.published import Published
from collector.store.schema import SENT_TABLES, TABLES_SQL, table_sql, view_sql
from collector.store.store import Store
from collector.store.store_database import ABOUT_SQL, open_engine

KEPT = "docs/serving.md says what to set"
COLUMNS_SQL = """
SELECT table_name, column_name FROM information_schema.columns JOIN pg_tables ON tablename = table_name
WHERE table_schema = current_schema() AND schemaname = current_schema() ORDER BY table_name, ordinal_position
"""
SCHEMA_SQL = """
WITH relations AS (SELECT * FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
SELECT relname, relkind::text, attname,
  format_type(atttypid, atttypmod) || attnotnull::text || coalesce(pg_get_expr(adbin, adrelid), '')
FROM relations JOIN pg_attribute ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE relkind NOT IN ('i', 'S')
UNION ALL SELECT relname, 'constraint', '', pg_get_constraintdef(pg_constraint.oid)
FROM relations JOIN pg_constraint ON conrelid = relations.oid
UNION ALL SELECT relname, 'view', '', pg_get_viewdef(relations.oid) FROM relations WHERE relkind = 'v'
UNION ALL SELECT relname, 'trigger', tgname, '' FROM relations JOIN pg_trigger ON tgrelid = relations.oid
UNION ALL SELECT relname, 'rule', rulename, '' FROM relations JOIN pg_rewrite ON ev_class = relations.oid
UNION ALL SELECT relname, 'policy', polname, '' FROM relations JOIN pg_policy ON polrelid = relations.oid
UNION ALL SELECT relname, 'index', indexrelid::regclass::text, ''
FROM relations JOIN pg_index ON indrelid = relations.oid
WHERE NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
"""
LOG_SQL = """
SELECT name FROM pg_settings WHERE (name, setting) NOT IN (('archive_mode', 'off'), ('wal_keep_size', '0'))
AND name IN ('archive_mode', 'wal_keep_size')
UNION ALL SELECT 'replication slot ' || slot_name FROM pg_replication_slots
UNION ALL SELECT 'standby ' || pid FROM pg_stat_replication
"""
WRITERS_SQL = """
SELECT name FROM pg_settings WHERE name LIKE '%preload_libraries' AND setting ~ 'auto_explain|pgaudit'
"""
ROWS_SQL = """
WITH found AS (
  SELECT xmin::text AS writer, (ctid::text::point)[0] AS page, (ctid::text::point)[1] AS place,
    row_number() OVER (ORDER BY ctid) AS lies, row_number() OVER (ORDER BY {order}) AS sorted
  FROM "{table}"
), pages AS (SELECT max(place) - count(*) AS gaps FROM found GROUP BY page)
SELECT count(DISTINCT writer), count(*) FILTER (WHERE lies <> sorted), (SELECT coalesce(sum(gaps), 0) FROM pages),
  pg_relation_size('"{table}"') / current_setting('block_size')::int - count(DISTINCT page)
FROM found
"""


def audit_database(address: Address) -> StoreAudit:
    """Return the findings of an audit of a store in PostgreSQL.

    Raises:
        StoreError: If there is no store, or the store cannot be read.
    """
    with Store(address) as store:
        versions = store.surveys()
    engine = open_engine(address, create=False)[0]
    try:
        with engine.reading() as session:
            columns = tuple(known_columns(session.execute(COLUMNS_SQL).fetchall(), versions))
            checks = (
                database_schema_check(session, versions),
                _nothing(session, LOG_SQL, "the write-ahead log is neither archived, kept nor sent elsewhere"),
                _nothing(session, WRITERS_SQL, "no extension writes statements down"),
                *(ids_check(session, each) for each in versions),
                *(_rows(session, *each) for each in (*((each.table, "id") for each in versions), *SENT_TABLES)),
            )
    finally:
        engine.close()
    return StoreAudit(columns, checks)


def database_schema_check(session: Session, versions: list[Published]) -> Check:
    """Compare the tables of the database with temporary tables that this version creates."""
    found = set(session.execute(SCHEMA_SQL))
    with _undone(session):
        session.execute("SET LOCAL search_path = pg_temp")
        for sql in (ABOUT_SQL, *TABLES_SQL, *_made_for(versions)):
            session.execute(sql)
        expected = set(session.execute(SCHEMA_SQL))
    extra, missing = len(found - expected), len(expected - found)
    return Check(
        "there are the tables and views of the published surveys, and nothing else",
        found == expected,
        f"{len(found)} columns and constraints, {extra} unknown, {missing} missing",
        "find out who changed the database; restore the last backup",
    )


def _made_for(versions: list[Published]) -> Iterator[str]:
    for each in versions:
        yield table_sql(each.table, each.survey)
        yield view_sql(each.view, each.table, each.survey)


@contextmanager
def _undone(session: Session) -> Iterator[None]:
    session.execute("BEGIN")
    try:
        yield
    finally:
        session.execute("ROLLBACK")


def _nothing(session: Session, sql: str, what: str) -> Check:
    found = [name for (name,) in session.execute(sql)]
    return Check(what, not found, ", ".join(found) or "none", KEPT)


def _rows(session: Session, table: str, order: str) -> Check:
    """Check that the order of a table's rows on the disk does not reveal the order of arrival."""
    writers, astray, gaps, empty = session.execute(ROWS_SQL.format(table=table, order=order)).fetchone()
    return Check(
        f"the rows of {table} lie in the order of their keys, written by one transaction, without deleted ones between",
        writers <= 1 and not (astray or gaps or empty),
        f"{writers} transactions, {astray} rows elsewhere, {gaps:.0f} gaps, {empty} empty pages",
        TIDY,
    )
