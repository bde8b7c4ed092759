"""Define the subcommands of ``miner`` that attack a model before publication, or the responses to a survey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, write_output
from collector.commands.progress import status
from collector.commands.table_options import table_options
from miner.commands.options import model_argument, with_responses

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.table.plain_table import Reading
    from miner.attacks.audit import ReleaseAudit
    from miner.attacks.audit_survey import CoinGuess
    from miner.attacks.eavesdropper import Uncertainty
    from miner.attacks.exposure import Exposure
    from miner.attacks.published import PublishedModel
    from miner.responses.responses import Responses

RULES = ".txt"
DATA_HELP = "CSV table of the people that the model was trained on, with their class."
OTHERS_HELP = "CSV table of similar people that the model was not trained on, for membership inference."


@click.command()
@model_argument
@click.option("--data", "data_path", metavar="TABLE.csv", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--others", "others_path", metavar="TABLE.csv", type=click.Path(path_type=Path), help=OTHERS_HELP)
@table_options
@click.option("--target", help="Column with the class. Required if MODEL is a .txt file.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@click.option("-o", "--output", type=OutputPath(), help="HTML page to write the audit to.")
@json_option
def audit(  # noqa: PLR0913 - one for each option
    model_path: Path,
    *,
    data_path: Path | None,
    others_path: Path | None,
    reading: Reading,
    target: str | None,
    seed: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Attack a model as somebody would who has the model and knows everything about a person except the class.

    MODEL is a model file of this package, or a .txt file with trees as scikit-learn's export_text writes them
    (show_weights=True, decimals=9, max_depth=999). Only the holder of the data should run the audit. With --data, the
    audit may reveal more about the people in the data than the model does.

    Example: miner audit model.json --data patients.csv -o audit.html
    """
    import numpy as np

    from collector.errors import QueryError
    from miner.attacks.audit import audit as attack
    from miner.responses.answers import read_answers

    if others_path is not None and data_path is None:
        raise QueryError(
            "--others",
            "the people that the model was trained on are missing",
            "give a table of these people with --data",
        )
    members, others = (None if path is None else read_answers(path, reading) for path in (data_path, others_path))
    with status("attacking"):
        found = attack(_published(model_path), members, others, target, np.random.default_rng(seed))
    if output is not None:
        from miner.attacks.page import audit_page

        write_output(output, [audit_page(found)])
    if as_json:
        print_json(found.as_json)
        return
    _print(found)
    if output is not None:
        click.echo(f"\nwritten to {output}")


def _published(path: Path) -> PublishedModel:
    if path.suffix.lower() == RULES:
        from miner.attacks.rule_file import read_rule_file

        return read_rule_file(path)
    from miner.attacks.published import published_model
    from miner.release.release import read_model_or_release

    return published_model(read_model_or_release(path))


def _print(found: ReleaseAudit) -> None:
    click.echo(f"{found.name}, {len(found.published)} tree{'s' if len(found.published) > 1 else ''}\n")
    columns = ("counts", "people", "leaves", "smallest leaf", "unique", "H_u", "H_leaf", "one class known away")
    rows = [_row("as published", found.published)]
    if found.people is not None:
        rows.append(_row("true", found.people.trees))
    print_table(columns, rows)
    if len(found.published) > 1:
        click.echo("means over trees, the smallest leaf of all")
    if found.people is not None:
        attack = found.people.homogeneity
        right = "" if attack.right is None else f", and is right about {attack.right:.1%} of them"
        click.echo(
            f"the homogeneity attack through published counts reaches {attack.attacked:.1%} of the people{right}"
        )
    if found.membership is not None:
        for who, guesses in (("everybody", found.membership.everybody), ("the surest tenth", found.membership.sure)):
            share = f"{guesses.right} of {guesses.guesses} right (at least {guesses.lower:.3f})"
            click.echo(f"membership of {who}: {share}: epsilon is at least {guesses.epsilon:.3f}")
    click.echo(found.warning)


def _row(name: str, trees: tuple[Exposure, ...]) -> tuple[str, ...]:
    from miner.attacks.audit import mean_of

    shares = [mean_of(trees, what) for what in ("unique_people", "homogeneous_people", "homogeneous_leaves")]
    background = sum(tree.background(1) for tree in trees) / len(trees)
    people, leaves = (sum(each) / len(trees) for each in zip(*((t.people, t.leaves) for t in trees), strict=True))
    sizes = (f"{people:.0f}", f"{leaves:.0f}", str(min(tree.smallest for tree in trees)))
    return (name, *sizes, *(f"{share:.3f}" for share in (*shares, background)))


@click.command("audit-survey")
@with_responses
@click.option(
    "--known",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Number of a respondent's other answers that the attacker knows.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@json_option
def audit_survey(responses: Responses, *, known: int, seed: int | None, as_json: bool) -> None:
    """Estimate how well a collector with a model of all responses could guess coins and answers.

    A mixture model is fitted to two thirds of the responses and guesses the coins of the remaining third, for each
    third in turn. The share of coins guessed correctly is estimated from the disguised responses alone. An estimate of
    this share from a few hundred responses is imprecise.

    With --known, the attacker knows the given number of the respondent's other answers, drawn at random. In a group of
    the complement channel, a single known answer may reveal all other answers of the group.

    Example: miner audit-survey wellbeing --known 1 --seed 1
    """
    import numpy as np

    from miner.attacks import audit_survey as auditing

    with status("guessing"):
        audit = auditing.audit_survey(responses, np.random.default_rng(seed), known)
    if as_json:
        print_json(audit.as_json)
        return
    columns = ("group", "channel", "truth", "coins guessed right", "by the model's own word")
    print_table(columns, map(_coin, audit.coins))
    click.echo()
    rows = [("question", audit.questions), ("group", audit.groups), ("", {"whole response": audit.record})]
    bits = [_bits(f"{kind} {name}".strip(), each) for kind, named in rows for name, each in named.items()]
    print_table(("bits unknown", "respondents", "before", "after the response"), bits)
    click.echo()
    if audit.known:
        click.echo(f"of questions and single answers: for who knows {audit.known} other answers of each respondent")
    click.echo(
        f"from the shares alone, an answer to a sensitive question is known with 90 % certainty for {audit.beforehand} "
        f"of {audit.responses} respondents"
    )
    for what, (ninety, ninety_nine) in (
        ("one more answer to a sensitive question", audit.some_value),
        ("a whole group", audit.some_group),
    ):
        click.echo(
            f"by their responses, {what} becomes known with 90 % certainty for {ninety} of {audit.responses} "
            f"respondents, with 99 % for {ninety_nine}"
        )
    for name, sure in audit.by_design.items():
        known_by = "not listed: too many responses" if sure is None else f"{sure[0]} with 90 %, {sure[1]} with 99 %"
        click.echo(
            f'by their responses, the design and its priors alone, respondents whose answer to "{name}" becomes known: '
            f"{known_by}"
        )


def _coin(guess: CoinGuess) -> tuple[str, ...]:
    right = f"{guess.guessed_right:.3f} (standard error {guess.standard_error:.3f}; {guess.without_model:.3f} blindly)"
    return guess.group, guess.channel, f"{guess.truth:.3f}", right, f"{guess.expected_right:.3f}"


def _bits(name: str, uncertainty: Uncertainty) -> tuple[str, ...]:
    bits = (f"{each:.3f}" for each in (uncertainty.prior_bits, uncertainty.remaining_bits))
    return name, f"{uncertainty.respondents}", *bits
