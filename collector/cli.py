"""The ``collector`` command: check a survey file, publish it, bring disguised responses in and out.

Each subcommand imports what it needs when it runs, so that ``--help`` does not wait for libraries it does not use.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.backup_command import backup, restore
from collector.commands.command import (
    Command,
    OutputPath,
    json_option,
    name_argument,
    print_json,
    print_table,
    status,
    store_option,
    survey_argument,
    write_output,
)
from collector.commands.draft_command import draft
from collector.commands.intake_command import audit, close_survey, invite, open_survey, tidy
from collector.commands.verify_page_command import verify_page
from collector.commands.xlsform_command import import_xlsform
from collector.errors import StoreError

if TYPE_CHECKING:
    from collector.disclosure.lints import Lint
    from collector.disclosure.privacy import SurveyPrivacy
    from collector.store.store import Published, Store
    from collector.survey.survey import Survey
    from collector.survey_file.privacy_file import EpsilonPlan

REFUSED = 1
FORMATS = ("csv", "jsonl")
version_option = click.option("--version", type=click.IntRange(min=1), help="Of the survey. The newest unless said.")


@click.group(cls=Command, name="collector")
def main() -> None:
    """Check a survey, publish it, and keep the disguised responses to it."""


for command in (draft, import_xlsform, invite, open_survey, close_survey, tidy, audit, backup, restore, verify_page):
    main.add_command(command)


@main.command()
@survey_argument
@click.option("--respondents", type=click.IntRange(min=1), help="How many will answer: too few for so much disguise?")
@json_option
def check(survey_path: Path, *, respondents: int | None, as_json: bool) -> int:
    """Tell what a survey file would reveal about respondents, and what should be mended.

    Exits with 1 if it refuses the design: a sensitive answer would be certain to the collector.

    Example: collector check examples/wellbeing.toml --respondents 500
    """
    from collector.disclosure.lints import by_gravity, day_lints, precision_lints
    from collector.disclosure.privacy import SurveyPrivacy
    from collector.survey_file.survey_file import read_compiled

    compiled = read_compiled(survey_path)
    plan = compiled.plan
    privacy = SurveyPrivacy(compiled.survey, planned=plan is not None)
    untold = [] if respondents is None else precision_lints(privacy.survey, respondents, planned=privacy.planned)
    lints = by_gravity([*privacy.lints, *day_lints(privacy.survey), *untold])
    if as_json:
        more = {"lints": [asdict(lint) for lint in lints], "refused": bool(privacy.refusals)}
        print_json(privacy.as_dict | more | {"plan": None if plan is None else plan.as_dict})
    else:
        _print_plan(plan)
        _print_privacy(privacy, lints)
    return REFUSED if privacy.refusals else 0


def _print_plan(plan: EpsilonPlan | None) -> None:
    for line in () if plan is None else (*plan.lines, ""):
        click.echo(line)


def _print_privacy(privacy: SurveyPrivacy, lints: tuple[Lint, ...]) -> None:
    from collector.disclosure.privacy import rises

    every = isfinite(privacy.epsilon)  # an epsilon of some questions only would be taken for one of the response
    columns = ("question", "group", *(["epsilon"] if every else []), "bits unknown", "of", "likelier at most")
    print_table(
        columns,
        [
            (
                each.question.name,
                each.group.name if each.group else "sent as it is",
                *([_epsilon(privacy.question_epsilon(each.question))] if every else []),
                f"{each.anonymity:.3f}",
                f"{each.entropy:.3f}",
                rises(each) if each.group else "known",
            )
            for each in privacy.questions
        ],
    )
    click.echo()
    for line in privacy.group_lines + privacy.closing_lines:
        click.echo(line)
    click.echo()
    for lint in lints:
        click.echo(lint)
    click.echo("refused" if privacy.refusals else "accepted")


def _epsilon(epsilon: float) -> str:
    return f"{epsilon:.3f}" if isfinite(epsilon) else "none"


@main.command()
@survey_argument
@store_option
@click.option("--accept-exposure", is_flag=True, help="Publish even what `check` refuses.")
@json_option
def publish(survey_path: Path, store_path: Path, *, accept_exposure: bool, as_json: bool) -> int:
    """Publish a survey file under its next version number. The very same design again changes nothing.

    Tells how the epsilon of its [privacy] is spent, and why; warns if its last day is over. Exits with 1, and publishes
    nothing, if `check` refuses the design.

    Example: collector publish examples/wellbeing.toml
    """
    from collector.disclosure.lints import day_lints
    from collector.disclosure.privacy import SurveyPrivacy
    from collector.store.store import Store
    from collector.survey_file.survey_file import read_compiled

    compiled = read_compiled(survey_path)
    survey, plan = compiled.survey, compiled.plan
    refusals = SurveyPrivacy(survey).refusals
    if refusals and not accept_exposure:
        for lint in refusals:
            click.echo(lint, err=True)
        click.echo("not published: mend the survey file, or say --accept-exposure", err=True)
        return REFUSED
    with Store(store_path, create=True) as store:
        before = {each.fingerprint for each in store.surveys()}
        published = store.publish(survey)
    for lint in day_lints(survey):
        click.echo(lint, err=True)
    new = published.fingerprint not in before
    if as_json:
        print_json(_identity(published) | {"new": new, "plan": None if plan is None else plan.as_dict})
    else:
        _print_plan(plan)
        state = "published" if new else "published before, unchanged"
        click.echo(f"{published.name} version {published.version}: {state}")
        click.echo(f"fingerprint {published.fingerprint}")
    return 0


@main.command("list")
@store_option
@json_option
def list_surveys(store_path: Path, *, as_json: bool) -> None:
    """List every published version of every survey.

    Example: collector list --store deniable.db
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        _print_versions(store, store.surveys(), as_json=as_json)


