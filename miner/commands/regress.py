"""Define ``miner regress``: regressions on disguised responses."""

from __future__ import annotations

from math import erfc, floor, log10, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.command import OutputPath, json_option, print_table
from collector.errors import QueryError
from miner.commands.figures import print_figures, saying_origin
from miner.commands.options import other_version, sample_option, with_responses
from miner.commands.tables import among_option, check_output, records, write_frame

REFERENCE_HELP = "Reference value of a question. May be given for several questions."

FINE = 0.01  # standard error below which a coefficient is printed with more than three decimals

if TYPE_CHECKING:  # these bring numpy and pandas with them
    import pandas as pd

    from miner.estimates.design import Family
    from miner.estimates.regression import Regression, Term
    from miner.figures.sample import Sample
    from miner.responses.responses import Responses


@click.command()
@with_responses
@click.argument("formula")
@click.option(
    "--family",
    type=click.Choice(["logit", "ordinal", "normal", "poisson"]),
    default="logit",
    show_default=True,
    help="Kind of outcome: values (logit), ordered values (ordinal), a number (normal), or a count (poisson).",
)
@among_option
@click.option("--reference", "references", multiple=True, metavar="NAME=VALUE", help=REFERENCE_HELP)
@click.option(
    "--margins", is_flag=True, help="Print the mean prediction for each answer too, and the contrasts between answers."
)
@click.option(
    "--with-version",
    "others",
    multiple=True,
    type=click.IntRange(min=1),
    help="Another version to include in the same regression; its disguise may differ. May be repeated.",
)
@sample_option
@click.option(
    "-o",
    "--output",
    type=OutputPath(),
    help="File for the coefficients, or with --margins the margins: .csv, .tex or .docx, with the names of R's broom.",
)
@json_option
@saying_origin
def regress(  # noqa: PLR0913 - one for each option
    responses: Responses | Sample,
    formula: str,
    *,
    family: Family,
    among: str | None,
    references: tuple[str, ...],
    margins: bool,
    others: tuple[int, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Fit a regression. FORMULA is an outcome, ~ and predictors joined by +, as R and Python write them.

    `a * b` stands for two predictors and their interaction, and `a:b` for the interaction alone. A question enters the
    regression by its values, each compared with "no" or the first value. The notation C(year, ref="second") compares
    with another value. A number enters the regression by its size, or by its intervals if you write C(income). A
    condition in brackets, as a predictor or as the outcome, is 1 for people who meet it and 0 for others.

    The outcome, the predictors and the questions of --among may be disguised. The estimate is the maximum likelihood
    estimate through the disguise. If no maximum likelihood estimate exists, the command gives the reason and exits with
    2. With --sample, responses count by their sampling weights, and standard errors are those of the sampling design.

    Example: miner regress wellbeing "distress ~ debt + drinking + year"

    --margins prints mean predictions as if all people gave the same answer to one question and kept their other
    answers, and the contrasts with the question's first answer.

    Example: miner regress wellbeing "(drinking = weekly) ~ debt * (year = first)" --among "income >= 400"

    Example: miner regress wellbeing "drinking ~ debt + year" --family ordinal --margins -o margins.csv
    """
    from miner.estimates.regress import regress as fitted
    from miner.figures.sample import Sample
    from miner.figures.sampled_figure import people_line

    parts = [each.partition("=") for each in references]
    if not all(name.strip() and sign and value.strip() for name, sign, value in parts):
        raise QueryError("--reference", "the text is not a question and one of its values", "write it like rating=poor")
    check_output(output)
    chosen = {name.strip(): value.strip() for name, _, value in parts}
    twice = next((each for each in others if others.count(each) > 1), None)
    if twice is not None:
        raise QueryError("--with-version", f"version {twice} is named twice", "name each version once")
    if others and isinstance(responses, Sample):
        raise QueryError("--sample", "a sample file describes one version", "leave out --with-version")
    versions = [other_version(responses, "--with-version", each) for each in others]
    found = fitted(responses, formula, chosen, family=family, among=among, others=versions)
    means = found.margins() if margins else None
    if output is not None:
        write_frame(output, found.to_frame() if means is None else _broom(means))
    if as_json:
        print_figures(found.as_json | ({} if means is None else {"margins": records(means)}))
        return
    print_table(_columns(found), [_term(each, found) for each in found.terms])
    if found.sigma is not None:
        click.echo(f"standard deviation around the mean: {found.sigma:.3f}")
    if means is not None:
        click.echo()
        columns = ["question", "answer", "outcome", "mean prediction", "95 % interval", "contrast", "95 % interval"]
        print_table(columns, [_margin(each) for each in records(means)])
    for remark in found.remarks:
        click.echo(f"note: {remark}")
    click.echo(people_line(responses, found.n))


def _broom(means: pd.DataFrame) -> pd.DataFrame:
    """Return mean predictions and contrasts with a question's first answer, with the column names of R's broom."""
    import pandas as pd

    rows = list[dict[str, Any]]()
    for row in records(means):
        named = {"y.level": row["outcome_value"], "term": f"{row['question']} = {row['value']}"}
        ends = {"conf.low": row["lower"], "conf.high": row["upper"]}
        figure = {"estimate": row["estimate"], "std.error": row["standard_error"], "statistic": None, "p.value": None}
        rows.append(named | {"coef.type": "mean prediction"} | figure | ends)
        if row["contrast"] is not None:
            error = row["contrast_error"]
            statistic = row["contrast"] / error if error else None
            p_value = None if statistic is None else erfc(abs(statistic) / sqrt(2))
            figure = {"estimate": row["contrast"], "std.error": error, "statistic": statistic, "p.value": p_value}
            ends = {"conf.low": row["contrast_lower"], "conf.high": row["contrast_upper"]}
            rows.append(named | {"coef.type": "contrast"} | figure | ends)
    return pd.DataFrame(rows)


def _margin(row: dict[str, Any]) -> list[str]:
    contrast, ends = "", ""
    if row["contrast"] is not None:
        contrast, ends = f"{row['contrast']:z.3f}", f"{row['contrast_lower']:z.3f} to {row['contrast_upper']:z.3f}"
    interval = f"{row['lower']:z.3f} to {row['upper']:z.3f}"
    names = [row["question"], row["value"], row["outcome_value"] or "mean"]
    return [*names, f"{row['estimate']:z.3f}", interval, contrast, ends]


def _columns(found: Regression) -> list[str]:
    scale = {"logit": "log odds", "ordinal": "log odds", "normal": "coefficient", "poisson": "log mean"}[found.family]
    columns = ["term", scale, "standard error", "95 % interval"]
    if found.family == "logit":
        columns.insert(0, f"odds of {found.outcome}")
    if found.family != "normal":
        columns.append("rate ratio" if found.family == "poisson" else "odds ratio")
    return [*columns, "p"]


def _term(term: Term, found: Regression) -> list[str]:
    from miner.figures.chi_square import p_value_text

    places = max(3, 2 - floor(log10(term.standard_error))) if term.standard_error < FINE else 3
    figure, error, low, high = (
        f"{each:z.{places}f}" for each in (term.coefficient, term.standard_error, *term.interval)
    )
    cells = [term.name, figure, error, f"{low} to {high}"]
    if found.family == "logit":
        cells.insert(0, f"{term.outcome_value} : {found.reference}")
    if found.family != "normal":
        cells.append("" if term.ratio is None else f"{term.odds_ratio:.3f}")
    return [*cells, p_value_text(term.p_value)]
