"""Draw a tree as nested lists with connecting lines, which works with screen readers and on phones."""

from collections.abc import Callable
from dataclasses import dataclass, field

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
    """

    condition: str
    prediction: str
    probability: float
    count: float
    asks: str | None
    below: list["Branch"] = field(default_factory=list)

    @property
    def people(self) -> str:
        """Return the estimated number of training responses as text."""
        return count_text(self.count)


def branches(tree: Tree, survey: Survey, target: str, words: Callable[[Survey, Event], str] = event_text) -> Branch:
    """Return the merged tree (`Tree.merged`) as nested branches from the root.

    Conditions are written by the function `words`, by default in the form that commands take.
    """
    tree = tree.merged()
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


def drawing(tree: Tree, survey: Survey, target: str) -> str:
    """Return the tree as a piece of HTML, for example for a notebook."""
    return ALONE.render(tree=branches(tree, survey, target))
