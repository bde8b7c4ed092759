"""The ``respondent`` command, which imports the server only when needed, so that ``--help`` is quick."""

from pathlib import Path

import click

from collector.commands.command import Command, store_option, survey_argument
from collector.commands.completion import files
from collector.database.address import Place
from respondent.intake.callers import PER_MINUTE, Limits

host_option = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on. 0 takes any free port.",
)


@click.group(cls=Command, name="respondent")
@click.version_option(package_name="deniable", message="%(prog)s %(version)s")
def main() -> None:
    """Hand out published surveys as pages and take in disguised answers."""


@main.command()
@host_option
@port_option
@store_option
@click.option(
    "--trusted-host",
    "trusted_hosts",
    multiple=True,
    metavar="NAME",
    help="Host name that the server answers to, such as survey.example.org. May be repeated.",
    show_default="any name",
)
@click.option(
    "--proxy-hops",
    type=click.IntRange(0, 10),
    default=0,
    show_default=True,
    help="Number of trusted proxies in front of the server. Their X-Forwarded- headers are used.",
)
@click.option(
    "--per-minute",
    type=click.IntRange(min=1),
    default=PER_MINUTE,
    show_default=True,
    help="Number of requests that one IP address may make in a minute. Each worker counts by itself.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Number of server processes. If more than two processors are free, use one process for each.",
)
def serve(  # noqa: PLR0913, PLR0917 - one for each option
    host: str,
    port: int,
    store_path: Place,
    trusted_hosts: tuple[str, ...],
    proxy_hops: int,
    per_minute: int,
    workers: int,
) -> None:
    """Serve the surveys of a store until interrupted. Nothing about a respondent is logged.

    Example: respondent serve --store deniable.db --port 8000
    """
    from collector.database.file_system import check_disk
    from collector.maintenance.audit_store import check_schema
    from collector.page.static_files import disguise_hash, static_files
    from collector.store.simulated import UNDO
    from collector.store.store import Store
    from respondent.server import Server, listen

    warning = check_disk(store_path)
    if warning:
        click.echo(warning, err=True)
    with Store(store_path) as store:
        store.refuse_tests()
        store.check_intake()
        states = store.states()
    check_schema(store_path)
    listener = listen(host, port)
    address = f"[{host}]" if ":" in host else host
    click.echo(
        f"Serving {len(states)} survey{'' if len(states) == 1 else 's'} on http://{address}:{listener.getsockname()[1]}/"
    )
    click.echo(f"SHA-384 of static/disguise: {disguise_hash(static_files())}")
    for name in (state.newest.name for state in states if state.is_simulated):
        click.echo(f"{name} is closed: it takes no responses beside simulated ones; {UNDO}")
    limits = Limits(per_minute=per_minute)
    options = {"limits": limits, "trusted_hosts": trusted_hosts, "proxy_hops": proxy_hops}
    Server(store_path, listener, workers=workers, **options).run()


@main.command()
@survey_argument
@click.option(
    "--test-store",
    type=click.Path(path_type=Path),
    help="Separate store for test responses. It is made if it does not exist.",
    show_default="nothing is stored",
)
@host_option
@port_option
def preview(survey_path: Path, test_store: Path | None, host: str, port: int) -> None:
    """Preview a survey file in the browser, until interrupted. Nothing is stored.

    Reload the page to see changes of the file. Every screen says that it is a preview. A preview needs no store, and
    the survey is open on any day. With --test-store, responses are kept in a separate store, which `respondent serve`
    refuses. Responses in a test store count as simulated.

    Example: respondent preview examples/wellbeing.toml
    """
    from respondent.preview import PreviewServer, TestStore, WatchedFile
    from respondent.server import listen

    name = WatchedFile(survey_path).survey().name  # says what is wrong with the file before anything is served
    if test_store is not None:
        TestStore(test_store, survey_path).close()
    listener = listen(host, port)
    address = f"[{host}]" if ":" in host else host
    click.echo(f"Preview on http://{address}:{listener.getsockname()[1]}/s/{name}")
    PreviewServer(survey_path, test_store, listener).run()


@main.command()
@click.argument(
    "survey_path",
    metavar="[SURVEY.toml]",
    required=False,
    default=Path("survey.toml"),
    type=click.Path(path_type=Path, dir_okay=False),
    shell_complete=files(".toml"),
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.", show_default="any free port"
)
@click.option(
    "--show", is_flag=True, help="Print a second address, which shows the draft as respondents see it. Nothing is sent."
)
def design(survey_path: Path, port: int, *, show: bool) -> None:
    """Design a survey in the browser, on this machine only, until interrupted.

    The command prints a link, which opens the designer once, within ten minutes. The designer shows questions and
    texts, what each question discloses, how precise its estimates will be, remarks on the design, and the respondent's
    page. Each change is written to the survey file, by default survey.toml. Comments, the order of tables, and keys
    that the designer does not know stay unchanged.

    With --show, the command prints a second address on this machine, which shows the draft as respondents see it and
    opens any number of times. The second address follows changes of the file, cannot change the file, and sends no
    responses.

    Example: respondent design examples/wellbeing.toml
    """
    from owner.link import Link
    from owner.server import HOST, listen, serve, server_of
    from respondent.designing.app import create_app
    from respondent.designing.document import SurveyDocument
    from respondent.designing.showing.draft import DraftAddress

    link = Link()
    draft = DraftAddress() if show else None
    document = SurveyDocument(survey_path)
    server = server_of(create_app(document, link, draft), listen(port))
    click.echo(f"http://{HOST}:{server.port}/open/{link.once}")
    click.echo("The link opens the page once, in a browser on this machine. Ctrl-C ends it.")
    if draft is not None:
        click.echo(f"The draft, read-only: http://{HOST}:{server.port}{draft.address}")
    serve(server)
