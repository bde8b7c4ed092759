"""Parties with different columns of the same people: each releases alone, and the parts make one model."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import measured
from collector.errors import DeniableError, ModelError, QueryError
from collector.ledger.ledger import Ledger
from collector.survey_file.survey_writer import survey_text
from miner.cli import main as miner
from miner.release.cross_validated import Predictor, family_learner
from miner.release.families.methods import family
from miner.release.families.private_rdt import VerticalRDT
from miner.release.noise import SystemNoise
from miner.release.parties import merged
from miner.release.release import Release, read_release, release, write_release
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable
from said import figures
from small_surveys import plain_survey

ROWS = 437
NOISELESS = Fraction(1000)  # so large that no count is changed, but for one time in e^300
PARTIES = (("q0", "q1"), ("q2",), ("q3",))


@dataclass
class Account:
    """An account that pays everything."""

    name: str = "people"
    cohort: str | None = None
    paid: Fraction = Fraction(0)

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""
        assert method == "private-rdt-vertical"
        assert not delta
        self.paid += epsilon

    def note(self, method: str) -> None:
        """See `miner.release.release.BudgetAccount`."""
        raise AssertionError(method)


def people(target: str = "q4") -> TrustedTable:
    """Five questions, of which the first four together mostly decide the last."""
    generator = np.random.default_rng(2)
    values = generator.integers(0, 2, (ROWS, 5))
    values[:, 4] = np.where(generator.random(ROWS) < 0.9, values[:, :4].sum(axis=1) > 1, values[:, 4])
    return TrustedTable.of(plain_survey(5), values.astype(np.int16), target)


def vertical(*parties: tuple[str, ...], epsilon: Fraction = NOISELESS, size: int | None = ROWS, **more: Any) -> Any:  # noqa: ANN401 - the family
    return family("private-rdt-vertical", epsilon, size, parties=parties, **({"trees": 3} | more))


def part(table: TrustedTable, *own: str, account: Account | None = None, seed: int = 7, **more: Any) -> Release:  # noqa: ANN401 - of the family
    """The release of a party that has its own columns and the class alone, in another order of the rows."""
    frame = table.frame[[*own, table.target]].sample(frac=1, random_state=seed)
    parts = vertical(own, **more)
    held = TrustedTable.from_frame(table.survey, frame, table.target, parts.asks)
    return release(held, parts, account or Account(), SystemNoise(), np.random.default_rng(seed))


def test_parts_make_the_model_that_one_table_gives_at_the_same_seed() -> None:
    table = people()
    one = release(table, vertical(*PARTIES), Account(), SystemNoise(), np.random.default_rng(7))
    whole = merged([part(table, *own) for own in PARTIES])
    assert whole.as_json == one.as_json
    assert len(one.as_json["learnt"]["trees"]) == 9


def test_each_party_pays_its_epsilon_and_the_model_states_the_sum(tmp_path: Path) -> None:
    table, accounts = people(), [Account(name) for name in ("clinic", "school", "bank")]
    parts = [
        part(table, *own, account=each, epsilon=Fraction(1, 2)) for own, each in zip(PARTIES, accounts, strict=True)
    ]
    assert [each.paid for each in accounts] == [Fraction(1, 2)] * 3
    for each in parts:
        assert figures(each.privacy[0]) == [0.5]
        assert any("p parties cost a person p times epsilon" in line for line in each.privacy)
    write_release(merged(parts), tmp_path / "model.json")
    whole = read_release(tmp_path / "model.json")
    assert figures(whole.privacy[0]) == [1.5]
    assert any("3 parties cost 3 times" in line for line in whole.privacy)
    assert not any("p parties cost" in line for line in whole.privacy)  # there are no others
    assert whole.parameters["parties"] == [["q0", "q1"], ["q2"], ["q3"]]


def test_neither_a_part_nor_the_model_tells_the_number_of_rows() -> None:
    table = people()
    declared = [part(table, *own, epsilon=Fraction(1)) for own in PARTIES]
    bought = [part(table, *own, epsilon=Fraction(1), size=None) for own in PARTIES]
    assert merged(bought).statement.adding == merged(declared).statement.adding
    for parts in (declared, bought):
        for each in (*parts, merged(parts)):
            document = each.as_json
            assert document["parameters"]["size"] != ROWS
            del document["learnt"]  # noise may be any number
            assert str(ROWS) not in json.dumps(document)
    assert declared[0].parameters["size"] == 440
    sums = [np.array(tree["counts"]).sum() for each in bought for tree in each.as_json["learnt"]["trees"]]
    assert set(sums) != {ROWS}  # noise of scale 3 on each leaf of nine trees


def test_parts_that_do_not_go_together_are_refused_in_one_line() -> None:
    table = people()
    first, second, third = (part(table, *own) for own in PARTIES)
    other = TrustedTable.of(plain_survey(6), np.insert(table.values, 4, 0, axis=1), "q5")
    damaged = replace(third, parameters=third.parameters | {"parties": [["q3"], ["q2"]]})
    horizontal = release(table, family("private-rdt", NOISELESS, ROWS), Paid(), SystemNoise())
    for parts, line in (
        ([first, second], 'parties: no file has the question "q3"; give the files of all parties'),
        ([first, second, part(table, "q2", "q3")], "parties: they do not share out the questions"),
        ([first, second, second], "parties: one release is given twice"),
        ([first, second, part(other, "q3")], "the files are not releases with private-rdt-vertical for one survey"),
        ([first, second, horizontal], "the files are not releases with private-rdt-vertical for one survey"),
        ([horizontal, second], "the files are not releases with private-rdt for one survey"),
        ([first, part(people("q3"), "q4"), second], "the trees or targets of the releases differ"),
        ([first, second, part(table, "q3", epsilon=Fraction(1))], "the trees or targets of the releases differ"),
        ([first, second, part(table, "q3", trees=2)], "the trees or targets of the releases differ"),
        ([first, damaged], "model, parameters: the stated cost of a release is not the cost of its parameters"),
        (
            [first, replace(third, parameters=third.parameters | {"parties": 3})],
            "the parameters are not those of private-rdt-ver",
        ),
    ):
        with pytest.raises((ModelError, QueryError), match=line) as caught:
            merged(parts)
        assert "\n" not in str(caught.value)


class Paid(Account):
    """An account that pays for any method."""

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""


def test_a_table_without_a_column_that_is_asked_is_refused_before_anything_is_charged() -> None:
    table, account = people(), Account()
    held = TrustedTable.from_frame(table.survey, table.frame[["q0", "q4"]], "q4", ("q0",))
    assert list(held.frame) == ["q0", "q4"]
    for parts in (family("ours", Fraction(1), ROWS), vertical(("q0", "q1"))):
        with pytest.raises(QueryError, match='column "q1"'):
            release(held, parts, account, SystemNoise())
    assert not account.paid


@pytest.mark.statistical
@pytest.mark.usefixtures("datasets")
def test_parts_of_nursery_are_as_accurate_as_one_table() -> None:
    """Each figure scatters by less than a point; the trees of both are alike."""
    table = TABLES["nursery"]()
    names = [each.name for each in table.survey.questions if each.name != table.target]
    own = (tuple(names[::2]), tuple(names[1::2]))
    one = VerticalRDT(Fraction(1), len(table), parties=own)

    def apart(rows: TrustedTable, generator: np.random.Generator) -> Predictor:
        seed = int(generator.integers(2**32))
        parts: list[Release] = []
        for each in own:
            held = TrustedTable.from_frame(rows.survey, rows.frame[[*each, rows.target]], rows.target, each)
            noise = SeededNoise(np.random.default_rng([seed, len(parts)]))
            parts.append(release(held, replace(one, parties=(each,)), Account(), noise, np.random.default_rng(seed)))
        return merged(parts).model.probabilities

    (together, _), (merged_parts, _) = (
        measured(table, family_learner(one, SeededNoise), 1, 2),
        measured(table, apart, 1, 2),
    )
    assert merged_parts == pytest.approx(together, abs=0.02)
    assert merged_parts > 0.85


def run(*arguments: str) -> Result:
    return CliRunner().invoke(miner, arguments)


def test_parties_release_and_merge_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clinic keeps a key beside its columns, which is not read; the school has other rows first."""
    monkeypatch.chdir(tmp_path)
    table = people()
    text = survey_text(table.survey, "People.")
    Path("people.toml").write_text(text + ('\n[mining]\ntarget = "q4"\n' if "[mining]" not in text else ""), "utf-8")
    frame = table.frame.assign(person=range(ROWS))
    frame[["person", "q0", "q1", "q4"]].to_csv("clinic.csv", index=False)
    frame[["q4", "q3", "q2"]].iloc[::-1].to_csv("school.csv", index=False)
    frame.drop(columns="person").to_csv("all.csv", index=False)
    for name, own in (("clinic", "q0,q1"), ("school", "q2,q3")):
        store = ("--store", f"{name}.db", "--data-set", name)
        assert run("budget", name, "--epsilon", "1", "--store", f"{name}.db").exit_code == 0
        options = ("--survey", "people.toml", "--method", "private-rdt-vertical", "--size", "440", *store)
        lacking = run("release", f"{name}.csv", *options, "--set", "parties=q0,q2", "-o", f"{name}.json")
        assert (lacking.exit_code, lacking.stderr.count("\n")) == (2, 1)
        assert f'{name}.csv: column "q{"2" if name == "clinic" else "0"}"' in lacking.stderr
        made = run("release", f"{name}.csv", *options, "--set", f"parties={own}", "-o", f"{name}.json")
        assert made.exit_code == 0, made.stderr
        with Ledger(Path(f"{name}.db")) as ledger:
            assert ledger.account(name).spent.epsilon == 1
    assert run("merge", "clinic.json", "school.json", "-o", "both.json").exit_code == 0
    shown = run("show", "both.json").stdout
    assert "epsilon 2." in shown
    assert "2 parties cost 2 times" in shown
    predicted = run("predict", "both.json", "all.csv")
    assert len(predicted.stdout.splitlines()) == ROWS + 1
    alone = run("merge", "clinic.json", "-o", "one.json")
    assert (alone.exit_code, alone.stderr.count("\n")) == (2, 1)
    assert 'the question "q2"' in alone.stderr
    assert not Path("one.json").exists()
    for damaged in ({"parties": [["q0", "q0"], ["q1"]]}, {"parties": [7]}):
        document = json.loads(Path("clinic.json").read_text("utf-8"))
        document["parameters"] |= damaged
        Path("damaged.json").write_text(json.dumps(document), "utf-8")
        with pytest.raises(DeniableError):
            merged([read_release(Path("damaged.json")), read_release(Path("school.json"))])
