"""The style sheet with the colour and typeface of a survey, and the check that the colour is legible."""

import re
from collections.abc import Iterator

from collector.errors import SurveyError, suggestion

FONTS = {"sans": "", "serif": 'body { font-family: Georgia, "Noto Serif", "Noto Naskh Arabic", serif; }\n'}
"""The style rules of each typeface. Without rules, the typeface is that of static/page/style.css."""
COLOUR = re.compile(r"#[0-9a-f]{6}")
NAME = re.compile(r"(own|[0-9a-f]{6})-(\w+)\.css")
OWN = "own"  # word in a style sheet's name for the default colour of static/page/style.css
LEAST = 4.5  # smallest contrast of text that WCAG 2 allows
TINTED = 0.1  # share of the accent colour in the background of a card with links
WHITE, BLACK, NIGHT = "#ffffff", "#000000", "#18211f"
STEPS = 256
KNEE = 0.04045  # value of a colour channel below which sRGB is linear


def check_style(accent: str | None, font: str | None) -> None:
    """Refuse a colour that is not legible on the page, and an unknown typeface.

    Raises:
        SurveyError: If the colour or the typeface is refused.
    """
    if font is not None and font not in FONTS:
        raise SurveyError("study, font", "there is no such font", suggestion(font, FONTS))
    if accent is None:
        return
    if not COLOUR.fullmatch(accent):
        remedy = 'write # and six digits or letters a to f, such as "#1a6b52"'
        raise SurveyError("study, accent", "the text is not a colour", remedy)
    found = contrast(accent, _ground(accent))
    if found < LEAST:
        problem = f"on a card its contrast is {int(found * 100) / 100:.2f} to 1, and text needs {LEAST} to 1"
        darker = next(each for each in _way(accent, BLACK) if contrast(each, _ground(each)) >= LEAST)
        raise SurveyError("study, accent", problem, f'write "{darker}", or a darker colour')


def style_name(accent: str | None, font: str | None) -> str | None:
    """Return the name of a survey's style sheet, or None if the survey sets no colour and no typeface."""
    if accent is None and not FONTS[font or "sans"]:
        return None
    return f"{(accent or OWN).removeprefix('#')}-{font or 'sans'}.css"


def style_sheet(name: str) -> bytes | None:
    """Return the style sheet with a given name, or None if no style sheet has this name."""
    parts = NAME.fullmatch(name)
    if parts is None:
        return None
    accent, font = None if parts[1] == OWN else f"#{parts[1]}", parts[2]
    try:
        check_style(accent, font)
    except SurveyError:
        return None
    return (("" if accent is None else _colours(accent)) + FONTS[font]).encode()


def _colours(accent: str) -> str:
    night = _ground(accent, NIGHT)
    lighter = next(each for each in _way(accent, WHITE) if min(contrast(each, night), contrast(each, NIGHT)) >= LEAST)
    light = f":root {{ --brand: {accent}; --tint: {_ground(accent)}; }}\n"
    dark = f":root {{ --brand: {lighter}; --tint: {night}; }}"
    return f"{light}@media screen and (prefers-color-scheme: dark) {{ {dark} }}\n"


def _ground(accent: str, plain: str = WHITE) -> str:
    return _mixed(plain, accent, TINTED)


def _way(colour: str, end: str) -> Iterator[str]:
    """Yield colours in steps from one colour to another colour, including both colours."""
    return (_mixed(colour, end, step / STEPS) for step in range(STEPS + 1))


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as defined in WCAG 2."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    red, green, blue = (each / 12.92 if each <= KNEE else ((each + 0.055) / 1.055) ** 2.4 for each in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
