"""Make a folder of imputed tables, each in an order of its own, with how to combine what is computed from them."""

import warnings

import numpy as np

from collector.errors import QueryError
from miner.estimates.imputation import FEWEST_TABLES, impute
from miner.figures.sample import parts_of
from miner.microdata.files import table_bytes
from miner.responses.responses import Data

README = """{count} imputed tables of the survey {name}, {people} rows each

Each table is one draw of the answers that may be behind the disguised responses. No table is the truth about anybody,
and rows of different tables do not belong together: each table has an order of its own. Do not publish these tables.

Compute your figure from each table as if its answers were true, with its variance, and combine the {count} results by
Rubin's rules. The estimate is the mean of the estimates. Its variance is W + (1 + 1/{count}) B, where W is the mean of
the variances and B the variance between the estimates. Its degrees of freedom are ({count} - 1) (1 + W / ((1 +
1/{count}) B))^2. In Python, miner.combine(estimates, variances) does this; in R, mitools::MIcombine; in Stata, mi
estimate.

{model}
"""
MIXTURE = (
    "The tables were drawn from a mixture of latent classes of all questions, which makes associations weaker than\n"
    "they are: use them for shares. For coefficients of a regression, name it: miner impute ... --model FORMULA."
)
REGRESSION = (
    "The tables were drawn from the regression {}.\nThey hold its questions alone, and no associations beyond it."
)


def imputed_files(data: Data, count: int, rng: np.random.Generator, model: str | None = None) -> dict[str, bytes]:
    """Return the files of a folder of imputed tables, by their names.

    Every question of the sampling design must be in the model: a mixture has all questions, and a regression those
    that it names.

    Args:
        data: Disguised responses, or a sample, whose weights, strata and clusters are columns of the tables.
        count: Number of tables, at least 2.
        rng: Random generator, which draws the answers and shuffles the rows.
        model: Regression from which the answers are imputed, or None for a mixture of latent classes.

    Raises:
        ModelError: If there are fewer than two responses.
        QueryError: If there are fewer than two tables, the model cannot be fitted, or lacks a question of the sample.
    """
    if count < FEWEST_TABLES:
        raise QueryError("impute", "an interval needs at least two tables", "impute 10 to 20")
    source, design = parts_of(data)
    design.check(source.survey)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the README says it
        tables = impute(source.in_memory(), count, rng, model)
    if design.margins:
        raise QueryError("sample, rake", "imputed tables cannot be raked", "rake each table in your program")
    missing = [name for name in design.names if name not in tables[0]]
    if missing:
        problem = f'the model does not have "{missing[0]}", which the sample is drawn by'
        raise QueryError("model", problem, f'add it to the formula, as in "... + {missing[0]}"')
    files = {}
    for number, table in enumerate(tables, start=1):
        for name, numbers in design.weights.items():
            table["weight"] = table.get("weight", 1.0) * table[name].astype(object).map(dict(numbers)).astype(float)
        for part, question in (("stratum", design.strata), ("cluster", design.clusters)):
            if question is not None:
                table[part] = table[question]
        shuffled = table.iloc[rng.permutation(len(table))]
        files[f"imputed_{number:02}.csv"] = table_bytes(shuffled, ".csv")
    said = MIXTURE if model is None else REGRESSION.format(model)
    text = README.format(count=count, name=source.survey.name, people=len(tables[0]), model=said)
    return {"README.txt": text.encode(), **files}
