"""The pictures of published surveys. The store keeps the bytes of pictures, so that a backup is complete."""

from collector.database.session import Session
from collector.errors import StoreError
from collector.survey.picture import is_picture
from collector.survey.survey import Survey

PICTURES_SQL = """
CREATE TABLE pictures (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID
"""
KEEP_SQL = "INSERT INTO pictures (name, content) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
PICTURE_SQL = "SELECT content FROM pictures WHERE name = ?"
NAMES_SQL = "SELECT name FROM pictures"
DESIGNS_SQL = "SELECT design FROM surveys UNION ALL SELECT design FROM revisions"
FORGET_SQL = "DELETE FROM pictures WHERE name = ?"


def keep_pictures(database: Session, survey: Survey) -> None:
    """Store the pictures that a survey shows.

    Raises:
        StoreError: If a picture is neither given with the survey nor already stored.
    """
    for each in survey.pictures:
        if each.content is not None:
            database.execute(KEEP_SQL, [each.name, each.content])
        elif picture(database, each.name) is None:
            place = f'survey "{survey.name}"'
            raise StoreError(place, f"the picture {each.name} is not in the store", "publish the survey file again")


def picture(database: Session, name: str) -> bytes | None:
    """Return the bytes of a picture, or None if the picture is not stored or has a wrong hash."""
    row = database.execute(PICTURE_SQL, [name]).fetchone()
    return bytes(row[0]) if row and is_picture(name, bytes(row[0])) else None


def forget_pictures(database: Session) -> None:
    """Delete the pictures that no published survey shows."""
    designs = [str(design) for (design,) in database.execute(DESIGNS_SQL).fetchall()]
    for (name,) in database.execute(NAMES_SQL).fetchall():
        if not any(name in design for design in designs):
            database.execute(FORGET_SQL, [name])
