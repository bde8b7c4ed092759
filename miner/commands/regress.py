"""``miner regress``: logistic regressions on disguised responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, print_json, print_table
from collector.errors import QueryError
from miner.commands.options import sample_option, with_responses

REFERENCE_HELP = "The value that the others of a question are against; may be given for several questions."

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.estimates.regression import Term
    from miner.responses.responses import Responses
    from miner.sampling.design import SampleDesign


@click.command()
@with_responses
@click.argument("formula")
@click.option("--reference", "references", multiple=True, metavar="NAME=VALUE", help=REFERENCE_HELP)
@sample_option
@json_option
def regress(
    responses: Responses, formula: str, *, references: tuple[str, ...], sample: SampleDesign | None, as_json: bool
) -> None:
    """Fit a logistic regression: FORMULA is an outcome, ~ and predictors joined by +, all of them names of questions.

    `a * b` enters two predictors and their interaction, `a:b` the interaction alone.

    Outcome and predictors may be disguised. Each predictor enters by its values, against "no" or its first value, or
    against the value that --reference says. The
    estimate is of maximum likelihood through the disguise. It exits with 2 and says so where that is not to be found.
    With --sample responses count by their sampling weights, and standard errors are those of the sampling design.

    Example: miner regress wellbeing "distress ~ debt + drinking + year"
    """
    from miner.estimates.regression import regress as fitted
    from miner.sampling.regression import regress as fitted_to_sample
    from miner.sampling.sample import SurveySample

    parts = [each.partition("=") for each in references]
    if not all(name.strip() and sign and value.strip() for name, sign, value in parts):
        raise QueryError("--reference", "it is no question with a value", "write it as rating=poor")
    chosen = {name.strip(): value.strip() for name, _, value in parts}
    drawn = None if sample is None else SurveySample(responses, sample)
    found = fitted(responses, formula, chosen) if drawn is None else fitted_to_sample(drawn, formula, chosen)
    if as_json:
        print_json(found.as_json)
        return
    columns = (f"odds of {found.outcome}", "term", "log odds", "standard error", "95 % interval", "odds ratio", "p")
    print_table(columns, [_term(each, found.reference) for each in found.terms])
    click.echo(f"{found.n} responses" if drawn is None else drawn.line)


def _term(term: Term, reference: str) -> tuple[str, ...]:
    from miner.estimates.independence import p_value_text

    low, high = term.interval
    return (
        f"{term.outcome_value} : {reference}",
        term.name,
        f"{term.coefficient:z.3f}",
        f"{term.standard_error:.3f}",
        f"{low:z.3f} to {high:z.3f}",
        f"{term.odds_ratio:.3f}",
        p_value_text(term.p_value),
    )
