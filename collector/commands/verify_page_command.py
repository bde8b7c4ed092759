"""``collector verify-page``: compare a survey's page on a server with this installation."""

from dataclasses import asdict

import click

from collector.commands.command import json_option, print_json

DIFFERENT = 1


@click.command("verify-page")
@click.argument("address", metavar="URL")
@json_option
def verify_page(address: str, *, as_json: bool) -> int:
    """Fetch a survey's pages and compare every byte and header with this installation.

    The page, the form by hand and the list of surveys are compared in each language, with all files that they load.
    The command asks as a browser does. It sees what one visitor gets at one time.

    The command prints the SHA-384 of the scripts that disguise answers, and the fingerprint of the design in the page.
    The command exits with 1 if anything differs. Use the version of this package that the server runs.

    Example: collector verify-page https://survey.example.org/s/wellbeing
    """
    from collector.page.verify import verify_page as verify

    found = verify(address)
    if as_json:
        print_json(asdict(found) | {"same": found.same})
    else:
        for line in found.differences:
            click.echo(f"different: {line}")
        click.echo(f"SHA-384 of static/disguise: {found.disguise}")
        click.echo(f"fingerprint of the design: {found.fingerprint}")
        click.echo(f"{found.address}: {'the same' if found.same else 'different'}, {found.files} files compared")
    return 0 if found.same else DIFFERENT
