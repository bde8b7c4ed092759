"""A report as one HTML file: printable, readable on a phone and by a screen reader, and asking nothing of anybody."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from miner.drawing.tree import ENVIRONMENT, Branch, branches, folded
from miner.estimates.estimate import NOT_KNOWN, Estimate
from miner.report.charts import charts
from miner.report.findings import Findings

BAR = 100.0  # its width
CODES = "codes that chance may have changed. How much can be inferred from them is at the end."


def page(findings: Findings, command: str) -> str:
    """The whole document.

    Args:
        findings: What it says.
        command: That made it, to make it again.
    """
    drawn = {name: Markup(chart.svg) for name, chart in charts(findings).items()}  # noqa: S704 - drawn and escaped by us
    template = ENVIRONMENT.get_template("report/report.html")
    return template.render(
        found=findings,
        command=command,
        charts=drawn,
        tree=_tree(findings),
        figure=_figure,
        bar=_bar,
        held=_held(findings),
    )


def _held(findings: Findings) -> str:
    """Which answers the collector holds, and which it does not, in a sentence or two."""
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


def _tree(findings: Findings) -> Branch | None:
    if findings.tree is None:
        return None
    model = findings.tree.model
    return folded(branches(model.classifier.tree_, model.survey, model.target))


def _figure(found: Estimate | None, digits: int = 3) -> str:
    """An estimate with its interval, in words; what cannot be is said to be so."""
    if found is None:
        return "too few responses to say"
    outside = f"; {found.warning}" if found.warning else ""
    if found.model_based:
        return f"not known: {NOT_KNOWN}"
    if found.interval is None:
        told = f", no interval: {found.without_interval}"
    else:
        told = f" ({found.interval[0]:.{digits}f} to {found.interval[1]:.{digits}f})"
    return f"{found.estimate:.{digits}f}{told}{outside}"


def _bar(found: Estimate) -> dict[str, Any]:
    """A bar from 0 with a line over the interval, cut off at the ends of the scale; the words beside it are not."""
    ends = found.interval or (found.estimate, found.estimate)
    low, mean, high = (BAR * min(max(each, 0.0), 1.0) for each in (ends[0], found.estimate, ends[1]))
    return {"low": round(low, 2), "mean": round(mean, 2), "high": round(high, 2)}
