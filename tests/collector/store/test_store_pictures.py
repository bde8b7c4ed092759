"""The store has the pictures of its surveys: a backup has them too, and what is removed is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from collector.database.address import Address
from collector.errors import StoreError
from collector.maintenance.audit_store import audit_store
from collector.maintenance.backup import back_up, restore
from collector.store.store import Store
from collector.survey.design import survey_from_json
from collector.survey_file.survey_file import read_survey_file
from pictures import PICTURES, png, survey_with_pictures
from store_rows import query


def test_a_backup_has_the_pictures_when_the_survey_file_is_gone(path: Path, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path / "files")
    with Store(path, create=True) as store:
        store.publish(survey)
    back_up(path, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "restored.db")
    with Store(tmp_path / "restored.db") as store:
        shown = store.published("shown").survey.pictures
        assert [store.picture(each.name) for each in shown] == list(PICTURES.values())
    assert [check.check for check in audit_store(path).checks if not check.green] == []


def test_a_design_whose_pictures_are_nowhere_is_not_published(path: Path, tmp_path: Path) -> None:
    survey = survey_from_json(survey_with_pictures(tmp_path).canonical)
    with Store(path, create=True) as store:
        with pytest.raises(StoreError, match=r"the picture \w{64}.png "):
            store.publish(survey)
        assert store.surveys() == []
        store.publish(survey_with_pictures(tmp_path))
        assert store.publish(survey).version == 1, "they are here now"


def test_a_picture_that_was_changed_in_the_store_is_not_shown(path: Path, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path)
    with Store(path, create=True) as store:
        store.publish(survey)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE pictures SET content = x'89504e47'")
        assert {store.picture(each.name) for each in survey.pictures} == {None}


def test_a_survey_that_is_removed_takes_along_the_pictures_that_no_other_shows(path: Path, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text(
        'name = "other"\ntitle = "Other"\nlanguages = ["en"]\nquestions = [{ name = "q", label = "?", kind = "yes_no", '
        'sensitive = false, picture = "jug.png", picture_text = "A jug" }]'
    )
    (tmp_path / "unused.png").write_bytes(png(3, 3, (1, 2, 3)))
    with Store(path, create=True) as store:
        store.publish(survey)
        store.publish(read_survey_file(other))
        store.remove("shown")
        kept = [store.picture(each.name) for each in survey.pictures]
        assert kept == [None, None, PICTURES["jug.png"]]
        store.remove("other")
    assert query(path, "SELECT count(*) FROM pictures") == [(0,)]


def test_a_store_in_postgresql_keeps_pictures_and_forgets_them(database: Address, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path)
    with Store(database, create=True) as store:
        store.publish(survey)
        assert [store.picture(each.name) for each in survey.pictures] == list(PICTURES.values())
        store.remove("shown")
        assert {store.picture(each.name) for each in survey.pictures} == {None}
