"""Folders of imputed tables: each in its own order, combined by Rubin's rules, with the design's questions in them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collector.errors import OutputError, QueryError
from collector.store.store import Store
from miner.estimates.estimate import estimate
from miner.estimates.imputation import combine
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.microdata.folder import write_folder
from miner.microdata.imputed import imputed_files
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner_command import refused, run
from small_surveys import survey_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
YES_NO = 'kind = "yes_no"'


def people(n: int, seed: int) -> Responses:
    """A region and a question that is commoner in the south."""
    survey = survey_of((REGION, "", ""), (YES_NO, "g", 'truth = "9/10"'))
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, n)
    values = np.stack([region, rng.random(n) > 0.2 + 0.3 * region], axis=1).astype(np.int16)
    return simulate(survey, values, rng)


def tables_of(files: dict[str, bytes]) -> list[pd.DataFrame]:
    return [pd.read_csv(BytesIO(content)) for name, content in files.items() if name.endswith(".csv")]


def test_the_tables_give_the_estimate_by_rubins_rules() -> None:
    sent = people(1500, 1)
    tables = tables_of(imputed_files(sent, 20, np.random.default_rng(2)))
    shares = [(each["q1"] == "yes").mean() for each in tables]
    found = combine(shares, [share * (1 - share) / len(sent) for share in shares], share=True)
    ours = estimate(sent, "q1 = yes")
    assert ours.standard_error is not None
    assert abs(found.estimate - ours.estimate) < 0.5 * ours.standard_error
    assert found.standard_error == pytest.approx(ours.standard_error, rel=0.3)


def test_rows_of_two_tables_do_not_belong_together() -> None:
    first, second = tables_of(imputed_files(people(1000, 3), 2, np.random.default_rng(4)))
    assert sorted(first["q0"]) == sorted(second["q0"])  # what is not disguised is the same in every table
    assert (first["q0"] == second["q0"]).mean() == pytest.approx(0.5, abs=0.08)


def test_a_sample_gives_weights_and_strata_and_must_be_in_the_model() -> None:
    sent = people(400, 5)
    sample = Sample(sent, SampleDesign({"q0": {"north": 1.0, "south": 3.0}}, "q0"))
    for table in tables_of(imputed_files(sample, 2, np.random.default_rng(6), "q1 ~ q0")):
        assert table.loc[table["q0"] == "south", "weight"].unique().tolist() == [3.0]
        assert (table["stratum"] == table["q0"]).all()
    with pytest.raises(QueryError) as caught:
        imputed_files(sample, 2, np.random.default_rng(6), "q1 ~ 1")
    assert caught.value.place in {"model", "formula"}
    raked = Sample(sent, SampleDesign(margins={"q0": {"north": 1.0, "south": 1.0}}))
    with pytest.raises(QueryError) as caught:
        imputed_files(raked, 2, np.random.default_rng(6))
    assert caught.value.place == "sample, rake"


def test_fewer_than_two_tables_are_refused() -> None:
    with pytest.raises(QueryError):
        imputed_files(people(50, 7), 1, np.random.default_rng(8))


def test_a_folder_is_private_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    write_folder(folder, {"a.txt": b"a", "b.txt": b"b"})
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == {"a.txt": b"a", "b.txt": b"b"}
    with pytest.raises(OutputError):
        write_folder(folder, {"a.txt": b"c"})
    assert (folder / "a.txt").read_bytes() == b"a"
    with pytest.raises(OutputError):
        write_folder(tmp_path / "missing" / "new", {"a.txt": b"a"})


def test_the_command_writes_the_folder(store: Store, path: Path, tmp_path: Path) -> None:
    survey = store.published("wellbeing").survey
    rng = np.random.default_rng(10)
    values = np.stack([rng.integers(0, len(each.values), 300) for each in survey.questions], axis=1)
    store.add(survey, simulate(survey, values.astype(np.int16), rng).codes.tolist())
    asked = ("impute", "wellbeing", "-m", 2, "--model", "distress ~ year", "--seed", 1, "--store", path)
    done = run(*asked, "-o", tmp_path / "imputed")
    assert done.exit_code == 0, done.stderr
    assert sorted(each.name for each in (tmp_path / "imputed").iterdir()) == [
        "README.txt",
        "imputed_01.csv",
        "imputed_02.csv",
    ]
    assert "not empty" in refused(*asked, "-o", tmp_path / "imputed")
