"""The subcommands that estimate and plan, as other people's scripts see them."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from importlib.metadata import version as version_of
from pathlib import Path

import numpy as np
import pytest

from collector.disclosure.false_responses import rounded_up
from collector.planning.differences import DifferenceSettings, difference_plans
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey, read_survey_file
from command_schema import validator
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner_command import printed, refused, run
from population import draw_answers
from said import figures

PEOPLE = 1200


def test_what_is_printed_as_json_fits_its_schema(store: Path, root: Path, tmp_path: Path) -> None:
    survey = root / "examples" / "wellbeing.toml"
    commands = {
        "estimate": asked("estimate", store, "debt = yes and year < third"),
        "estimate each": asked("estimate", store),
        "crosstab": asked("crosstab", store, "debt", "drinking"),
        "difference": asked("difference", store, "distress = yes", "debt = yes", "debt = no"),
        "regress": asked("regress", store, "drinking ~ year"),
        "anchors": asked("anchors", store, "--even", "year", "--anchor", "debt", "--arm", 1),
        "recode": asked("recode", store, "--force", "-o", tmp_path / "next.toml"),
        "plan": ("plan", survey, "--respondents", 90, "--target-width", 0.2, "--rehearsals", 2, "--mode", "robust"),
    }
    for name, arguments in commands.items():
        validator(f"miner {name.split()[0]}").validate(printed(*arguments))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey, root: Path) -> Path:
    """A store with responses to two versions of the example survey, differing in one truth probability."""
    path = tmp_path_factory.mktemp("estimates") / "s.db"
    text = (root / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    other = parse_survey(text.replace('health = { truth = "4/5" }', 'health = { truth = "9/10" }'))
    rng = np.random.default_rng(3)
    with Store(path, create=True) as store:
        for survey in (other, wellbeing):
            people = draw_answers(PEOPLE, rng)
            store.publish(survey)
            store.add(survey, simulate(survey, value_indices(survey, people), rng).codes.tolist())
    return path


@pytest.fixture
def responses(store: Path) -> Responses:
    with Store(store) as opened:
        return Responses.from_store(opened, "wellbeing")


def asked(command: str, store: Path, *arguments: object) -> tuple[object, ...]:
    return (command, "wellbeing", *arguments, "--store", store, "--version", 2)


def test_estimate_without_a_condition_prints_each_answer_to_each_question(store: Path, responses: Responses) -> None:
    found = printed(*asked("estimate", store))
    for question in responses.survey.questions:
        for value in question.values:
            alone = printed(*asked("estimate", store, f'{question.name} = "{value}"'))
            assert found["frequencies"][question.name][value].items() <= alone.items()
    share = found["frequencies"]["debt"]["yes"]
    low, high = share["interval"]
    lines = run(*asked("estimate", store)).stdout.splitlines()
    assert lines[0].split()[:3] == ["question", "value", "share"]
    assert figures(lines[0]) == [95, 12]
    moved = max(share["false"]["too_high"], share["false"]["too_low"])
    row = ["debt", "yes", f"{share['estimate']:.3f}", f"{low:.3f}", "to", f"{high:.3f}", rounded_up(moved, 3)]
    assert row in map(str.split, lines)
    assert lines[-3] == f"{PEOPLE} responses"


def test_estimate_wants_a_condition_beside_plain_rows(store: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.touch()
    assert refused(*asked("estimate", store, "--plain", rows)).startswith("--plain: ")


def test_crosstab_prints_the_table_the_test_and_every_interval(store: Path, responses: Responses) -> None:
    found, expected = printed(*asked("crosstab", store, "debt", "distress")), crosstab(responses, "debt", "distress")
    assert found.pop("origin")["asked"] == {"row": "debt", "column": "distress"}
    assert found == json.loads(json.dumps(expected.as_json)) | {"simulated": None}
    lines = run(*asked("crosstab", store, "debt", "distress")).stdout.splitlines()
    assert lines[0].split() == ["debt", "\\", "distress", "yes", "no", "all"]
    assert figures(lines[4]) == [PEOPLE]
    assert expected.independence is not None
    assert lines[5] == expected.independence.line
    low, high = found["cells"][0]["interval"]
    assert f"{low:.3f} to {high:.3f}" in lines[8]
    most = max(shift.largest for cell in expected.cells.values() if (shift := cell.shift(PEOPLE // 100)) is not None)
    assert figures(lines[-3]) == [PEOPLE // 100, PEOPLE, float(rounded_up(100 * most, 1))]


def test_difference_prints_both_shares_and_what_lies_between(store: Path) -> None:
    conditions = ("distress = yes", "debt = yes", "debt = no")
    found = printed(*asked("difference", store, *conditions))
    assert list(found) == ["n", "first", "second", "difference", "origin", "simulated"]
    assert found["difference"]["estimate"] == pytest.approx(found["first"]["estimate"] - found["second"]["estimate"])
    lines = run(*asked("difference", store, *conditions)).stdout.splitlines()
    assert lines[0].startswith(f"among debt = yes: {found['first']['estimate']:.4f}")
    assert lines[2].startswith(f"difference: {found['difference']['estimate']:.4f} (standard error")
    nobody = run(*asked("difference", store, "distress = yes", "debt = yes and debt = no", "debt = no"))
    assert nobody.exit_code == 2
    assert '"debt"' in nobody.stderr


def test_regress_prints_every_term(store: Path, responses: Responses) -> None:
    found = printed(*asked("regress", store, "distress ~ debt + year"))
    fitted = json.loads(json.dumps(regress(responses, "distress ~ debt + year").as_json))
    version = {"version": 2, "fingerprint": responses.survey.fingerprint, "responses": PEOPLE}
    assert found.pop("origin") == {
        "survey": "wellbeing",
        "versions": [version],
        "asked": {"formula": "distress ~ debt + year", "family": "logit"},
        "responses": PEOPLE,
        "program": f"deniable {version_of('deniable')}",
    }
    assert found == fitted | {"simulated": None}
    lines = run(*asked("regress", store, "distress ~ debt + year")).stdout.splitlines()
    assert len(lines) == 1 + 5 + 3
    assert f"version 2 ({responses.survey.fingerprint[:16]})" in lines[-1]
    assert lines[2].split()[:6] == ["yes", ":", "no", "debt", "=", "yes"]
    assert lines[-3] == f"{PEOPLE} responses"


def test_anchors_prints_agreement_with_known_frequencies_and_between_versions(store: Path) -> None:
    found = printed(*asked("anchors", store, "--even", "year", "--arm", 1))
    assert found["n"] == PEOPLE
    assert [each["question"] for each in found["anchors"]] == ["year"]
    assert found["anchors"][0]["p_value"] > 0.001
    assert [each["question"] for each in found["arms"]] == ["cannabis", "drinking", "income", "debt", "distress"]
    shares = {each["question"]: each["share"] is not None for each in found["arms"]}
    assert shares == {"cannabis": False, "drinking": False, "income": False, "debt": False, "distress": True}
    lines = run(*asked("anchors", store, "--anchor", "cannabis")).stdout.splitlines()
    assert lines[0].split() == [
        "anchors",
        "chi-square",
        "degrees",
        "of",
        "freedom",
        "p",
        "careless,",
        "95",
        "%",
        "interval",
    ]


def test_the_difference_between_two_waves_is_printed_with_its_interval(store: Path) -> None:
    found = printed(*asked("difference", store, "distress = yes", "--from-version", 1))
    shares = [printed(*(*asked("estimate", store, "distress = yes")[:-1], version))["estimate"] for version in (2, 1)]
    assert found["difference"]["estimate"] == pytest.approx(shares[0] - shares[1], abs=1e-6)
    low, high = found["difference"]["interval"]
    assert low < found["difference"]["estimate"] < high
    lines = run(*asked("difference", store, "distress = yes", "debt = yes", "--from-version", 1)).stdout.splitlines()
    assert lines[0].partition(": ")[0].endswith("this wave")
    assert lines[1].partition(": ")[0].endswith("version 1")
    assert lines[2].startswith("difference: ")


def test_recode_takes_the_newest_wording(store: Path, tmp_path: Path) -> None:
    copy = shutil.copy(store, tmp_path / "copy.db")
    with Store(copy) as opened:
        before = opened.published("wellbeing").survey
        opened.publish(replace(before, title=Text.of(en="In other words")))
    printed(*asked("recode", copy, "-o", tmp_path / "next.toml"))
    assert read_survey_file(tmp_path / "next.toml").title["en"] == "In other words"


def test_recode_writes_the_next_version(store: Path, tmp_path: Path) -> None:
    found = printed(*asked("recode", store, "-o", tmp_path / "next.toml"))
    survey = read_survey_file(tmp_path / "next.toml")
    assert survey.name == "wellbeing"
    for question, told in zip(survey.questions, found["questions"], strict=True):
        assert told["prior_after"] == {
            value: float(share) for value, share in zip(question.values, question.prior, strict=True)
        }
    lines = run(*asked("recode", store, "--force", "-o", tmp_path / "next.toml")).stdout.splitlines()
    assert f"{PEOPLE} responses" in lines[-1]
    assert lines[-1].endswith(str(tmp_path / "next.toml"))


# --- plan -----------------------------------------------------------------------------------------------------------


def test_plan_prints_precision_privacy_and_models(root: Path, tmp_path: Path) -> None:
    survey = root / "examples" / "wellbeing.toml"
    draw_answers(300, np.random.default_rng(3)).to_csv(tmp_path / "pilot.csv", index=False)
    arguments = ("plan", survey, "--respondents", 900, "--target-width", 0.1, "--pilot", tmp_path / "pilot.csv")
    arguments += ("--rehearsals", 2, "--mode", "robust", "--seed", 1, "--plot", tmp_path / "plot.svg", "--force")
    found = printed(*arguments)
    assert [each["question"] for each in found["questions"]][:2] == ["year", "cannabis"]
    assert found["questions"][1]["affordable"]["truth"] == "83/100"
    assert found["pilot"] is True
    assert [each["kind"] for each in found["models"]] == ["id3", "forest"]
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith(("<?xml", "<svg"))
    result = run(*arguments)
    assert result.stderr == ""  # progress is for terminals
    assert re.search("cannabis: truth 83/100 .* 0.496 bits", result.stdout)
    assert "without a pilot" not in result.stdout
    assert f"{tmp_path / 'pilot.csv'}: 300 rows" in result.stdout
    assert "too coarse" in result.stdout
    needed = max(model["pilot_needed"] for model in found["models"])
    assert f"a pilot of about {needed} rows" in result.stdout
    for model in found["models"]:
        assert model["accuracy"] is None  # 300 rows tell no accuracy to two points
        assert f"{model['interval'][0]:.3f} to {model['interval'][1]:.3f}" in result.stdout
    assert printed(*arguments)["models"] == found["models"]


def test_plan_says_whether_to_disguise_and_which_differences_are_found(root: Path) -> None:
    survey = root / "examples" / "wellbeing.toml"
    asked = ("plan", survey, "--respondents", 1_000, "--difference", 0.1, "--power", 0.9, "--cluster-effect", 1.5)
    found = printed(*asked)
    assert found["comparison"] == {"level": 0.05, "power": 0.9, "clusters": 1.5, "weights": 1.0, "wanted": 0.1}
    plans = list(difference_plans(read_survey_file(survey), 1_000, DifferenceSettings(0.05, 0.9, 1.5, 1.0, 0.1)))
    assert found["differences"] == [each.as_json for each in plans]
    shown = run(*asked).stdout
    for each in plans:
        assert f"{each.disguised.groups:.3f} ({each.openly.groups:.3f})" in shown
        assert f"{each.disguised.respondents:,} ({each.openly.respondents:,})" in shown
        assert f"{each.bias:.3f}" in shown
    assert "level 0.05 two-sided, power 0.9" in shown
    assert "--power" in refused("plan", survey, "--respondents", 1_000, "--power", 2)


def test_plan_states_the_central_epsilon_of_so_many_respondents(root: Path) -> None:
    survey = root / "examples" / "audit_c.toml"
    shown = run("plan", survey, "--respondents", 20_000).stdout
    stated = printed("plan", survey, "--respondents", 20_000)["central"]
    assert stated["epsilon"] < stated["local"]
    assert all(line in shown for line in stated["lines"])
    assert printed("plan", survey, "--respondents", 20_000, "--delta", 1e-9)["central"]["epsilon"] > stated["epsilon"]


def test_a_plot_may_be_a_picture_too(root: Path, tmp_path: Path) -> None:
    survey, plot = root / "examples" / "wellbeing.toml", tmp_path / "plot.png"
    assert run("plan", survey, "--respondents", 60, "--plot", plot).exit_code == 0
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_plan_without_a_pilot_says_what_that_means(root: Path) -> None:
    survey = root / "examples" / "wellbeing.toml"
    shown = run("plan", survey, "--respondents", 60, "--rehearsals", 2, "--mode", "robust", "--seed", 1).stdout
    assert shown.splitlines()[-1].startswith("without a pilot ")
    assert "model" not in run("plan", survey, "--respondents", 60, "--rehearsals", 0).stdout
    unasked = run("plan", survey, "--respondents", 60).stdout.splitlines()[-1]
    assert "--pilot" in unasked


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("regress", "wellbeing", "distress"), "formula, character 1: "),
        (("regress", "wellbeing", "distress ~ age"), 'there is no question "age"'),
        (("difference", "wellbeing", "distress = yes"), "fewer than two groups are named; give FIRST and SECOND"),
        (
            ("difference", "wellbeing", "distress = yes", "debt = yes", "debt = no", "--from-version", 1),
            "two waves are compared, so there is no SECOND group; leave out SECOND",
        ),
        (("difference", "wellbeing", "distress = yes", "debt = some", "debt = no"), '"debt" has no value "some"'),
        (("anchors", "wellbeing"), "miner anchors: the anchor is missing"),
        (("anchors", "wellbeing", "--arm", "7"), "version"),
        (("anchors", "wellbeing", "--even", "year", "--arm", 2), "it is version 2 itself"),
        (("difference", "wellbeing", "distress = yes", "--from-version", 2), "it is version 2 itself"),
        (
            ("anchors", "wellbeing", "--anchor", "year"),
            'question "year": the survey file gives no prior to compare with',
        ),
        (("anchors", "wellbeing", "--anchor", "age"), 'there is no question "age"'),
        (("recode", "wellbeing", "-o", "nowhere/next.toml"), "nowhere/next.toml: it cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(store: Path, arguments: tuple[str, ...], line: str) -> None:
    assert line in refused(*arguments, "--store", store, "--version", 2)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--respondents", 100, "--target-width", 2), "target width: the width is not between 0 and 1"),
        (("--respondents", 5, "--rehearsals", 2), "there are too few respondents to train and test a model"),
        (("--respondents", 5, "--plot", "plot.pdf"), "--plot: its name ends neither with .svg nor with .png"),
        (("--respondents", 5, "--plot", "nowhere/plot.svg"), "nowhere/plot.svg: it cannot be written (No such file"),
        (("--respondents", 0), "0 is not in the range"),
        ((), "Missing option '--respondents'"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(root: Path, arguments: tuple[object, ...], line: str) -> None:
    assert line in refused("plan", root / "examples" / "wellbeing.toml", *arguments)


def test_the_plan_of_a_split_questionnaire_says_where_other_designs_are_listed(root: Path) -> None:
    survey = root / "examples" / "wellbeing_split.toml"
    planned = run("plan", survey, "--respondents", 100)
    others = "what other designs with one epsilon would take: collector check, where the file has [privacy]"
    assert others in planned.stdout.splitlines()
    line = refused("plan", survey, "--respondents", 100, "--plot", "plot.svg")
    assert line.startswith("--plot: ")
    assert others not in run("plan", root / "examples" / "wellbeing.toml", "--respondents", 100).stdout


def test_beside_an_estimate_stands_how_far_false_responses_can_have_moved_it(store: Path, responses: Responses) -> None:
    arguments = asked("estimate", store, "debt = yes", "--false", 100)
    found, shift = printed(*arguments), estimate(responses, "debt = yes").shift(100)
    assert shift is not None
    assert found["false"] == {"responses": 100, **shift._asdict()}
    assert shift.line in run(*arguments).stdout
    assert "all of 1200 responses" in refused(*asked("estimate", store, "--false", PEOPLE))
    mixed = refused(*asked("estimate", store, "debt = yes", "--false", 3, "--plain", store))
    assert "--plain" in mixed


def test_a_regression_prints_margins_and_writes_a_file(store: Path, tmp_path: Path) -> None:
    asked_for = asked("regress", store, "drinking ~ debt + year", "--family", "ordinal")
    shown = run(*asked_for, "--margins", "-o", tmp_path / "margins.csv").stdout
    assert [line.split()[:3] for line in shown.splitlines() if line.startswith("debt ")] == [
        ["debt", "=", "yes"],
        *(["debt", answer, often] for answer in ("no", "yes") for often in ("never", "monthly", "weekly")),
    ]
    rows = (tmp_path / "margins.csv").read_text("utf-8").splitlines()
    columns = "term,coef.type,estimate,std.error,statistic,p.value,conf.low,conf.high"
    assert rows[0] == f"y.level,{columns},origin"
    assert len(rows) == 1 + 3 * (2 + 4) + 3 * (1 + 3)
    assert sum(",contrast," in row for row in rows) == 3 * (1 + 3)
    found = printed(*asked_for, "--margins")
    assert [each["value"] for each in found["margins"][::3]] == ["no", "yes", "first", "second", "third", "fourth"]
    assert found["margins"][0]["contrast"] is None
    run(*asked_for, "-o", tmp_path / "terms.csv")
    terms = (tmp_path / "terms.csv").read_text("utf-8").splitlines()
    assert terms[0] == f"{columns},origin"
    assert [line.split(",")[1] for line in terms[1:4]] == ["threshold", "threshold", "slope"]
    run(*asked_for, "-o", tmp_path / "terms.tex")
    comment, table, *_ = (tmp_path / "terms.tex").read_text("utf-8").splitlines()
    assert comment.startswith("% from wellbeing version 2")
    assert table.startswith("\\begin{tabular}")
    line = refused(*asked_for, "-o", tmp_path / "terms.pdf")
    assert line.startswith("--output: ")
    assert ".tex" in line
