"""``collector convert``: write a survey file in another format, or read SurveyJS or an XLSForm as a survey file."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import SAID, OutputPath, json_option, print_written
from collector.errors import InputError, SurveyError
from collector.output import write_bytes

if TYPE_CHECKING:
    from collector.exchange.file_table import Converted

FORMATS = ".json (SurveyJS), .xlsx (XLSForm), .html (code book), .xml (DDI-Codebook 2.5); from .json or .xlsx to .toml"
EXTRA = ("pyxform", "openpyxl")


@click.command("convert")
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputPath(), required=True, help="File to write. Its suffix sets the format.")
@click.option("--strict", is_flag=True, help="Refuse a form if any part of it does not fit into a survey.")
@click.option(
    "--cuts-from",
    "table",
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Table whose quartiles become the cut points of number questions that have none. Columns are matched by name.",
)
@json_option
def convert(source: Path, output: Path, *, strict: bool, table: Path | None, as_json: bool) -> None:
    """Write a survey file as SurveyJS, XLSForm, a code book or DDI, or a SurveyJS form or an XLSForm as a survey file.

    A survey file (.toml) is written as .json (SurveyJS), .xlsx (XLSForm), .html (code book) or .xml (DDI-Codebook 2.5).
    Forms (.json or .xlsx) are converted to a survey file. XLSForms need the extra deniable[xlsform].

    The command names the parts that the new format cannot contain. Parts of a form that a survey cannot contain are
    left out, and listed on stderr with their places and a remedy. The last line counts the questions of a form that
    were imported and left out, with reasons. An existing file is overwritten only with --force.

    For answers that were collected by hand or by another program, see docs/collected-elsewhere.md.

    Example: collector convert examples/wellbeing.toml -o wellbeing.json
    """
    from collector.survey_file.picture_file import pictures_beside

    cuts = {} if table is None else _quartiles(table)
    converted = _converted(source, output.suffix.lower(), cuts, strict=strict)
    write_bytes(output, [converted.content])
    for path, content in pictures_beside(converted.pictures, output).items():
        write_bytes(path, [content])
    tally = converted.tally
    if tally is not None:
        click.get_current_context().meta[SAID] = {"taken": tally.taken, "left_out_questions": dict(tally.left_out)}
    print_written(output, converted.notes, converted.left_out, as_json=as_json)
    if tally is not None and not as_json:
        click.echo(str(tally))


def _quartiles(table: Path) -> dict[str, list[Decimal]]:
    from collector.drafting.draft_question import quartile_cuts
    from collector.table.plain_table import AS_IT_STANDS, read_plain_table

    columns = read_plain_table(table, AS_IT_STANDS)
    found = {name: quartile_cuts(each.cells) for each in columns for name in (each.name, each.heading)}
    return {name: cuts for name, cuts in found.items() if cuts}


def _converted(source: Path, suffix: str, cuts: dict[str, list[Decimal]], *, strict: bool) -> Converted:
    from collector.exchange.codebook import ddi_codebook, html_codebook
    from collector.exchange.surveyjs import LARGEST_FORM, from_surveyjs
    from collector.exchange.surveyjs_out import to_surveyjs
    from collector.survey_file.survey_file import compiled, read_survey_file
    from collector.survey_file.text_file import text_of

    if (source.suffix.lower(), suffix) == (".json", ".toml"):
        try:
            found = from_surveyjs(
                text_of(source, "a SurveyJS file", LARGEST_FORM), source.name, strict=strict, cuts=cuts
            )
        except SurveyError as error:
            raise error.within(str(source)) from None
        survey = compiled(found.content.decode(), source.parent).survey  # with its pictures
        return replace(found, pictures=survey.pictures)
    if (source.suffix.lower(), suffix) == (".xlsx", ".toml"):
        return _from_xlsform(source, cuts, strict=strict)
    if source.suffix.lower() == ".xls":
        raise InputError(str(source), "the file is in the old .xls format", "save the spreadsheet as .xlsx")
    writers = {".json": to_surveyjs, ".html": html_codebook, ".xml": ddi_codebook}
    if source.suffix.lower() != ".toml" or suffix not in {*writers, ".xlsx"}:
        raise InputError(
            str(source), f"it cannot become {suffix or 'a file without suffix'}", f"convert from .toml to {FORMATS}"
        )
    survey = read_survey_file(source)
    if suffix in writers:
        return replace(writers[suffix](survey), pictures=survey.pictures if suffix == ".json" else ())
    try:
        from collector.exchange.xlsform_out import to_xlsform  # openpyxl is an extra
    except ModuleNotFoundError as error:
        raise _not_installed(error) from None
    return replace(to_xlsform(survey), pictures=survey.pictures)


def _from_xlsform(source: Path, cuts: dict[str, list[Decimal]], *, strict: bool) -> Converted:
    from collector.exchange.file_table import Converted

    try:
        from collector.xlsform.form import import_form  # pyxform is an extra
    except ModuleNotFoundError as error:
        raise _not_installed(error) from None
    imported = import_form(source, strict=strict, cuts=cuts)
    return Converted(imported.text.encode(), imported.notes, imported.left_out, imported.pictures, imported.tally)


def _not_installed(error: ModuleNotFoundError) -> Exception:
    package = (error.name or "").split(".")[0]
    if package not in EXTRA:
        return error
    return SurveyError("convert", f"the package {package} is not installed", 'run: pip install "deniable[xlsform]"')
