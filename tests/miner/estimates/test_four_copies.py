"""Every printed standard error shrinks with the number of responses: four copies of each response halve it.

Copies of clusters are new clusters. With n units the errors are sqrt(variance / (n - 1)), so that a half is the largest
possible ratio and ``(n - 1) / (n - 1/4)``, under the root, the smallest. Exempt, each for a reason:

- With a finite population, four copies are another share of it; the test takes no `[population]`.
- The error of a quantile is half of its interval over t, and its interval comes from score intervals: not linearised.
- `miner train`, `evaluate`, `report`, `retrain`: what is cross-validated or held out sees other models of other rows.
- Coefficients and margins of learners (`miner show`) have a prior, which counts for less beside four times as many.
- `miner anchors` has intervals from a likelihood, and a quadratic form whose sampling error is not linearised.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np
import pytest

from benchmarks.data.regression_people import QUESTIONS, people
from collector.survey_file.survey_file import parse_survey
from miner.estimates.comparison import between, difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate, frequencies
from miner.estimates.hybrid import hybrid_estimate
from miner.estimates.regress import regress
from miner.estimates.regression import Regression
from miner.estimates.rules import rules
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.json_values import json_values
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.numbers import mean, total
from miner.tables.shares import shares
from miner.tables.trends import trend

N, COPIES, SCHOOLS = 1200, 4, 12
ALL_SCHOOLS = [f"s{number}" for number in range(SCHOOLS * COPIES)]
DESIGN = SampleDesign({"region": {"north": 1.0, "south": 3.0}}, "region", "school")
RAKED = SampleDesign(clusters="school", margins={"region": {"north": 600.0, "south": 400.0}})
TOLERANCE = 2e-3  # of the fits of four times as many responses, which stop elsewhere


def sent(copies: int, version: int = 1) -> Responses:
    """Responses with disguised and undisguised questions, each so many times, the copies in schools of their own."""
    truths = {"sex": "4/5", "rating": "3/4", "visits": "9/10"} if version == 1 else {"sex": "2/3", "rating": "4/5"}
    lines = ['name = "people"', 'title = "People"', 'languages = ["en"]']
    extra = {
        "region": 'kind = "choice"\nvalues = ["north", "south"]',
        "school": f'kind = "choice"\nvalues = {json.dumps(ALL_SCHOOLS)}',
    }
    for name, kind in (QUESTIONS | extra).items():
        lines += ["[[questions]]", f'name = "{name}"', 'label = "?"', kind]
        lines.append(f'group = "{name}"' if name in truths else "sensitive = false")
    lines += ["[groups]", *(f'{name} = {{ truth = "{truth}", channel = "uniform" }}' for name, truth in truths.items())]
    survey, rng = parse_survey("\n".join(lines)), np.random.default_rng(version)
    number = np.arange(N)
    values = np.column_stack([people(N, rng)[0], number % 2, number % SCHOOLS]).astype(np.int16)
    codes = simulate(survey, values, rng).codes
    school = survey.column("school")
    parts = []
    for copy in range(copies):
        part = codes.copy()
        part[:, school] += SCHOOLS * copy
        parts.append(part)
    return Responses(survey, np.concatenate(parts))


def plain_rows(copies: int) -> PlainRows:
    """Plain rows of the same people, each so many times."""
    survey = sent(1).survey
    number = np.arange(N)
    values = np.column_stack([people(N, np.random.default_rng(9))[0], number % 2, number % SCHOOLS])
    return PlainRows.of(survey, np.tile(values.astype(np.int16), (copies, 1)))


def with_margins(found: Regression) -> Any:  # noqa: ANN401 - any figures
    return [found.as_json, found.margins().to_dict("records")]


FIGURES: dict[str, Callable[[int], Any]] = {
    "estimate": lambda k: estimate(sent(k), "sex = yes and rating = fine").as_json,
    "estimate, each answer": lambda k: [frequencies(sent(k))[name] for name in QUESTIONS],
    "estimate --plain": lambda k: hybrid_estimate(sent(k), plain_rows(k), "sex = yes and rating = fine").as_json,
    "estimate --by --differences": lambda k: shares(sent(k), "rating", by="sex").as_json,
    "estimate --mean": lambda k: mean(sent(k), "age", by="sex").as_json,
    "estimate --total": lambda k: total(sent(k), "age", 9000, by="rating").as_json,
    "crosstab": lambda k: crosstab(sent(k), "sex", "rating").as_json,
    "crosstab of three": lambda k: crosstab(sent(k), "sex", "rating", "region").as_json,
    "difference": lambda k: difference(sent(k), "sex = yes", "rating = fine", "rating = poor").as_json,
    "difference of versions": lambda k: between(sent(k), sent(k, 2), "sex = yes").as_json,
    "trend": lambda k: trend({1: sent(k), 2: sent(k, 2), 4: sent(k)}, "sex = yes").as_json,
    "rules": lambda k: {
        f"{sorted(found['if'].items())} {found['then']}": found
        for found in (each.as_json(sent(1).survey) for each in rules(sent(k), 0.05, 0.1, 2))
        if "school" not in found["if"] and "school" not in found["then"]
    },
    "regress": lambda k: with_margins(regress(sent(k), "(rating = fine) ~ sex + region")),
    "regress, hidden predictors": lambda k: with_margins(regress(sent(k), "region ~ sex * rating")),
    "regress, several values": lambda k: with_margins(regress(sent(k), "rating ~ sex + age")),
    "regress ordinal": lambda k: with_margins(regress(sent(k), "rating ~ sex + age", family="ordinal")),
    "regress normal": lambda k: with_margins(regress(sent(k), "pay ~ sex + rating", family="normal")),
    "regress poisson": lambda k: with_margins(regress(sent(k), "visits ~ sex + rating", family="poisson")),
    "regress --among": lambda k: with_margins(regress(sent(k), "region ~ sex", among="rating in (good, fine)")),
    "regress --with-version": lambda k: with_margins(regress(sent(k), "region ~ sex + rating", others=[sent(k, 2)])),
    "estimate --sample": lambda k: estimate(Sample(sent(k), DESIGN), "sex = yes and rating = fine").as_json,
    "estimate --sample, raked": lambda k: estimate(Sample(sent(k), RAKED), "sex = yes").as_json,
    "estimate --sample --by": lambda k: shares(Sample(sent(k), DESIGN), "rating", by="sex").as_json,
    "estimate --sample --mean": lambda k: mean(Sample(sent(k), DESIGN), "age", by="sex").as_json,
    "crosstab --sample": lambda k: crosstab(Sample(sent(k), DESIGN), "sex", "rating").as_json,
    "difference --sample": lambda k: (
        difference(Sample(sent(k), DESIGN), "sex = yes", "rating = fine", "rating = poor").as_json
    ),
    "regress --sample": lambda k: regress(Sample(sent(k), DESIGN), "(rating = fine) ~ sex").as_json,
    "regress --sample --among": lambda k: regress(Sample(sent(k), DESIGN), "sex ~ age", among="region = north").as_json,
}


def errors(found: object, place: str = "") -> Iterator[tuple[str, float]]:
    """The standard errors of figures, with the place of each."""
    found = json_values(found)
    if isinstance(found, Mapping):
        for key, value in found.items():
            if str(key) in {"standard_error", "contrast_error"}:
                if value is not None and not isnan(value):
                    yield f"{place} {key}", float(value)
            else:
                yield from errors(value, f"{place} {key}")
    elif isinstance(found, list | tuple):
        for number, value in enumerate(found):
            yield from errors(value, f"{place} {number}")


@pytest.mark.parametrize("name", FIGURES)
def test_four_copies_of_each_response_halve_a_standard_error(name: str) -> None:
    once, again = (dict(errors(FIGURES[name](copies))) for copies in (1, COPIES))
    assert once
    assert once.keys() <= again.keys()
    units = SCHOOLS / 2 if "--sample" in name else 100  # clusters of a stratum; the fewest people of a group
    least = sqrt((units - 1) / (units - 1 / COPIES)) / 2
    for place, error in once.items():
        assert isfinite(error)
        assert error == pytest.approx(0, abs=1e-9) or (
            least * (1 - TOLERANCE) <= again[place] / error <= 0.5 * (1 + TOLERANCE)
        ), (place, error, again[place], again[place] / error)
