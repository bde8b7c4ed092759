"""Export a tree: rules as text, CSV and a SQL ``CASE`` expression, and a picture in Graphviz DOT.

A rule is a path from the root to a leaf of the merged tree (`miner.trees.tree.Tree.merged`). The *confidence* of a rule
is the predicted probability of its class. The *support* is the estimated share of the training responses at the leaf,
which is signed and noisy like any estimate. Both are figures of the responses that the tree was grown on. For
a released decision forest of the method dpdf, the rules of all trees and their sub-rules are listed, the highest
confidence first.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from collector.errors import ModelError
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.table.csv_cells import csv_lines
from miner.learners.id3 import ID3Classifier
from miner.models.model import Model
from miner.release.ensemble import Ensemble
from miner.release.families.dpdf import DPDF, PublishedDPDF
from miner.release.families.dpdf import rules_of as forest_rules
from miner.release.release import Inherited, Release
from miner.trees.tree import LEAF, Event, Leaf, Tree, count_text, event_text

COLUMNS = ("rule", "condition", "prediction", "confidence", "support")


@dataclass(frozen=True)
class LeafRule:
    """Rule for a leaf of a tree, in words.

    Attributes:
        condition: Condition in the form that `miner estimate` takes, or ``everybody`` for a tree without splits.
        prediction: Predicted class.
        confidence: Probability of the predicted class.
        support: Estimated share of the training responses at the leaf.
        event: Values that the condition admits, by index of the question.
    """

    condition: str
    prediction: str
    confidence: float
    support: float
    event: Event

    @property
    def support_text(self) -> str:
        """Return the support as text, or "too few to tell" if it is 0 or less."""
        return f"{self.support:.2f}" if self.support > 0 else "too few to tell"


def tree_of(model: Model | Release) -> Tree:
    """Return the single tree of a trained or released model, merged for readers.

    Raises:
        ModelError: If the model is not a single tree.
    """
    if isinstance(model, Release):
        if isinstance(model.model, Inherited):
            return tree_of(model.model.source)
        if not isinstance(model.model, Ensemble) or len(model.model.trees) > 1:
            raise ModelError(
                "model", f"a release with {model.method} is not a single tree", "export a release that is one tree"
            )
        return model.model.trees[0].merged()
    if not isinstance(model.classifier, ID3Classifier):
        raise ModelError("model", f"a model of kind {model.kind} is not a single tree", "export an id3 model")
    return model.classifier.tree_.merged()


def rules_of(model: Model | Release) -> list[LeafRule]:
    """Return every rule of a tree, in depth-first order.

    A released forest of the method dpdf also has sub-rules, and its rules are sorted by confidence.

    Raises:
        ModelError: If the model is neither a single tree nor a release of the method dpdf.
    """
    if isinstance(model, Release) and model.method in {DPDF.method, PublishedDPDF.method}:
        return _forest_rules(model)
    tree, survey = tree_of(model), model.survey
    classes, whole = survey.question(model.target).values, float(tree.counts[0].sum())

    def rule(leaf: Leaf) -> LeafRule:
        return LeafRule(
            condition=event_text(survey, leaf.event),
            prediction=classes[leaf.label],
            confidence=float(tree.probabilities[leaf.node, leaf.label]),
            support=float(tree.counts[leaf.node].sum()) / whole if whole else 0.0,
            event=leaf.event,
        )

    return [rule(leaf) for leaf in tree.leaves()]


def _forest_rules(model: Release) -> list[LeafRule]:
    if not isinstance(model.model, Ensemble):
        raise ModelError("model", "the model contains no tree", "release the model again")
    classes = model.survey.question(model.target).values
    return [
        LeafRule(event_text(model.survey, each.event), classes[each.label], each.confidence, each.support, each.event)
        for each in forest_rules(model.model)
    ]


def as_text(model: Model | Release) -> str:
    """Return a line for each rule: ``debt = yes -> distress = yes (confidence 0.73, support 0.22)``."""
    lines = [
        f"{rule.condition} -> {model.target} = {rule.prediction} "
        f"(confidence {rule.confidence:.2f}, support {rule.support_text})"
        for rule in rules_of(model)
    ]
    return "\n".join([*lines, ""])


def as_csv(model: Model | Release) -> str:
    """Return the rules as CSV, with a header and unrounded figures.

    Class names are protected against being run as formulas by a spreadsheet.
    """
    rules = enumerate(rules_of(model), start=1)
    rows = ((number, each.condition, each.prediction, each.confidence, each.support) for number, each in rules)
    return "".join(csv_lines([COLUMNS, *rows]))


def as_sql(model: Model | Release) -> str:
    """Return a standard SQL ``CASE`` expression over columns named after the questions.

    Each column of the SQL table must contain values in words, or numbers for a number question. If a row has NULL in a
    column that a rule names, the rule does not match. If no rule matches, the value of the expression is NULL.

    Raises:
        ModelError: If the model is not a single tree.
    """
    survey = model.survey
    tree_of(model)  # rules of several trees overlap
    lines = [
        f"  WHEN {_sql_condition(survey, rule.event)} THEN {_sql_text(rule.prediction)}" for rule in rules_of(model)
    ]
    return "\n".join(["CASE", *lines, f"END AS {_sql_name(model.target)}", ""])


def as_dot(model: Model | Release) -> str:
    """Return the tree in the language DOT of Graphviz, which the program ``dot`` draws."""
    lines = _dot_lines(model, tree_of(model))
    return "\n".join(["digraph tree {", '  node [shape=box, fontname="sans-serif"];', *lines, "}", ""])


FORMATS: dict[str, Callable[[Model | Release], str]] = {"text": as_text, "csv": as_csv, "sql": as_sql, "dot": as_dot}


def _dot_lines(model: Model | Release, tree: Tree) -> Iterator[str]:
    survey, label = model.survey, tree.label
    classes = survey.question(model.target).values
    for node, question in enumerate(tree.question.tolist()):
        people = count_text(tree.counts[node].sum())
        share = f"{classes[label[node]]} ({tree.probabilities[node, label[node]]:.2f} of {people})"
        asks = share if question == LEAF else survey.questions[question].name
        yield f"  n{node} [label={_quoted(asks)}];"
    for node, children in enumerate(tree.children()):
        for child in dict.fromkeys(children):
            wanted = frozenset(value for value, each in enumerate(children) if each == child)
            asked = survey.questions[int(tree.question[node])]
            words = event_text(survey, {int(tree.question[node]): wanted}).removeprefix(f"{asked.name} ")
            yield f"  n{node} -> n{child} [label={_quoted(words)}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _sql_condition(survey: Survey, event: Event) -> str:
    parts = [_sql_part(survey.questions[index], sorted(wanted)) for index, wanted in event.items()]
    return " AND ".join(parts) or "1 = 1"


def _sql_part(question: Question, wanted: list[int]) -> str:
    name = _sql_name(question.name)
    if question.kind != "number":
        return f"{name} IN ({', '.join(_sql_text(question.values[value]) for value in wanted)})"
    ranges = " OR ".join(_sql_interval(name, question, value) for value in wanted)
    return f"({ranges})"


def _sql_interval(name: str, question: Question, value: int) -> str:
    above = [f"{name} >= {question.cuts[value - 1]}"] if value else []
    below = [f"{name} < {question.cuts[value]}"] if value < len(question.cuts) else []
    return f"({' AND '.join(above + below)})"


def _sql_name(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _sql_text(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
