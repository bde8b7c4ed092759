"""The collector command around the intake: invite, open, close, tidy, and what status tells of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collector.cli import main
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.remarks import remarks
from collector.store.invitation import LENGTH, normalised
from collector.store.store import Sent, Store
from collector.survey.survey import Survey

ROW = (0, 1, 3, 2, 0, 1)


@pytest.fixture
def path(tmp_path: Path, wellbeing: Survey) -> Path:
    """A store in which the example is published."""
    with Store(tmp_path / "a.db", create=True) as store:
        store.publish(wellbeing)
    return tmp_path / "a.db"


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--store", str(path)])


def printed(path: Path, *arguments: str) -> str:
    result = run(path, *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_codes_are_printed_once_each_and_work(path: Path, wellbeing: Survey) -> None:
    codes = printed(path, "invite", "wellbeing", "--count", "5").splitlines()
    assert len(set(codes)) == 5
    assert all(len(normalised(code)) == LENGTH for code in codes)
    with Store(path) as store:
        for code in codes:
            store.receive(wellbeing, Sent(ROW, None, code))
        assert store.count(wellbeing) == 5


def test_links_have_the_code_behind_a_hash_mark(path: Path) -> None:
    lines = printed(path, "invite", "wellbeing", "--count", "2", "--links", "https://a.example/").splitlines()
    addresses, codes = zip(*(line.split("#") for line in lines), strict=True)
    assert set(addresses) == {"https://a.example/s/wellbeing"}
    assert all(len(normalised(code)) == LENGTH for code in codes)


def test_links_to_a_path_of_a_site_are_refused_before_any_code_is_made(path: Path) -> None:
    arguments = ["invite", "wellbeing", "--count", "2", "--links", "https://a.example/survey", "--store", str(path)]
    refused = CliRunner().invoke(main, arguments)
    assert (refused.exit_code, "--links: " in refused.stderr) == (2, True)
    assert "invitations: 0 issued" in printed(path, "status", "wellbeing")


def test_a_table_for_mail_merge_has_codes_and_links(path: Path) -> None:
    arguments = ("invite", "wellbeing", "--count", "2", "--csv")
    plain = list(csv.DictReader(io.StringIO(printed(path, *arguments))))
    assert [list(row) for row in plain] == [["code"]] * 2
    linked = list(csv.DictReader(io.StringIO(printed(path, *arguments, "--links", "https://a.example"))))
    assert [row["link"] for row in linked] == [f"https://a.example/s/wellbeing#{row['code']}" for row in linked]


def test_status_tells_how_many_invitations_were_used_and_never_which(path: Path, wellbeing: Survey) -> None:
    codes = printed(path, "invite", "wellbeing", "--count", "3").splitlines()
    with Store(path) as store:
        store.receive(wellbeing, Sent(ROW, None, codes[1]))
    told = printed(path, "status", "wellbeing")
    assert told.splitlines()[-2:] == ["open until 2099-12-31 (UTC)", "invitations: 3 issued, 1 used"]
    as_json = json.loads(printed(path, "status", "wellbeing", "--json"))
    assert as_json["open"] is True
    assert as_json["invitations"] == {"issued": 3, "used": 1}
    assert not any(code in told or code in str(as_json) for code in codes)


def test_each_command_tells_the_same_as_json(path: Path) -> None:
    invited = json.loads(printed(path, "invite", "wellbeing", "--count", "2", "--links", "https://a.example", "--json"))
    for each in invited["invitations"]:
        assert each["link"] == f"https://a.example/s/wellbeing#{each['code']}"
    assert json.loads(printed(path, "close", "wellbeing", "--json")) == {
        "name": "wellbeing",
        "open": False,
        "for_good": False,
    }
    assert json.loads(printed(path, "open", "wellbeing", "--json")) == {"name": "wellbeing", "open": True}
    assert json.loads(printed(path, "tidy", "--json")) == {"store": str(path), "tidy": True}


def test_a_survey_is_closed_and_opened(path: Path) -> None:
    assert printed(path, "close", "wellbeing") == "wellbeing: closed\n"
    assert "\nclosed\n" in printed(path, "status", "wellbeing")
    assert printed(path, "open", "wellbeing") == "wellbeing: open\n"
    assert "\nopen until 2099-12-31 (UTC)\n" in printed(path, "status", "wellbeing")
    printed(path, "close", "wellbeing", "--for-good")
    told = json.loads(printed(path, "status", "wellbeing", "--json"))
    assert told["state"].startswith("closed for good: ")


def test_a_survey_closed_for_good_is_not_opened(path: Path) -> None:
    assert "closed for good" in printed(path, "close", "wellbeing", "--for-good")
    result = run(path, "open", "wellbeing")
    assert result.exit_code == 2
    assert 'survey "wellbeing": ' in result.stderr
    assert "closed for good" in result.stderr


@pytest.mark.parametrize("command", [["invite", "--count", "1"], ["open"], ["close"], ["status"]])
def test_a_survey_that_is_not_published_is_told(command: list[str], path: Path) -> None:
    name, *rest = command
    result = run(path, name, "welbeing", *rest)
    assert result.exit_code == 2
    assert 'no survey "welbeing"' in result.stderr
    assert result.stderr.endswith(": wellbeing\n")


def test_tidy_empties_the_log(path: Path, wellbeing: Survey) -> None:
    with Store(path) as store:
        store.add(wellbeing, [ROW])
        assert printed(path, "tidy") == f"{path}: tidy\n"
        assert path.with_name("a.db-wal").stat().st_size == 0


@pytest.mark.parametrize("name", sorted(set(main.commands) - {"export"}))
def test_every_command_that_prints_a_result_prints_it_as_json_too(name: str) -> None:
    assert any("--json" in each.opts for each in main.commands[name].params)


def test_the_watched_status_shows_no_count_below_a_batch(path: Path, wellbeing: Survey) -> None:
    with Store(path) as store:
        store.invite("wellbeing", 30)
        store.add(wellbeing, [ROW] * 9)
    few = "wellbeing version 1: open until 2099-12-31 (UTC)\nresponses: fewer than 10 of 30 planned\n"
    words = printed(path, "status", "wellbeing", "--watch")
    assert words.startswith(f"{few}invitations: 30 issued, fewer than 10 ")
    assert words.splitlines()[3].startswith("warn: ")
    told = [line.partition(": ")[2] for line in words.splitlines()[3:]]
    lints = remarks(SurveyPrivacy(wellbeing), 30)
    assert told == [str(lint).partition(": ")[2] for lint in lints], "those of collector check"
    with Store(path) as store:
        store.add(wellbeing, [ROW] * 3)
    watched = printed(path, "status", "wellbeing", "--watch")
    assert "responses: 12 of 30 " in watched
    assert "invitations: 30 issued, 0 used" in watched


def test_the_watched_status_is_drawn_again_on_a_terminal(
    path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    coming, waited = [1, 20], []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if not coming:
            raise KeyboardInterrupt
        with Store(path) as store:
            store.add(wellbeing, [ROW] * coming.pop(0))

    monkeypatch.setattr("collector.commands.intake_command.sleep", wait)
    monkeypatch.setattr("collector.commands.intake_command.is_terminal", lambda: True)
    result = run(path, "status", "wellbeing", "--watch")
    counts = [line for line in result.stdout.splitlines() if line.startswith("responses")]
    assert counts == ["responses: fewer than 10", "responses: fewer than 10", "responses: 21"]
    assert (result.exit_code, set(waited)) == (130, {60.0})


def test_the_watched_status_is_text_only(path: Path) -> None:
    result = run(path, "status", "wellbeing", "--watch", "--json")
    assert result.exit_code == 2
    assert "--watch and --json" in result.stderr
    result = run(path, "status", "nothing", "--watch")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
