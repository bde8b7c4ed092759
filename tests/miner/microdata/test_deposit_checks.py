"""What may not be deposited is refused and nothing is written, and nobody is alone in what is."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collector.errors import QueryError, StoreError, SurveyError
from collector.ledger.deposits import check_no_deposit, recorded_deposit
from collector.maintenance.audit_store import audit_store
from collector.store.store import Sent, Store
from collector.survey_file.survey_file import parse_survey
from miner.microdata.deposit_checks import check_cells
from miner.simulation.simulation import simulate
from miner_command import refused, run

HEAD = 'name = "small"\ntitle = "Small"\nlanguages = ["en"]\n'
PLAIN = '[[questions]]\nname = "{0}"\nlabel = "Q?"\nkind = "choice"\nvalues = ["x", "y", "z"]\nsensitive = false\n'
DISGUISED = '[[questions]]\nname = "{0}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "g_{0}"\n'
GROUPS = '[groups]\ng_a = { truth = "4/5" }\ng_b = { truth = "2/3", channel = "uniform" }\n'
BODY = f"{PLAIN.format('region')}{PLAIN.format('school')}{DISGUISED.format('a')}{DISGUISED.format('b')}{GROUPS}"
DECLARED = f"deposit = true\n{HEAD}{BODY}"
SPLIT = DECLARED.replace("[[questions]]", 'sampling = { ask = 3, always = ["region"] }\n[[questions]]', 1)
EVEN = [(region, school) for region in range(3) for school in range(2) for _ in range(12)]
SMALL = [*EVEN, *[(2, 2)] * 9]


def filled(path: Path, text: str, people: list[tuple[int, int]], *, closed: bool = True, hands: int = 0) -> Path:
    """A store with a closed survey and its responses, some of which are disguised by hand."""
    survey, rng = parse_survey(text), np.random.default_rng(1)
    plain = np.array(people, np.int16)
    values = np.concatenate([plain, rng.integers(0, 2, (len(plain), 2))], axis=1).astype(np.int16)
    with Store(path, create=True) as store:
        store.publish(survey)
        rows = simulate(survey, values, rng).rows
        for number, row in enumerate(rows):
            if number < hands:
                store.receive(survey, Sent(row, os.urandom(16), by_hand=True))
            else:
                store.add(survey, [row])
        if closed:
            store.close_survey("small", for_good=True)
    return path


def deposit(path: Path, *more: object) -> tuple[object, ...]:
    return ("deposit", "small", "--store", path, "-o", path.parent / "deposit", *more)


STUDY = 'study = { privacy = "We never publish a response." }\n'
REFUSED = {
    "not declared": (f"{HEAD}{BODY}", EVEN, "does not declare"),
    "not closed for good": (DECLARED, EVEN, "--for-good"),
    "a later wave": (f"wave = 2\n{DECLARED}", EVEN, "waves"),
    "no epsilon": (DECLARED.replace('"2/3"', '"1"'), EVEN, "no epsilon"),
    "a privacy notice": (f"{STUDY}{DECLARED}", EVEN, "--privacy-text-allows"),
    "a consent text": (STUDY.replace("privacy", "consent") + DECLARED, EVEN, "--privacy-text-allows"),
    "a small cell": (DECLARED, SMALL, "1 groups of people"),
    "questions asked by lot": (SPLIT, EVEN, "fewer than 10"),
    "no response": (DECLARED, [], "no response"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_may_not_be_deposited_is_refused_and_nothing_is_written(why: str, tmp_path: Path) -> None:
    text, people, said = REFUSED[why]
    path = tmp_path / "store.db"
    if people:
        filled(path, text, people, closed=why != "not closed for good")
    else:
        with Store(path, create=True) as store:
            store.publish(parse_survey(text))
            store.close_survey("small", for_good=True)
    assert said in refused(*deposit(path))
    assert not (tmp_path / "deposit").exists()
    with Store(path) as store:
        check_no_deposit(path, store.published("small"))


@pytest.mark.parametrize(
    "text",
    [
        DECLARED.replace('group = "g_b"', 'group = "g_a"').replace(
            'g_b = { truth = "2/3", channel = "uniform" }\n', ""
        ),
        f"{DECLARED.partition('[groups]')[0]}[privacy]\ncentral_epsilon = 1\nrespondents = 4000\n".replace(
            'group = "g_a"\n', ""
        ).replace('group = "g_b"\n', ""),
    ],
)
def test_a_complement_group_of_two_bits_and_a_central_epsilon_cannot_even_be_published(text: str) -> None:
    parse_survey(text.replace("deposit = true\n", ""))
    with pytest.raises(SurveyError) as caught:
        parse_survey(text)
    assert caught.value.place == "deposit"


def test_an_error_about_small_cells_names_the_question_and_no_value(tmp_path: Path) -> None:
    line = refused(*deposit(filled(tmp_path / "store.db", DECLARED, SMALL)))
    assert "school" in line
    assert not any(f'"{value}"' in line or f" {value} " in line for value in "xyz")
    done = run(*deposit(tmp_path / "store.db", "-k", 9))
    assert done.exit_code == 0, done.stderr


def test_few_who_disguised_by_hand_are_refused_too(tmp_path: Path) -> None:
    for number, (hands, code) in enumerate([(0, 0), (3, 2)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = filled(folder / "store.db", DECLARED, [(0, 0)] * 60, hands=hands)
        assert run(*deposit(path)).exit_code == code


def test_an_attacker_who_knows_everybodys_undisguised_answers_finds_nobody_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.db", DECLARED, EVEN)
    done = run(*deposit(path))
    assert done.exit_code == 0, done.stderr
    for name in ("responses.csv", "readings.csv"):
        rows = pd.read_csv(tmp_path / "deposit" / name, dtype=str)
        found = Counter(zip(rows["region"], rows["school"], strict=True))
        words = "xyz" if name == "readings.csv" else "012"
        for region, school in set(EVEN):  # everybody on the list of invitees
            assert found[words[region], words[school]] >= 10
    content = b"".join(each.read_bytes() for each in sorted((tmp_path / "deposit").iterdir()))
    with Store(path) as store, store._connections.reading() as database:  # noqa: SLF001 - what no file may hold
        ids = [row[0] for row in database.execute("SELECT id FROM responses_small_1").fetchall()]
    assert not any(str(each).encode() in content for each in ids)


def test_a_version_is_deposited_once_and_privately(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.db", DECLARED, EVEN)
    done = run(*deposit(path))
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "deposit").stat().st_mode & 0o777 == 0o700
    assert done.stdout.splitlines()[-1].removeprefix("root ") in (tmp_path / "deposit" / "README.txt").read_text()
    line = refused("deposit", "small", "--store", path, "-o", tmp_path / "again")
    assert "deposited before" in line
    assert not (tmp_path / "again").exists()
    columns = {(each.table, each.name): each.holds for each in audit_store(path).columns}
    assert "deposited" in columns["deposits", "fingerprint"]
    assert all(check.green for check in audit_store(path).checks if "tables" in check.what)


def test_a_deposit_that_cannot_be_written_is_not_recorded(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.db", DECLARED, EVEN)
    with Store(path) as store:
        published = store.published("small")
    with pytest.raises(OSError, match="full"), recorded_deposit(path, published, "0" * 64):
        raise OSError("full")
    check_no_deposit(path, published)
    with recorded_deposit(path, published, "0" * 64):
        pass
    with pytest.raises(StoreError):
        check_no_deposit(path, published)
    with pytest.raises(StoreError), recorded_deposit(path, published, "1" * 64):
        raise AssertionError("the folder must not get its name")


def test_a_privacy_text_that_somebody_read_lets_a_deposit_through(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.db", f"{STUDY}{DECLARED}", EVEN)
    assert run(*deposit(path, "--privacy-text-allows")).exit_code == 0


def test_cells_of_a_survey_without_undisguised_questions_are_everybody() -> None:
    survey = parse_survey(f"deposit = true\n{HEAD}{DISGUISED.format('a')}[groups]\ng_a = {{ truth = '4/5' }}\n")
    check_cells(survey, [(10, 0)], 10)
    with pytest.raises(QueryError):
        check_cells(survey, [(9, 0)], 10)
