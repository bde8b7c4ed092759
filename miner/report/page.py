"""A report as one HTML file: printable, readable on a phone and by a screen reader, and asking nothing of anybody."""

from __future__ import annotations

from markupsafe import Markup

from miner.drawing.tree import ENVIRONMENT, Branch, branches, folded
from miner.report.charts import charts
from miner.report.figure import bar, figure
from miner.report.findings import Findings

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
        figure=figure,
        bar=bar,
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
