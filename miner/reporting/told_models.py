"""Describe the models of a report in words: the effects of answers, and the tables to show."""

from dataclasses import dataclass, replace
from typing import cast

from collector.survey.survey import Survey
from miner.drawing.tree import Branch, branches
from miner.evaluation.dependence import Dependence
from miner.figures.estimate import Estimate
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import LogitClassifier
from miner.reporting.answered import Coefficients, ShownTables, answered, coefficients
from miner.reporting.figure import is_known
from miner.reporting.findings import EvaluatedModel, Findings
from miner.reporting.words import event_words, question_words, word_of


@dataclass(frozen=True)
class ToldModels:
    """Models of a report, in words for its page.

    Attributes:
        target: Class question in words.
        classes: Classes whose probability is shown, in words. If there are two classes, only one is shown.
        learnt: Measured models, by name.
        known: Name of the first model whose accuracy is known, or empty if no accuracy is known. A model that is more
            accurate than predicting the most frequent class for everybody comes before models that are not.
        helps: Whether the model `known` is more accurate than predicting the most frequent class for everybody.
        coefficients: Coefficients of the logistic regression.
        margins: Mean probability by answer, from the logistic regression.
        tree: Drawing of the tree, or None if there was not enough time for the tree.
    """

    target: str
    classes: list[str]
    learnt: dict[str, EvaluatedModel]
    known: str
    helps: bool
    coefficients: Coefficients
    margins: ShownTables
    tree: Branch | None


def told_models(findings: Findings) -> ToldModels | None:
    """Return the models of a report in words, or None if there are no models."""
    survey, logit, tree = findings.survey, findings.logit, findings.tree
    if logit is None:
        return None
    target = logit.model.target
    names = survey.question(target).values
    classes = names[: 1 if len(names) == 2 else len(names)]
    model = cast("LogitClassifier", logit.model.classifier)
    grown = None if tree is None else cast("ID3Classifier", tree.model.classifier)
    found = {"logistic regression": logit, "tree": tree, "forest": findings.forest}
    learnt = {name: each for name, each in found.items() if each is not None}
    known = [name for name, each in learnt.items() if is_known(each.evaluation.accuracy)]
    better = [name for name in known if _helps(learnt[name])]
    return ToldModels(
        target=question_words(survey, target),
        classes=[word_of(survey, target, cls) for cls in classes],
        learnt=learnt,
        known=next(iter(better or known), ""),
        helps=bool(better),
        coefficients=coefficients(survey, model, target),
        margins=answered(survey, _margins(model, logit.model.training.n_train), target, classes),
        tree=grown and _in_words(branches(grown.tree_, survey, target, event_words), survey, target),
    )


def _helps(learnt: EvaluatedModel) -> bool:
    """Return whether a model is more accurate than always predicting the most frequent class, as far as known."""
    outcome = learnt.model.training.outcome
    if outcome is None or not is_known(outcome.baseline):
        return True
    return learnt.evaluation.accuracy.estimate > outcome.baseline.estimate


def _margins(model: LogitClassifier, people: int) -> Dependence:
    """Return the mean probability by answer from the logistic regression, as estimates."""
    return {
        name: {
            word: {cls: Estimate(mean, None, (low, high), people) for cls, (mean, low, high) in shares.items()}
            for word, shares in values.items()
        }
        for name, values in model.margins_.items()
    }


def _in_words(branch: Branch, survey: Survey, target: str) -> Branch:
    """Return a tree with its questions and classes in the words that respondents read."""
    return replace(
        branch,
        prediction=word_of(survey, target, branch.prediction),
        asks=branch.asks and question_words(survey, branch.asks),
        below=[_in_words(each, survey, target) for each in branch.below],
    )
