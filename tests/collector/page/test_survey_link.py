"""The QR code of a survey's address: what it says, how it looks, and what is refused."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import segno
from click.testing import CliRunner, Result
from PIL import Image

from collector.cli import main
from collector.errors import InputError
from collector.page.link import SCALE, qr_code, survey_address
from collector.store.store import Store
from collector.survey.survey import Survey

ADDRESS = "https://survey.example.org/s/wellbeing"
MARGIN = 4  # dots, as ISO/IEC 18004 wants it
BLACK, WHITE = 0, 255


@pytest.fixture
def store_path(tmp_path: Path, wellbeing: Survey) -> Path:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(wellbeing)
    return tmp_path / "deniable.db"


def run(output: Path, store_path: Path, *more: str, name: str = "wellbeing") -> Result:
    arguments = ["link", name, "-o", str(output), "--store", str(store_path), *more]
    return CliRunner().invoke(main, arguments)


def pixels(picture: bytes) -> list[list[int]]:
    """The brightness in the middle of each dot."""
    image = Image.open(BytesIO(picture)).convert("L")
    places = range(SCALE // 2, image.width, SCALE)
    return [[int(str(image.getpixel((x, y)))) for x in places] for y in places]


@pytest.mark.parametrize(
    "server", ["https://survey.example.org", "https://survey.example.org/", ADDRESS, f"{ADDRESS}/"]
)
def test_the_address_is_the_one_that_respondents_open(server: str) -> None:
    assert survey_address(server, "wellbeing") == ADDRESS
    assert survey_address("http://127.0.0.1:8000", "a") == "http://127.0.0.1:8000/s/a"


def test_a_path_of_a_site_with_other_pages_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError) as raised:
        survey_address("https://example.org/survey/", "a", "--links")
    assert raised.value.place == "--links"
    assert "a path of a site" in raised.value.problem


@pytest.mark.parametrize(
    "server",
    [
        "survey.example.org",
        "ftp://a.example",
        "https://",
        "https://a b.example",
        "https://me:secret@a.example",
        "https://a.example?x=1",
        "https://a.example#x",
        "https://b\u00fccher.example",
        "https://a.example\n",
        "https://[a.example",
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(server: str) -> None:
    with pytest.raises(InputError, match="--address: ") as refused:
        survey_address(server, "wellbeing")
    assert "secret" not in str(refused.value)


def test_the_picture_has_the_dots_of_the_address_and_a_white_margin() -> None:
    found = pixels(qr_code(ADDRESS, "png"))
    dots = [row[MARGIN:-MARGIN] for row in found[MARGIN:-MARGIN]]
    assert dots == [[BLACK if dot else WHITE for dot in row] for row in segno.make_qr(ADDRESS, error="m").matrix]
    border = [*found[:MARGIN], *found[-MARGIN:], *(row[:MARGIN] + row[-MARGIN:] for row in found)]
    assert {each for row in border for each in row} == {WHITE}


def test_a_screen_reader_says_the_address_of_an_svg() -> None:
    root = ET.fromstring(qr_code(ADDRESS, "svg"))  # noqa: S314 - our own
    assert [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")] == [ADDRESS]


def test_the_command_writes_the_picture_that_the_name_asks_for_and_says_the_address(
    tmp_path: Path, store_path: Path
) -> None:
    for suffix, kind in ((".svg", "svg"), (".PNG", "png")):
        path = tmp_path / f"link{suffix}"
        result = run(path, store_path, "--address", "https://survey.example.org")
        assert (result.exit_code, result.output) == (0, f"{path}: {ADDRESS}\n")
        assert path.read_bytes() == qr_code(ADDRESS, kind)
    path = tmp_path / "again.svg"
    result = run(path, store_path, "--address", "https://survey.example.org", "--json")
    assert json.loads(result.output) == {"address": ADDRESS, "output": str(path)}


def test_what_cannot_be_done_is_told_in_a_line_and_nothing_is_written(tmp_path: Path, store_path: Path) -> None:
    address = ("--address", "https://survey.example.org")
    long = ("--address", f"https://{'a' * 3000}.example.org")
    for output, more, name, told in (
        (
            "link.jpg",
            address,
            "wellbeing",
            "the file name ends neither in .svg nor in .png; choose a name that ends in .svg or .png",
        ),
        ("link.svg", address, "nothing", "nothing"),
        (
            "link.svg",
            ("--address", "survey"),
            "wellbeing",
            "--address: the text is not the address of a server; write the address that respondents use, such as https://survey.example.org",
        ),
        ("link.svg", long, "wellbeing", "--address: the address is too long for a QR code; give a shorter address"),
        ("link.svg", (), "wellbeing", "Missing option '--address'"),
    ):
        result = run(tmp_path / output, store_path, *more, name=name)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert told in result.stderr
        assert not (tmp_path / output).exists()
