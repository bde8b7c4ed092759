"""``miner regress``: regressions on disguised responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, print_json, print_table
from collector.errors import QueryError
from miner.commands.options import sample_option, with_responses

REFERENCE_HELP = "Value that the others of a question are against; may be given for several questions."

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.estimates.design import Family
    from miner.estimates.regression import Regression, Term
    from miner.responses.responses import Responses
    from miner.sampling.design import SampleDesign


@click.command()
@with_responses
@click.argument("formula")
@click.option(
    "--family",
    type=click.Choice(["logit", "ordinal", "normal", "poisson"]),
    default="logit",
    show_default=True,
    help="Distribution of the outcome: odds of its values, odds of higher values, a number, or a count.",
)
@click.option("--among", metavar="CONDITION", help="Condition that the people meet. [default: everybody]")
@click.option("--reference", "references", multiple=True, metavar="NAME=VALUE", help=REFERENCE_HELP)
@sample_option
@json_option
def regress(  # noqa: PLR0913 - one for each option
    responses: Responses,
    formula: str,
    *,
    family: Family,
    among: str | None,
    references: tuple[str, ...],
    sample: SampleDesign | None,
    as_json: bool,
) -> None:
    """Fit a regression: FORMULA is an outcome, ~ and predictors joined by +, as R and Python write them.

    `a * b` enters two predictors and their interaction, `a:b` the interaction alone. A question enters by its values,
    each against "no" or the first; C(year, ref="second") sets another reference. A number enters by its size, and by
    its intervals in C(income). A condition in brackets is 1 where it holds, also as the outcome.

    Outcome, predictors and --among may be disguised. The estimate is of maximum likelihood through the disguise. If
    there is no such estimate, the command says why and exits with 2. With --sample responses count by their sampling
    weights, and standard errors are those of the sampling design.

    Example: miner regress wellbeing "distress ~ debt + drinking + year"

    Example: miner regress wellbeing "(drinking = weekly) ~ debt * (year = first)" --among "income >= 400"
    """
    from miner.estimates.regression import regress as fitted
    from miner.sampling.regression import regress as fitted_to_sample
    from miner.sampling.sample import SurveySample

    parts = [each.partition("=") for each in references]
    if not all(name.strip() and sign and value.strip() for name, sign, value in parts):
        raise QueryError("--reference", "it is no question with a value", "write it as rating=poor")
    chosen = {name.strip(): value.strip() for name, _, value in parts}
    drawn = None if sample is None else SurveySample(responses, sample)
    if drawn is None:
        found = fitted(responses, formula, chosen, family=family, among=among)
    else:
        found = fitted_to_sample(drawn, formula, chosen, family=family, among=among)
    if as_json:
        print_json(found.as_json)
        return
    print_table(_columns(found), [_term(each, found) for each in found.terms])
    if found.sigma is not None:
        click.echo(f"standard deviation around the mean: {found.sigma:.3f}")
    for remark in found.remarks:
        click.echo(f"note: {remark}")
    click.echo(f"{found.n} responses" if drawn is None else drawn.line)


def _columns(found: Regression) -> list[str]:
    scale = {"logit": "log odds", "ordinal": "log odds", "normal": "coefficient", "poisson": "log mean"}[found.family]
    columns = ["term", scale, "standard error", "95 % interval"]
    if found.family == "logit":
        columns.insert(0, f"odds of {found.outcome}")
    if found.family != "normal":
        columns.append("rate ratio" if found.family == "poisson" else "odds ratio")
    return [*columns, "p"]


def _term(term: Term, found: Regression) -> list[str]:
    from miner.estimates.independence import p_value_text

    low, high = term.interval
    cells = [
        term.name,
        f"{term.coefficient:z.3f}",
        f"{term.standard_error:.3f}",
        f"{low:z.3f} to {high:z.3f}",
    ]
    if found.family == "logit":
        cells.insert(0, f"{term.outcome_value} : {found.reference}")
    if found.family != "normal":
        cells.append("" if term.ratio is None else f"{term.odds_ratio:.3f}")
    return [*cells, p_value_text(term.p_value)]
