"""The options of tables by group: figures, files and what is refused."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docx import Document

from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from command_schema import validator
from miner.estimates.crosstab import crosstab
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.pooling import waves_of
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner.tables.figures import FigureTable
from miner.tables.numbers import mean, quantile, total
from miner.tables.shares import shares
from miner.tables.trends import trend, trends
from miner_command import printed, refused, run
from population import draw_answers

SAMPLE = 'strata = "year"\n[weights.year]\nfirst = 1\nsecond = 2.5\nthird = 4\nfourth = 2\n'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> Path:
    """A store with responses to the example survey."""
    path, rng = tmp_path_factory.mktemp("tables") / "s.db", np.random.default_rng(5)
    with Store(path, create=True) as store:
        store.publish(wellbeing)
        answers = value_indices(wellbeing, draw_answers(1500, rng))
        store.add(wellbeing, simulate(wellbeing, answers, rng).codes.tolist())
    return path


@pytest.fixture
def sent(store: Path) -> Responses:
    with Store(store) as opened:
        return Responses.from_store(opened, "wellbeing")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def plain(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures as a reader of JSON has them."""
    return dict(json.loads(json.dumps(figures)))


def test_a_table_by_groups_is_printed_and_written(store: Path, sent: Responses, tmp_path: Path) -> None:
    out, sample = tmp_path / "t.csv", tmp_path / "sample.toml"
    sample.write_text(SAMPLE, encoding="utf-8")
    for extra, data in (((), sent), (("--sample", sample), Sample(sent, SampleDesign.read(sample)))):
        table = shares(data, "distress", by="year", among="debt = no")
        asked = ("estimate", "wellbeing", "distress", "--by", "year", "--among", "debt = no", "--store", store, *extra)
        shown = printed(*asked, "--differences", "--force", "-o", out)
        validator("miner estimate").validate(shown)
        assert {key: shown[key] for key in table.as_json} == plain(table.as_json)
        first = rows_of(out)[0]
        assert list(first) == [*table.differences_frame().columns, "origin"]
        assert float(first["adj.p.value"]) == pytest.approx(table.differences[0].adjusted)
        text = run(*asked, "--force", "-o", out)
        assert text.exit_code == 0
        assert "chi-square" in text.stdout
        written = rows_of(out)
        assert [row["year"] for row in written[::2]] == ["first", "second", "third", "fourth"]
        assert float(written[0]["estimate"]) == pytest.approx(table.to_frame()["estimate"][0])
        assert printed(*asked)["differences"] is None


def test_a_question_alone_has_the_shares_of_its_answers(store: Path, sent: Responses) -> None:
    shown = printed("estimate", "wellbeing", "distress", "--store", store)
    validator("miner estimate").validate(shown)
    table = plain(shares(sent, "distress").as_json)
    assert (shown["n"], shown["figures"]) == (table["n"], table["figures"])


def test_a_three_way_table_and_a_difference_are_written(store: Path, sent: Responses, tmp_path: Path) -> None:
    out = tmp_path / "t.csv"
    at = ("wellbeing", "debt", "distress", "year", "--store", store)
    shown = printed("crosstab", *at, "--force", "-o", out)
    validator("miner crosstab").validate(shown)
    table = crosstab(sent, "debt", "distress", "year")
    assert {key: shown[key] for key in table.as_json} == plain(table.as_json)
    assert float(rows_of(out)[-1]["conf.high"]) == pytest.approx(list(table.cells.values())[-1].interval[1])  # type: ignore[index] # there is one
    assert "year = first" in run("crosstab", *at).stdout
    ends = ("wellbeing", "distress = yes", "debt = yes", "debt = no", "--store", store)
    assert run("difference", *ends, "--force", "-o", out).exit_code == 0
    assert [row["term"] for row in rows_of(out)] == ["first", "second", "difference"]


