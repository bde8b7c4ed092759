"""The subcommand of ``miner`` that runs attacks on a model before it is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, write_output
from collector.commands.progress import status
from miner.commands.options import model_argument

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.attacks.audit import Audit
    from miner.attacks.exposure import Exposure
    from miner.attacks.published import Published

RULES = ".txt"
DATA_HELP = "The people it was grown on, with their class; CSV."
OTHERS_HELP = "People like them whom it was not grown on: membership inference tries to tell them apart."


@click.command()
@model_argument
@click.option("--data", "data_path", metavar="TABLE.csv", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--others", "others_path", metavar="TABLE.csv", type=click.Path(path_type=Path), help=OTHERS_HELP)
@click.option("--target", help="The class column; needed for a file of rules.")
@click.option("--seed", type=click.IntRange(min=0), help="Repeats a run. The system's secure randomness unless said.")
@click.option("-o", "--output", type=OutputPath(), help="Write the audit as an HTML page.")
@json_option
def audit(  # noqa: PLR0913 - one for each option
    model_path: Path,
    *,
    data_path: Path | None,
    others_path: Path | None,
    target: str | None,
    seed: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Attack a model as somebody would who has it and knows everything about a person but the class.

    MODEL is a model file of ours, trained or released, or a .txt with trees as scikit-learn's export_text writes them
    (show_weights=True, decimals=9, max_depth=999). The audit is for whoever holds the data: with --data it tells things
    about them that the model may not.

    Example: miner audit model.json --data patients.csv -o audit.html
    """
    import numpy as np

    from collector.errors import QueryError
    from miner.attacks.audit import audit as attack
    from miner.responses.answers import read_answers

    if others_path is not None and data_path is None:
        raise QueryError("--others", "there is no comparison group", "give --data too")
    members, others = (None if path is None else read_answers(path) for path in (data_path, others_path))
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


def _published(path: Path) -> Published:
    if path.suffix.lower() == RULES:
        from miner.attacks.rule_file import read_rule_file

        return read_rule_file(path)
    from miner.attacks.published import published_model
    from miner.release.release import read_model_or_release

    return published_model(read_model_or_release(path))


def _print(found: Audit) -> None:
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
