"""Deposits: from the folder alone the printed figures, and nobody alone in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from collector.store.published import Published
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate, frequencies
from miner.figures.estimate import Estimate
from miner.microdata.deposit import deposit_files
from miner.microdata.deposit_analysis import leaf_of, root_of, student_above, student_quantile
from miner.microdata.folder import write_folder
from miner.reporting.shares import among_asked
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.shares import shares

HEAD = 'deposit = true\nname = "small"\ntitle = "Small"\nlanguages = ["en"]\n'
REGION = ("choice", '["north", "south", "none"]', "", "")
YES_NO = ("yes_no", "", "", "")
FOUR = ("choice", '["a", "b", "c", "d"]', "", "")
DESIGNS = {
    "complement and uniform coins": (
        [("region", *REGION), ("debt", *YES_NO), ("drug", *FOUR)],
        {"debt": 'truth = "4/5"', "drug": 'truth = "2/3", channel = "uniform"'},
        "",
    ),
    "a truth below one half": ([("region", *REGION), ("debt", *YES_NO)], {"debt": 'truth = "1/4"'}, ""),
    "codes that stand for several values": (
        [("region", *REGION), ("drug", "choice", '["a", "b", "c", "d"]', 'coding = "subsets-2"', "")],
        {"drug": 'truth = "3/4", channel = "uniform"'},
        "",
    ),
    "a question that not everybody is asked": (
        [("region", *REGION), ("debt", *YES_NO), ("since", "yes_no", "", 'ask_if = "debt = yes"', "")],
        {"debt": 'truth = "4/5"', "since": 'truth = "4/5", channel = "uniform"'},
        "",
    ),
    "three of four questions": (
        [("region", *REGION), ("debt", *YES_NO), ("drug", *FOUR), ("mood", *YES_NO)],
        {
            "debt": 'truth = "4/5"',
            "drug": 'truth = "2/3", channel = "uniform"',
            "mood": 'truth = "4/5", channel = "uniform"',
        },
        'sampling = { ask = 3, always = ["region"] }\n',
    ),
}
TABLES = {
    "complement and uniform coins": [
        ("drug in (a, c)", "region"),
        ("debt = yes and drug = b", "region"),
        ("drug = b", "debt"),
        ("debt = no", "drug"),
    ],
    "a truth below one half": [("debt = yes", "region")],
    "codes that stand for several values": [],
    "a question that not everybody is asked": [("since = yes", "region")],
    "three of four questions": [("drug = b", "debt"), ("mood = yes", "region")],
}
ALONE = """
import json, sys
from importlib.abc import MetaPathFinder

ALLOWED = {*sys.stdlib_module_names, "numpy", "pandas", "dateutil", "pytz", "six", "tzdata", "analyse"}

