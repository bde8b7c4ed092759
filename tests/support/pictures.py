"""Small pictures, made here, and a survey that shows them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file

SURVEY = """
name = "shown"
title = { en = "Glasses", ar = "كؤوس" }
languages = ["en", "ar"]
[study]
logo = "logo.png"
logo_text = { en = "University of Somewhere", ar = "جامعة مكان ما" }
[[questions]]
name = "drinks"
label = { en = "Do you drink?", ar = "هل تشرب؟" }
kind = "yes_no"
group = "a"
[[questions]]
name = "glass"
label = { en = "Is this what you drink from?", ar = "هل تشرب من هذا؟" }
kind = "yes_no"
picture = "pictures/glass.png"
picture_text = { en = "A tall glass", ar = "كأس طويلة" }
ask_if = "drinks = yes"
group = "b"
[[questions]]
name = "much"
label = { en = "How much?", ar = "كم؟" }
kind = "number"
cuts = [1, 2]
picture = "jug.png"
picture_text = { en = "A jug of one litre", ar = "إبريق سعته لتر" }
group = "c"
[groups]
a = { truth = "1/2", channel = "uniform" }
b = { truth = "1/2", channel = "uniform" }
c = { truth = "1/2", channel = "uniform" }
"""


def png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\x00" + bytes(colour) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    whole = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + whole


ANSWERS = """
name = "answers"
title = { en = "Drinks", ar = "مشروبات" }
languages = ["en", "ar"]
[[questions]]
name = "which"
label = { en = "Which do you drink?", ar = "ماذا تشرب؟" }
kind = "choice"
values = ["red wine", "beer", "else"]
words.en = { "red wine" = "Red wine", beer = "Beer", else = "Something else" }
words.ar = { "red wine" = "نبيذ أحمر", beer = "جعة", else = "غير ذلك" }
pictures = { "red wine" = "pictures/glass.png", beer = "jug.png" }
picture = "logo.png"
picture_text = { en = "A shelf", ar = "رف" }
decline = true
group = "a"
[[questions]]
name = "ever"
label = { en = "Which did you ever?", ar = "ماذا شربت؟" }
kind = "multiple"
options = { cider = { en = "Cider", ar = "سيدر" }, beer = { en = "Stout", ar = "جعة سوداء" } }
pictures = { beer = "jug.png" }
none = { en = "None", ar = "لا شيء" }
ask_if = "which = beer"
group = "b"
[groups]
a = { truth = "2/3", channel = "uniform" }
b = { truth = "2/3", channel = "uniform" }
"""


def write_survey(folder: Path, text: str = SURVEY) -> Path:
    """The survey file, with its pictures in its folder."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        (folder / name).write_bytes(picture)
    (folder / "shown.toml").write_text(text, encoding="utf-8")
    return folder / "shown.toml"


def survey_with_pictures(folder: Path, text: str = SURVEY) -> Survey:
    """The survey as it is read from there."""
    return read_survey_file(write_survey(folder, text))


PICTURES = {
    "logo.png": png(120, 40, (21, 94, 99)),
    "pictures/glass.png": png(640, 300, (120, 160, 200)),
    "jug.png": png(200, 200, (200, 120, 90)),
}
