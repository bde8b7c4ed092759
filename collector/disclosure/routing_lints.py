"""Lints on questions that are not asked of everybody: their disclosure of the answers that they depend on."""

from collections.abc import Iterator

from collector.disclosure.accounting import draw_ratio
from collector.disclosure.lint import NOTE, WARN, Lint
from collector.survey.routing import narrowed
from collector.survey.screen import Screen
from collector.survey.survey import Survey


def routing_lints(survey: Survey) -> Iterator[Lint]:
    """A remark on each screen with a condition: its codes tell of the condition, too, and may contradict its code."""
    for screen in survey.screens:
        if screen.ask_if and _is_never_asked(survey, screen):
            problem = "its conditions (ask_if) contradict each other, or those of the questions that they name"
            yield Lint(
                WARN, f'question "{screen.questions[0]}"', f"it is never asked: {problem}", "correct one of them"
            )
            continue
        for name, values in screen.ask_if:
            yield _routing_lint(survey, screen, name, " or ".join(values))


def _is_never_asked(survey: Survey, screen: Screen) -> bool:
    """Whether no answers can meet all conditions of a screen, given what others make certain or impossible."""
    applies = {name: len(survey.question(name).values) - 1 for name in screen.questions}
    sets = [
        frozenset(range(len(each.values))) - ({applies[each.name]} if each.name in applies else set())
        for each in survey.questions
    ]
    return narrowed(survey.rules, tuple(sets)) is None


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
    if all(survey.question(each).coding.routed for each in screen.questions):
        bound = "no bound holds" if ratio is None else f"at most {float(ratio):.3g} times"
        problem = (
            f'{asked}: whoever is not asked sends a drawn answer, whose codes tell of "{name}" only as far as answers '
            f"differ from the prior ({bound}, with its own)"
        )
        return Lint(NOTE, place, problem, "give it a prior of those who are asked")
    bound = "no bound holds for what they tell together" if ratio is None else f"at most {float(ratio):.3g} times"
    told = f'codes tell of "{name}", too ({bound}), and where they contradict each other a coin fell'
    return Lint(NOTE, place, f"{asked}: its {told}", "count what both groups disclose together")
