"""``collector link``: write a QR code of a survey's address for printing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, name_argument, print_result, store_option
from collector.errors import OutputError
from collector.output import write_bytes

if TYPE_CHECKING:
    from collector.database.address import Place


@click.command("link")
@name_argument
@click.option("--address", "server", metavar="URL", required=True, help="Address of the server: https://HOST.")
@click.option("-o", "--output", type=OutputPath(), required=True, help="Picture to write: .svg or .png.")
@store_option
@json_option
def link(name: str, server: str, output: Path, store_path: Place, *, as_json: bool) -> None:
    """Write a QR code of the address that respondents open, and print the address.

    The address is equal for all respondents, so that the server does not learn who scanned the code.

    Example: collector link wellbeing --address https://survey.example.org -o link.svg
    """
    from collector.page.link import KINDS, qr_code, survey_address
    from collector.store.store import Store

    kind = KINDS.get(output.suffix.lower())
    if kind is None:
        raise OutputError(
            str(output), "the file name ends neither in .svg nor in .png", "choose a name that ends in .svg or .png"
        )
    with Store(store_path) as store:
        store.published(name)  # says which names there are if this is none
    address = survey_address(server, name)
    write_bytes(output, [qr_code(address, kind)])
    print_result({"address": address, "output": str(output)}, f"{output}: {address}", as_json=as_json)
