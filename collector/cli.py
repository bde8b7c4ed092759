"""The ``collector`` command: check a survey file, publish it, import and export disguised responses.

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
    json_option,
    name_argument,
    print_json,
    print_table,
    store_option,
    survey_argument,
)
from collector.commands.convert_command import convert
from collector.commands.dossier_command import dossier
from collector.commands.draft_command import draft
from collector.commands.intake_command import audit, close_survey, invite, open_survey, remove, tidy, watch_survey
from collector.commands.link_command import link
from collector.commands.table_command import export, identity, import_table
from collector.commands.texts_command import texts
from collector.commands.verify_page_command import verify_page
from collector.database.address import Place

if TYPE_CHECKING:
    from collector.exchange.checked import CheckedSurvey
    from collector.store.store import Published, Store
    from collector.survey.survey import Survey
    from collector.survey_file.privacy_file import EpsilonPlan

REFUSED = 1
DELTA_HELP = "Delta of the central epsilon, which is printed with --respondents."
NEW_HELP = "Fewest new people per publication, if you publish more than once, with --respondents in every publication."
FALSE_HELP = "Number of false responses among --respondents or, without that option, among 100."


SECTIONS = {
    "Write a survey": ("draft", "check", "dossier", "convert", "texts"),
    "Run it": ("publish", "list", "status", "invite", "open", "close", "remove", "link", "verify-page"),
    "Responses": ("import", "export"),
    "Keep the store": ("backup", "restore", "tidy", "audit-store"),
}


@click.group(cls=Command, name="collector", sections=SECTIONS)
@click.version_option(package_name="deniable", message="%(prog)s %(version)s")
def main() -> None:
    """Check a survey, publish it, and keep the disguised responses to it."""


TABLES = (draft, dossier, convert, texts, import_table, export)
for command in (*TABLES, invite, open_survey, close_survey, remove, tidy, audit, backup, restore, link, verify_page):
    main.add_command(command)


@main.command()
@survey_argument
@click.option(
    "--respondents",
    type=click.IntRange(min=1),
    help="Expected number of respondents. A remark says if it is too small for the disguise.",
)
@click.option("--delta", type=float, default=1e-6, show_default=True, help=DELTA_HELP)
@click.option("--new", "new", type=click.IntRange(min=1), help=NEW_HELP)
@click.option("--false", "false", type=click.IntRange(min=0), help=FALSE_HELP, show_default="one in a hundred")
@json_option
def check(  # noqa: PLR0913 - one for each option
    survey_path: Path, *, respondents: int | None, delta: float, new: int | None, false: int | None, as_json: bool
) -> int:
    """Show what a survey file would reveal about respondents, and what to change.

    The command exits with 1 if it refuses the design, because the collector would know a sensitive answer for certain.

    The command also shows how far false responses, which people make up without a coin, can move the estimates
    (docs/attacks.md).

    With --respondents, the command states the central epsilon, which limits what readers of published figures alone can
    learn (docs/epsilon.md). If you publish figures more than once, for example each month, --new states it for the
    people who join later.

    Example: collector check examples/wellbeing.toml --respondents 500
    """
    from collector.exchange.checked import checked
    from collector.survey_file.survey_file import read_compiled

    if new is not None and respondents is None:
        raise click.UsageError("--new needs --respondents: the number of people who are in every publication")
    found = checked(read_compiled(survey_path), respondents, false, delta, new)
    if as_json:
        print_json(found.as_json)
    else:
        _print_plan(found.plan)
        _print_privacy(found)
    return REFUSED if found.privacy.refusals else 0


def _print_plan(plan: EpsilonPlan | None) -> None:
    for line in () if plan is None else (*plan.lines, ""):
        click.echo(line)


def _print_privacy(found: CheckedSurvey) -> None:
    from collector.disclosure.privacy import bits_told, entropy_told, rises

    privacy = found.privacy
    every = isfinite(privacy.epsilon)  # an epsilon of some questions only would be taken for one of the response
    columns = ("question", "group", *(["epsilon"] if every else []), "bits unknown", "of", "likelier at most")
    print_table(
        columns,
        [
            (
                each.question.name,
                each.group.name if each.group else "sent as it is",
                *([_epsilon(privacy.question_epsilon(each.question))] if every else []),
                bits_told(each),
                entropy_told(each),
                rises(each, each.question.values) if each.group else "known",
            )
            for each in privacy.questions
        ],
    )
    click.echo()
    for line in (*privacy.group_lines, *privacy.closing_lines, *(found.central.lines if found.central else ())):
        click.echo(line)
    click.echo()
    for each in found.shifts:
        click.echo(each.line)
    for lint in found.lints:
        click.echo(lint)
    click.echo(f"fingerprint {privacy.survey.fingerprint}")
    click.echo("refused" if privacy.refusals else "accepted")


def _epsilon(epsilon: float) -> str:
    return f"{epsilon:.3f}" if isfinite(epsilon) else "none"


@main.command()
@survey_argument
@store_option
@click.option("--accept-exposure", is_flag=True, help="Publish the survey even if `check` refuses it.")
@click.option("--new-version", is_flag=True, help="Publish a new version even if the file did not change.")
@json_option
def publish(survey_path: Path, store_path: Place, *, accept_exposure: bool, new_version: bool, as_json: bool) -> int:
    """Publish a survey file under its next version number. Publishing an unchanged design again changes nothing.

    To begin the next wave of a survey, write wave = 2 (3, ...) into the file and publish it. With --new-version an
    unchanged file becomes the next wave too.

    If only texts, languages or the table [study] differ from the newest version, the file becomes a revision of this
    version. After a revision, open pages remain valid, and responses are pooled.

    The command shows how the epsilon of [privacy] is spent, and warns if the last day of the survey is over. If
    `collector check` refuses the design, nothing is published and the command exits with 1.

    Example: collector publish examples/wellbeing.toml
    """
    from collector.disclosure.lints import day_lints
    from collector.disclosure.privacy import SurveyPrivacy, versions_line
    from collector.store.store import Store
    from collector.survey.revision import changed_wording
    from collector.survey_file.survey_file import read_compiled

    compiled = read_compiled(survey_path)
    survey, plan = compiled.survey, compiled.plan
    refusals = SurveyPrivacy(survey).refusals
    if refusals and not accept_exposure:
        for lint in refusals:
            click.echo(lint, err=True)
        click.echo("not published: change the survey file, or give --accept-exposure", err=True)
        return REFUSED
    with Store(store_path, create=True) as store:
        store.refuse_tests()
        before = store.state(survey.name)
        published = store.publish(survey, new_version=new_version)
        survey = published.survey
        revisions = store.revisions(published)
        every = [each.survey for each in store.versions(survey.name)]
    new = before is None or published.version > before.newest.version
    revised = before is not None and not new and published.version == before.newest.version
    changed = changed_wording(before.newest.survey, survey) if before is not None and revised else []
    for lint in day_lints(survey):
        click.echo(lint, err=True)
    if as_json:
        wording = {"revision": len(revisions), "shown": revisions[-1].fingerprint, "changed": changed}
        wording |= {"epsilon_of_all_versions": _all_versions(every)}
        print_json(identity(published) | wording | {"new": new, "plan": None if plan is None else plan.as_dict})
    else:
        _print_plan(plan)
        state = "published" if changed or new else "published before, unchanged"
        revision = f", revision {len(revisions)}" if len(revisions) > 1 else ""
        click.echo(f"{published.name} version {published.version}{revision}: {state}")
        if changed:
            click.echo(f"changed: {'; '.join(changed)}")
        if survey.wave != compiled.survey.wave:
            click.echo(f"wave {survey.wave}: write wave = {survey.wave} into the survey file")
        if (spent := versions_line(every)) is not None:
            click.echo(spent)
        click.echo(f"fingerprint {survey.fingerprint}")
    return 0


def _all_versions(surveys: list[Survey]) -> float | None:
    from collector.disclosure.privacy import versions_epsilon

    total = versions_epsilon(surveys)
    return total if isfinite(total) else None


@main.command("list")
@store_option
@json_option
def list_surveys(store_path: Place, *, as_json: bool) -> None:
    """List every published version of every survey.

    Example: collector list --store deniable.db
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        _print_versions(store, store.surveys(), as_json=as_json)