class Refused(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED and not name.startswith("_sysconfigdata"):
            raise ImportError(name)

sys.meta_path.insert(0, Refused())
sys.path.insert(0, ".")
from pathlib import Path
from analyse import DepositFolder

deposit, tables = DepositFolder(Path(".")), []
as_list = lambda each: [each.estimate, each.standard_error, each.interval, each.p_value]
for condition, by in json.loads(sys.argv[1]):
    groups = deposit.groups(condition, by)
    pairs = [groups[one].minus(groups[other]) for one in groups for other in groups if one != other]
    tables.append([{name: as_list(each.figure()) for name, each in groups.items()}, list(map(as_list, pairs))])
found = {name: as_list(each) for name, each in deposit.shares().items()}
print(json.dumps({"changed": deposit.changed(), "shares": found, "tables": tables}))
"""


def small_survey(name: str) -> str:
    """The survey file of a design."""
    questions, groups, top = DESIGNS[name]
    lines = [HEAD + top]
    for question, kind, values, more, _ in questions:
        lines += [f'[[questions]]\nname = "{question}"\nlabel = "Q?"\nkind = "{kind}"']
        lines += [f"values = {values}"] * bool(values) + [more] * bool(more)
        lines += [f'group = "of_{question}"' if question in groups else "sensitive = false"]
    return "\n".join([*lines, "[groups]", *(f"of_{each} = {{ {how} }}" for each, how in groups.items())])


def sent(name: str, people: int, seed: int = 1) -> Responses:
    survey, rng = parse_survey(small_survey(name)), np.random.default_rng(seed)
    values = [rng.integers(0, 3, people)]
    for question in survey.questions[1:]:
        count = len(question.values) - (question.values[-1] == "not_applicable")
        values.append(
            np.minimum(rng.integers(0, count, people) * rng.integers(0, 2, people) + values[0] // 2, count - 1)
        )
    table = np.stack(values, axis=1).astype(np.int16)
    if survey.questions[-1].values[-1] == "not_applicable":
        table[table[:, 1] == 1, -1] = len(survey.questions[-1].values) - 1
    return simulate(survey, table, rng)


def written(responses: Responses, folder: Path) -> str:
    """Write a deposit of responses, and return its root."""
    survey = responses.survey
    made = deposit_files(responses, Published(survey.name, 1, survey.fingerprint, survey), [survey], 10)
    write_folder(folder, made.files)
    return made.root


def rounded(figure: list[object] | Estimate | None) -> list[object]:
    """An estimate, its error and its interval as they are printed, with two digits more."""
    if isinstance(figure, Estimate):
        figure = [figure.estimate, figure.standard_error, figure.interval]
    assert figure is not None
    value, error, ends = figure[:3]
    numbers = [value, error, *(ends or [None, None])]  # type: ignore[misc]
    return [None if each is None else round(float(each), 6) + 0.0 for each in numbers]


@pytest.mark.parametrize("name", DESIGNS)
def test_the_folder_alone_gives_the_printed_shares_tables_and_differences(name: str, tmp_path: Path) -> None:
    responses, folder = sent(name, 1500), tmp_path / "deposit"
    written(responses, folder)
    call = [sys.executable, "-I", "-c", ALONE, json.dumps(TABLES[name])]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["changed"] == []
    survey, asked = responses.survey, among_asked(responses)
    for question, figures in frequencies(responses).items():
        for value, figure in zip(survey.question(question).values, figures, strict=True):
            assert rounded(found["shares"][f"{question} = {value}"]) == rounded(figure), (question, value)
        for value, figure in zip(survey.question(question).values, asked.get(question, ()), strict=False):
            assert rounded(found["shares"][f"{question} = {value}, of those asked"]) == rounded(figure)
    assert len(found["shares"]) == sum(len(each.values) for each in survey.questions) + sum(map(len, asked.values()))
    for (condition, by), (figures, differences) in zip(TABLES[name], found["tables"], strict=True):
        table = shares(responses, condition, by=by)
        for each in table.figures:
            assert rounded(figures[each.group[0]]) == rounded(each.estimate), each.group
        pairs = [(one, other) for one in figures for other in figures if one != other]
        ours = dict(zip(pairs, differences, strict=True))
        assert len(table.differences) == len(pairs) / 2
        for gap in table.differences:
            theirs = ours[gap.first[0], gap.second[0]]
            assert rounded(theirs) == rounded(gap.estimate)
            assert theirs[3] == pytest.approx(gap.p_value, abs=1e-6)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_prints_the_shares(tmp_path: Path) -> None:
    responses, folder = sent("complement and uniform coins", 800), tmp_path / "deposit"
    written(responses, folder)
    call = [str(shutil.which("Rscript")), "--vanilla", "analyse.R"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 - our own script
    lines = done.stdout.splitlines()
    values = [(each.name, value) for each in responses.survey.questions for value in each.values]
    assert lines == [f"{name} = {value}: {estimate(responses, f'{name} = {value}').line}" for name, value in values]


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_gives_the_table_and_the_differences_by_an_undisguised_question(tmp_path: Path) -> None:
    responses, folder = sent("complement and uniform coins", 900), tmp_path / "deposit"
    written(responses, folder)
    code = 'source("analyse.R"); for (f in list(by_group, differences)) write.csv(f("drug", "b", "region"))'
    call = [str(shutil.which("Rscript")), "--vanilla", "-e", code]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 - our own script
    rows = [line.replace('"', "").split(",") for line in done.stdout.splitlines()]
    theirs = {row[0]: [float(each) for each in row[1:]] for row in rows if "standard_error" not in row}
    table = shares(responses, "drug = b", by="region")
    ours = {each.group[0]: each.estimate for each in table.figures}
    ours |= {" ".join([*gap.first, "-", *gap.second]): gap.estimate for gap in table.differences}
    assert len(theirs) == len(ours) == 6
    for name, figure in ours.items():
        assert figure is not None
        value, error, low, high = theirs[name]
        assert rounded(figure) == pytest.approx([value, error, low, high], abs=2e-6)


def test_a_changed_byte_changes_the_root_or_a_digest(tmp_path: Path) -> None:
    folder = tmp_path / "deposit"
    root = written(sent("a truth below one half", 60), folder)
    assert root in (folder / "README.txt").read_text().split()
    run = [sys.executable, "-I", str(folder / "analyse.py"), "debt = yes"]
    for name in sorted(each.name for each in folder.iterdir() if not each.name.startswith(("analyse", "SHA"))):
        before = (folder / name).read_bytes()
        place = before.index(b"\n") + 1 if name == "responses.csv" else len(before) - 2
        changed = bytes([before[place] ^ 1])  # a digit becomes another digit
        (folder / name).write_bytes(before[:place] + changed + before[place + 1 :])
        done = subprocess.run(run, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
        assert done.returncode or name in done.stdout.splitlines()[0], name
        assert name != "responses.csv" or done.stdout.startswith("changed: responses.csv, root\n")
        (folder / name).write_bytes(before)


def test_the_root_is_that_of_rfc_6962() -> None:
    """The tree of Certificate Transparency's own test vectors (certificate-transparency/reference)."""
    leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    roots = {
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }
    for count, root in roots.items():
        assert root_of([leaf_of(bytes.fromhex(each)) for each in leaves[:count]]) == root


def test_every_format_has_the_same_rows_in_an_order_that_tells_nothing(tmp_path: Path) -> None:
    responses = sent("three of four questions", 2000)
    one, other = tmp_path / "one", tmp_path / "other"
    shuffled = responses.take(np.random.default_rng(2).permutation(len(responses)))
    assert written(responses, one) == written(shuffled, other)
    rows = pd.read_csv(one / "responses.csv")
    assert (one / "responses.csv").read_bytes() == (other / "responses.csv").read_bytes()
    assert rows.equals(rows.sort_values([*rows]).reset_index(drop=True))
    assert Counter(map(tuple, rows.to_numpy().tolist())) == Counter(map(tuple, responses.codes.tolist()))
    assert pd.read_parquet(one / "responses.parquet").astype(int).equals(rows)
    assert pyreadstat.read_sav(one / "responses.sav", user_missing=True)[0].astype(int).equals(rows)
    stata = pyreadstat.read_dta(one / "responses.dta", user_missing=True)[0].replace("a", -1).astype(int)
    assert stata.sort_values([*rows]).reset_index(drop=True).equals(rows)
    assert len(pd.read_csv(one / "readings.csv")) == len(rows)


def test_the_design_has_its_fingerprint_and_the_code_books_every_question(tmp_path: Path) -> None:
    responses, folder = sent("three of four questions", 100), tmp_path / "deposit"
    written(responses, folder)
    survey = responses.survey
    assert sha256((folder / "design.json").read_bytes()).hexdigest() == survey.fingerprint
    names = {each.name for each in survey.questions}
    book = ET.parse(folder / "codebook.xml").getroot()  # noqa: S314 - written above
    assert {each.get("name") for each in book.iter() if each.tag.endswith("}var")} == names
    text = (folder / "codebook.txt").read_text()
    assert all(f"\n{name}: Q?" in f"\n{text}" for name in names)


def test_the_readme_states_the_local_guarantee_and_that_the_central_one_does_not_hold(tmp_path: Path) -> None:
    responses = sent("complement and uniform coins", 300)
    written(responses, tmp_path / "deposit")
    text = (tmp_path / "deposit" / "README.txt").read_text()
    epsilon = np.log(4) + np.log(1 + 2 / 3 * 4 / (1 / 3))
    assert f"local differential privacy, epsilon {epsilon:.3f}" in text
    assert "central epsilon" in text
    assert "does not hold" in text
    names = [each.name for each in responses.survey.questions if each.sensitive]
    assert all(f"{value} " not in text.partition("WHAT A ROW")[2] for value in ("north", "south"))
    assert names


def test_the_hand_made_quantiles_of_student_are_scipys() -> None:
    special = pytest.importorskip("scipy.special")
    for freedom in (1, 2, 9, 30, 999, 10**6):
        assert student_quantile(freedom) == pytest.approx(special.stdtrit(freedom, 0.975), rel=1e-8)
        for value in (0.0, 0.3, 2.0, 5.0):
            assert student_above(value, freedom) == pytest.approx(special.stdtr(freedom, -value), rel=1e-7, abs=1e-9)


def test_words_that_look_like_missing_values_are_kept() -> None:
    text = small_survey("a truth below one half").replace('"none"', '"NA"')
    survey, rng = parse_survey(text), np.random.default_rng(5)
    values = np.stack([rng.integers(0, 3, 300), rng.integers(0, 2, 300)], axis=1).astype(np.int16)
    responses = simulate(survey, values, rng)
    made = deposit_files(responses, Published("small", 1, survey.fingerprint, survey), [survey], 10)
    table = pd.read_csv(BytesIO(made.files["readings.csv"]), keep_default_na=False)
    assert (table["region"] == "NA").sum() == (values[:, 0] == 2).sum()
