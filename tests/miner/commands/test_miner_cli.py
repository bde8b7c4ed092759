"""The ``miner`` command, as other people's scripts see it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest

from collector.commands.command import OutputPath
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.table import read_table
from miner.cli import main
from miner.estimates.estimate import estimate
from miner.estimates.hybrid import hybrid_estimate
from miner.estimates.rules import every_rule, rules
from miner.responses.condition import event_of, parse_condition
from miner.responses.plain_rows import PlainRows
from miner_command import printed, refused, run
from trained_fixtures import PEOPLE, stored

# --- simulate -------------------------------------------------------------------------------------------------------


def test_simulate_writes_what_the_collector_imports(root: Path, folder: Path, wellbeing: Survey) -> None:
    path = root / "examples" / "wellbeing.toml"
    for name in ("one.csv", "two.csv", "three.jsonl"):
        assert run("simulate", path, folder / "answers.csv", "--seed", 5, "-o", folder / name).exit_code == 0
    rows = read_table(wellbeing, folder / "one.csv").rows
    assert len(rows) == PEOPLE
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    assert read_table(wellbeing, folder / "three.jsonl").rows == rows
    on_stdout = run("simulate", path, folder / "answers.csv", "--seed", 5)
    assert on_stdout.stdout == (folder / "one.csv").read_text(encoding="utf-8")


def test_simulate_of_many_rows_disguises_each(
    root: Path, folder: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "examples" / "wellbeing.toml"
    monkeypatch.setattr("miner.responses.answers.ROWS", 7)
    assert run("simulate", path, folder / "answers.csv", "--seed", 5, "-o", folder / "blocks.csv").exit_code == 0
    assert len(read_table(wellbeing, folder / "blocks.csv").rows) == PEOPLE
    true = pd.read_csv(folder / "answers.csv")["year"]  # it is sent as it is
    assert pd.read_csv(folder / "blocks.csv")["year"].tolist() == true.tolist()


def test_simulate_without_a_seed_never_repeats_itself(root: Path, folder: Path) -> None:
    first, second = (run("simulate", root / "examples" / "wellbeing.toml", folder / "answers.csv") for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert first.stdout != second.stdout


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "the table is empty; begin the file with a header"),
        (b"year,cannabis\nfirst,yes\n", 'column "drinking": it is missing'),
        (b"year\nfirst,yes\n", "line 2: it has 2 cells, not 1"),
        (b"year\n\nfirst\n", "line 2: it is empty"),
        (b'year\nfirst\n"sec"ond\n', "line 3: the table is not CSV; check the quotation marks"),
        (b"year\n\xff\n", "it is not UTF-8 text"),
        (
            b"year,cannabis,drinking,income,debt,distress\nfirst,yes,never,1,no,no\nfirst,yes,never,SECRET,no,no\n",
            'row 2, column "income": it is not a number',
        ),
    ],
)
def test_simulate_names_what_does_not_fit_and_repeats_nothing(
    root: Path, tmp_path: Path, content: bytes, line: str
) -> None:
    (tmp_path / "answers.csv").write_bytes(content)
    output = tmp_path / "out.csv"
    said = refused("simulate", root / "examples" / "wellbeing.toml", tmp_path / "answers.csv", "-o", output)
    assert said.startswith(f"{tmp_path / 'answers.csv'}: ")
    assert line in said
    assert "SECRET" not in said
    assert not output.exists()


def test_simulate_reads_a_file_with_a_byte_order_mark_and_windows_lines(root: Path, tmp_path: Path) -> None:
    text = "\ufeffyear,cannabis,drinking,income,debt,distress\r\nfirst,yes,never,1,no,no\r\n"
    (tmp_path / "answers.csv").write_bytes(text.encode())
    result = run("simulate", root / "examples" / "wellbeing.toml", tmp_path / "answers.csv")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 2


# --- estimate and crosstab ------------------------------------------------------------------------------------------


def test_estimate_prints_the_estimate(folder: Path, wellbeing: Survey) -> None:
    condition = "cannabis = yes and year in (first, second) and income >= 800"
    found = printed("estimate", "wellbeing", condition, "--store", folder / "s.db")
    expected = estimate(stored(folder), event_of(wellbeing, parse_condition(wellbeing, condition)))
    assert found.pop("maximum_likelihood") == pytest.approx(max(0, expected.estimate), abs=0.02)
    assert found.pop("simulated") is None
    assert found.pop("origin")["responses"] == PEOPLE
    shift = found.pop("false")
    assert shift["responses"] == PEOPLE // 100
    assert min(shift["too_high"], shift["too_low"]) > 0
    assert found == json.loads(json.dumps(expected.as_json))
    assert list(found) == ["estimate", "standard_error", "interval", "n", "outside_unit_interval"]
    in_words = run("estimate", "wellbeing", condition, "--store", folder / "s.db").stdout
    assert in_words.startswith(f"{found['estimate']:.4f} (standard error {found['standard_error']:.4f}, ")
    first, second, third, again, origin = in_words.splitlines()
    assert "section 17" in again
    assert f"version 1 ({wellbeing.fingerprint[:16]})" in origin
    assert first.endswith(f"from {PEOPLE} responses")
    assert second.startswith(f"if {PEOPLE // 100} of them are false: ")
    assert third.startswith("likeliest frequency: 0.")


def test_estimate_joins_questions_by_or_and_by_not(folder: Path) -> None:
    condition = "cannabis = yes or not (debt = no and year <= second)"
    found = printed("estimate", "wellbeing", condition, "--store", folder / "s.db")
    whole = printed(
        "estimate", "wellbeing", "cannabis = no and debt = no and year in (first, second)", "--store", folder / "s.db"
    )
    assert found["estimate"] == pytest.approx(1 - whole["estimate"])
    assert found["standard_error"] == pytest.approx(whole["standard_error"])
    assert found["maximum_likelihood"] == pytest.approx(1 - whole["maximum_likelihood"], abs=1e-6)
    plain = printed("estimate", "wellbeing", condition, "--plain", folder / "answers.csv", "--store", folder / "s.db")
    assert plain["n"] == 2 * PEOPLE


def test_estimate_takes_plain_rows_beside_the_responses(folder: Path, people: pd.DataFrame, wellbeing: Survey) -> None:
    condition = "cannabis = yes and distress = yes"
    arguments = ("estimate", "wellbeing", condition, "--plain", folder / "answers.csv", "--store", folder / "s.db")
    found = printed(*arguments)
    admitted = parse_condition(wellbeing, condition)
    plain = PlainRows.from_frame(wellbeing, people)
    expected = json.loads(json.dumps(hybrid_estimate(stored(folder), plain, admitted).as_json))
    assert found.pop("origin")["asked"] == {"condition": condition}
    assert found == expected | {"maximum_likelihood": None, "simulated": None, "false": None}
    assert f"{2 * PEOPLE} responses and plain rows" in run(*arguments).stdout


def test_crosstab_prints_every_cell(folder: Path) -> None:
    found = printed("crosstab", "wellbeing", "cannabis", "drinking", "--store", folder / "s.db")
    assert [(cell["row"], cell["column"]) for cell in found["cells"]] == [
        (row, column) for row in ("yes", "no") for column in ("never", "monthly", "weekly")
    ]
    assert sum(cell["estimate"] for cell in found["cells"]) == pytest.approx(1, abs=1e-12)
    in_words = run("crosstab", "wellbeing", "cannabis", "drinking", "--store", folder / "s.db").stdout
    assert in_words.splitlines()[0].split() == ["cannabis", "\\", "drinking", "never", "monthly", "weekly", "all"]
    assert f"{found['cells'][0]['estimate']:.3f} ({found['cells'][0]['standard_error']:.3f})" in in_words


def test_rules_prints_the_rules(folder: Path, wellbeing: Survey) -> None:
    found = printed("rules", "wellbeing", "--min-support", 0.2, "--min-confidence", 0.6, "--store", folder / "s.db")
    expected = rules(stored(folder), 0.2, 0.6, 3)
    assert found["n"] == PEOPLE
    assert found["rules"] == json.loads(json.dumps([rule.as_json(wellbeing) for rule in expected]))
    assert len(found["rules"]) > 5
    in_words = run("rules", "wellbeing", "--min-support", 0.2, "--store", folder / "s.db").stdout.splitlines()
    assert in_words[0].split() == ["rule", "support", "confidence", "lift"]
    assert f"{expected[0].confidence.estimate:.3f}" in in_words[1]
    assert any(line.startswith(f"{len(expected)} rules from {PEOPLE} responses") for line in in_words)
    every = every_rule(stored(folder), 0.2, 0.6, 3)
    assert found["untold"] == len(every) - len(expected)
    none = run("rules", "wellbeing", "--min-support", 0.99, "--store", folder / "s.db").stdout
    assert none.startswith(f"no rule in {PEOPLE} responses")
    assert "--min-support" in none


@pytest.mark.parametrize(
    "command", [("rules",), ("report", "-o", "r.html"), ("recode", "-o", "n.toml"), ("regress", "debt ~ year")]
)
def test_a_survey_that_nobody_has_answered_is_said_to_be_so(
    command: tuple[str, ...], tmp_path: Path, wellbeing: Survey
) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(wellbeing)
    name, *others = command
    result = run(name, "wellbeing", *others, "--store", tmp_path / "s.db")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith('survey "wellbeing": ')
    assert "version 1" in result.stderr


def test_older_versions_are_left_aside_and_said_to_be(tmp_path: Path, root: Path, wellbeing: Survey) -> None:
    text = (root / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    newer = parse_survey(text.replace("Student wellbeing", "Student wellbeing 2"))
    row = [question.codes[0] for question in wellbeing.questions]
    with Store(tmp_path / "s.db", create=True) as store:
        for survey, count in ((wellbeing, 3), (newer, 2)):
            store.publish(survey, new_version=True)
            store.add(survey, [row] * count)
    newest = run("estimate", "wellbeing", "year = first", "--store", tmp_path / "s.db", "--json")
    assert json.loads(newest.stdout)["n"] == 2
    assert newest.stderr.startswith("note: 3 responses to version 1 ")
    chosen = run("estimate", "wellbeing", "year = first", "--store", tmp_path / "s.db", "--json", "--version", 1)
    assert json.loads(chosen.stdout)["n"] == 3
    assert chosen.stderr == ""
    named = run("estimate", "wellbeing", "year = first", "--store", tmp_path / "s.db", "--json", "--version", 2)
    assert (named.stdout, named.stderr) == (newest.stdout, "")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("estimate", "wellbeing", "cannabis = maybe"), 'condition, character 12: "cannabis" has no value "maybe"'),
        (("estimate",), "miner estimate: Missing argument 'NAME'"),
        (("estimate", "feelings", "a = b"), 'no survey "feelings"'),
        (("estimate", "wellbeing", "year = first", "--version", "9"), "version"),
        (("crosstab", "wellbeing", "year", "year"), "a question is named twice"),
        (("crosstab", "wellbeing", "year", "age"), 'there is no question "age"'),
        (("train", "wellbeing", "-o", "m.json", "--target", "age"), 'there is no question "age"'),
        (("train", "wellbeing", "-o", "m.json", "--test-share", "some"), "--test-share: the value is not a fraction"),
        (
            ("train", "wellbeing", "-o", "m.json", "--test-share", "1"),
            "test share: the share is not at least 0 and below 1",
        ),
        (("train", "wellbeing", "-o", "m.json", "--model", "oracle"), "'oracle' is not one of 'auto', 'id3'"),
        (("train", "wellbeing"), "Missing option '-o'"),
        (("rules", "wellbeing", "--min-support", "0"), "minimum support: the share is not above 0"),
        (("train", "wellbeing", "-o", "no/such/folder/m.json"), "no/such/folder/m.json: it cannot be written"),
        (("evaluate", "missing.json", "wellbeing"), "missing.json: it cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], line: str
) -> None:
    monkeypatch.chdir(folder)
    assert line in refused(*arguments, "--store", folder / "s.db")
    assert not (folder / "m.json").exists()


def test_a_missing_store_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refused("estimate", "wellbeing", "year = first", "--store", tmp_path / "no.db")


def test_a_survey_without_responses_is_refused_in_words(tmp_path: Path, wellbeing: Survey) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(wellbeing)
    for command in (
        ("estimate", "wellbeing", "year = first"),
        ("crosstab", "wellbeing", "year", "debt"),
        ("train", "wellbeing", "-o", tmp_path / "m.json"),
        ("train", "wellbeing", "-o", tmp_path / "m.json", "--test-share", "0"),
    ):
        assert "collect" in refused(*command, "--store", tmp_path / "s.db")


# --- the command itself ---------------------------------------------------------------------------------------------


def test_help_needs_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys; import miner.cli; heavy = {'numpy', 'pandas', 'sklearn', 'sqlite_utils'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: miner {command} " in " ".join(result.stdout.split())


def test_the_table_of_true_answers_is_never_written_over(folder: Path) -> None:
    before = (folder / "answers.csv").read_bytes()
    survey = Path(__file__).resolve().parents[3] / "examples" / "wellbeing.toml"
    for more in ((), ("--force",)):
        line = refused("simulate", survey, folder / "answers.csv", "--seed", 1, *more, "-o", folder / "answers.csv")
        assert "the command reads this file" in line
    assert (folder / "answers.csv").read_bytes() == before


def test_every_command_that_writes_a_file_takes_force() -> None:
    written = {
        name: {each.name for each in command.params}
        for name, command in main.commands.items()
        if any(isinstance(each.type, OutputPath) and isinstance(each, click.Option) for each in command.params)
    }
    assert len(written) >= 15
    assert all("force" in names for names in written.values())
