"""The settings of the scheduled job: read whole, refused in one line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from collector.errors import InputError, QueryError
from miner.retrain.settings import Settings, read_settings


def test_the_example_says_what_holds_unless_said(root: Path) -> None:
    path = root / "examples" / "retrain.toml"
    assert read_settings(path) == Settings(root / "examples" / "champion.json")


def test_every_key_is_read(tmp_path: Path) -> None:
    path = tmp_path / "retrain.toml"
    path.write_text(
        'champion = "/srv/best.json"\nmodel = "forest"\nmode = "robust"\ntarget = "debt"\nhold_out = "1/3"\n'
        "minimum_new = 50\nlevel = 0.01\nseed = 9\nn_estimators = 30\nmax_features = 0.5\noob_score = true\n",
        encoding="utf-8",
    )
    expected = Settings(Path("/srv/best.json"), "forest", "robust", "debt", Fraction(1, 3), 50, 0.01, 9, 30, 0.5, True)  # noqa: FBT003
    assert read_settings(path) == expected
    assert expected.parameters == {"mode": "robust", "n_estimators": 30, "max_features": 0.5, "oob_score": True}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 'retrain: "champion" is missing; add it: text'),
        ('champion = "a"\nchampoin = 1', 'the key "champoin" is unknown'),
        ('champion = "a"\nmodel = "tree"', "retrain, model: the setting has no such value; use one of: id3, forest"),
        ('champion = "a"\nmodel = ""', "retrain, model: the setting has no such value; use one of: id3, forest"),
        ('champion = "a"\nhold_out = ""', "retrain, hold_out: the value is not a share between 0 and 1"),
        ('champion = "a"\nhold_out = "1e-999999999"', "retrain, hold_out: the value is not a share between 0 and 1"),
        ('champion = "a"\nmode = "best"', "retrain, mode: the setting has no such value; use one of: auto"),
        (
            'champion = "a"\nmodel = "random-trees"\nmode = "robust"',
            "random-trees has no such setting; leave the setting out",
        ),
        ('champion = "a"\nn_estimators = 9', "retrain, n_estimators: id3 has no such setting; leave the setting out"),
        ('champion = "a"\nmodel = "forest"\nmax_features = true', "max_features: the value is not a number of tests"),
        ('champion = "a"\nhold_out = "1"', "retrain, hold_out: the value is not a share between 0 and 1"),
        ('champion = "a"\nhold_out = "half"', "retrain, hold_out: the value is not a share between 0 and 1"),
        ('champion = "a"\nhold_out = 0.5', "retrain, hold_out: it is not text"),
        ('champion = "a"\nminimum_new = 19', "retrain, minimum_new: the number is not from 20 to"),
        ('champion = "a"\nminimum_new = "many"', "retrain, minimum_new: it is not a whole number"),
        ('champion = "a"\nlevel = 1', "retrain, level: the level is not between 0 and 1"),
        ('champion = "a"\nseed = -1', "retrain, seed: the number is not from 0 to"),
        ("champion = ", "the file is not valid TOML"),
    ],
)
def test_bad_settings_are_refused_in_one_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "retrain.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QueryError) as refused:
        read_settings(path)
    assert str(refused.value).startswith(str(path))
    assert line in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: it cannot be read"):
        read_settings(tmp_path / "none.toml")
