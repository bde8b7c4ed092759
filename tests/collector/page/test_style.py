"""A survey's own colour and letters: what can be read is taken, what cannot is refused with a colour that can."""

from __future__ import annotations

import re
from itertools import product

import pytest

from collector.errors import SurveyError
from collector.page.static_files import static_folder
from collector.page.style import LEAST, check_style, contrast, style_name, style_sheet

COLOURS = ["#" + "".join(parts) for parts in product(("00", "55", "aa", "ff"), repeat=3)]


def readable(accent: str) -> str:
    """The accent, or the colour that its refusal names."""
    try:
        check_style(accent, None)
    except SurveyError as refused:
        return re.findall(r'"(#[0-9a-f]{6})"', refused.remedy)[0]
    return accent


def test_contrast_is_what_wcag_defines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#ffffff", "#767676") == contrast("#767676", "#ffffff")


def test_whatever_is_taken_can_be_read_on_every_ground_of_the_page_in_light_and_dark() -> None:
    css = (static_folder() / "page" / "style.css").read_text(encoding="utf-8")
    pages, cards = re.findall(r"--page: (#\w+);", css), re.findall(r"--card: (#\w+);", css)
    for accent in {readable(colour) for colour in COLOURS}:
        sheet = (style_sheet(style_name(accent, None) or "") or b"").decode()
        found = re.findall(r"--brand: (#\w{6}); --tint: (#\w{6});", sheet)
        assert (len(found), found[0][0]) == (2, accent)
        for (brand, tint), page, card in zip(found, pages, ("#ffffff", cards[1]), strict=True):
            for ground in (tint, page, card):
                assert contrast(brand, ground) >= LEAST, (accent, brand, ground)


def test_a_colour_that_cannot_be_read_is_refused_with_the_nearest_darker_one_that_can() -> None:
    with pytest.raises(SurveyError) as refused:
        check_style("#ff0000", None)
    assert refused.value.place == "study, accent"
    assert "3.37 to 1" in refused.value.problem
    assert '"#d70000"' in refused.value.remedy
    check_style("#d70000", None)
    with pytest.raises(SurveyError):
        check_style("#d80000", None)


@pytest.mark.parametrize("accent", ["red", "#fff", "#1A6B52", "#1a6b52;", "1a6b52", ""])
def test_what_is_no_colour_is_refused(accent: str) -> None:
    with pytest.raises(SurveyError, match=r"study, accent: .* not a colour"):
        check_style(accent, None)


def test_unknown_letters_are_refused() -> None:
    with pytest.raises(SurveyError, match=r'study, font: .* "serif"\?'):
        check_style(None, "serife")


def test_only_what_a_survey_can_say_is_a_sheet_and_what_the_page_has_anyway_needs_none() -> None:
    assert style_name(None, None) is style_name(None, "sans") is None
    assert b"Georgia" in (style_sheet(style_name(None, "serif") or "") or b"")
    for name in ("ff0000-sans.css", "1a6b52-comic.css", "1a6b52.css", "../style.css", "own-serif.css.gz"):
        assert style_sheet(name) is None
