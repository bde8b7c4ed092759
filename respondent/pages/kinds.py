"""The scripts and styles that a survey's page loads, depending on its kinds of questions."""

from collections.abc import Iterable

from collector.survey.screen import GRID, KINDS, MULTIPLE, NUMBER, RANKING
from collector.survey.survey import Survey

RESTORED = "page/restored.mjs"
"""Script that a page loads only if its tab holds a locked response."""
LONG = 15  # number of values, as in static/page/sections.mjs


def is_written(survey: Survey) -> bool:
    """Return whether respondents type the answer (a number)."""
    return any(each.cuts for each in survey.questions) or any(each.kind == NUMBER for each in survey.screens)


def told_together(survey: Survey) -> bool:
    """Return whether the code of one question may disclose the answer to another question."""
    shared = any(len(group.questions) > 1 for group in survey.groups)
    return shared or any(screen.ask_if or screen.kind == MULTIPLE for screen in survey.screens)


def has_pictures(survey: Survey) -> bool:
    """Return whether a question is shown with pictures."""
    return any(screen.all_pictures for screen in survey.screens)


def styles_of(survey: Survey) -> list[str]:
    """Return the additional style sheets of a survey's page, in the order of loading."""
    kinds = {screen.kind for screen in survey.screens}
    needed = {"page/grid.css": GRID in kinds, "page/others.css": RANKING in kinds or has_pictures(survey)}
    return [name for name, is_needed in needed.items() if is_needed]


def scripts_of(survey: Survey, files: Iterable[str], *, by_invitation: bool) -> list[str]:
    """Return the scripts that a survey's page loads when it opens, sorted by name."""
    needed = {
        "disguise/sampling.mjs": survey.sampling is not None,
        "page/invitation.mjs": by_invitation,
        "page/numbers.mjs": is_written(survey),
        RESTORED: False,
        "page/pictures.mjs": has_pictures(survey),
        "page/rises/family.mjs": told_together(survey),
        "page/rises/routes.mjs": any(screen.ask_if for screen in survey.screens),
        "page/search.mjs": any(len(each.values) > LONG for each in survey.questions),
        **{f"page/{kind}.mjs": any(screen.kind == kind for screen in survey.screens) for kind in KINDS},
    }
    return sorted(name for name in files if name.endswith(".mjs") and needed.get(name, True))
