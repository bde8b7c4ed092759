"""A report as one HTML file: printable, readable on a phone and by a screen reader, and asking nothing of anybody."""

from markupsafe import Markup

from miner.drawing.tree import ENVIRONMENT, Branch, branches, folded
from miner.estimates.estimate import Estimate
from miner.evaluation.dependence import Dependence
from miner.learners.logit import LogitClassifier
from miner.reporting.charts import charts
from miner.reporting.figure import bar, false_line, figure
from miner.reporting.findings import Findings
from miner.reporting.findings import findings as found_out
from miner.responses.responses import Responses

PAIR = 2  # of classes: one says it all
CODES = "codes that chance may have changed. How much can be inferred from them is at the end."


def report(responses: Responses, target: str | None = None, seed: int = 0) -> str:
    """One HTML document with the results of a survey, as ``miner report`` writes it.

    Args:
        responses: Disguised responses to one version of a survey, at least one.
        target: Name of the class question; the survey's own if None; no models where there is neither.
        seed: Decides what chance decides.

    Raises:
        QueryError: If there are no responses, or the target is no question.
    """
    return page(found_out(responses, target, seed), f"miner.report(responses, target={target!r}, seed={seed})")


def page(findings: Findings, command: str) -> str:
    """The whole document."""
    drawn = {name: Markup(chart.svg) for name, chart in charts(findings).items()}  # noqa: S704 - drawn and escaped by us
    template = ENVIRONMENT.get_template("reporting/report.html")
    return template.render(
        found=findings,
        command=command,
        charts=drawn,
        tree=_tree(findings),
        margins=_margins(findings),
        told=_told(findings),
        figure=figure,
        bar=bar,
        held=_held(findings),
        moved=false_line([each for shares in findings.frequencies.values() for each in shares], findings.responses),
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


def _told(findings: Findings) -> list[str]:
    """The classes whose probabilities are shown: the first of two, all of more."""
    if findings.chosen is None:
        return []
    classes = findings.survey.question(findings.chosen.model.target).values
    return list(classes[:1] if len(classes) == PAIR else classes)


def _margins(findings: Findings) -> Dependence:
    """The margins of the logistic regression, as estimates."""
    if findings.logit is None:
        return {}
    model, people = findings.logit.model.classifier, findings.logit.model.training.n_train
    return {
        name: {
            word: {cls: Estimate(mean, None, (low, high), people) for cls, (mean, low, high) in shares.items()}
            for word, shares in values.items()
        }
        for name, values in (model.margins_ if isinstance(model, LogitClassifier) else {}).items()
    }


def _tree(findings: Findings) -> Branch | None:
    if findings.tree is None:
        return None
    model = findings.tree.model
    return folded(branches(model.classifier.tree_, model.survey, model.target))
