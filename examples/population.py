"""A made-up student population: it exists only here, and only this file knows its truth.

python examples/population.py 4000 answers.csv
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd


def draw_answers(people: int, generator: np.random.Generator) -> pd.DataFrame:
    """True answers to examples/wellbeing.toml, in words (income as a number).

    Hardship drives everything: it lowers income, brings debt, and with debt and drinking comes distress. About 22 %
    have used cannabis and about 29 % are in distress.

    Args:
        people: How many rows.
        generator: Where chance comes from.
    """

    def happens(chance: np.ndarray) -> np.ndarray:
        return generator.random(people) < chance

    year = generator.integers(0, 4, people)
    hardship = generator.normal(0.0, 1.0, people)
    income = np.clip(np.exp(6.75 - 0.45 * hardship + 0.3 * generator.normal(size=people)), 50, 6000).round()
    debt = happens(0.06 + 0.6 / (1 + np.exp(-2.5 * (hardship - 0.7))))
    cannabis = happens(np.where(year < 2, 0.28, 0.16))
    weekly = happens(np.where(cannabis, 0.45, 0.12))
    monthly = ~weekly & happens(np.full(people, 0.38))
    distress = happens(0.07 + 0.55 * debt + 0.12 * weekly)
    return pd.DataFrame(
        {
            "year": np.array(["first", "second", "third", "fourth"])[year],
            "cannabis": np.where(cannabis, "yes", "no"),
            "drinking": np.select([weekly, monthly], ["weekly", "monthly"], "never"),
            "income": income.astype(int),
            "debt": np.where(debt, "yes", "no"),
            "distress": np.where(distress, "yes", "no"),
        }
    )


if __name__ == "__main__":
    number, path = int(sys.argv[1]), sys.argv[2]
    draw_answers(number, np.random.default_rng(2026)).to_csv(path, index=False)
    print(f"{number} made-up students written to {path}")
