"""The collector command: check, publish, list, status, import, export, as people script them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from collector.cli import main
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from counted_calls import calls_of
from said import figures

FINGERPRINT_LENGTH = 64
HEADER = "year,cannabis,drinking,income,debt,distress,_simulated\n"
LINES = "first,no,weekly,800..1500,yes,no,no\nfourth,yes,#0,<400,no,yes,no\n"


class Desk:
    """A folder with the example survey in it, and the collector command at hand."""

    def __init__(self, folder: Path, example: Path) -> None:
        self.folder = folder
        self.store = folder / "a.db"
        self.survey = folder / "wellbeing.toml"
        self.survey.write_text(example.read_text(encoding="utf-8"), encoding="utf-8")

    def run(self, *arguments: object) -> Result:
        """Run a subcommand, whatever comes of it."""
        return CliRunner().invoke(main, [str(each) for each in arguments])

    def stored(self, *arguments: object) -> Result:
        """Run a subcommand with --store, which must succeed."""
        result = self.run(*arguments, "--store", self.store)
        assert (result.exit_code, result.stderr) == (0, "")
        return result

    def json(self, *arguments: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """What a subcommand prints with --json."""
        return json.loads(self.stored(*arguments, "--json").stdout)

    def write(self, name: str, text: str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, old: str, new: str) -> None:
        """Change the survey file."""
        text = self.survey.read_text(encoding="utf-8")
        assert old in text
        self.survey.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, root: Path) -> Desk:
    return Desk(tmp_path, root / "examples" / "wellbeing.toml")


@pytest.fixture
def published(desk: Desk) -> Desk:
    """A desk where the example is published."""
    desk.stored("publish", desk.survey)
    return desk


# check


def test_check_tells_what_each_question_reveals_and_accepts_the_example(desk: Desk) -> None:
    result = desk.run("check", desk.survey)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["question", "group", "bits", "unknown", "of", "likelier", "at", "most"]
    assert lines[2].split("  ")[0] == "cannabis"
    assert figures(lines[2])[-4:] == [20.0, 50.0, 80.0, 94.1]
    assert any(line.startswith('group "substances"') and "no epsilon holds" in line for line in lines)
    assert any(line.startswith('warn: group "substances"') for line in lines)
    assert lines[-1] == "accepted"


def test_check_as_json_is_the_privacy_statement(desk: Desk) -> None:
    result = json.loads(desk.run("check", desk.survey, "--json").stdout)
    assert result["refused"] is False
    assert result["epsilon"] is None
    assert [group["epsilon"] is None for group in result["groups"]] == [True, False, False, False]
    assert [lint["severity"] for lint in result["lints"]] == ["warn", "note", "note"]
    assert result["fingerprint"] == read_survey_file(desk.survey).fingerprint


def test_check_states_the_central_epsilon_of_so_many_respondents(desk: Desk) -> None:
    desk.survey.write_text(
        'name = "one"\ntitle = "One"\nlanguages = ["en"]\n[[questions]]\nname = "a"\nlabel = "a?"\nkind = "yes_no"\n'
        'group = "g"\n[groups]\ng = { truth = "4/5" }\n',
        encoding="utf-8",
    )
    assert "Readers of what is published" not in desk.run("check", desk.survey).stdout
    printed = desk.run("check", desk.survey, "--respondents", 4_000).stdout
    (stated,) = [line for line in printed.splitlines() if "central differential privacy" in line]
    assert {4_000, 0.0881, 1e-6} <= set(figures(stated))
    assert "server" in printed
    document = json.loads(desk.run("check", desk.survey, "--respondents", 4_000, "--delta", 1e-9, "--json").stdout)
    assert document["central"]["delta"] == 1e-9
    assert document["central"]["epsilon"] > 0.0881
    assert json.loads(desk.run("check", desk.survey, "--json").stdout)["central"] is None
    often = json.loads(desk.run("check", desk.survey, "--respondents", 4_000, "--new", 100, "--json").stdout)
    assert 0.79 < often["central"]["new"]["epsilon"] < 0.8
    assert desk.run("check", desk.survey, "--new", 100).exit_code == 2
    refused = desk.run("check", desk.survey, "--respondents", 4_000, "--delta", 1)
    assert refused.exit_code == 2
    assert "delta: 1" in refused.stderr


def test_check_tells_which_questions_so_few_respondents_say_nothing_of(desk: Desk) -> None:
    assert "respondents tell next to nothing" not in desk.run("check", desk.survey, "--respondents", 400).stdout
    lines = desk.run("check", desk.survey, "--respondents", 30).stdout.splitlines()
    (line,) = [line for line in lines if line.startswith('warn: question "debt"')]
    assert figures(line) == [4, 5, 30, 95, 0.58, 252, 0.2]
    printed = json.loads(desk.run("check", desk.survey, "--respondents", 30, "--json").stdout)
    assert line in [
        f"{each['severity']}: {each['place']}: {each['problem']}; {each['remedy']}" for each in printed["lints"]
    ]


def test_check_refuses_with_1_and_still_tells_everything(desk: Desk) -> None:
    desk.edit('health = { truth = "4/5" }', "health = { truth = 1 }")
    result = desk.run("check", desk.survey)
    assert (result.exit_code, result.stderr) == (1, "")
    assert 'refuse: group "health": at truth 1' in result.stdout
    assert result.stdout.splitlines()[-1] == "refused"
    as_json = desk.run("check", desk.survey, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["refused"] is True


def test_check_of_a_malformed_file_is_2_and_one_line(desk: Desk) -> None:
    desk.edit('health = { truth = "4/5" }', 'health = { truth = "1/2" }')
    result = desk.run("check", desk.survey)
    assert (result.exit_code, result.stdout) == (2, "")
    line = (
        'group "health": truth: with a truth probability of 1/2 the responses say nothing about '
        "the answers; choose a truth "
        "probability away from 1/2, such as 3/4"
    )
    assert result.stderr == f"{desk.survey}: {line}\n"


# publish, list, status


def test_publish_tells_name_version_and_fingerprint_and_makes_the_store(desk: Desk, wellbeing: Survey) -> None:
    result = desk.stored("publish", desk.survey)
    assert wellbeing.fingerprint in result.stdout
    with Store(desk.store) as store:
        assert store.published("wellbeing").survey == wellbeing


def test_publish_tells_how_an_epsilon_is_spent_and_what_sampling_would_save(desk: Desk, root: Path) -> None:
    text = (root / "examples" / "wellbeing_split.toml").read_text(encoding="utf-8")
    split = desk.write("split.toml", text.replace('ask = "auto"', "").replace("[sampling]", ""))
    result = desk.stored("publish", split)
    told, empty, *rest = result.stdout.partition("\n\n")
    assert empty
    assert rest[0].startswith("wellbeing_split version 1: published\nfingerprint ")
    lines = told.splitlines()
    assert figures(lines[0])[0] == 8
    assert figures(lines[-2])[:2] == [7, 11]
    checked = desk.run("check", split)
    assert checked.stdout.splitlines()[: len(lines)] == lines
    as_json = desk.json("publish", split)
    assert (as_json["new"], as_json["plan"]["lines"]) == (False, lines)
    assert as_json["plan"]["fewer"]["ask"] == 7
    assert desk.json("publish", desk.survey)["plan"] is None


def test_publishing_the_same_again_says_so_and_changes_nothing(published: Desk) -> None:
    before = published.store.read_bytes()
    result = published.stored("publish", published.survey)
    assert "unchanged" in result.stdout
    assert published.store.read_bytes() == before
    assert published.json("publish", published.survey)["new"] is False


def test_publishing_a_changed_file_is_a_new_version(published: Desk) -> None:
    published.edit('health = { truth = "4/5" }', 'health = { truth = "3/4" }')
    result = published.json("publish", published.survey)
    assert (result["name"], result["version"], result["new"]) == ("wellbeing", 2, True)
    assert len(result["fingerprint"]) == FINGERPRINT_LENGTH


def test_publishing_other_words_is_a_revision_that_names_them(published: Desk) -> None:
    published.edit('title = "Student wellbeing"', 'title = "How students are"')
    lines = published.stored("publish", published.survey).stdout.splitlines()
    assert "revision 2" in lines[0]
    assert lines[1] == "changed: title"
    again = published.json("publish", published.survey)
    assert (again["version"], again["revision"], again["new"], again["changed"]) == (1, 2, False, [])
    status = published.stored("status", "wellbeing").stdout
    shown = read_survey_file(published.survey).fingerprint
    line = f"wellbeing version 1: 2 revisions, whose responses pool; shown now: fingerprint {shown}"
    assert line in status.splitlines()
    wave = published.json("publish", published.survey, "--new-version")
    assert (wave["version"], wave["revision"], wave["new"], wave["changed"]) == (2, 1, True, [])
    published.edit('title = "How students are"', 'wave = 2\ntitle = "How students are"')
    assert published.json("publish", published.survey)["new"] is False
    published.edit('title = "How students are"', 'title = "Third wave"')
    wave = published.json("publish", published.survey, "--new-version")
    assert (wave["version"], wave["revision"], wave["new"]) == (3, 1, True)


def test_publishing_an_unchanged_file_as_a_new_version_says_how_its_wave_is_named(published: Desk) -> None:
    lines = published.stored("publish", published.survey, "--new-version").stdout.splitlines()
    assert lines[0] == "wellbeing version 2: published"
    assert "wave = 2" in lines[1]
    published.edit('title = "Student wellbeing"', 'wave = 2\ntitle = "Student wellbeing"')
    again = published.json("publish", published.survey)
    assert (again["version"], again["new"]) == (2, False)
    published.edit("wave = 2", "wave = 0")
    refused = published.run("check", published.survey)
    assert (refused.exit_code, "wave: " in refused.stderr) == (2, True)


def test_a_wave_in_the_file_is_published_as_that_wave_and_any_other_number_is_refused(published: Desk) -> None:
    published.edit('title = "Student wellbeing"', 'wave = 2\ntitle = "Student wellbeing"')
    fingerprint = published.run("check", published.survey).stdout.splitlines()[-2]
    wave = published.json("publish", published.survey)
    assert (wave["version"], wave["new"], f"fingerprint {wave['fingerprint']}") == (2, True, fingerprint)
    for line, number in (("wave = 4\n", 4), ("", 1)):
        published.edit("wave = 2\n" if number == 4 else "wave = 4\n", line)
        refused = published.run("publish", published.survey, "--store", published.store)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr.startswith("wave: ")
        assert "wave = 2" in refused.stderr
        assert "wave = 3" in refused.stderr
    assert [each["version"] for each in published.json("list")["surveys"]] == [1, 2]


def test_a_file_without_the_mark_is_imported_only_if_it_is_confirmed_to_be_disguised(published: Desk) -> None:
    table = published.write("plain.csv", f"{HEADER}{LINES}".replace(",no\n", "\n").replace(",_simulated", ""))
    refused = published.run("import", "wellbeing", table, "--store", published.store)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"{table}: ")
    assert "_simulated" in refused.stderr
    assert published.json("status", "wellbeing")["surveys"][0]["responses"] == 0
    assert published.json("import", "wellbeing", table, "--disguised")["imported"] == 2
    assert published.json("import", "wellbeing", table, "--undo")["taken_back"] == 2


def test_a_file_with_its_own_words_is_imported_and_taken_back_by_recode(published: Desk) -> None:
    lines = "1,0,weekly,800..1500,1,0\n4,1,#0,NA,0,1\n4,1,#0,<400,0,1\n"
    table = published.write("own.csv", HEADER.replace(",_simulated", "") + lines)
    pairs = "0=no,1=yes,1=first,4=fourth,NA="
    told = published.json("import", "wellbeing", table, "--disguised", "--recode", pairs)
    assert (told["imported"], told["left_out"], told["responses"]) == (2, 1, 2)
    marked = published.write("words.csv", HEADER + LINES)
    again = published.run("import", "wellbeing", marked, "--store", published.store)
    assert again.exit_code == 2
    assert "imported before" in again.stderr
    undone = published.stored("import", "wellbeing", table, "--undo", "--recode", pairs).stdout
    assert figures(undone)[-3:] == [2, 0, 1]
    refused = published.run("import", "wellbeing", table, "--recode", pairs, "--store", published.store)
    assert "_simulated" in refused.stderr


def test_the_same_responses_are_not_imported_into_two_versions_in_silence(published: Desk) -> None:
    table = published.write("in.csv", HEADER + LINES)
    published.stored("import", "wellbeing", table)
    published.stored("publish", published.survey, "--new-version")
    refused = published.run("import", "wellbeing", table, "--store", published.store)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"{table}: ")
    assert "version 1" in refused.stderr
    assert published.json("import", "wellbeing", table, "--again")["version"] == 2


def test_publish_and_check_warn_of_a_last_day_that_is_over(desk: Desk) -> None:
    desk.edit("until = 2099-12-31", "until = 2020-02-29")
    line = (
        "warn: study, until: the last day, 2020-02-29, is over in UTC, and no response will be taken; "
        "write a later day, or none"
    )
    assert line in desk.run("check", desk.survey).stdout
    result = desk.run("publish", desk.survey, "--store", desk.store)
    assert (result.exit_code, result.stderr) == (0, f"{line}\n")
    status = desk.run("status", "wellbeing", "--store", desk.store)
    assert any(line.startswith("closed: ") and "2020-02-29" in line for line in status.stdout.splitlines())
    again = desk.run("open", "wellbeing", "--store", desk.store)
    assert (again.exit_code, "2020-02-29" in again.stderr) == (2, True)


def test_publish_refuses_what_check_refuses_and_makes_no_store(desk: Desk) -> None:
    desk.edit('health = { truth = "4/5" }', "health = { truth = 0 }")
    result = desk.run("publish", desk.survey, "--store", desk.store)
    assert (result.exit_code, result.stdout) == (1, "")
    refusal, remedy = result.stderr.splitlines()
    assert refusal.startswith('refuse: group "health": at truth 0')
    assert "--accept-exposure" in remedy
    assert not desk.store.exists()


def yes_no_questions(count: int, truth: str, digits: int = 1) -> str:
    """A survey file of questions in groups of their own; so many digits are in their names."""
    names = [f"q{number:0{digits}}" for number in range(count)]
    tables = [f'[[questions]]\nname = "{each}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "{each}"' for each in names]
    groups = [f'{each} = {{ truth = "{truth}" }}' for each in names]
    return "\n".join(['name = "many"\ntitle = "M"\nlanguages = ["en"]', *tables, "[groups]", *groups])


def test_a_survey_whose_odds_no_float_holds_is_checked(desk: Desk) -> None:
    result = desk.run("check", desk.write("many.toml", yes_no_questions(160, "99/100")))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "more than 10^320 times" in result.stdout


def test_a_survey_of_1000_questions_is_published(desk: Desk) -> None:
    path = desk.write("many.toml", yes_no_questions(1000, "3/4"))
    assert desk.stored("publish", path).stdout.startswith("many version 1: published")


def test_questions_of_200_values_are_checked_with_few_calls(desk: Desk) -> None:
    values = [f"v{number}" for number in range(200)]
    lines = ['name = "wide"\ntitle = "W"\nlanguages = ["en"]']
    for question in range(10):
        weights = [1 + (value * (question + 7)) % 199 for value in range(200)]
        prior = ", ".join(f'{each} = "{weight}/{sum(weights)}"' for each, weight in zip(values, weights, strict=True))
        head = f'[[questions]]\nname = "q{question}"\nlabel = "Q?"\nkind = "choice"\ngroup = "g{question}"'
        lines += [head, f"values = {json.dumps(values)}", f"prior = {{ {prior} }}"]
    groups = [f"g{question} = {{ epsilon = 1 }}" for question in range(10)]
    path = desk.write("wide.toml", "\n".join([*lines, "[groups]", *groups]))
    results: list[Result] = []
    assert calls_of(lambda: results.append(desk.run("check", path))) < 10_000_000
    assert results[0].exit_code == 0


@pytest.mark.parametrize("command", ["check", "publish"])
def test_a_survey_whose_responses_a_server_would_not_take_is_refused(command: str, desk: Desk) -> None:
    path = desk.write("many.toml", yes_no_questions(1000, "3/4", digits=62))
    result = desk.run(command, path, *(["--store", desk.store] if command == "publish" else []))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"{path}: questions: ")
    assert {68_512, 65_536} <= set(figures(result.stderr))
    assert not desk.store.exists()


def test_publish_accepts_exposure_when_told_to(desk: Desk) -> None:
    desk.edit('health = { truth = "4/5" }', "health = { truth = 1 }")
    assert desk.stored("publish", desk.survey, "--accept-exposure").stdout.startswith("wellbeing version 1: published")


def test_list_and_status_tell_every_version_and_its_responses(published: Desk, wellbeing: Survey) -> None:
    with Store(published.store) as store:
        store.add(wellbeing, [(0, 1, 3, 2, 0, 1)] * 3)
    published.edit('name = "wellbeing"', 'name = "ageing"')
    published.stored("publish", published.survey)
    surveys = published.json("list")["surveys"]
    assert [(each["name"], each["version"], each["wave"], each["responses"]) for each in surveys] == [
        ("ageing", 1, 1, 0),
        ("wellbeing", 1, 1, 3),
    ]
    assert published.json("status", "wellbeing")["surveys"] == surveys[1:]
    rows = [line.split() for line in published.stored("list").stdout.splitlines()]
    assert rows[0] == ["survey", "version", "wave", "responses", "fingerprint"]
    assert rows[2] == ["wellbeing", "1", "1", "3", wellbeing.fingerprint]


# import and export


def test_import_and_export_are_the_same_both_ways(published: Desk) -> None:
    table = published.write("in.csv", HEADER + LINES)
    result = published.stored("import", "wellbeing", table)
    assert figures(result.stdout) == [1, 2, 2]
    exported = published.stored("export", "wellbeing").stdout.splitlines()
    assert exported[0] + "\n" == HEADER
    assert sorted(exported[1:]) == sorted(LINES.splitlines())


def test_a_file_is_imported_once_under_whatever_name_order_and_format(published: Desk) -> None:
    published.stored("import", "wellbeing", published.write("a.csv", HEADER + LINES))
    exported = published.folder / "b.jsonl"
    published.stored("export", "wellbeing", "-o", exported)
    turned = "".join(reversed(LINES.splitlines(keepends=True)))
    for path in (published.folder / "a.csv", published.write("c.csv", HEADER + turned), exported):
        result = published.run("import", "wellbeing", path, "--store", published.store)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"{path}: its 2 responses")
        assert "--again" in result.stderr
    assert published.json("status", "wellbeing")["surveys"][0]["responses"] == 2


def test_files_that_share_rows_are_different_files(published: Desk) -> None:
    first = LINES.splitlines(keepends=True)[0]
    for number, lines in enumerate([first, LINES, first * 2]):
        published.stored("import", "wellbeing", published.write(f"{number}.csv", HEADER + lines))
    assert published.json("status", "wellbeing")["surveys"][0]["responses"] == 5


def test_the_very_same_of_other_people_is_imported_when_told_to_and_taken_back_once_at_a_time(published: Desk) -> None:
    path = published.write("a.csv", HEADER + LINES)
    published.stored("import", "wellbeing", path)
    assert published.json("import", "wellbeing", path, "--again")["responses"] == 4
    assert published.json("import", "wellbeing", path, "--undo")["responses"] == 2
    assert published.json("import", "wellbeing", path, "--undo")["responses"] == 0
    result = published.run("import", "wellbeing", path, "--undo", "--store", published.store)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "remembered" in result.stderr


def test_an_import_is_taken_back_and_what_came_otherwise_stays(published: Desk, wellbeing: Survey) -> None:
    first, second = published.write("a.csv", HEADER + LINES), published.write("b.csv", HEADER + LINES * 2)
    published.stored("import", "wellbeing", first)
    with Store(published.store) as store:
        store.receive(wellbeing, Sent((0, 1, 3, 2, 0, 1), receipt=b"r" * 32))
        before = store.rows(wellbeing)
    published.stored("import", "wellbeing", second)
    done = published.json("import", "wellbeing", second, "--undo")
    assert (done["imported"], done["taken_back"], done["responses"]) == (0, 4, 3)
    with Store(published.store) as store:
        assert sorted(store.rows(wellbeing)) == sorted(before)
        assert store.withdraw(wellbeing, b"r" * 32) is Outcome.WITHDRAWN  # it was not one of those deleted
    published.stored("import", "wellbeing", second)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_export_to_a_file_goes_by_its_suffix_and_comes_back_identical(suffix: str, published: Desk) -> None:
    published.stored("import", "wellbeing", published.write("in.csv", HEADER + LINES))
    first = published.folder / f"first.{suffix}"
    assert published.stored("export", "wellbeing", "-o", first).stdout == ""
    other = Desk(published.folder, published.survey)
    other.store = published.folder / "b.db"
    other.stored("publish", other.survey)
    assert other.json("import", "wellbeing", first)["imported"] == 2
    second = other.stored("export", "wellbeing", "--format", suffix).stdout
    assert sorted(second.splitlines()) == sorted(first.read_text(encoding="utf-8").splitlines())


def test_what_excel_saves_is_imported_and_an_export_may_say_to_excel_that_it_is_utf_8(published: Desk) -> None:
    saved = (HEADER + LINES).replace(",", ";").encode("cp1252")
    (published.folder / "excel.csv").write_bytes(saved)
    assert (
        published.json("import", "wellbeing", published.folder / "excel.csv", "--encoding", "cp1252")["imported"] == 2
    )
    published.stored("export", "wellbeing", "--bom", "-o", published.folder / "bom.csv")
    assert (published.folder / "bom.csv").read_bytes().startswith(b"\xef\xbb\xbfyear,")
    assert published.json("import", "wellbeing", published.folder / "bom.csv", "--undo")["taken_back"] == 2
    refused = published.run("export", "wellbeing", "--bom", "--format", "jsonl", "--store", published.store)
    assert (refused.exit_code, "--bom" in refused.stderr) == (2, True)


def test_the_format_may_be_said(published: Desk) -> None:
    published.stored("import", "wellbeing", published.write("in.csv", HEADER + LINES))
    first = json.loads(published.stored("export", "wellbeing", "--format", "jsonl").stdout.splitlines()[0])
    assert list(first) == HEADER.strip().split(",")


def test_an_older_version_is_reached_by_its_number(published: Desk) -> None:
    published.edit('title = "Student wellbeing"', 'title = "Second wave"')
    published.stored("publish", published.survey, "--new-version")
    table = published.write("in.csv", HEADER + LINES)
    assert published.json("import", "wellbeing", table, "--version", 1)["version"] == 1
    assert published.stored("export", "wellbeing").stdout == HEADER
    assert len(published.stored("export", "wellbeing", "--version", 1).stdout.splitlines()) == 3


def test_an_import_with_one_bad_line_changes_nothing(published: Desk) -> None:
    table = published.write("in.csv", HEADER + LINES + "first,maybe,weekly,<400,no,no,no\n")
    result = published.run("import", "wellbeing", table, "--store", published.store)
    line = 'line 4, column "cannabis": it is not one of the question\'s values or codes; use one of: yes, no'
    line += "; or give --recode the words of the file"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"{table}: {line}\n")
    assert published.json("status", "wellbeing")["surveys"][0]["responses"] == 0


# bad input and help


def test_every_subcommand_on_a_store_says_when_there_is_none(desk: Desk) -> None:
    table = desk.write("in.csv", HEADER)
    for arguments in (["list"], ["status", "a"], ["import", "a", table], ["export", "a"]):
        result = desk.run(*arguments, "--store", desk.store)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"{desk.store}: there is no such file")


def test_a_survey_that_is_not_published_is_told_with_those_that_are(published: Desk) -> None:
    table = published.write("in.csv", HEADER)
    for arguments in (["status", "a"], ["import", "a", table], ["export", "a"]):
        result = published.run(*arguments, "--store", published.store)
        assert result.exit_code == 2
        assert result.stderr.startswith(f'{published.store}: no survey "a"')
        assert "wellbeing" in result.stderr


def test_an_export_of_an_unknown_kind_is_told(published: Desk) -> None:
    result = published.run("export", "wellbeing", "-o", published.folder / "a.xlsx", "--store", published.store)
    assert result.exit_code == 2
    assert ".csv" in result.stderr
    assert ".jsonl" in result.stderr


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_subcommand_has_help_with_an_example(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert f"Example: collector {name}" in result.stdout


def test_json_is_offered_wherever_results_are_printed() -> None:
    def options(command: click.Command) -> set[str]:
        return {each for parameter in command.params for each in parameter.opts}

    without = {name for name, command in main.commands.items() if "--json" not in options(command)}
    assert without == {"export"}, "which prints data, in a format of its own"


def test_a_survey_is_removed_once_it_was_asked(published: Desk) -> None:
    published.stored("import", "wellbeing", published.write("in.csv", HEADER + LINES))
    asked = published.run("remove", "wellbeing", "--store", published.store)
    assert asked.exit_code != 0
    assert "2 responses" in asked.stderr
    assert "wellbeing" in published.stored("list").stdout
    assert published.stored("remove", "wellbeing", "--yes").stdout == "wellbeing: removed, with 2 responses\n"
    assert "wellbeing" not in published.stored("list").stdout


def test_a_version_published_by_mistake_is_removed(published: Desk) -> None:
    published.survey.write_text(published.survey.read_text("utf-8").replace("4/5", "9/10"), encoding="utf-8")
    published.stored("publish", published.survey)
    removed = published.json("remove", "wellbeing", "--version", 2, "--yes")
    assert (removed["version"], removed["responses"]) == (2, 0)
    refused = published.run("remove", "wellbeing", "--version", 1, "--yes", "--store", published.store)
    assert refused.exit_code == 2
    assert "version 2" not in published.stored("list").stdout


def test_publish_and_status_say_what_one_person_spends_over_all_versions(desk: Desk) -> None:
    text = (
        'name = "one"\ntitle = "One"\nlanguages = ["en"]\n[[questions]]\nname = "a"\nlabel = "a?"\nkind = "yes_no"\n'
        'group = "g"\n[groups]\ng = { truth = "TRUTH" }\n'
    )
    desk.survey.write_text(text.replace("TRUTH", "4/5"), encoding="utf-8")
    assert "in all (" not in desk.stored("publish", desk.survey).stdout
    desk.survey.write_text("wave = 2\n" + text.replace("TRUTH", "9/10"), encoding="utf-8")
    said = "answers all 2 versions has epsilon 3.584 in all (1.386 + 2.197)"
    assert said in desk.stored("publish", desk.survey).stdout
    assert said in desk.stored("status", "one").stdout
    for told in (desk.json("publish", desk.survey), desk.json("status", "one")):
        assert round(told["epsilon_of_all_versions"], 3) == 3.584
