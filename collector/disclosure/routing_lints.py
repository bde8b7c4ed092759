"""What questions that are not asked of everybody disclose of the answers that they depend on."""

from __future__ import annotations

from collections.abc import Iterator

from collector.disclosure.accounting import draw_ratio
from collector.disclosure.lints import NOTE, WARN, Lint
from collector.survey.screen import Screen
from collector.survey.survey import Survey


def routing_lints(survey: Survey) -> Iterator[Lint]:
    """A remark on each screen with a condition: its codes tell of the condition, too, and may contradict its code."""
    for screen in survey.screens:
        for name, values in screen.ask_if:
            yield _routing_lint(survey, screen, name, " or ".join(values))


def _routing_lint(survey: Survey, screen: Screen, name: str, values: str) -> Lint:
    place, asked = f'question "{screen.questions[0]}"', f'it is asked only if "{name}" is {values}'
    group = survey.group_of(name)
    if group is None or not survey.is_disguised(name):
        return Lint(NOTE, place, f'{asked}, and "{name}" is sent as it is', "know that everybody sees who was asked")
    open_ones = [each for each in screen.questions if not survey.is_disguised(each)]
    if open_ones:
        problem = f'{asked}; "{open_ones[0]}" is sent as it is and shows the answer to "{name}"'
        return Lint(WARN, place, problem, f'disguise it, or send "{name}" as it is')
    ratio = draw_ratio(survey, [name, *screen.questions])
    bound = "no bound holds for what they tell together" if ratio is None else f"at most {float(ratio):.3g} times"
    told = f'codes tell of "{name}", too ({bound}), and where they contradict each other a coin fell'
    return Lint(NOTE, place, f"{asked}: its {told}", "count what both groups disclose together")
