"""The SQL tables of the ledger, and all statements that use the tables.

Rows of the ledger are added and never changed.
"""

AMOUNT = "TEXT NOT NULL CHECK (length({0}) > 0)"  # exact fraction such as 1/3, or "none"
TABLES = ("data_sets", "known_tables", "charges")
LEDGER_SQL = (
    f"""
CREATE TABLE data_sets (
  name TEXT PRIMARY KEY,
  epsilon {AMOUNT.format("epsilon")},
  delta {AMOUNT.format("delta")},
  neighbours TEXT NOT NULL CHECK (neighbours IN ('add/remove', 'replace-one')),
  records INTEGER NOT NULL CHECK (records > 0)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE known_tables (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  data_set TEXT NOT NULL REFERENCES data_sets (name)
) STRICT, WITHOUT ROWID
""",
    f"""
CREATE TABLE charges (
  number INTEGER PRIMARY KEY,
  data_set TEXT NOT NULL REFERENCES data_sets (name),
  cohort TEXT,
  mechanism TEXT NOT NULL,
  epsilon {AMOUNT.format("epsilon")},
  delta {AMOUNT.format("delta")},
  replace_epsilon {AMOUNT.format("replace_epsilon")},
  replace_delta {AMOUNT.format("replace_delta")}
) STRICT
""",
    *(
        f"""
CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table}
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END
"""
        for table in TABLES
        for event in ("UPDATE", "DELETE")
    ),
)
DEPOSITS_SQL = """
CREATE TABLE deposits (
  fingerprint TEXT PRIMARY KEY,
  root TEXT NOT NULL CHECK (length(root) = 64)
) STRICT, WITHOUT ROWID
"""
"""Made in a store with the first deposit; it is not of the store's format."""
DEPOSITS_THERE_SQL = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'deposits')"
DEPOSITED_SQL = "SELECT EXISTS (SELECT 1 FROM deposits WHERE fingerprint = ?)"
DEPOSIT_SQL = "INSERT INTO deposits (fingerprint, root) VALUES (?, ?)"
HOLDS = {
    ("deposits", "fingerprint"): "SHA-256 of the design of a version whose responses were deposited",
    ("deposits", "root"): "root of the hash tree over the rows of the deposit, as its README has it",
    ("data_sets", "name"): "name of a data set that releases are made from",
    ("data_sets", "epsilon"): "its budget",
    ("data_sets", "delta"): "its budget",
    ("data_sets", "neighbours"): "what the budget counts in",
    ("data_sets", "records"): "how many rows one person may have",
    ("known_tables", "digest"): "keyed hash of a whole table, or of it and a cohort's name",
    ("known_tables", "data_set"): "name of its data set",
    ("charges", "number"): "1, 2, ... in the order of releases",
    ("charges", "data_set"): "name of the data set",
    ("charges", "cohort"): "name of the rows it was made from, or nothing for all",
    ("charges", "mechanism"): "what was released, in words",
    ("charges", "epsilon"): "cost when a record is added or removed, or none: without a guarantee",
    ("charges", "delta"): "cost when a record is added or removed, or none: without a guarantee",
    ("charges", "replace_epsilon"): "cost when a record is replaced, or none: without a guarantee",
    ("charges", "replace_delta"): "cost when a record is replaced, or none: without a guarantee",
}
THERE_SQL = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'charges')"
DATA_SETS_SQL = "SELECT name, epsilon, delta, neighbours, records FROM data_sets ORDER BY name"
OPEN_SQL = "INSERT INTO data_sets (name, epsilon, delta, neighbours, records) VALUES (?, ?, ?, ?, ?)"
HOME_SQL = "SELECT data_set FROM known_tables WHERE digest = ?"
KNOW_SQL = "INSERT INTO known_tables (digest, data_set) VALUES (?, ?) ON CONFLICT DO NOTHING"
COHORTS_SQL = "SELECT DISTINCT cohort FROM charges WHERE data_set = ? AND cohort IS NOT NULL ORDER BY cohort"
CHARGES_SQL = """
SELECT number, data_set, cohort, mechanism, epsilon, delta, replace_epsilon, replace_delta FROM charges ORDER BY number
"""
CHARGE_SQL = """
INSERT INTO charges (data_set, cohort, mechanism, epsilon, delta, replace_epsilon, replace_delta)
VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number
"""