@main.command("status")
@name_argument
@store_option
@json_option
def survey_status(name: str, store_path: Path, *, as_json: bool) -> None:
    """Tell the versions of one survey, how many responses each has, and how many invitations were used; never which.

    Example: collector status wellbeing
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        store.published(name)  # says which names there are if this is none
        versions = [each for each in store.surveys() if each.name == name]
        state, invitations = store.state(name), store.invitations(name)
        more = {"open": state is not None and state.is_open, "invitations": asdict(invitations)}
        _print_versions(store, versions, more, as_json=as_json)


@main.command("import")
@name_argument
@click.argument("table_path", metavar="FILE", type=click.Path(path_type=Path))
@version_option
@click.option("--again", is_flag=True, help="Import a file even if the very same responses were imported before.")
@click.option("--undo", is_flag=True, help="Take the import of FILE back: delete its responses.")
@store_option
@json_option
def import_table(  # noqa: PLR0913 - one for each option
    name: str, table_path: Path, version: int | None, store_path: Path, *, again: bool, undo: bool, as_json: bool
) -> None:
    """Store disguised responses collected elsewhere: all of FILE, or nothing if one line is wrong.

    FILE is CSV or JSON lines, by its suffix, with a column for each question. It holds values in words, as they were
    sent, never true answers; where several codes share a value, the code itself, such as #5.

    A file with the very same responses as one that was imported before, in whatever order and under whatever name, is
    refused unless you say --again. To take an import back, give its file with --undo.

    Example: collector import wellbeing responses.csv
    """
    from collector.store.store import Store
    from collector.table.table import read_table

    if again and undo:
        raise click.UsageError("--again and --undo do not go together")
    with Store(store_path) as store, status("taking back" if undo else "importing"):
        published = store.published(name, version)
        rows = read_table(published.survey, table_path)
        try:
            imports = store.imports
            count = imports.take_back(published, rows) if undo else imports.bring_in(published, rows, again=again)
        except StoreError as error:
            place = str(table_path) if error.place == "file" else error.place
            raise StoreError(place, error.problem, error.remedy) from None
        try:
            store.tidy()
        except StoreError as error:  # they are stored all the same: to fail would invite to import them again
            click.echo(str(error), err=True)
        total = store.count(published.survey)
    if as_json:
        moved = {"imported": 0 if undo else count, "taken_back": count if undo else 0}
        print_json(_identity(published) | moved | {"responses": total})
    else:
        done = f"{count} responses {'taken back' if undo else 'imported'}"
        click.echo(f"{published.name} version {published.version}: {done}, {total} in all")


@main.command()
@name_argument
@click.option("-o", "--output", type=OutputPath(), help="The file to write. Stdout unless said.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="By the file's suffix, or CSV, unless said.")
@version_option
@store_option
def export(name: str, output: Path | None, form: str | None, version: int | None, store_path: Path) -> None:
    """Write the disguised responses to a survey as CSV or JSON lines, in the order of their random ids.

    Example: collector export wellbeing -o responses.csv
    """
    from collector.database.batch import rows_of
    from collector.store.store import Store
    from collector.table.table import format_of, write_table

    form = form or (format_of(output) if output else "csv")
    with Store(store_path) as store:
        survey = store.published(name, version).survey
        batches = list(store.batches(survey))  # small, and whoever reads the output may be slow
    write_output(output, write_table(survey, (row for batch in batches for row in rows_of(survey, batch)), form))


def _identity(published: Published) -> dict[str, Any]:
    return {"name": published.name, "version": published.version, "fingerprint": published.fingerprint}


def _title(survey: Survey) -> str:
    return survey.title[survey.languages[0]]


def _print_versions(
    store: Store, versions: list[Published], more: dict[str, Any] | None = None, *, as_json: bool
) -> None:
    counts = [(each, store.count(each.survey)) for each in versions]
    if as_json:
        surveys = [_identity(each) | {"title": _title(each.survey), "responses": count} for each, count in counts]
        print_json({"surveys": surveys} | (more or {}))
        return
    columns = ("survey", "version", "responses", "fingerprint")
    print_table(columns, [(each.name, str(each.version), str(count), each.fingerprint) for each, count in counts])
    if more:
        invited = more["invitations"]
        click.echo("open" if more["open"] else "closed")
        click.echo(f"invitations: {invited['issued']} issued, {invited['used']} used")


if __name__ == "__main__":
    sys.exit(main())
