"""The report: everything a survey has told, in one file that anybody can read and print."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Browser

import miner
from collector.errors import QueryError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from miner.cli import main
from miner.estimates.estimate import estimate
from miner.learners.auto import AutoClassifier
from miner.learners.logit import LogitClassifier
from miner.reporting.charts import charts
from miner.reporting.figure import false_line
from miner.reporting.findings import Findings, findings
from miner.reporting.page import page
from miner.responses.responses import Responses, codes_of_values, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers
from screens import take_picture
from split_surveys import question, survey_of_tables


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
    assert f"{share.estimate:.3f} ({low:.3f} to {high:.3f})" in text
    assert list(found.frequencies) == [each.name for each in sent.survey.questions]


def test_it_says_how_far_false_responses_can_have_moved_a_share(found: Findings, text: str) -> None:
    shares = [each for some in found.frequencies.values() for each in some if each is not None]
    most = max(shift.largest for each in shares if (shift := each.shift(9)) is not None)
    assert f"If 9 of 900 responses are false, they move a share by at most {most:.3f}." in text
    assert false_line([None], 900) == ""
    assert false_line(shares[:1], 90_000) == "If 900 of 90000 responses are false, they move a share by any amount."


def test_all_models_are_measured_on_the_same_responses_that_none_has_seen(found: Findings) -> None:
    assert found.tree is not None
    assert found.forest is not None
    assert found.chosen is not None
    assert found.logit is not None
    for learnt in (found.chosen, found.logit, found.tree, found.forest):
        assert learnt.model.training.n_train == 600
        assert learnt.evaluation.accuracy.n == 300
        assert set(learnt.importances) == {"year", "cannabis", "drinking", "income", "debt"}


def test_the_tree_is_drawn_with_one_end_where_all_that_lie_together_predict_the_same(
    found: Findings, text: str
) -> None:
    assert found.tree is not None
    leaves = found.tree.model.classifier.tree_.leaves()
    ends = [int(number) for number in re.findall(r", in (\d+) ends", text)]
    assert text.count('class="leaf"') - len(ends) + sum(ends) == len(leaves)


def test_it_shows_what_auto_compared_and_chose_and_what_the_models_make_of_each_answer(
    found: Findings, text: str
) -> None:
    assert found.chosen is not None
    auto = found.chosen.model.classifier
    assert isinstance(auto, AutoClassifier)
    assert auto.comparison_ is not None
    for name, behind, error in auto.comparison_.table:
        assert f'<th scope="row">{name}</th><td>{behind}</td><td>{error}</td>' in text
    assert f"Chosen: <b>{auto.comparison_.chosen}</b>" in text
    assert found.chosen.dependence is not None
    for share in found.chosen.dependence["debt"].values():
        low, high = share["yes"].interval or (0, 0)
        assert f"yes: {share['yes'].estimate:.3f} ({low:.3f} to {high:.3f})" in text


def test_the_logistic_regression_is_told_with_coefficients_and_margins(found: Findings, text: str) -> None:
    assert found.logit is not None
    model = found.logit.model.classifier
    assert isinstance(model, LogitClassifier)
    name, estimate, _, interval, ratio = model.lines["yes"][0]
    assert f'<th scope="row">{name}</th><td>{estimate} ({interval})</td><td>{ratio}</td>' in text
    mean, low, high = model.margins_["debt"]["yes"]["yes"]
    assert f"yes: {mean:.3f} ({low:.3f} to {high:.3f})" in text


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
    assert "miner report wellbeing --seed 1 -o report.html" in text
    assert found.survey.fingerprint in text
    assert found.versions["numpy"] == np.__version__
    assert found.versions["numpy"] in text


def test_the_page_says_how_each_group_is_disguised(found: Findings, text: str) -> None:
    for group in found.survey.groups:
        assert (
            f"group {group.name}: {group.channel.name}, sent as it is with probability {group.channel.coin.fixed}"
            in text
        )


def test_the_page_says_what_a_response_reveals(found: Findings, text: str) -> None:
    for line in found.privacy.lines:
        assert html.escape(line, quote=True).replace("&quot;", "&#34;").replace("&#x27;", "&#39;") in text
    assert found.audit is not None
    assert f"{found.audit.coins[0].guessed_right:.3f}" in text


def test_the_same_seed_makes_the_same_page(sent: Responses, text: str) -> None:
    again = findings(sent, None, seed=1)
    assert page(again, "miner report wellbeing --seed 1 -o report.html") == text


def test_every_chart_has_words_and_none_shares_an_id(found: Findings, text: str) -> None:
    drawn = charts(found)
    models = ("chosen-model", "tree", "forest")
    assert set(drawn) == {f"{model}-{kind}" for model in models for kind in ("roc", "calibration")}
    assert text.count('role="img"') == len(drawn)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_survey_without_target_or_with_few_responses_is_reported_without_models(sent: Responses) -> None:
    for responses in (Responses(replace(sent.survey, target=None), sent.codes), sent.take(range(20))):
        few = findings(responses, None, seed=1)
        assert few.tree is None
        assert "None: the survey names no target, or there are too few responses." in page(few, "miner report")


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
    assert split.forest.importances is None
    assert not [name for name in charts(split) if name.startswith("forest")]
    text = page(split, "miner report")
    assert "follows from odds 9 and from what else is asked" in text
    assert "not known: hardly anybody was asked all that the model looks at; rehearse it with a pilot" in text
    assert "How far the accuracy of the forest falls" not in text
    assert "What a model of all responses could guess" in text


def test_no_responses_are_refused(sent: Responses) -> None:
    with pytest.raises(QueryError, match="there are none to report on; collect some first"):
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
    assert f"--store {store_path} --seed 4 -o {output}" in output.read_text(encoding="utf-8")
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
        assert Axe().run(opened).response["violations"] == []
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
    assert f"The answers to {disguised} were disguised before they were sent: the collector holds codes" in text
    assert "Those to year were sent as they are: the collector holds them." in text
    questions = tuple(replace(each, sensitive=False) for each in found.survey.questions[:1])
    survey = replace(found.survey, questions=questions, groups=(), target=None)
    plain = page(replace(found, survey=survey, chosen=None, logit=None, tree=None, audit=None), "miner report")
    assert "All answers were sent as they are: the collector holds them." in plain
    assert "were disguised before" not in plain
