"""The address of a survey, and a QR code of the address for printing."""

import re
from io import BytesIO
from urllib.parse import urlsplit

import segno

from collector.errors import InputError

SERVER = re.compile(r"https?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?(/[\w.~%/-]*)?", re.ASCII)
KINDS = {".svg": "svg", ".png": "png"}
"""Formats of a picture, by the suffix of its name."""
SCALE = 10  # width of a dot of a QR code, in pixels


def survey_address(server: str, name: str, place: str = "--address") -> str:
    """Return the address that respondents open.

    Args:
        server: Address of the server, or address of the survey.
        name: Name of the survey.
        place: Place of the address that errors name, such as an option.

    Raises:
        InputError: If the text is not a valid address, or has a path.
    """
    if not SERVER.fullmatch(server):
        raise InputError(
            place,
            "the text is not the address of a server",
            "write the address that respondents use, such as https://survey.example.org",
        )
    site = server.rstrip("/").removesuffix(f"/s/{name}")
    if urlsplit(site).path:
        problem = "it is a path of a site, where other pages of that site could read the answers"
        raise InputError(place, problem, "give the survey a host name of its own, such as https://survey.example.org")
    return f"{site}/s/{name}"


def qr_code(address: str, kind: str) -> bytes:
    """Return a picture of the QR code of an address, with the blank margin that cameras need.

    Args:
        address: Address of a survey.
        kind: Format of the picture, one of `KINDS`.

    Raises:
        InputError: If the address is too long for a QR code.
    """
    try:
        code = segno.make_qr(address, error="m")  # 15 % of it may be dirty or torn
    except segno.DataOverflowError:
        raise InputError("--address", "the address is too long for a QR code", "give a shorter address") from None
    picture = BytesIO()
    title = {"title": address} if kind == "svg" else {}
    code.save(picture, kind=kind, scale=SCALE, light="white", **title)
    return picture.getvalue()
