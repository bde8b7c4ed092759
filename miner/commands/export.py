"""Define the subcommands of ``miner`` that print models and rules, and hand responses to other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, name_argument, print_json, store_option, write_output
from collector.commands.progress import status
from collector.database.address import Place
from collector.errors import QueryError
from collector.output import write_bytes
from miner.commands.figures import echo_impurities, echo_outcome, mode_of, trained_line
from miner.commands.options import (
    model_argument,
    sample_option,
    say_simulated,
    version_option,
    with_responses,
    with_source,
)

if TYPE_CHECKING:  # these bring numpy with them
    from miner.figures.sample import Sample
    from miner.release.release import Release
    from miner.responses.responses import Data, Responses

FORMATS = ("text", "csv", "sql", "dot")


@click.command()
@model_argument
@json_option
def show(model_path: Path, *, as_json: bool) -> None:
    """Print the tree of a model, its accuracy on disguised test responses, and what its respondents disclosed.

    Example: miner show model.json
    """
    from miner.release.release import Release, read_model_or_release

    model = read_model_or_release(model_path)
    if as_json:
        print_json(model.as_json)
        return
    if isinstance(model, Release):
        _show_release(model)
        return
    survey, training = model.survey, model.training
    parameters = ", ".join(f"{key} {value}" for key, value in model.parameters.items() if value is not None)
    click.echo(f"{model.kind} ({parameters}) that predicts {model.target} from survey {survey.name}")
    click.echo(f"fingerprint {survey.fingerprint}")
    click.echo(trained_line(training))
    if training.simulated is not None:
        click.echo(f"note: {training.simulated.line}")
    echo_outcome(training.outcome)
    for name, description in mode_of(model).items():
        click.echo(f"{name}: {description}")
    click.echo(f"\n{model.classifier.text}\n")
    echo_impurities(model.classifier)
    click.echo("")
    for line in model.privacy:
        click.echo(line)


def _show_release(made: Release) -> None:
    parameters = ", ".join(f"{key} {value}" for key, value in made.parameters.items() if value is not None)
    click.echo(f"{made.method} ({parameters}) that predicts {made.target} from survey {made.survey.name}")
    click.echo(f"fingerprint {made.survey.fingerprint}")
    click.echo(f"\n{made.text}\n")
    for line in made.privacy:
        click.echo(line)


@click.command()
@model_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Format: rules with confidence and support (text, csv), a SQL CASE expression, or Graphviz DOT.",
)
@click.option("-o", "--output", type=OutputPath(), help="File to write.", show_default="stdout")
def export(model_path: Path, form: str, output: Path | None) -> None:
    """Write the rules of a tree for other tools. The model file itself is JSON, and every command can read it.

    Answers that lead to the same prediction share a rule. Confidence and support are those of the responses that the
    tree was grown on, and not of held-out responses.

    A release can be written if its model is a single tree, or as text or CSV if its method is dpdf.

    Example: miner export model.json --format sql
    """
    from miner import export as exporting
    from miner.release.release import read_model_or_release

    write_output(output, [exporting.FORMATS[form](read_model_or_release(model_path))])


@click.command(name="responses")
@with_responses
@click.option("-o", "--output", type=OutputPath(), required=True, help="File to write: .sav for SPSS, .dta for Stata.")
def write_responses(responses: Responses, *, output: Path) -> None:
    """Write the disguised responses as an SPSS or Stata file, with labels of questions and codes.

    The notes of an SPSS file and the labels of a Stata file say how often each code is sent for each value. A question
    that a respondent was not asked by design is a user-missing value. This command needs an extra: pip install
    "deniable[spss]".

    Example: miner responses wellbeing -o wellbeing.sav
    """
    from miner.responses.labelled import labelled_file, variable_names

    write_bytes(output, [labelled_file(responses, output.suffix.lower())])
    for name, variable in variable_names(responses.survey).items():
        if variable != name:
            click.echo(f'note: question "{name}" is the variable {variable}', err=True)
    click.echo(f"{len(responses)} responses in {output}; their codes are disguised, and not to be counted as answers")


@click.command()
@with_source
@click.argument("conditions", nargs=-1, required=True, metavar="CONDITION...")
@sample_option
@click.option(
    "-o",
    "--output",
    type=OutputPath(),
    required=True,
    help="File: .csv, .parquet, .sav (SPSS) or .dta (Stata).",
)
def readings(responses: Data, conditions: tuple[str, ...], *, output: Path) -> None:
    """Write a table with an unbiased reading of each CONDITION, for means and regressions in another program.

    The table has a row for each response, with the questions that are sent as they are, and with --sample the weight,
    the stratum and the cluster. A reading is a number, often below 0 or above 1, and not an answer. Use it as an
    outcome only: means, weighted means and linear regressions of a reading on undisguised questions are right, with
    robust standard errors (docs/microdata.md). The file is for you, and not to be published.

    Example: miner readings wellbeing "cannabis = yes" "distress = yes and debt = yes" -o readings.csv
    """
    from miner.microdata.files import FORMATS, write_table
    from miner.microdata.readings import readings as table_of

    if output.suffix.lower() not in FORMATS:
        raise QueryError("--output", f"its name does not end with {', '.join(FORMATS)}", f"name it {output.stem}.csv")
    table = table_of(responses, conditions)
    write_table(table, output)
    for name, label in table.attrs["labels"].items():
        if name.startswith("reading_"):
            click.echo(f"{name}: {label}")
    click.echo(f"{len(table)} responses in {output}")


@click.command()
@with_responses
@click.option(
    "-m",
    "count",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    help="Number of tables.",
)
@click.option(
    "--model",
    metavar="FORMULA",
    help="Regression to impute from, such as 'distress ~ debt * year'. It must name all terms of your analysis.",
    show_default="a mixture of latent classes",
)
@sample_option
@click.option("--seed", type=click.IntRange(min=0), help="Seed that makes the run repeatable.", show_default="none")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="New folder for the tables.")
def impute(responses: Responses | Sample, *, count: int, model: str | None, seed: int | None, output: Path) -> None:
    """Write tables of imputed answers, for other programs that combine several tables (multiple imputation).

    Each table is one draw of the answers that may be behind the disguised responses, in an order of its own. The
    README.txt of the folder says how to combine what you compute from the tables. They are not to be published.

    Example: miner impute wellbeing -m 10 --model "distress ~ debt * year" -o imputed
    """
    import numpy as np

    from miner.microdata.folder import write_folder
    from miner.microdata.imputed import imputed_files

    with status("imputing"):
        files = imputed_files(responses, count, np.random.default_rng(seed), model)
    write_folder(output, files)
    click.echo(f"{count} tables in {output}; README.txt says how to combine them")


@click.command()
@name_argument
@version_option
@store_option
@click.option(
    "-k",
    "fewest",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="Smallest number of people who are alike in all that is not disguised.",
)
@click.option(
    "--privacy-text-allows",
    "texts_allow",
    is_flag=True,
    help="Say that you read the privacy notice and the consent text of every version, and that they allow a deposit.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="New folder for the deposit.")
def deposit(  # noqa: PLR0913 - one for each option
    name: str,
    *,
    version: int | None,
    store_path: Place,
    fewest: int,
    texts_allow: bool,
    output: Path,
) -> None:
    """Write a folder of disguised responses that may be published, with design, code book, readings and scripts.

    The survey file must declare it (deposit = true), and the survey must be closed for good. A version is deposited
    once. The command refuses a survey of several waves, and a deposit in which fewer than -k people are alike in all
    that is not disguised. No program can read what a privacy notice or a consent text promises: if the survey has one,
    confirm with --privacy-text-allows that it allows a deposit. The folder is private until you publish it.

    Example: miner deposit wellbeing -o wellbeing-deposit
    """
    from collector.ledger.deposits import check_no_deposit, recorded_deposit
    from collector.output import check_empty
    from collector.store.store import Store
    from miner.microdata.deposit import deposit_files
    from miner.microdata.deposit_checks import check_cells, check_declared
    from miner.microdata.folder import write_folder
    from miner.responses.responses import Responses

    check_empty(output)
    with Store(store_path) as store, status("reading"):
        published, state, versions = store.published(name, version), store.state(name), store.versions(name)
        wordings = [wording for each in versions for wording in store.revisions(each)]
        check_declared(published, wordings, for_good=state is not None and state.for_good, texts_allow=texts_allow)
        check_no_deposit(store_path, published)
        responses = Responses.from_store(store, name, published.version)
        if not len(responses):
            raise QueryError(f'survey "{name}"', "there is no response to deposit", "collect responses first")
        check_cells(published.survey, store.cells(published.survey), fewest)
    say_simulated(responses.simulated)
    with status("writing the deposit"):
        made = deposit_files(responses, published, [each.survey for each in versions], fewest)
        write_folder(output, made.files, recorded_deposit(store_path, published, made.root))
    click.echo(f"{made.people} responses in {output}, which only you can read until you publish it\nroot {made.root}")
