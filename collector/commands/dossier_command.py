"""``collector dossier``: write what boards, data protection officers and reviewers ask about a survey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, store_option
from collector.commands.completion import files
from collector.database.address import Place
from collector.errors import InputError
from collector.output import write_bytes

if TYPE_CHECKING:
    from collector.dossier.facts import DossierFacts


@click.command("dossier")
@click.argument("survey", metavar="SURVEY.toml|NAME", shell_complete=files(".toml"))
@click.option(
    "--respondents",
    type=click.IntRange(min=1),
    help="Expected number of respondents, for the precision and the central epsilon.",
)
@store_option
@click.option(
    "-o", "--output", type=OutputPath(), required=True, help="File to write, which ends in .html, .md or .docx."
)
@json_option
def dossier(survey: str, *, respondents: int | None, store_path: Place, output: Path, as_json: bool) -> None:
    """Write the dossier of a survey for an ethics board, a data protection officer or a reviewer.

    The dossier says what is collected and what is not, what a response discloses, whom to trust with what, and how long
    data are kept. It has drafts of the record of processing and of the impact assessment, the information for
    respondents, a methods paragraph and the fields of reporting guidelines. Its figures are those of `collector check`.
    What only you can know is marked to be filled in. The dossier draws no legal conclusion.

    Give a survey file, or the name of a published survey. Of a published survey with invitations, the dossier also
    states the response rate. Files in .docx need the extra deniable[docx].

    Example: collector dossier examples/wellbeing.toml --respondents 500 -o dossier.html
    """
    from collector.dossier.dossier import dossier as documented
    from collector.dossier.writers import WRITERS

    if output.suffix.lower() not in WRITERS:
        raise InputError(str(output), "the file name does not end in .html, .md or .docx", "choose such a name")
    found = documented(_facts(survey, store_path, respondents))
    write_bytes(output, [WRITERS[output.suffix.lower()](found)])
    gaps = [gap for _, gap in found.gaps]
    if as_json:
        print_json({"output": str(output), "to_fill_in": gaps})
    else:
        click.echo(f"{output}: written; {len(gaps)} texts are left for you to fill in")


def _facts(survey: str, store_path: Place, respondents: int | None) -> DossierFacts:
    from collector.dossier.facts import DossierFacts
    from collector.exchange.checked import checked
    from collector.maintenance.running import state_of
    from collector.store.store import Store
    from collector.survey_file.survey_file import Compiled, read_compiled

    if survey.endswith(".toml"):
        return DossierFacts(checked(read_compiled(Path(survey)), respondents), respondents)
    with Store(store_path) as store:
        state, invitations = state_of(store, survey), store.invitations(survey)
    found = checked(Compiled(state.newest.survey, None), respondents)
    return DossierFacts(found, respondents, state, invitations)