@main.command("status")
@name_argument
@click.option(
    "--watch", is_flag=True, help="Show counts and estimates of the newest version, and update them each minute."
)
@store_option
@json_option
def survey_status(name: str, store_path: Place, *, watch: bool, as_json: bool) -> None:
    """Show the versions of a survey and their numbers of responses.

    The command shows how many invitations were used, but never which ones.

    With --watch, the screen is updated each minute and shows estimates with intervals. The figures are updated in
    batches of ten or more responses, so that they do not reveal when a person responded (docs/desk.md). If stdout is
    not a terminal, the status is written once.

    Example: collector status wellbeing
    """
    from collector.maintenance.running import state_line, state_of
    from collector.store.store import Store

    if watch and as_json:
        raise click.UsageError("--watch and --json do not go together")
    with Store(store_path) as store:
        store.published(name)  # says which names there are if this is none
        if watch:
            watch_survey(store, name)
            return
        versions = [each for each in store.surveys() if each.name == name]
        state, invitations = state_of(store, name), store.invitations(name)
        spent = {"epsilon_of_all_versions": _all_versions([each.survey for each in versions])}
        more = {"open": state.is_open, "state": state_line(state), "invitations": asdict(invitations)} | spent
        _print_versions(store, versions, more, as_json=as_json)


def _title(survey: Survey) -> str:
    return survey.title[survey.languages[0]]


def _print_versions(
    store: Store, versions: list[Published], more: dict[str, Any] | None = None, *, as_json: bool
) -> None:
    from collector.disclosure.privacy import versions_line
    from collector.store.simulated import UNDO

    counts = [(each, store.count(each.survey)) for each in versions]
    marked = {each.fingerprint: found for each in versions if (found := store.imports.simulated(each)) is not None}
    if as_json:
        surveys = [
            identity(each)
            | {
                "title": _title(each.survey),
                "wave": each.survey.wave,
                "responses": count,
                "revisions": len(store.revisions(each)),
            }
            | {"simulated": marked[each.fingerprint].as_json if each.fingerprint in marked else None}
            for each, count in counts
        ]
        print_json({"surveys": surveys} | (more or {}))
        return
    columns = ("survey", "version", "wave", "responses", "fingerprint")
    rows = [
        (each.name, str(each.version), str(each.survey.wave), str(count), each.fingerprint) for each, count in counts
    ]
    print_table(columns, rows)
    for each in versions:
        if len(revisions := store.revisions(each)) > 1:
            shown = f"shown now: fingerprint {revisions[-1].fingerprint}"
            click.echo(f"{each.name} version {each.version}: {len(revisions)} revisions, whose responses pool; {shown}")
        if each.fingerprint in marked:
            click.echo(f"{each.name} version {each.version}: {marked[each.fingerprint].line}")
    if more:
        invited = more["invitations"]
        click.echo(more["state"])
        if (spent := versions_line([each.survey for each in versions])) is not None:
            click.echo(spent)
        if versions[-1].fingerprint in marked:
            click.echo(UNDO)
        click.echo(f"invitations: {invited['issued']} issued, {invited['used']} used")


if __name__ == "__main__":
    sys.exit(main())
