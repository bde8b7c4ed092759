"""Pictures beside a survey file: their SHA-256 is part of the design, and what cannot be shown is refused in words."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey.picture import LARGEST, Picture, is_picture
from collector.survey.revision import coded_part
from collector.survey.text import Text
from collector.survey_file.picture_file import beside
from collector.survey_file.survey_file import parse_survey, read_survey_file
from collector.survey_file.survey_writer import survey_text
from pictures import ANSWERS, PICTURES, SURVEY, png, survey_with_pictures, write_survey

LABEL = 'kind = "yes_no"\npicture'


def test_the_design_names_each_picture_by_its_sha_256_and_says_what_it_shows(tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path)
    assert [each.name for each in survey.pictures] == [
        f"{sha256(content).hexdigest()}.png" for content in PICTURES.values()
    ]
    (glass, _) = survey.design["screens"]
    assert glass["picture_text"] == {"en": "A tall glass", "ar": "كأس طويلة"}
    again = survey_from_json(survey.canonical)
    assert again == survey
    assert again.fingerprint == survey.fingerprint
    assert all(each.content is None for each in again.pictures)


def test_another_picture_makes_another_fingerprint_of_the_same_coded_design(tmp_path: Path) -> None:
    before = survey_with_pictures(tmp_path)
    (tmp_path / "jug.png").write_bytes(png(2, 2, (0, 0, 0)))
    after = read_survey_file(tmp_path / "shown.toml")
    assert after.fingerprint != before.fingerprint
    assert coded_part(after) == coded_part(before), "it is wording: responses pool"


@pytest.mark.parametrize("first", [b"\xff\xd8\xff\xe0", b"RIFF\x10\x00\x00\x00WEBPVP8 ", png(1, 1, (0, 0, 0))])
def test_png_jpeg_and_webp_are_told_by_their_first_bytes(first: bytes) -> None:
    assert Picture.of(first, Text.of(en="A dot"), "here").mimetype in {"image/png", "image/jpeg", "image/webp"}


@pytest.mark.parametrize(
    ("was", "now", "problem"),
    [
        (
            'picture = "jug.png"',
            'picture = "cup.png"',
            '"cup.png" cannot be read; put the picture in the folder of the survey file',
        ),
        ('picture = "jug.png"', 'picture = "../jug.png"', "the picture is not in the folder of the survey file"),
        ('picture = "jug.png"', 'picture = "/etc/passwd"', "the picture is not in the folder of the survey file"),
        ('picture = "jug.png"', 'picture = "shown.toml"', "the file is not a picture in PNG, JPEG or WebP format"),
        ('picture = "jug.png"', 'picture = "drawn.svg"', "SVG can hold scripts, and is not taken"),
        ('picture = "jug.png"', 'picture = "large.png"', "it is larger than 100,000 bytes"),
        ('picture = "jug.png"\n', "", "there is a description, but no picture"),
        ('picture_text = { en = "A jug of one litre", ar = "إبريق سعته لتر" }\n', "", '"picture_text" is missing'),
        (', ar = "إبريق سعته لتر"', "", "it is not in ar, a language of the survey"),
        ('logo = "logo.png"', 'logo = "no.png"', 'study, logo: "no.png" cannot be read'),
    ],
)
def test_a_picture_that_cannot_be_shown_is_refused_by_name(tmp_path: Path, was: str, now: str, problem: str) -> None:
    assert was in SURVEY
    path = write_survey(tmp_path, SURVEY.replace(was, now, 1))
    (tmp_path / "large.png").write_bytes(png(1, 1, (0, 0, 0)) + bytes(LARGEST))
    (tmp_path / "drawn.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    with pytest.raises(SurveyError, match=r"picture|logo") as raised:
        read_survey_file(path)
    assert problem in str(raised.value)
    assert str(path) in str(raised.value)


def test_pictures_that_are_large_together_are_refused(tmp_path: Path) -> None:
    names = [f"p{at}.png" for at in range(5)]
    questions = [
        f'[[questions]]\nname = "q{at}"\nlabel = "?"\nkind = "yes_no"\nsensitive = false\npicture = "{name}"\n'
        f'picture_text = "Number {at}"\n'
        for at, name in enumerate(names)
    ]
    for at, name in enumerate(names):
        (tmp_path / name).write_bytes(png(1, 1, (at, 0, 0)).ljust(LARGEST, b"\0"))
    path = tmp_path / "many.toml"
    path.write_text('name = "many"\ntitle = "Many"\nlanguages = ["en"]\n' + "".join(questions))
    with pytest.raises(SurveyError, match="500,000 bytes together, and 400,000"):
        read_survey_file(path)


def test_a_survey_that_comes_from_no_file_has_no_pictures() -> None:
    with pytest.raises(SurveyError, match="was not read from a file"):
        parse_survey(SURVEY)


def test_a_survey_file_that_programs_write_names_pictures_by_their_sha_256(tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path)
    written = survey_text(survey, "written")
    assert parse_survey(written) == survey
    assert [each.content for each in parse_survey(written).pictures] == [None] * 3
    (logo, glass, _) = survey.pictures
    (tmp_path / logo.name).write_bytes(logo.content or b"")
    (tmp_path / glass.name).write_bytes(png(1, 1, (0, 0, 0)))
    (tmp_path / "written.toml").write_text(written, encoding="utf-8")
    found = read_survey_file(tmp_path / "written.toml")
    assert [each.content for each in found.pictures] == [logo.content, None, None], "one is not there, one is another"


@pytest.mark.parametrize("content", [b"<script>", png(1, 1, (9, 9, 9)) + bytes(LARGEST)])
def test_a_file_that_has_the_name_of_its_hash_is_a_picture_all_the_same(content: bytes, tmp_path: Path) -> None:
    (logo, *_) = survey_with_pictures(tmp_path).pictures
    name = f"{sha256(content).hexdigest()}.png"
    (tmp_path / name).write_bytes(content)
    assert beside(Picture(name, logo.text), tmp_path).content is None
    assert not is_picture(name, content)


def test_a_pipe_in_the_place_of_a_picture_is_not_waited_for(tmp_path: Path) -> None:
    (logo, *_) = survey_with_pictures(tmp_path).pictures
    os.mkfifo(tmp_path / logo.name)
    assert beside(replace(logo, content=None), tmp_path).content is None
    path = write_survey(tmp_path)
    (tmp_path / "jug.png").unlink()
    os.mkfifo(tmp_path / "jug.png")
    with pytest.raises(SurveyError, match=r'"jug\.png" cannot be read'):
        read_survey_file(path)


def test_a_translation_comes_with_the_pictures(tmp_path: Path) -> None:
    path, texts, out = write_survey(tmp_path), tmp_path / "de.po", tmp_path / "out" / "de.toml"
    out.parent.mkdir()
    for arguments in (["export", str(path), str(texts)], ["import", str(path), str(texts), "-o", str(out)]):
        result = CliRunner().invoke(main, ["texts", *arguments, "--language", "de"])
        assert result.exit_code == 0, result.output
    assert "picture_text" in texts.read_text(encoding="utf-8")
    assert [each.content for each in read_survey_file(out).pictures] == list(PICTURES.values())


@pytest.mark.parametrize("text", [SURVEY, ANSWERS], ids=["questions", "answers"])
@pytest.mark.parametrize("suffix", ["json", "xlsx"])
def test_pictures_go_out_to_other_formats_and_come_back(suffix: str, text: str, tmp_path: Path) -> None:
    path, out, again = write_survey(tmp_path, text), tmp_path / "out" / f"form.{suffix}", tmp_path / "in" / "again.toml"
    out.parent.mkdir()
    again.parent.mkdir()
    for source, target in ((path, out), (out, again)):
        result = CliRunner().invoke(main, ["convert", str(source), "-o", str(target)])
        assert result.exit_code == 0, result.output
        assert "left out" not in result.output.replace("none left out", "")
    before, after = read_survey_file(path), read_survey_file(again)
    assert after.design["screens"] == before.design["screens"]
    shown = [each for screen in before.screens for each in screen.all_pictures]
    there = {each.name: each.content for each in after.pictures}
    assert {each.name: each.content for each in shown}.items() <= there.items(), "with their bytes, in another folder"


def test_the_design_names_the_pictures_of_answers(tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path, ANSWERS)
    logo, glass, jug = (f"{sha256(content).hexdigest()}.png" for content in PICTURES.values())
    assert [each.name for each in survey.pictures] == [logo, glass, jug], "one that is shown twice counts once"
    which, ever = survey.design["screens"]
    assert which["pictures"] == [["red wine", glass], ["beer", jug]]
    assert ever["pictures"] == [["ever_beer", jug]]
    again = survey_from_json(survey.canonical)
    assert (again, again.fingerprint) == (survey, survey.fingerprint)
    assert parse_survey(survey_text(survey, "written")).fingerprint == survey.fingerprint
    (tmp_path / "jug.png").write_bytes(png(2, 2, (0, 0, 0)))
    after = read_survey_file(tmp_path / "shown.toml")
    assert after.fingerprint != survey.fingerprint
    assert coded_part(after) == coded_part(survey), "it is wording: responses pool"


@pytest.mark.parametrize(
    ("was", "now", "problem"),
    [
        (
            'beer = "jug.png" }\npicture',
            'beer = "cup.png" }\npicture',
            '"which", pictures, beer: "cup.png" cannot be read',
        ),
        (
            '{ "red wine" = "p',
            '{ wine = "p',
            '"which", pictures: "wine" is none of its answers; use one of: red wine, beer, else',
        ),
        ('{ beer = "jug.png" }', '{ stout = "jug.png" }', '"ever", pictures: "stout" is none of the options'),
        ('{ beer = "jug.png" }', '"jug.png"', '"ever", pictures: it is not a table'),
        ('{ beer = "jug.png" }', "{ beer = 3 }", '"ever", pictures, beer: it is not text'),
        ('kind = "multiple"', 'kind = "ranking"', '"ever", pictures: its answers are not shown with pictures'),
    ],
)
def test_a_picture_of_what_is_no_answer_is_refused(tmp_path: Path, was: str, now: str, problem: str) -> None:
    text = ANSWERS.replace(was, now, 1)
    assert text != ANSWERS
    if "ranking" in text:
        text = text.replace("options =", "items =").replace('none = { en = "None", ar = "لا شيء" }\n', "")
    with pytest.raises(SurveyError) as raised:
        survey_with_pictures(tmp_path, text)
    assert problem in str(raised.value)


@pytest.mark.parametrize("kind", ["number", "date", "grid", "ranking"])
@pytest.mark.parametrize("pictures", ['{ "<1" = "no_such_file.png" }', '"jug.png"'])
def test_a_kind_without_pictures_is_refused_before_its_files_are_asked_for(kind: str, pictures: str) -> None:
    text = ANSWERS.replace('kind = "choice"', f'kind = "{kind}"')
    start, end = text.index("pictures ="), text.index("picture = ")
    with pytest.raises(SurveyError, match='"which", pictures: '):
        parse_survey(f"{text[:start]}pictures = {pictures}\n{text[end:]}")


def test_a_published_design_with_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    canonical = survey_with_pictures(tmp_path, ANSWERS).canonical
    with pytest.raises(SurveyError, match="pairs of an answer and a picture"):
        survey_from_json(canonical.replace('["ever_beer","', '["ever_beer","x'))
