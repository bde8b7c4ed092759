"""Draw a tree as nested lists with connecting lines, which works with screen readers and on phones."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from jinja2 import Environment, PackageLoader, StrictUndefined

from collector.survey.survey import Survey
from miner.trees.tree import LEAF, Event, Tree, count_text, event_text

ENVIRONMENT = Environment(
    loader=PackageLoader("miner", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
ALONE = ENVIRONMENT.from_string(
    """{% from "drawing/tree.html" import branch_of, tree_style %}
<style>:root { --rule: #888; --quiet: inherit; --share: #1d70b8; } {{ tree_style() }}</style>
<ul class="tree">{{ branch_of(tree) }}</ul>"""
)


@dataclass(frozen=True)
class Branch:
    """Node of a tree, for drawing.

    Attributes:
        condition: Condition that leads to the node from its parent, or ``everybody`` at the root.
        prediction: Predicted class.
        probability: Probability of the predicted class.
        count: Estimated number of training responses, which may be negative.
        asks: Question whose answer splits the node, or None for a leaf.
        below: Child nodes of the node.
        ends: Number of leaves that were merged into the node, or 1.
    """

    condition: str
    prediction: str
    probability: float
    count: float
    asks: str | None
    below: list["Branch"] = field(default_factory=list)
    ends: int = 1

    @property
    def people(self) -> str:
        """Return the estimated number of training responses as text."""
        return count_text(self.count)


def branches(tree: Tree, survey: Survey, target: str, words: Callable[[Survey, Event], str] = event_text) -> Branch:
    """Return the tree as nested branches from the root.

    Conditions are written by the function `words`, by default in the form that commands take.
    """
    classes, label = survey.question(target).values, tree.label
    path: list[Branch] = []
    for node, event, depth in tree.walk():
        question = int(tree.question[node])
        branch = Branch(
            condition=words(survey, {key: event[key] for key in list(event)[-1:]}),
            prediction=classes[label[node]],
            probability=float(tree.probabilities[node, label[node]]),
            count=float(tree.counts[node].sum()),
            asks=None if question == LEAF else survey.questions[question].name,
        )
        if depth:
            path[depth - 1].below.append(branch)
        path[depth:] = [branch]
    return path[0]


def folded(branch: Branch) -> Branch:
    """Return the tree with each node replaced by a leaf if all leaves below the node predict one class."""
    below = [folded(each) for each in branch.below]
    if not below or any(each.asks for each in below) or len({each.prediction for each in below}) > 1:
        return replace(branch, below=below)
    total = sum(each.count for each in below)
    mean = sum(each.count * each.probability for each in below) / total if total > 0 else branch.probability
    probability = min(max(mean, 0.0), 1.0)  # counts are signed
    ends = sum(each.ends for each in below)
    return replace(branch, prediction=below[0].prediction, probability=probability, asks=None, below=[], ends=ends)


def drawing(tree: Tree, survey: Survey, target: str) -> str:
    """Return the tree as a piece of HTML, for example for a notebook."""
    return ALONE.render(tree=branches(tree, survey, target))
