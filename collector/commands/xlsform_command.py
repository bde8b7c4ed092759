"""``collector import-xlsform``: an XLSForm in, a survey file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, write_output
from collector.errors import OutputError, SurveyError

if TYPE_CHECKING:
    from collector.xlsform.form import Imported

EXTRA = ("pyxform", "openpyxl")


@click.command("import-xlsform")
@click.argument("form_path", metavar="FORM.xlsx", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputPath(), required=True, help="The survey file to write.")
@json_option
def import_xlsform(form_path: Path, output: Path, *, as_json: bool) -> None:
    """Turn an XLSForm (ODK, Kobo, Ona) into a survey file: all of it, or nothing and the cell that is in the way.

    Its columns rr::group, rr::truth, rr::channel, rr::prior, rr::cuts and others say what is disguised, and how. Needs
    the extra: pip install "deniable[xlsform]".

    Example: collector import-xlsform form.xlsx -o survey.toml
    """
    if output.resolve() == form_path.resolve():
        raise OutputError(str(output), "it is the form itself", "name another file, such as survey.toml")
    imported = _imported(form_path)
    write_output(output, [imported.text])
    survey = imported.survey
    plain = [question.name for question in survey.questions if not question.sensitive]
    if as_json:
        groups = {group.name: list(group.questions) for group in survey.groups}
        print_json(
            {"name": survey.name, "groups": groups, "undisguised": plain, "left_out": list(imported.left_out)}
            | {"notes": list(imported.notes)}
        )
        return
    disguised = len(survey.questions) - len(plain)
    click.echo(f"{output}: {len(survey.questions)} questions, {disguised} disguised in {len(survey.groups)} groups")
    if plain:
        click.echo(f"sent as they are: {', '.join(plain)}")
    if imported.left_out:
        click.echo(f"columns not used: {', '.join(imported.left_out)}")
    for note in imported.notes:
        click.echo(note)


def _imported(form_path: Path) -> Imported:
    try:
        from collector.xlsform.form import import_form  # pyxform is an extra
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in EXTRA:
            raise
        raise SurveyError(
            "import-xlsform", f"the package {package} is not installed", 'run: pip install "deniable[xlsform]"'
        ) from None
    return import_form(form_path)