@pytest.mark.parametrize(
    ("options", "figure"),
    [
        (("--mean",), mean),
        (("--total", 20000), partial(total, people=20000)),
        (("--quantile", 0.25), partial(quantile, share=0.25)),
    ],
)
def test_figures_of_numbers_have_the_same_words_in_python(
    store: Path, sent: Responses, options: tuple[object, ...], figure: Callable[..., FigureTable]
) -> None:
    asked = ("estimate", "wellbeing", "income", *options, "--by", "debt", "--store", store)
    shown = printed(*asked)
    validator("miner estimate").validate(shown)
    table = plain(figure(sent, "income", by="debt").as_json)
    assert (shown["figures"], shown["remarks"]) == (table["figures"], table["remarks"])
    text = run(*asked).stdout
    assert "between" in text
    assert "note: " in text


@pytest.fixture(scope="module")
def waves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three versions of a survey, two of which have responses."""
    path, rng = tmp_path_factory.mktemp("waves") / "w.db", np.random.default_rng(6)
    text = (Path(__file__).resolve().parents[3] / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    with Store(path, create=True) as store:
        for number, truth in enumerate(("4/5", "5/6", "7/8")):
            survey = parse_survey(re.sub(r'truth = "?[\d./]+"?', f'truth = "{truth}"', text))
            store.publish(survey)
            if number != 1:
                answers = value_indices(survey, draw_answers(800, rng))
                store.add(survey, simulate(survey, answers, rng).codes.tolist())
    return path


def test_a_trend_is_printed_written_and_drawn(waves: Path, tmp_path: Path) -> None:
    asked = ("trend", "wellbeing", "distress = yes", "--among", "year != first", "--store", waves)
    shown = printed(*asked, "-o", tmp_path / "t.csv")
    validator("miner trend").validate(shown)
    with Store(waves) as store:
        known, _ = waves_of(store, "wellbeing")
    expected = trend(known, "distress = yes", among="year != first")
    assert {key: shown[key] for key in expected.as_json} == plain(expected.as_json)
    assert [each["wave"] for each in shown["waves"]] == [1, 3]
    assert [row["term"] for row in rows_of(tmp_path / "t.csv")] == ["wave 1", "wave 3", "all waves", "change per wave"]
    for ending in ("svg", "png"):
        text = run(*asked, "-o", tmp_path / f"t.{ending}")
        assert text.exit_code == 0
        assert "test of any change: chi-square" in text.stdout
    assert (tmp_path / "t.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    assert "wave 2: " in refused(*asked, "--wave", 1, "--wave", 2)
    assert "wave 7: " in refused(*asked, "--wave", 7)
    assert refused(*asked, "-o", tmp_path / "t.pdf").startswith("--output: ")


def test_a_trend_by_groups_is_printed_written_and_drawn(waves: Path, tmp_path: Path) -> None:
    asked = ("trend", "wellbeing", "distress = yes", "--by", "debt", "--among", "year != first", "--store", waves)
    shown = printed(*asked, "-o", tmp_path / "t.csv")
    validator("miner trend").validate(shown)
    with Store(waves) as store:
        known, _ = waves_of(store, "wellbeing")
    expected = trends(known, "distress = yes", by=("debt",), among="year != first")
    assert {key: shown[key] for key in expected.as_json} == plain(expected.as_json)
    assert [each["group"] for each in shown["trends"]] == [{"debt": "yes"}, {"debt": "no"}]
    assert [row["debt"] for row in rows_of(tmp_path / "t.csv")] == ["yes"] * 4 + ["no"] * 4
    text = run(*asked, "-o", tmp_path / "t.svg").stdout
    assert [line.split(":")[0] for line in text.splitlines() if ": change per wave" in line] == ["yes", "no"]
    assert (tmp_path / "t.svg").read_text(encoding="utf-8").startswith("<svg")
    assert run(*asked, "-o", tmp_path / "t.docx").exit_code == 0
    (written,) = Document(str(tmp_path / "t.docx")).tables
    assert [cell.text for cell in written.rows[0].cells][:2] == ["debt", "term"]
    assert 'question "dept"' in refused(*asked[:4], "dept", "--store", waves)


def test_time_is_the_wave_that_the_survey_file_names_or_a_year(tmp_path: Path) -> None:
    path, rng = tmp_path / "w.db", np.random.default_rng(2)
    head = 'name = "w"\ntitle = "W"\nlanguages = ["en"]\nwave = {wave}\n'
    head += '[[questions]]\nname = "q"\nlabel = "Q"\nkind = "yes_no"\ngroup = "g"\n'
    text = head + '[groups]\ng = {{ truth = "{truth}" }}\n'
    with Store(path, create=True) as store:
        for wave, truth, yes in ((1, "1", 30), (1, "9/10", 30), (2, "1", 40), (3, "1", 50)):
            survey = parse_survey(text.format(wave=wave, truth=truth))
            store.publish(survey)
            values = np.array([0] * yes + [1] * (100 - yes), np.int16)[:, None]
            store.add(survey, simulate(survey, values, rng).codes.tolist())
    asked = ("trend", "w", "q = yes", "--store", path)
    shown = printed(*asked)
    sizes = [each["share"]["n"] for each in shown["waves"]]
    assert ([each["wave"] for each in shown["waves"]], sizes) == ([1, 2, 3], [200, 100, 100])
    assert shown["slope"]["estimate"] == pytest.approx(0.1, abs=0.03)
    years = printed(*asked, "--times", "2020,2022,2024")
    assert years["slope"]["estimate"] == pytest.approx(shown["slope"]["estimate"] / 2)
    assert (years["unit"], years["waves"][0]["wave"]) == ("year", 2020)
    for wrong in ("2020,2022", "2020,2022,2021", "a,b,c", "2020,,2024"):
        assert "--times: " in refused(*asked, "--times", wrong)
    assert [each["share"]["n"] for each in printed(*asked, "--wave", 1, "--wave", 3)["waves"]] == [200, 100]


def test_what_no_table_has_is_refused(store: Path, tmp_path: Path) -> None:
    at = ("estimate", "wellbeing", "distress = yes", "--store", store)
    assert "no groups are named" in refused(*at, "--differences")
    assert "CONDITION" in refused("estimate", "wellbeing", "--among", "year = first", "--store", store)
    assert "CONDITION" in refused("estimate", "wellbeing", "--mean", "--by", "year", "--store", store)
    assert "--plain or --false" in refused(*at, "--by", "year", "--false", 3)
    assert refused(*at, "--by", "year", "-o", tmp_path / "t.pdf").startswith("--output: ")
    assert "cannot be compared" in refused(*at, "--by", "year", "--quantile", 0.5, "--differences")
    assert "give one" in refused(*at, "--mean", "--quantile", 0.5)
    assert "not numbers" in refused("estimate", "wellbeing", "year", "--mean", "--store", store)
    assert 'did you mean "year"' in refused(*at, "--by", "yaer")


def test_table_1_is_printed_and_written_for_word(store: Path, sent: Responses, tmp_path: Path) -> None:
    asked, file = ("estimate", "wellbeing", "--by", "year", "--store", store), tmp_path / "table1.docx"
    shown, table = printed(*asked, "--differences"), shares(sent, by="year")
    validator("miner estimate").validate(shown)
    assert {key: shown[key] for key in table.as_json} == plain(table.as_json)
    done = run(*asked, "-o", file)
    assert done.exit_code == 0, done.stderr
    assert "no test" not in done.stdout  # one test of all questions together is not computed
    (written,) = Document(str(file)).tables
    first, *rows = ([cell.text for cell in row.cells] for row in written.rows)
    assert first == list(table.to_frame())
    assert [row[:2] for row in rows] == [[*each.group, each.term] for each in table.figures]
    assert [float(row[2]) for row in rows] == pytest.approx(table.to_frame()["estimate"].tolist(), abs=5e-5)
