"""``collector texts``: export the texts of a survey file for translators, and import translations."""

from pathlib import Path

import click

from collector.commands.command import (
    OutputPath,
    json_option,
    print_written,
    refuse_overwriting,
    survey_argument,
)
from collector.errors import InputError
from collector.output import write_bytes

SUFFIXES = (".po", ".xlsx")


@click.command("texts")
@click.argument("action", type=click.Choice(["export", "import"]))
@survey_argument
@click.argument("texts_path", metavar="TEXTS", type=click.Path(path_type=Path))
@click.option("--language", required=True, metavar="TAG", help="Language of the translation, such as de or pt-BR.")
@click.option("-o", "--output", type=OutputPath(), help="Survey file to write when translations are imported.")
@json_option
def texts(  # noqa: PLR0913 - one for each option
    action: str, survey_path: Path, texts_path: Path, language: str, output: Path | None, *, as_json: bool
) -> None:
    """Write the texts of a survey file for a translator into TEXTS (.po or .xlsx), or import them from TEXTS.

    An import writes a survey file with one more language, which you can publish as a revision. A text without a
    translation appears in the first language, and the command names it. An existing file is overwritten only with
    --force. An export replaces an existing TEXTS with all its translations.

    Example: collector texts export examples/wellbeing.toml wellbeing_de.po --language de
    """
    from collector.exchange.texts import with_translation, write_texts
    from collector.exchange.texts_file import read_texts
    from collector.survey_file.picture_file import pictures_beside
    from collector.survey_file.survey_file import read_survey_file

    if texts_path.suffix.lower() not in SUFFIXES:
        raise InputError(
            str(texts_path), "the file name ends neither in .po nor in .xlsx", "choose a name that ends in .po or .xlsx"
        )
    if action == "import" and output is None:
        raise click.UsageError("Missing option '-o': the survey file to write")
    written = texts_path if output is None or action == "export" else output
    refuse_overwriting(written)
    survey = read_survey_file(survey_path)
    if action == "import":
        converted = with_translation(survey, language, read_texts(texts_path, language))
    else:
        converted = write_texts(survey, language, texts_path.suffix.lower())
    write_bytes(written, [converted.content])
    for path, content in pictures_beside(survey.pictures if action == "import" else (), written).items():
        write_bytes(path, [content])
    print_written(written, converted.notes, as_json=as_json)
