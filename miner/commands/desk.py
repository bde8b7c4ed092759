"""Define the subcommand of ``miner`` that shows a running survey to its owner."""

import click

from collector.commands.command import name_argument, store_option
from collector.commands.progress import status
from collector.database.address import Place
from miner.commands.options import versions_option


@click.command()
@name_argument
@click.option(
    "--respondents",
    type=click.IntRange(min=1),
    help="Number of planned respondents.",
    show_default="the survey's quota, or the number of invitations",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.", show_default="any free port"
)
@versions_option
@store_option
def desk(name: str, respondents: int | None, port: int, versions: str | None, store_path: Place) -> None:
    """Show a running survey in the browser, on this machine only, until interrupted.

    The command prints a link that opens the desk once, within ten minutes. The desk shows responses, estimates, used
    invitations and remarks on the design, and is updated in batches that do not reveal when a person responded. Buttons
    of the desk close the survey, export the responses and make the report.

    Example: miner desk wellbeing --respondents 400
    """
    from collector.store.store import Store
    from miner.desk.app import create_app
    from miner.desk.desk import Desk
    from owner.link import Link
    from owner.server import HOST, listen, serve, server_of

    with Store(store_path) as store:
        store.published(name)  # says which names there are if this is none
        shown, link = Desk(store, name, respondents, pool=versions == "all"), Link()
        listener = listen(port)
        with status("reading"):
            shown.look()
        server = server_of(create_app(shown, link), listener)
        click.echo(f"http://{HOST}:{server.port}/open/{link.once}")
        click.echo("The link opens the desk once, in a browser on this machine. Ctrl-C ends it.")
        serve(server, shown.keep_looking)
