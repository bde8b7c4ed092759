"""Draw the charts of a report: the ROC curve and the calibration of its models."""

from collections.abc import Sequence

import numpy as np
from sklearn.isotonic import isotonic_regression

from miner.drawing.chart import Axis, Chart, Line, Point
from miner.evaluation.evaluation import Evaluation
from miner.figures.estimate import Estimate
from miner.reporting.findings import EvaluatedModel, Findings

UNIT = (0.0, 1.0)
SIZE = (4.8, 3.8)  # width and height of a chart in inches, small enough for a phone
BINS = 5
VAGUE = 0.8  # length of an interval that says nothing about a share
CHANCE = Line("by chance", (Point(0.0, 0.0), Point(1.0, 1.0)), marked=frozenset())


def charts(findings: Findings) -> dict[str, Chart]:
    """Return every chart of a report, by the name of its file.

    Charts are omitted if there are no models, or if their measures are not known.
    """
    drawn: dict[str, Chart] = {}
    models = (("logistic regression", findings.logit), ("tree", findings.tree), ("forest", findings.forest))
    for name, learnt in models:
        if learnt is None or learnt.evaluation.accuracy.model_based or learnt.evaluation.accuracy.says_nothing:
            continue
        for kind, chart in (("roc", _roc(name, learnt)), ("calibration", _calibration(name, learnt))):
            if chart is not None:
                drawn[f"{name.replace(' ', '-')}-{kind}"] = chart
    return drawn


def _positives(evaluation: Evaluation) -> list[str]:
    return [evaluation.classes[number] for number in evaluation.contrasts]


def _roc(name: str, learnt: EvaluatedModel) -> Chart | None:
    evaluation, lines = learnt.evaluation, []
    for positive in _positives(evaluation):
        rates = [
            (point.false_positive_rate, point.true_positive_rate)
            for point in evaluation.roc(positive)
            if point.false_positive_rate is not None and point.true_positive_rate is not None
        ]
        if rates:
            places = [Point(false.estimate, true.estimate, true.interval) for false, true in rates]
            lines.append(Line(f"{evaluation.target} = {positive}", tuple(places), path=_rising(places)))
    if not lines:
        return None
    area = evaluation.auc
    words = "too few responses for an area" if area is None else f"area under it {_with_interval(area)}"
    return Chart(
        title=f"ROC curve of the {name}",
        description=f"True against false positive rate, estimated from disguised test responses; {words}. "
        "Points are unbiased estimates, which may lie outside 0 to 1, with 95 % intervals of the true positive rate; "
        "the line is the nearest that only rises, as the true curve does.",
        x=Axis("False positive rate", UNIT),
        y=Axis("True positive rate", UNIT),
        lines=(*lines, CHANCE),
        size=SIZE,
    )


def _rising(places: Sequence[Point]) -> tuple[Point, ...]:
    """Return the rising curve that is nearest to the points of an ROC curve.

    Along the rising curve, neither rate falls or is outside 0 to 1.
    """
    rates = np.clip([[each.x, each.y] for each in places], *UNIT)
    x, y = (isotonic_regression(column, y_min=0, y_max=1).tolist() for column in rates.T)
    return (Point(0.0, 0.0), *map(Point, x, y), Point(1.0, 1.0))


def _calibration(name: str, learnt: EvaluatedModel) -> Chart | None:
    evaluation, lines = learnt.evaluation, []
    for positive in _positives(evaluation):
        points = [
            Point(each.predicted.estimate, each.observed.estimate, each.observed.interval)
            for each in evaluation.calibration(positive, BINS)
            if each.predicted and each.observed and (limits := each.observed.interval) and limits[1] - limits[0] < VAGUE
        ]
        if points:
            lines.append(Line(f"{evaluation.target} = {positive}", tuple(points), path=()))
    if not lines:
        return None
    return Chart(
        title=f"Calibration of the {name}",
        description="How often people have a class who were given it with about this probability, estimated from "
        "disguised test responses; on the straight line the two agree. Bars are 95 % intervals. Where so few have "
        "such a probability that the interval would tell nothing, there is no point.",
        x=Axis("Predicted probability", UNIT),
        y=Axis("Observed share", UNIT),
        lines=(*lines, Line("as predicted", CHANCE.points, marked=frozenset())),
        size=SIZE,
    )


def _with_interval(found: Estimate) -> str:
    ends = "" if found.interval is None else f" (95 % interval {found.interval[0]:z.3f} to {found.interval[1]:z.3f})"
    return f"{found.estimate:z.3f}{ends}"
