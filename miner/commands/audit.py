"""The subcommand of ``miner`` that shows what a collector with a model can infer about single respondents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, print_json, print_table
from collector.commands.progress import status
from miner.commands.options import with_responses

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.attacks.audit_survey import CoinGuess
    from miner.latent.eavesdropper import Uncertainty
    from miner.responses.responses import Responses


@click.command("audit-survey")
@with_responses
@click.option(
    "--known", type=click.IntRange(min=0), default=0, help="Answers known from elsewhere when another is looked for."
)
@click.option("--seed", type=click.IntRange(min=0), help="Repeats a run. The system's secure randomness unless said.")
@json_option
def audit_survey(responses: Responses, *, known: int, seed: int | None, as_json: bool) -> None:
    """Tell how well a collector with a model of all responses could guess the coins, and the answers behind them.

    A mixture fitted to two thirds of the responses guesses about the others, in turn. The coins guessed right are
    estimated from the disguised responses alone; with a few hundred of these the estimate says little. In a split
    questionnaire all of it is about what respondents were asked.

    With --known, whoever looks for an answer knows so many of the respondent's others, drawn at random: in a group of
    the complement channel one may give away all.

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
    for what, (ninety, ninety_nine) in (
        ("an answer to a sensitive question", audit.some_value),
        ("a whole group", audit.some_group),
    ):
        click.echo(
            f"{what} is known with 90 % certainty for {ninety} of {audit.responses} respondents, "
            f"with 99 % for {ninety_nine}"
        )
    for name, sure in audit.by_design.items():
        known_by = "not listed: too many responses" if sure is None else f"{sure[0]} with 90 %, {sure[1]} with 99 %"
        click.echo(f'by the design and its priors alone, respondents whose answer to "{name}" is known: {known_by}')


def _coin(guess: CoinGuess) -> tuple[str, ...]:
    right = f"{guess.guessed_right:.3f} (standard error {guess.standard_error:.3f}; {guess.without_model:.3f} blindly)"
    return guess.group, guess.channel, f"{guess.truth:.3f}", right, f"{guess.expected_right:.3f}"


def _bits(name: str, uncertainty: Uncertainty) -> tuple[str, ...]:
    bits = (f"{each:.3f}" for each in (uncertainty.prior_bits, uncertainty.remaining_bits))
    return name, f"{uncertainty.respondents}", *bits
