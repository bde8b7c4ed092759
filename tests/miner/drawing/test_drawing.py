"""What a notebook shows of a tree, an estimate and a design."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.survey import Survey
from miner.drawing.tree import branches
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.learners.id3 import ID3Classifier
from miner.planning.plan import plan
from miner.responses.condition import parse_condition
from miner.responses.responses import Responses, codes_of_values, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers


class Words(HTMLParser):
    """The text of a piece of HTML, and how deep its lists go."""

    def __init__(self, piece: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.depth = self.deepest = 0
        self.feed(piece)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - html.parser's own
        """A tag begins."""
        self.depth += tag == "ul"
        self.deepest = max(self.deepest, self.depth)

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        self.depth -= tag == "ul"

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        self.words.append(data)


@pytest.fixture(scope="module")
def sent(wellbeing: Survey) -> Responses:
    people = draw_answers(900, np.random.default_rng(3))
    return simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(3))


def test_a_fitted_tree_is_drawn_with_every_condition(sent: Responses) -> None:
    model = ID3Classifier(sent.survey, mode="faithful", max_depth=2).fit(sent.frame)
    shown = Words(model._repr_html_())
    text = " ".join(shown.words)
    assert shown.depth == 0
    tree = model.tree_.merged()
    assert shown.deepest == tree.depth + 1
    assert all(line.split(":")[0].strip() in text for line in tree.show(sent.survey, "distress").splitlines())


def test_a_tree_that_is_not_fitted_shows_its_parameters(wellbeing: Survey) -> None:
    assert "ID3Classifier" in ID3Classifier(wellbeing)._repr_html_()


def test_branches_count_what_the_tree_counts(sent: Responses) -> None:
    model = ID3Classifier(sent.survey, mode="robust").fit(sent.frame)
    root = branches(model.tree_, sent.survey, "distress")
    assert root.condition == "everybody"
    assert root.count == pytest.approx(sum(each.count for each in root.below))


def test_an_estimate_shows_its_interval(sent: Responses) -> None:
    found = estimate(sent, {"cannabis": codes_of_values(sent.survey.question("cannabis"), {0})})
    text = " ".join(Words(found._repr_html_()).words)
    assert found.interval is not None
    assert f"{found.interval[0]:.4f} to {found.interval[1]:.4f}" in text
    assert "900" in text


def test_a_design_shows_every_line_of_its_statement(wellbeing: Survey) -> None:
    privacy = SurveyPrivacy(wellbeing)
    text = "".join(Words(privacy._repr_html_()).words)
    assert all(line in text for line in privacy.lines)


def test_tables_of_estimates_and_plans_are_shown_as_tables(sent: Responses) -> None:
    survey = sent.survey
    distress, debt, none = (parse_condition(survey, each) for each in ("distress = yes", "debt = yes", "debt = no"))
    shown = {
        "maximum_likelihood": crosstab(sent, "debt", "distress"),
        "odds_ratio": regress(sent, "distress ~ debt"),
        "difference": difference(sent, distress, debt, none),
        "design_effect": plan(survey, 100),
    }
    for word, table in shown.items():
        assert table._repr_html_().startswith("<table")
        assert word in table._repr_html_()
