"""Lay out a report as one HTML file: printable, readable on phones and by screen readers, self-contained."""

from collections.abc import Iterable
from functools import partial
from itertools import chain

from markupsafe import Markup

from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.drawing.tree import ENVIRONMENT
from miner.reporting.charts import charts
from miner.reporting.figure import bar, false_line, false_within, in_places, is_known, measure, percent, share_scale
from miner.reporting.findings import Findings
from miner.reporting.findings import findings as found_out
from miner.reporting.shares import cost_line, headlines, plots
from miner.reporting.told_models import told_models
from miner.reporting.words import answers_line, question_words, word_of
from miner.responses.responses import Responses

CODES = "codes that chance may have changed. How much can be inferred from them stands in the next section."


def report(responses: Responses, target: str | None = None, seed: int = 0) -> str:
    """Return one HTML document with the results of a survey, as ``miner report`` writes it.

    Args:
        responses: Disguised responses to one version of a survey, at least one.
        target: Name of the class question, or None for the survey's class question. Without a class question there are
            no models.
        seed: Seed of all random choices.

    Raises:
        QueryError: If there are no responses, or the target is not a question.
    """
    return page(found_out(responses, target, seed), f"miner.report(responses, target={target!r}, seed={seed})")


def page(findings: Findings, command: str) -> str:
    """Return the whole HTML document."""
    survey = findings.survey
    drawn = plots(survey, findings.frequencies, findings.among_asked, findings.composed)
    shares = chain.from_iterable([*findings.frequencies.values(), *findings.among_asked.values()])
    parts = (share for each in findings.composed.values() for _, share in each.shares)
    return ENVIRONMENT.get_template("reporting/report.html").render(
        found=findings,
        command=command,
        charts={name: Markup(chart.svg) for name, chart in charts(findings).items()},  # noqa: S704 - escaped by us
        plots=[each for each in drawn if each.tells],
        silent=[each for each in drawn if not each.tells],
        headlines=headlines(survey, drawn),
        cost=cost_line(survey, drawn),
        held=_held(findings),
        moved=false_line(chain(shares, parts), findings.responses),
        false_within=false_within,
        asked=len(_asked(survey, survey.questions)),
        disguised=len(_asked(survey, [each for each in survey.questions if survey.is_disguised(each.name)])),
        lines=_revealed(findings),
        revealed=_guessed(findings),
        models=told_models(findings),
        percent=percent,
        is_known=is_known,
        bar=bar,
        measure=measure,
        question_words=partial(question_words, survey),
        answers_line=partial(answers_line, survey),
        share_scale=share_scale,
        in_places=in_places,
        word_of=partial(word_of, survey),
    )


def _asked(survey: Survey, questions: Iterable[Question]) -> set[str]:
    """Return the questions as respondents count them: all options or statements of a screen count as one."""
    screens = ((each.name, survey.screen_of(each.name)) for each in questions)
    return {name if screen is None else screen.questions[0] for name, screen in screens}


def _revealed(findings: Findings) -> list[str]:
    """Return lines on what a response reveals, in words for respondents."""
    return [*findings.privacy.lines_in(findings.survey.languages[0]), *findings.central.lines]


def _guessed(findings: Findings) -> str:
    """Return sentences on the numbers of respondents with an answer that a model of all responses can infer.

    The sentences are empty if no answer can be inferred.
    """
    audit = findings.audit
    if audit is None:
        return ""
    people, (likely, sure) = audit.responses, audit.some_value
    return (
        "From the shares alone, without any response, an answer to a sensitive question is 90 % certain for "
        f"{audit.beforehand} of {people} people. With the responses, at least one more answer becomes 90 % certain for "
        f"{likely} of {people} people, and 99 % certain for {sure}."
    )


def _held(findings: Findings) -> str:
    """Return a sentence or two on the answers that the collector holds, and those that it does not hold."""
    survey = findings.survey
    sent: dict[bool, list[str]] = {True: [], False: []}
    for question in survey.questions:
        sent[survey.is_disguised(question.name)].append(question.name)
    words = []
    if sent[True]:
        which = f"The answers to {', '.join(sent[True])}" if sent[False] else "All answers"
        words.append(f"{which} were disguised before they were sent: the collector holds {CODES}")
    if sent[False]:
        which = f"Those to {', '.join(sent[False])}" if sent[True] else "All answers"
        words.append(f"{which} were sent as they are: the collector holds them.")
    return " ".join(words)
