"""The report: everything a survey has told, in one file that anybody can read and print."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser

import miner
from axe import violations
from browser_fixtures import wait_until
from collector.disclosure.false_responses import rounded_up
from collector.errors import QueryError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from miner.cli import main
from miner.estimates.estimate import estimate
from miner.figures.estimate import Amount
from miner.learners.logit import LogitClassifier
from miner.reporting.answered import coefficients
from miner.reporting.charts import charts
from miner.reporting.figure import false_line, figure, measure, percent
from miner.reporting.findings import EvaluatedModel, Findings, findings
from miner.reporting.page import page
from miner.reporting.told_models import told_models
from miner.reporting.words import value_words, with_answer
from miner.responses.responses import Responses, codes_of_values, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers
from said import figures
from screens import take_picture
from split_surveys import question, survey_of_tables
from ward_survey import ward_answers, ward_survey


@pytest.fixture(scope="module")
def sent(wellbeing: Survey) -> Responses:
    people = draw_answers(900, np.random.default_rng(3))
    return simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(3))


@pytest.fixture(scope="module")
def found(sent: Responses) -> Findings:
    return findings(sent, None, seed=1)


@pytest.fixture(scope="module")
def text(found: Findings) -> str:
    return page(found, "miner report wellbeing --seed 1 -o report.html")


def test_every_question_has_its_estimates_with_intervals(found: Findings, sent: Responses, text: str) -> None:
    question = sent.survey.question("cannabis")
    share = estimate(sent, {"cannabis": codes_of_values(question, {0})})
    low, high = share.interval or (0, 0)
    assert found.frequencies["cannabis"][0] == share
    assert f"{100 * share.estimate:.1f} % ({100 * low:.1f} to {100 * high:.1f})" in text
    assert list(found.frequencies) == [each.name for each in sent.survey.questions]


def test_it_says_how_far_false_responses_can_have_moved_a_share(found: Findings, text: str) -> None:
    shares = [each for some in found.frequencies.values() for each in some if each is not None]
    most = max(shift.largest for each in shares if (shift := each.shift(9)) is not None)
    line = "If 9 of 900 responses are false,"
    assert figures(text[text.index(line) :])[:3] == [9, 900, float(rounded_up(100 * most, 1))]
    assert false_line([None], 900) == ""
    assert figures(false_line(shares[:1], 90_000)) == [900, 90_000]


def test_all_models_are_measured_on_the_same_responses_that_none_has_seen(found: Findings) -> None:
    assert found.tree is not None
    assert found.forest is not None
    assert found.logit is not None
    for learnt in (found.logit, found.tree, found.forest):
        assert learnt.model.training.n_train == 600
        assert learnt.evaluation.accuracy.n == 300


def test_the_tree_is_drawn_with_one_end_where_all_that_lie_together_predict_the_same(
    found: Findings, text: str
) -> None:
    assert found.tree is not None
    assert text.count('class="leaf"') == len(found.tree.model.classifier.tree_.merged().leaves())


def test_it_names_the_commands_that_compare_more_models_and_measure_importances(text: str) -> None:
    assert "miner train wellbeing" in text
    assert "--model auto" in text
    assert "miner evaluate model.json wellbeing" in text
    assert "--importances" in text


def test_the_tree_is_small_and_the_forest_is_grown_in_its_mode(found: Findings, text: str) -> None:
    assert found.tree is not None
    assert found.forest is not None
    tree, forest = found.tree.model.classifier, found.forest.model.classifier
    assert len(tree.tree_.leaves()) <= 12
    assert forest.choice_.mode == tree.choice_.mode
    assert f"<b>{forest.choice_.mode}</b>" in text


def test_the_summary_says_how_often_a_model_is_right_and_what_one_answer_for_all_would_be(
    found: Findings, text: str
) -> None:
    assert found.logit is not None
    outcome = found.logit.model.training.outcome
    assert outcome is not None
    said = f"is right for {percent(outcome.accuracy)} of people; always saying No for {percent(outcome.baseline)}."
    assert said in text[: text.index("<nav")]


def with_baseline(learnt: EvaluatedModel | None, share: float) -> EvaluatedModel:
    """A model that is compared with another accuracy of one answer for all."""
    assert learnt is not None
    outcome = learnt.model.training.outcome
    assert outcome is not None
    baseline = replace(outcome.baseline, estimate=share, interval=(share - 0.02, share + 0.02))
    training = replace(learnt.model.training, outcome=replace(outcome, baseline=baseline))
    return replace(learnt, model=replace(learnt.model, training=training))


def test_where_no_model_is_better_than_one_answer_for_all_the_summary_says_so(found: Findings) -> None:
    worse = replace(
        found,
        logit=with_baseline(found.logit, 0.97),
        tree=with_baseline(found.tree, 0.97),
        forest=with_baseline(found.forest, 0.97),
    )
    summary = page(worse, "miner report")
    summary = summary[: summary.index("<nav")]
    assert "No model</a>" in summary
    assert "97.0 %" in summary
    assert "A logistic regression</a> is right" not in summary
    one_helps = page(replace(worse, tree=found.tree), "miner report")
    assert "A tree</a> is right" in one_helps[: one_helps.index("<nav")]


def test_margins_are_shown_where_two_answers_differ(found: Findings, text: str) -> None:
    models = told_models(found)
    assert models is not None
    assert models.margins.tables.keys() >= {found.survey.question("debt").label["en"]}
    for rows in models.margins.tables.values():
        for row in rows:
            assert percent(row.found) in text
    assert models.margins.line("questions") in text


def test_coefficients_that_differ_from_zero_are_shown_and_the_others_are_counted(
    found: Findings, sent: Responses
) -> None:
    assert found.logit is not None
    model = LogitClassifier(sent.survey, random_state=1).fit(sent)
    text = page(replace(found, logit=replace(found.logit, model=replace(found.logit.model, classifier=model))), "again")
    name, estimate, _, interval, ratio = model.lines["yes"][-1]
    owes = "Do you owe money that you do not know how to pay back? Yes"
    assert name == "debt = yes"
    shown = coefficients(sent.survey, model, "distress")
    assert shown.tables == {"Yes": [(owes, f"{estimate} ({interval})", ratio)]}
    assert f">{owes}</th><td>{estimate} ({interval})</td><td>{ratio}</td>" in text
    assert "9 of 10 coefficients" in text


def test_what_has_been_measured_of_coefficients_behind_many_coins_is_said_above_them(
    found: Findings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogitClassifier, "caution", "They are rough.")
    assert "<p>They are rough.</p>" in page(found, "again")


def test_a_question_and_its_answer_are_one_line() -> None:
    assert with_answer("Are you in debt?", "Yes") == "Are you in debt? Yes"
    assert with_answer("My manager is fair", "partly") == "My manager is fair: partly"


def test_a_measure_that_may_be_anything_has_no_figure(found: Findings) -> None:
    assert found.tree is not None
    known = found.tree.evaluation.accuracy
    assert measure(replace(known, interval=(-4.0, 6.0))) == "not known at this size"
    assert measure(known) == figure(known)
    assert measure(Amount(-14236.5, 9000.0, (-36994.5, 7817.6), 500)) == "not known at this size", "a Brier score"
    assert measure(None) == "too few responses to say"


def test_the_drawn_roc_curve_rises_from_corner_to_corner(found: Findings) -> None:
    for name in ("tree-roc", "forest-roc"):
        line, _ = charts(found)[name].lines
        assert line.path is not None
        places = np.array([(each.x, each.y) for each in line.path])
        assert (np.diff(places, axis=0) >= 0).all()
        assert (places[0].tolist(), places[-1].tolist()) == ([0, 0], [1, 1])


def test_calibration_shows_no_point_that_tells_nothing(found: Findings) -> None:
    for name in ("tree-calibration", "forest-calibration"):
        for line in charts(found)[name].lines[:-1]:
            assert line.path == ()
            for point in line.points:
                assert point.interval is not None
                assert point.interval[1] - point.interval[0] < 0.8


def test_the_page_says_how_it_was_made(found: Findings, text: str) -> None:
    assert "miner report wellbeing --seed 1" in text
    assert found.survey.fingerprint in text
    assert found.versions["numpy"] == np.__version__
    assert found.versions["numpy"] in text


def test_the_page_says_how_each_group_is_disguised(found: Findings, text: str) -> None:
    for group in found.survey.groups:
        assert re.search(f"group {group.name}: {group.channel.name},.* {group.channel.coin.fixed}<", text)


def test_the_page_says_what_a_response_reveals(found: Findings, text: str) -> None:
    shown = html.unescape(text)
    for line in (*found.privacy.group_lines, *found.privacy.closing_lines):
        assert line in shown
    for disclosed in found.privacy.questions:
        name, line = disclosed.question.name, found.privacy.question_line(disclosed)
        for value, words in zip(disclosed.question.values, value_words(found.survey, name), strict=True):
            line = re.sub(f" {re.escape(value)} (?=[0-9.]+% to )", f" \u201c{words}\u201d ", line)
        assert (line == found.privacy.question_line(disclosed)) == (disclosed.group is None)
        assert line in shown
    assert "\u201cunder 400 EUR\u201d 25.0% to 75.0%" in shown
    assert found.audit is not None
    assert f"{found.audit.coins[0].guessed_right:.3f}" in text


def test_the_same_seed_makes_the_same_page(sent: Responses) -> None:
    once, again = (page(findings(sent.take(range(90)), None, seed=1), "miner report") for _ in range(2))
    assert "A logistic regression" in once
    assert again == once


def test_every_chart_has_words_and_none_shares_an_id(found: Findings, text: str) -> None:
    drawn = charts(found)
    models = ("logistic-regression", "tree", "forest")
    assert set(drawn) == {f"{model}-{kind}" for model in models for kind in ("roc", "calibration")}
    assert text.count('role="img"') == len(drawn)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_survey_without_target_or_with_few_responses_is_reported_without_models(sent: Responses) -> None:
    for responses in (Responses(replace(sent.survey, target=None), sent.codes), sent.take(range(20))):
        few = findings(responses, None, seed=1)
        assert few.tree is None
        assert "None: the survey names" in page(few, "miner report")


def test_a_part_of_a_report_for_which_there_is_no_time_is_left_out_and_named(
    sent: Responses, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("miner.reporting.findings.monotonic", lambda: now[0])
    learnt = "miner.reporting.findings._learnt"
    make = findings.__globals__["_learnt"]

    def slow(responses: Responses, classifier: object, seed: int) -> object:
        now[0] += 10.0
        return make(responses, classifier, seed)

    monkeypatch.setattr(learnt, slow)
    few = sent.take(range(90))
    short = findings(few, None, 1, time_limit=25)
    assert short.left_out == ("the forest", "what could be guessed")
    assert (short.logit is None, short.tree is None, short.forest, short.audit) == (False, False, None, None)
    text = page(short, "miner report")
    assert ", ".join(short.left_out) in text
    assert ("A tree" in text, "A forest" in text) == (True, False)
    now[0] = 0.0
    shortest = findings(few, None, 1, time_limit=1)
    assert shortest.left_out == ("the tree", "the forest", "what could be guessed")
    assert "A logistic regression" in page(shortest, "miner report"), "the first part is always made"


def test_a_report_is_made_in_one_call_and_says_which(sent: Responses) -> None:
    few = sent.take(range(9))
    text = miner.report(few, seed=4)
    assert text == page(findings(few, None, 4), "miner.report(responses, target=None, seed=4)")


def test_a_target_that_is_no_question_is_refused_however_few_have_answered(sent: Responses) -> None:
    with pytest.raises(QueryError, match='"no_such"'):
        findings(sent.take(range(20)), "no_such", seed=1)


@pytest.mark.slow
def test_a_split_questionnaire_is_reported_with_what_can_be_said_of_it() -> None:
    more = '[sampling]\nask = 2\nalways = ["c"]\n[mining]\ntarget = "c"\n'
    survey = survey_of_tables([question(name, 2, "all") for name in "abc"], 'all = { odds = "9" }', more)
    rng = np.random.default_rng(4)
    truth = np.repeat(rng.integers(0, 2, (90, 1)), 3, axis=1).astype(np.int16)

    split = findings(simulate(survey, truth, rng), None, seed=1)

    assert split.audit is not None
    assert [coin.tossed for coin in split.audit.coins] == [90]
    assert split.forest is not None
    assert split.forest.evaluation.accuracy.model_based
    assert not [name for name in charts(split) if name.startswith("forest")]
    text = page(split, "miner report")
    assert "odds 9" in text
    assert "not known: hardly anybody" in text
    assert "could guess" in text


def test_no_responses_are_refused(sent: Responses) -> None:
    with pytest.raises(QueryError, match="no responses"):
        findings(sent.take([]), None, seed=1)


def test_words_of_a_survey_never_become_markup(sent: Responses) -> None:
    hostile = replace(sent.survey, title=Text.of(en="<script>alert(1)</script>"))
    text = page(findings(Responses(hostile, sent.codes[:40]), None, seed=1), "miner report")
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_command_writes_the_report_and_its_charts(sent: Responses, tmp_path: Path) -> None:
    store_path, output, folder = tmp_path / "deniable.db", tmp_path / "report.html", tmp_path / "charts"
    with Store(store_path, create=True) as store:
        store.publish(sent.survey)
        store.add(sent.survey, [tuple(row) for row in sent.codes[:300].tolist()])
    arguments = ["report", "wellbeing", "--store", store_path, "--seed", "4", "-o", output, "--figures", folder]
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.stderr
    assert f"--seed 4 -o {output}" in output.read_text(encoding="utf-8")
    assert {each.suffix for each in folder.iterdir()} == {".svg", ".png"}


@pytest.fixture
def path(text: str, tmp_path: Path) -> Path:
    """The report as a file."""
    written = tmp_path / "report.html"
    written.write_text(text, encoding="utf-8")
    return written


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (320, "light"), (1280, "light")])
def test_in_a_browser_it_is_accessible_asks_nothing_of_anybody_and_fits(
    browser: Browser, path: Path, root: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    with context, context.new_page() as opened:
        requests: list[str] = []
        opened.on("request", lambda request: requests.append(request.url))
        opened.goto(path.as_uri())
        assert requests == [path.as_uri()]
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(opened) == []
        pictures = root / ".screenshots"
        pictures.mkdir(exist_ok=True)
        take_picture(opened, pictures / f"report-{width}-{scheme}.png")


@pytest.mark.browser
def test_it_prints_on_a4(browser: Browser, path: Path) -> None:
    with browser.new_context() as context, context.new_page() as opened:
        opened.goto(path.as_uri())
        printed = opened.pdf(prefer_css_page_size=True)
    assert b"/MediaBox [0 0 595 842]" in printed or re.search(rb"/MediaBox \[0 0 59[45][\d.]* 84[12]", printed)


def test_the_page_says_of_which_questions_the_collector_holds_the_answers(found: Findings, text: str) -> None:
    assert "Nobody, the collector included" not in text
    disguised = "cannabis, drinking, income, debt, distress"
    assert f"The answers to {disguised}" in text
    assert "holds codes" in text
    assert "Those to year" in text
    questions = tuple(replace(each, sensitive=False) for each in found.survey.questions[:1])
    survey = replace(found.survey, questions=questions, groups=(), target=None)
    plain = page(replace(found, survey=survey, logit=None, tree=None, audit=None), "miner report")
    assert "All answers" in plain
    assert "were disguised before" not in plain


def test_links_of_the_contents_lead_to_headings(text: str) -> None:
    links = re.findall(r'href="#([^"]+)"', text)
    assert {"shares", "models", "asked", "reveals", "again"} <= set(links)
    for link in links:
        assert f'id="{link}"' in text


def test_questions_that_tell_nothing_are_counted_and_not_drawn(sent: Responses) -> None:
    text = page(findings(sent.take(range(9)), None, seed=1), "miner report")
    assert "6 of 6 questions" in text
    assert "too few responses to say" not in text
    assert "<svg" not in text


@pytest.fixture(scope="module")
def long() -> str:
    """The report on a long survey with many coins and gates, without models."""
    survey = replace(ward_survey(), target=None)
    people = value_indices(survey, ward_answers(1500, np.random.default_rng(5)))
    return page(findings(simulate(survey, people, np.random.default_rng(5)), None, seed=1), "miner report ward")


def test_followers_are_shown_among_those_asked_and_in_words(long: str) -> None:
    assert "not_applicable" not in long
    assert "How often were you bullied?" in long
    assert len(re.findall(r"<small>among those asked: [\d.]+", long)) == 6
    first = long.split("<dt>")[3]
    followers = re.findall(r'<span[^>]*>[^<]+</span> <small class="quiet">among those asked: [\d.]+ % \(', first)
    shown = re.findall(r'<tr role="row"><th scope="row"', first)
    assert 0 < len(followers) < len(shown) == 5, "whom a share is of stands on the first page"
    moved = r"15 false responses move them by (at most [.0-9]+ percentage points|any amount)<"
    assert len(re.findall(f"among those asked: .*; {moved}", long)) == 6
    assert "of all respondents" in long
    assert re.search("1 of 29 questions [^<]+: <[^>]+>Did you report it", long)
    assert "1 to under 6 days" in long
    assert "as if" in long


@pytest.mark.browser
def test_a_long_report_is_short_when_folded_and_whole_when_printed(browser: Browser, long: str, tmp_path: Path) -> None:
    written = tmp_path / "long.html"
    written.write_text(long, encoding="utf-8")
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context, context.new_page() as opened:
        opened.goto(written.as_uri())
        assert opened.evaluate("document.documentElement.scrollHeight") < 8000
        assert violations(opened) == []
        seen = "document.querySelector('details table').checkVisibility({ contentVisibilityAuto: true })"
        assert not opened.evaluate(seen)
        opened.emulate_media(media="print")
        wait_until(opened, seen)  # a frame later, on a busy machine
