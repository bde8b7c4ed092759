"""Sample files: what they say, and what is refused in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.errors import DeniableError, QueryError
from miner.figures.sample_design import SampleDesign

WHOLE = """
strata = "region"
clusters = "school"

[weights.region]
north = 1.25
south = "5"

[population]
north = 40
south = "80"

[rake.sex]
woman = 510.5
man = 489.5
"""


def read(tmp_path: Path, text: str) -> SampleDesign:
    path = tmp_path / "sample.toml"
    path.write_text(text, encoding="utf-8")
    return SampleDesign.read(path)


def test_a_sample_file_says_weights_strata_clusters_populations_and_margins(tmp_path: Path) -> None:
    assert read(tmp_path, WHOLE) == SampleDesign(
        {"region": {"north": 1.25, "south": 5.0}},
        "region",
        "school",
        {"north": 40.0, "south": 80.0},
        {"sex": {"woman": 510.5, "man": 489.5}},
    )
    assert read(tmp_path, "population = 757").sizes == 757


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("strata = ", "the file is not valid TOML"),
        ('stratum = "region"', '"stratum" is unknown'),
        ("[weights]\nregion = 3", "the entry is not a table of values with numbers"),
        ("[weights.region]\nnorth = 0", "not above 0"),
        ("[weights.region]\nnorth = -1", "a number is below 0"),
        ('[weights.region]\nnorth = "much"', "not a fraction"),
        ('strata = "region"\npopulation = 5', "does not go with the strata"),
        ("[population]\nnorth = 5", "does not go with the strata"),
        ("[rake.sex]\nwoman = 5\nman = 5\n[rake.age]\nyoung = 4\nold = 7", "add up to 11"),
        ("[rake.sex]\nwoman = 0\nman = 0", "add up to 0"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place_and_a_remedy(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(DeniableError, match=problem) as caught:
        read(tmp_path, text)
    assert isinstance(caught.value, QueryError)
    assert "sample.toml" in caught.value.place
    assert caught.value.remedy
