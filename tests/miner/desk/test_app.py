"""The desk as a web application: who gets in, what it shows and hands out, and what it never does."""

from __future__ import annotations

import io
import re
import shlex
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from html import unescape
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.disclosure.lint import Lint
from collector.maintenance.running import BATCH, state_of
from collector.store.simulated import Coins
from collector.store.store import Store
from collector.survey.sampling import Sampling
from collector.survey.study import Study
from collector.survey.survey import Row, Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.table import read_table
from kind_surveys import EVERY_KIND
from miner.desk import app as room
from miner.desk.app import create_app
from miner.desk.desk import Desk, Snapshot, reach_of
from miner.desk.page import remarks_of, rows_of
from miner.desk.sequence import at_every_look, stretch
from miner.estimates.estimate import estimate
from miner.planning.plan import plan
from miner.reporting.figure import NOT_YET, in_percent
from miner.reporting.words import value_words
from miner.responses.parquet_folder import ParquetFolder
from miner.responses.responses import Responses, codes_of_values
from miner.simulation.simulation import simulate
from owner.link import Link
from store_rows import OTHER, ROW, bring_in
from workshop import call

OURS = {"Origin": "http://localhost"}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'none'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


@dataclass
class Opened:
    """A desk behind its link, as the browser that followed it has it."""

    desk: Desk
    link: Link
    client: FlaskClient
    inside: str

    def get(self, path: str = "") -> TestResponse:
        """Ask for something behind the link."""
        return self.client.get(f"{self.inside}{path}")

    def text(self) -> str:
        """What the page says."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.get().text)).split())


def opened_desk(store: Store, name: str = "wellbeing", respondents: int | None = None, *, pool: bool = False) -> Opened:
    desk, link = Desk(store, name, respondents, pool=pool), Link()
    desk.look()
    client = create_app(desk, link).test_client()
    answer = client.get(f"/open/{link.once}")
    assert answer.status_code == 303
    return Opened(desk, link, client, answer.headers["Location"])


@pytest.fixture
def opened(store: Store) -> Opened:
    return opened_desk(store)


def rows(count: int) -> list[Row]:
    return [(ROW, OTHER)[number % 3 > 0] for number in range(count)]


# --- who gets in ----------------------------------------------------------------------------------------------------


def attempts(opened: Opened) -> dict[str, Callable[[], TestResponse]]:
    client, inside = opened.client, opened.inside
    return {
        "the root": lambda: client.get("/"),
        "the link again": lambda: client.get(f"/open/{opened.link.once}"),
        "a wrong link": lambda: client.get("/open/x"),
        "a link that is no text": lambda: client.get("/open/%ff"),
        "the link in place of what it opens": lambda: client.get(f"/{opened.link.once}/"),
        "what it opens in place of the link": lambda: client.get(f"/open{inside[:-1]}"),
        "a wrong address": lambda: client.get("/x/"),
        "a file of a wrong address": lambda: client.get("/x/responses.csv"),
        "no such file": lambda: client.get(f"{inside}nothing"),
        "a file of the package": lambda: client.get(f"{inside}app.py"),
        "without the last slash": lambda: client.get(inside[:-1]),
        "closing at a wrong address": lambda: client.post("/x/close", headers=OURS),
        "closing from another site": lambda: client.post(f"{inside}close", headers={"Origin": "https://evil.example"}),
        "closing from a page of no site": lambda: client.post(f"{inside}close", headers={"Origin": "null"}),
        "closing from another port": lambda: client.post(f"{inside}close", headers={"Origin": "http://localhost:99"}),
        "closing without a word from where": lambda: client.post(f"{inside}close"),
        "another name of this machine": lambda: client.get(inside, headers={"Host": "evil.example"}),
        "a name that begins like ours": lambda: client.get(inside, headers={"Host": "localhost.evil.example"}),
        "a question what may be asked": lambda: client.options(f"{inside}open"),
        "the same of an address that is none": lambda: client.options("/nothing/"),
        "a body too long": lambda: client.post(f"{inside}open", data="x" * 9_999, headers=OURS | {"Origin": "x"}),
    }


def test_whoever_has_not_the_address_gets_one_and_the_same_404(opened: Opened, store: Store) -> None:
    answers = {name: attempt() for name, attempt in attempts(opened).items()}
    assert {name: each.status_code for name, each in answers.items()} == dict.fromkeys(answers, 404)
    assert len({each.data for each in answers.values()}) == 1
    by_link = opened.client.get(f"{opened.inside}close")
    assert by_link.status_code == 405
    state = store.state("wellbeing")
    assert state is not None
    assert state.is_open
    assert opened.get().status_code == 200


def test_a_look_without_taking_or_under_another_name_does_not_use_the_link_up(store: Store) -> None:
    link = Link()
    client = create_app(Desk(store, "wellbeing"), link).test_client()
    assert client.head(f"/open/{link.once}").status_code == 404
    assert client.get(f"/open/{link.once}", headers={"Host": "evil.example"}).status_code == 404
    assert client.get(f"/open/{link.once}", headers={"Host": "127.0.0.1:9"}).status_code == 303


def test_every_answer_has_a_strict_policy_and_no_cookie(opened: Opened, store: Store) -> None:
    store.add(store.published("wellbeing").survey, rows(BATCH))
    opened.desk.look()
    paths = ["", "desk.css", "desk.mjs", "responses.csv", "nothing"]
    answers = [opened.get(path) for path in paths] + [opened.client.post(f"{opened.inside}close", headers=OURS)]
    answers += [opened.client.get("/"), opened.client.get("/", headers={"Host": "evil.example"})]
    for answer in answers:
        parts = (part.split(maxsplit=1) for part in answer.headers["Content-Security-Policy"].split("; "))
        assert {name: who for name, who in parts} == POLICY  # noqa: C416 - of lists
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_has_nothing_inline_and_no_address_of_others(opened: Opened, store: Store) -> None:
    store.add(store.published("wellbeing").survey, rows(40))
    opened.desk.look()
    page = opened.get().text
    assert not re.findall(r"<style|\sstyle=|<script>|\son\w+=|javascript:|https?://|src=\"//|href=\"//", page)
    assert opened.link.once not in page
    assert opened.inside.strip("/") not in page


def test_an_error_of_ours_is_logged_without_the_address(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> str:
        raise ValueError(opened.inside)

    monkeypatch.setattr(room, "page", broken)
    answer = opened.get()
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert "ValueError" in caplog.text
    assert opened.inside.strip("/") not in caplog.text + answer.text


# --- what it shows --------------------------------------------------------------------------------------------------


def test_nothing_is_shown_of_fewer_responses_than_a_batch(opened: Opened, store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, rows(BATCH - 1))
    opened.desk.look()
    words = opened.text()
    assert "Responses fewer than 10" in words
    assert "a batch of 10" in words
    answer = opened.get("responses.csv")
    assert (answer.status_code, "fewer than 10 responses" in answer.text) == (409, True)


def test_estimates_are_those_of_the_miner_and_wait_for_a_batch(opened: Opened, store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, rows(60))
    opened.desk.look()
    responses = Responses.from_store(store, "wellbeing")
    page = opened.text()
    for question in wellbeing.questions:
        for value in range(len(question.values)):
            found = at_every_look(estimate(responses, {question.name: codes_of_values(question, {value})}), None)
            assert found.interval is not None
            low, high = found.interval
            assert in_percent(found) in page
            assert f" %{'*' if found.warning else ''} ({100 * low:z.1f} to ".replace("-", "\N{MINUS SIGN}") in page
            assert f"{100 * (high - low) / 2:.1f}" in page
    assert "If 1 of 60 responses" in page
    store.add(wellbeing, rows(BATCH - 1))
    opened.desk.look()
    assert opened.text() == page
    store.add(wellbeing, rows(BATCH))
    opened.desk.look()
    assert "Responses 79 " in opened.text()


@pytest.mark.parametrize("source", ["said", "quota", "invitations"])
def test_the_planned_precision_is_that_of_the_plan(source: str, store: Store, wellbeing: Survey) -> None:
    survey = replace(wellbeing, study=Study(quota=200)) if source == "quota" else wellbeing
    store.publish(survey)
    if source == "invitations":
        store.invite("wellbeing", 200)
    store.add(survey, rows(20))
    opened = opened_desk(store, respondents=200 if source == "said" else None)
    longer = stretch(200, 200)
    widths = [[longer * value.width / 2 for value in each.values] for each in plan(survey, 200).questions]
    state = store.state("wellbeing")
    assert state is not None
    assert opened.desk.outlook(state.newest.survey).reaches == tuple(pytest.approx(tuple(each)) for each in widths)
    words = opened.text()
    assert "20 of 200 planned" in words
    shown = opened.desk.shown(state)
    assert shown is not None
    each = zip(chain.from_iterable(shown.estimates), chain.from_iterable(widths), strict=True)
    reach, planned = max(((reach_of(found) or 0.0, width) for found, width in each), key=lambda pair: pair[0])
    assert f"± {100 * reach:.1f} points" in words
    assert f"planned ± {100 * planned:.1f} " in words, "of one value"


def test_intervals_of_earlier_batches_stand_below_the_present_one(
    opened: Opened, store: Store, wellbeing: Survey
) -> None:
    for count in (10, 10, 15, 65, 100, 200):  # 10, 20, 35, 100, 200, 400 in all
        store.add(wellbeing, rows(count))
        opened.desk.look()
    assert [count for count, _ in opened.desk.earlier] == [20, 100, 200]
    assert "with 200 and with 100 and with 20" in opened.text().replace("\n", " ")


def test_lints_are_those_of_check(opened: Opened) -> None:
    words = opened.text()
    assert 'warn group "substances": ' in words
    assert words.index("warn group") < words.index("note question")


def test_a_new_version_shows_nothing_of_the_one_before(opened: Opened, store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, rows(20))
    opened.desk.look()
    store.publish(replace(wellbeing, questions=(*wellbeing.questions[1:], wellbeing.questions[0])))
    assert "version 2" in opened.text()
    assert "Responses fewer than 10" in opened.text()
    opened.desk.look()
    assert "Responses fewer than 10" in opened.text()


def test_a_question_that_nobody_was_asked_yet_is_said_to_be(store: Store, wellbeing: Survey) -> None:
    names = tuple(question.name for question in wellbeing.questions)
    survey = replace(wellbeing, name="split", sampling=Sampling(2, names[:1]), study=Study(quota=90))
    store.publish(survey)
    store.add(survey, [(0, 1, None, None, None, None)] * 20)
    assert "too few responses to say" in opened_desk(store, "split").text()


def test_simulated_responses_are_said_to_be(store: Store) -> None:
    bring_in(store, store.published("wellbeing"), rows(20), simulated=Coins.SEEDED, again=False, mix=False)
    words = opened_desk(store).text()
    assert "all 20 responses were simulated" in words
    assert "closed: " in words
    assert "Close the survey" not in words
    assert "Open the survey again" not in words
    assert "collector import wellbeing FILE --undo" in words


def test_pooled_versions_are_shown_together_and_named(store: Store, wellbeing: Survey, tmp_path: Path) -> None:
    store.add(wellbeing, rows(12))
    fewer = replace(wellbeing, target=None, questions=wellbeing.questions[:-1], groups=wellbeing.groups[:-1])
    opened = opened_desk(store, pool=True)
    assert "version 1 alone" in opened.text().lower()
    store.publish(fewer)
    store.add(fewer, [row[:-1] for row in rows(10)])
    opened.desk.look()
    words = opened.text()
    assert "Responses 22 " in words
    assert "Pooled versions: 1, 2." in words
    assert len(read_csv(tmp_path, fewer, opened.get("responses.csv"))) == 22
    assert pooled_in(opened) == b"pooled versions: 1, 2"
    (command,) = re.findall("miner report [^<]*", unescape(opened.get("report.html").text))
    assert "--versions all" in command
    alone = opened_desk(store).text()
    assert "Responses 10 " in alone
    assert "ooled" not in alone
    assert pooled_in(opened_desk(store)) is None


def pooled_in(opened: Opened) -> bytes | None:
    """What the metadata of the Parquet export say of the versions that are in it."""
    with zipfile.ZipFile(io.BytesIO(opened.get("responses.zip").data)) as folder:
        metadata = pq.read_schema(io.BytesIO(folder.read("part-00000.parquet"))).metadata
    assert metadata[b"deniable.version"] == b"2"
    return metadata.get(b"deniable.pooled")


# --- what it does ---------------------------------------------------------------------------------------------------


def read_csv(folder: Path, survey: Survey, answer: TestResponse) -> list[Row]:
    path = folder / "responses.csv"
    path.write_bytes(answer.data)
    return sorted(read_table(survey, path).rows)


def test_exports_are_of_the_batch_that_is_shown_and_once_closed_of_all(
    opened: Opened, store: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    store.add(wellbeing, rows(20))
    opened.desk.look()
    store.add(wellbeing, [ROW])
    opened.desk.look()
    assert read_csv(tmp_path, wellbeing, opened.get("responses.csv")) == sorted(rows(20))
    store.close_survey("wellbeing")
    opened.desk.look()
    assert "Responses 20 " in opened.text()
    assert "a last batch" in opened.text()
    assert read_csv(tmp_path, wellbeing, opened.get("responses.csv")) == sorted([*rows(20), ROW])


def test_the_parquet_export_is_a_folder_that_the_miner_reads(
    opened: Opened, store: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    store.add(wellbeing, rows(20))
    opened.desk.look()
    with zipfile.ZipFile(io.BytesIO(opened.get("responses.zip").data)) as archive:
        archive.extractall(tmp_path / "folder")
    read = ParquetFolder(tmp_path / "folder").in_memory()
    assert read.survey.fingerprint == wellbeing.fingerprint
    assert np.array_equal(read.codes, Responses.from_store(store, "wellbeing").codes)


def test_an_export_that_would_hide_simulated_responses_is_refused(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, rows(20))
    bring_in(store, store.published("wellbeing"), rows(9), simulated=Coins.SEEDED, again=False, mix=True)
    answer = opened_desk(store).get("responses.csv")
    assert answer.status_code == 409
    assert "9 of 29 responses" in answer.text


def test_the_report_is_that_of_the_miner_and_made_once_for_a_batch(
    opened: Opened, store: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(wellbeing, rows(20))
    opened.desk.look()
    answer = opened.get("report.html")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="wellbeing-report.html"'
    assert "20 responses, " in answer.text
    assert opened.get("report.html").data == answer.data
    (command,) = re.findall("miner report [^<]*", unescape(answer.text))
    monkeypatch.chdir(tmp_path)
    assert call(*shlex.split(command)).exit_code == 0
    assert (tmp_path / "wellbeing-report.html").read_bytes() == answer.data


def test_the_report_of_a_closed_survey_is_made_again_only_when_responses_came(
    opened: Opened, store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def report_file(_: Store, snapshot: Snapshot) -> bytes:
        made.append(len(snapshot))
        return b"report"

    monkeypatch.setattr(room, "report_file", report_file)
    store.add(wellbeing, rows(20))
    opened.desk.look()
    store.add(wellbeing, [ROW])
    store.close_survey("wellbeing")
    for _ in range(3):
        assert opened.get("report.html").data == b"report"
    assert made == [21]
    bring_in(store, store.published("wellbeing"), [OTHER], simulated=None, again=False, mix=False)
    opened.get("report.html")
    assert made == [21, 22], "what came on paper is in the next"


def test_the_buttons_close_and_open_the_survey(opened: Opened, store: Store) -> None:
    def is_open() -> bool:
        state = store.state("wellbeing")
        return state is not None and state.is_open

    answer = opened.client.post(f"{opened.inside}close", headers=OURS)
    assert (answer.status_code, answer.headers["Location"], is_open()) == (303, "./", False)
    assert "Open the survey again" in opened.text()
    assert opened.client.post(f"{opened.inside}open", headers=OURS).status_code == 303
    assert is_open()
    store.close_survey("wellbeing", for_good=True)
    answer = opened.client.post(f"{opened.inside}open", headers=OURS)
    assert (answer.status_code, is_open()) == (409, False)
    assert "closed for good" in answer.text
    words = opened.text()
    assert "closed for good: " in words
    assert "Open the survey again" not in words
    assert "under another name" in words


def test_a_survey_whose_last_day_is_over_says_how_it_is_opened_again(store: Store, wellbeing: Survey) -> None:
    store.publish(replace(wellbeing, study=Study(until=date(2001, 1, 1))))
    words = opened_desk(store).text()
    assert "Open the survey again" not in words
    assert "a later day" in words


def test_a_survey_that_is_removed_is_said_to_be(opened: Opened, store: Store) -> None:
    store.remove("wellbeing")
    answer = opened.get()
    assert answer.status_code == 409
    assert "publish the survey" in answer.text


def test_the_widest_interval_is_drawn_on_its_way_to_the_planned_one(store: Store, wellbeing: Survey) -> None:
    opened = opened_desk(store, respondents=400)
    store.add(wellbeing, rows(20))
    opened.desk.look()
    assert 'class="path"' not in opened.get().text
    store.add(wellbeing, rows(60))
    opened.desk.look()
    (first, wide), (last, narrow) = opened.desk.path
    assert (first, last) == (20, 80)
    assert narrow < wide
    words = f"from ± {100 * wide:.1f} points with 20 responses to ± {100 * narrow:.1f} with 80"
    assert f"The widest interval, {words}." in opened.text()
    drawn = opened.get().text.split('class="walked" d="M')[1].split('"')[0]
    points = [tuple(map(float, point.split())) for point in drawn.split("L")]
    assert [x for x, _ in points] == [15, 60]  # of 300, by responses of the 400 planned
    assert points[0][1] < points[1][1]


def test_remarks_that_differ_in_numbers_only_are_folded() -> None:
    lints = [
        Lint("note", 'question "a"', f'"{value}" has {share} %', f"ask {number} people")
        for value, share, number in (("x", 1, 10), ("y", 2, 20), ("z", 3, 30))
    ] + [Lint("warn", 'question "a"', "b", "c")]
    found = [(first.problem, [each.problem for each in others]) for first, others in remarks_of(lints)]
    assert found == [('"x" has 1 %', ['"y" has 2 %', '"z" has 3 %']), ("b", [])]


def test_questions_can_be_jumped_to_and_values_stand_in_the_order_of_the_survey(
    opened: Opened, store: Store, wellbeing: Survey
) -> None:
    store.add(wellbeing, rows(60))
    opened.desk.look()
    text = opened.get().text
    for question in wellbeing.questions:
        assert f'<a href="#q-{question.name}"' in text
        assert f'<table id="q-{question.name}">' in text
    shown, outlook = opened.desk.shown(state_of(store, "wellbeing")), opened.desk.outlook(wellbeing)
    assert shown is not None
    for question in wellbeing.questions:
        words = value_words(wellbeing, question.name)
        assert [row.value for row in rows_of(opened.desk, shown, outlook, question)] == list(words)


def test_an_option_stands_behind_its_question_and_yes_before_no(store: Store) -> None:
    survey = parse_survey(EVERY_KIND)
    store.publish(survey)
    everybody = np.zeros((60, len(survey.questions)), np.int16)
    store.add(survey, simulate(survey, everybody, np.random.default_rng(1)).rows)
    opened = opened_desk(store, survey.name)
    opened.desk.look()
    assert "bullied? By words" in opened.text()
    shown = opened.desk.shown(state_of(store, survey.name))
    assert shown is not None
    for question in survey.questions:
        listed = [row.value for row in rows_of(opened.desk, shown, opened.desk.outlook(survey), question)]
        assert listed == list(value_words(survey, question.name))[: len(listed)]


def test_a_question_that_not_everybody_is_asked_has_shares_of_those_who_are(store: Store) -> None:
    survey = parse_survey(ROUTED)
    store.publish(survey)
    rng = np.random.default_rng(1)
    gate = rng.random(2000) < 0.4
    values = np.stack([~gate, np.where(gate, rng.random(2000) < 0.25, 2)], axis=1).astype(np.int16)
    store.add(survey, simulate(survey, values, rng).rows)
    opened = opened_desk(store, "routed", respondents=2000)
    opened.desk.look()
    shown = opened.desk.shown(state_of(store, "routed"))
    assert shown is not None
    listed = list(rows_of(opened.desk, shown, opened.desk.outlook(survey), survey.question("often")))
    assert [row.value for row in listed] == ["Daily", "Rarely"]
    expected = next(each for each in plan(survey, 2000).questions if each.question.name == "often")
    halves = [each.width / 2 * stretch(2000, 2000) for each in expected.values[:2]]
    assert [row.planned for row in listed] == pytest.approx(halves)
    widest = max(reach_of(each) or 0.0 for each in chain.from_iterable(shown.estimates))
    assert widest == max(row.reach or 0.0 for row in listed), "of those who are asked"
    assert f"± {100 * widest:.1f} points" in opened.text()
    assert f"planned ± {100 * max(halves):.1f} " in opened.text()
    assert opened.desk.path == [(2000, widest)]
    assert float(listed[0].words.split()[0]) == pytest.approx(75, abs=15)
    estimates = opened.text().split("Remarks on the design")[0]
    assert "not_applicable" not in estimates
    limit = re.search(r"among those asked; 20 false responses move them by at most ([.0-9]+[0-9])", estimates)
    assert limit is not None
    everybody = re.search(r"they move a share of all respondents by at most ([.0-9]+) percentage points\. ", estimates)
    assert everybody is not None
    assert float(limit[1]) > 1.5 * float(everybody[1])


def test_a_share_among_those_asked_is_not_known_while_nobody_may_have_been_asked(store: Store) -> None:
    survey, rng = parse_survey(ROUTED), np.random.default_rng(1)
    store.publish(survey)
    values = np.tile(np.array([[1, 2]], np.int16), (20, 1))
    values[:3] = 0
    store.add(survey, simulate(survey, values, rng).rows)
    opened = opened_desk(store, "routed", respondents=2000)
    opened.desk.look()
    shown = opened.desk.shown(state_of(store, "routed"))
    assert shown is not None
    (daily, _) = rows_of(opened.desk, shown, opened.desk.outlook(survey), survey.question("often"))
    assert daily.words in {"too few responses to say", NOT_YET}
    assert (daily.drawn, daily.reach) == (None, None)


ROUTED = """
name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "bullied"
label = "Bullied?"
kind = "yes_no"
group = "gate"

[[questions]]
name = "often"
label = "How often?"
kind = "scale"
values = ["daily", "rarely"]
words = { en = { daily = "Daily", rarely = "Rarely" } }
ask_if = "bullied = yes"
group = "often"

[groups]
gate = { truth = "4/5" }
often = { truth = "4/5", channel = "uniform" }
"""
