"""Responses as SPSS and Stata files: codes, labels, what is missing by design, and how codes are disguised."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from collector.channel.value_channel import value_transition
from collector.errors import QueryError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from kind_surveys import EVERY_KIND
from miner.responses.labelled import DTA, SAV, labelled_file, notes, variable_names
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate
from miner_command import refused, run
from small_surveys import MIXED, mixed_survey

pyreadstat = pytest.importorskip("pyreadstat", reason='SPSS and Stata files need the extra: "deniable[spss]"')

SPLIT = MIXED + '[sampling]\nask = 3\nalways = ["distress"]\n'
WIDE = MIXED.replace('label = "Debt?"', f'label = "{"ö" * 300}"').replace('name = "debt"', f'name = "{"d" * 60}"')
READ = {SAV: pyreadstat.read_sav, DTA: pyreadstat.read_dta}
FORMATS = pytest.mark.parametrize("suffix", [SAV, DTA])


def responses_to(survey: Survey, count: int = 60) -> Responses:
    rng = np.random.default_rng(1)
    people = [rng.integers(0, len(question.values), count) for question in survey.questions]
    return simulate(survey, np.stack(people, axis=1).astype(np.int16), rng)


@FORMATS
def test_codes_and_labels_are_read_back(suffix: str, tmp_path: Path) -> None:
    responses, path = responses_to(mixed_survey()), tmp_path / f"r{suffix}"
    path.write_bytes(labelled_file(responses, suffix))
    frame, about = READ[suffix](path)
    np.testing.assert_array_equal(frame.to_numpy(), responses.codes)
    assert about.column_names == [question.name for question in responses.survey.questions]
    assert about.column_labels[:2] == ["Year?", "[disguised] Drug?"]
    assert about.variable_value_labels["year"] == {0: "first", 1: "second", 2: "third"}
    assert about.file_label.startswith("Codes disguised")
    drug = about.variable_value_labels["drug"]
    assert [label.split(" ")[0] for label in drug.values()] == ["one", "many", "none", "none"]
    if suffix == SAV:
        assert about.variable_measure["year"] == "ordinal"
        assert about.variable_measure["drug"] == "nominal", "its codes are not in the order of its values"


@FORMATS
def test_the_file_says_how_its_codes_are_disguised(suffix: str, tmp_path: Path) -> None:
    survey, path = mixed_survey(), tmp_path / f"r{suffix}"
    path.write_bytes(labelled_file(responses_to(survey), suffix))
    _, about = READ[suffix](path)
    if suffix == DTA:
        assert about.variable_value_labels["debt"][2] == "deep (sent for deep with 7/9, for each other value with 1/9)"
        assert "sent" not in about.variable_value_labels["year"][0]
        return
    text = " ".join(" ".join(about.notes).split())
    assert survey.fingerprint in text
    assert "Do not count them" in text
    assert 'group "money" (debt; uniform, truth 2/3): ' in text
    assert "epsilon 1.946" in text
    assert "drug = none is sent as code 0 with 3/20, code 1 with 1/20, code 2 with 1/5, code 3 with 3/5" in text
    assert "year: Sent as answered" in text


def test_the_chances_in_the_notes_are_those_of_the_channel() -> None:
    survey = mixed_survey()
    for question in survey.questions[1:]:
        group = survey.group_of(question.name)
        assert group is not None
        sent = value_transition(question.coding, group.channel)
        for value, word in enumerate(question.values):
            (line,) = [each for each in notes(survey, 1) if each.startswith(f"  {question.name} = {word} is sent")]
            told = dict(part.rsplit(" with ", 1) for part in line.split(" is sent as ")[1].split(", "))
            usual = told.pop("each other code", None)
            chances = {code: Fraction(told.get(f"code {code}", usual or "")) for code in question.codes}
            assert chances == {code: sent[code][value] for code in question.codes}


@FORMATS
def test_a_question_that_the_first_hundreds_were_not_asked_is_still_a_number(suffix: str, tmp_path: Path) -> None:
    some, path = responses_to(parse_survey(SPLIT)), tmp_path / f"r{suffix}"
    whole = np.concatenate([some.codes] * 20)
    late = whole[np.lexsort(np.where(whole == NOT_ASKED, 0, 1).T)]
    assert (late[:200] == NOT_ASKED).all(axis=0).any()
    path.write_bytes(labelled_file(Responses(some.survey, late), suffix))
    frame, _ = READ[suffix](path)
    found = frame.fillna(NOT_ASKED).to_numpy().astype(int)
    assert sorted(found.tolist()) == sorted(late.tolist())


@FORMATS
def test_what_somebody_was_not_asked_is_missing(suffix: str, tmp_path: Path) -> None:
    responses, path = responses_to(parse_survey(SPLIT)), tmp_path / f"r{suffix}"
    path.write_bytes(labelled_file(responses, suffix))
    frame, about = READ[suffix](path)
    np.testing.assert_array_equal(frame.isna().to_numpy(), responses.codes == NOT_ASKED)
    marked, about = READ[suffix](path, user_missing=True)
    mark = {SAV: NOT_ASKED, DTA: "a"}[suffix]
    np.testing.assert_array_equal((marked == mark).to_numpy(), responses.codes == NOT_ASKED)
    assert about.variable_value_labels["year"][mark] == "not asked, by design"
    assert mark not in about.variable_value_labels["distress"], "everybody is asked"


@FORMATS
def test_long_labels_and_names_are_cut_to_what_the_format_holds(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"r{suffix}"
    path.write_bytes(labelled_file(responses_to(parse_survey(WIDE)), suffix))
    _, about = READ[suffix](path)
    assert about.column_names[3] == "d" * 31
    assert about.column_labels[3].startswith("[disguised] öö")


def test_variables_have_names_that_both_programs_take() -> None:
    names = ["with", "str5", "long", "a" * 40, "a" * 41, "year"]
    tables = [f'[[questions]]\nname = "{name}"\nlabel = "Q?"\nkind = "yes_no"\nsensitive = false' for name in names]
    survey = parse_survey('name = "s"\ntitle = "S"\nlanguages = ["en"]\n' + "\n".join(tables))
    found = variable_names(survey)
    assert list(found.values()) == ["with_", "str5_", "long_", "a" * 31, "a" * 29 + "_2", "year"]
    assert labelled_file(responses_to(survey), DTA)


def test_long_names_after_the_tenth_question_leave_room_for_the_name_of_their_labels(tmp_path: Path) -> None:
    names = [f"q{number:03}{'x' * 36}" for number in range(102)]
    tables = [f'[[questions]]\nname = "{name}"\nlabel = "Q?"\nkind = "yes_no"\nsensitive = false' for name in names]
    survey = parse_survey('name = "s"\ntitle = "S"\nlanguages = ["en"]\n' + "\n".join(tables))
    (tmp_path / "r.dta").write_bytes(labelled_file(responses_to(survey), DTA))
    _, about = READ[DTA](tmp_path / "r.dta")
    assert [len(about.column_names[place]) for place in (9, 10, 100)] == [31, 30, 29]
    assert about.variable_value_labels[about.column_names[10]] == {0: "yes: Yes", 1: "no: No"}


def test_the_command_writes_the_file_and_says_that_it_is_disguised(tmp_path: Path) -> None:
    survey, store, path = mixed_survey(), tmp_path / "s.db", tmp_path / "r.sav"
    with Store(store, create=True) as opened:
        opened.publish(survey)
        opened.add(survey, responses_to(survey).codes.tolist())
    done = run("responses", "small", "--store", store, "-o", path)
    assert done.exit_code == 0, done.output
    assert f"60 responses in {path}" in done.stdout
    assert len(READ[SAV](path)[0]) == 60
    for suffix, problem in (
        (".xlsx", "choose a file name that ends in .sav (SPSS) or .dta (Stata)"),
        ("", "choose a file name that ends in .sav (SPSS) or .dta (Stata)"),
    ):
        assert problem in refused("responses", "small", "--store", store, "-o", tmp_path / f"r{suffix}")
        assert not (tmp_path / f"r{suffix}").exists()


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(QueryError, match=r"deniable\[spss\]"):
        labelled_file(responses_to(mixed_survey()), SAV)


def test_nothing_imports_it_before_a_file_is_written() -> None:
    code = "import sys, miner.cli, miner.responses.labelled; sys.exit('pyreadstat' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - ours


@FORMATS
def test_labels_say_the_question_of_an_option_and_how_values_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"responses{suffix}"
    path.write_bytes(labelled_file(responses_to(parse_survey(EVERY_KIND)), suffix))
    _, about = READ[suffix](path)
    assert about.column_names_to_labels["how_words"] == "[disguised] By words (How were you bullied?)"
    labels = about.variable_value_labels["climate_voice"].values()
    assert [each.partition(" (sent")[0] for each in labels] == ["no: Not at all", "partly: Partly", "full: Fully"]
    if suffix == SAV:
        assert "  bus = Métro is sent as code 15 with 17/32, each other code with 1/32" in about.notes
        assert max(len(line.encode()) for line in about.notes) <= 80
