"""People whose rating, visits and pay depend on their sex and age, for tests of regressions."""

from __future__ import annotations

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.responses.responses import Values

QUESTIONS = {
    "sex": 'kind = "yes_no"',
    "age": 'kind = "number"\nminimum = 0\nmaximum = 80\ncuts = [20, 40, 60]',
    "rating": 'kind = "scale"\nvalues = ["poor", "fair", "good", "fine"]',
    "visits": 'kind = "number"\nminimum = 0\ncuts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]',
    "pay": 'kind = "number"\nunit = "EUR"\ncuts = [1000, 1500, 2000, 3000]',
}
MIDDLES = np.array([10.0, 30.0, 50.0, 70.0])
RATING = (0.8, 0.02)  # log odds of a better rating: of a woman, and for each year
THRESHOLDS = (-0.5, 0.8, 2.0)
VISITS = (0.2, 0.5, 0.005)  # log mean: the intercept, of a woman, and for each year
PAY = (1500.0, 400.0, 8.0)
PAY_SPREAD = 700.0


def survey_with(truths: dict[str, str], channel: str = "uniform", extra: str = "") -> Survey:
    """A survey in which these questions are disguised with these truths, each in its own group."""
    lines = ['name = "people"', 'title = "People"', 'languages = ["en"]']
    for name, kind in QUESTIONS.items():
        lines += ["[[questions]]", f'name = "{name}"', 'label = "?"', kind]
        lines.append(f'group = "{name}"' if name in truths else "sensitive = false")
        lines += [extra] if name == "rating" else []
    lines.append("[groups]")
    lines += [f'{name} = {{ truth = "{truth}", channel = "{channel}" }}' for name, truth in truths.items()]
    return parse_survey("\n".join(lines))


def people(count: int, rng: np.random.Generator, most_visits: int = 12) -> tuple[Values, Floats]:
    """Answers, and the model matrix of sex and age without an intercept: shapes (people, 5) and (people, 2)."""
    woman, age = rng.integers(0, 2, count), rng.integers(0, 4, count)
    x = np.column_stack([woman, MIDDLES[age]])
    rating = np.searchsorted(THRESHOLDS, x @ RATING + rng.logistic(size=count))
    visits = np.minimum(rng.poisson(np.exp(VISITS[0] + x @ VISITS[1:])), most_visits)
    pay = np.searchsorted((1000, 1500, 2000, 3000), PAY[0] + x @ PAY[1:] + PAY_SPREAD * rng.normal(size=count))
    return np.stack([1 - woman, age, rating, visits, pay], axis=1).astype(np.int16), x
