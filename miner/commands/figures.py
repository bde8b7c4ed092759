"""Print the measures of a tested model, and say where printed figures are from, for the subcommands of ``miner``.

Figures name the survey, its versions, what was asked, the responses and the version of the program. They name nothing
else: no seed, time, path or user, and no digest of responses, by which a guess could be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from collector.commands.command import print_json, print_table

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.survey.survey import Survey
    from miner.evaluation.dependence import Dependence
    from miner.evaluation.evaluation import Evaluation
    from miner.evaluation.importances import Importances
    from miner.figures.estimate import Estimate
    from miner.learners.choice.chooser import LearnerComparison
    from miner.learners.choice.plan import TrainingPlan
    from miner.learners.classifier import DisguisedClassifier
    from miner.models.model import Model, ModelAccuracy, Training

ASKED = (
    *("condition", "formula", "names", "evens", "row", "column", "layer", "first", "second", "by", "among", "family"),
    *("careless", "min_support", "min_confidence", "longest", "level"),
)
"""Parameters of commands that say what was asked."""
SHOWN = 16  # characters of a fingerprint in a line of text
READ, SENSITIVE = "deniable.read", "deniable.sensitive"
"""Keys of the command's context for the versions that were read, and whether one has a sensitive question."""
PRINTED_AGAIN = (
    "If you print this again after responses were added or withdrawn, the difference shows the codes of those who "
    "joined or left (docs/guarantee.md, section 17)."
)
CHANCE = 0.5  # area under the ROC curve of a model that knows nothing


def echo_outcome(outcome: ModelAccuracy | None) -> None:
    """Print accuracy, baseline and area under the ROC curve of a tested model."""
    if outcome is not None:
        click.echo(f"disguised-test accuracy {outcome.accuracy.line}")
        if outcome.implied is not None:
            click.echo(f"accuracy implied by a model of the responses {outcome.implied.line}")
        click.echo(f"always {outcome.label}: {outcome.baseline.line}")
        known = not (outcome.accuracy.model_based or outcome.accuracy.says_nothing)
        if known and outcome.accuracy.estimate < outcome.baseline.estimate:
            click.echo(f"behind always {outcome.label}: do not rely on it; try --model auto, or another mode")
        if outcome.auc is None:
            area = "not estimable: the test responses leave it open whether each class has a member"
        else:
            above = outcome.auc.interval is not None and outcome.auc.interval[1] > 1
            area = outcome.auc.line + ("; nothing above 1 is possible: few responses tell little" if above else "")
        click.echo(f"area under the ROC curve {area}")
        if outcome.auc is not None and outcome.auc.interval is not None and outcome.auc.estimate < CHANCE:
            click.echo("below .5, worse than chance: do not rely on it; try --mode latent, or --model auto")


def echo_measures(found: Evaluation) -> None:
    """Print the losses, the confusion matrix, precision and recall of a model, if they can be estimated."""
    if found.accuracy.model_based or found.accuracy.is_lost:
        return
    click.echo(f"log loss {found.log_loss.line}")
    click.echo(f"Brier score {found.brier.line}")
    if found.impossible.estimate:
        click.echo(f"classes that were given probability 0: {found.impossible.line}")
    click.echo("")
    rows = [
        [f"truly {true}", *(found.confusion[true, other].short() for other in found.classes)] for true in found.classes
    ]
    print_table(["share", *(f"predicted {value}" for value in found.classes)], rows)
    click.echo("")
    each = [[value, _cell(found.precision[value]), _cell(found.recall[value])] for value in found.classes]
    print_table(["class", "precision", "recall"], each)
    echo_notes("", [*found.confusion.values(), *found.precision.values(), *found.recall.values()])
    if found.basis == "drawn":
        part = f"{found.drawing_error:.3f} of the standard error of the accuracy comes from drawing"
        click.echo(f"too many groups to write out every signed copy: they were drawn, and {part}")


def echo_notes(before: str, shown: Sequence[Estimate | None]) -> None:
    """Print the meaning of brackets and marks in a table of estimates, and the reason for missing intervals."""
    found = [each for each in shown if each is not None]
    notes = [before] if before else []
    if any(each.standard_error is not None for each in found):
        notes.append("in brackets standard errors")
    elif found:
        notes.append(f"no standard errors: {found[0].without_interval}")
    click.echo("; ".join(notes))
    echo_impossible(found)


def echo_impossible(shown: Iterable[Estimate]) -> None:
    """Print the meaning of the mark for impossible figures, if there are any."""
    for warning in dict.fromkeys(each.warning for each in shown if each.warning):
        click.echo(f"* {warning}")


def echo_importances(found: Importances) -> None:
    """Print how much the accuracy of a model depends on each question, the most important question first."""
    if found:
        click.echo("")
        order = sorted(found.items(), key=lambda item: -item[1].estimate)
        print_table(["question", "fall in accuracy when shuffled"], [[name, each.line] for name, each in order])


def echo_dependence(survey: Survey, found: Dependence) -> None:
    """Print the mean probability of each class if all people gave the same answer, with a line for each answer."""
    for name, values in found.items():
        absent = [word for word in survey.question(name).values if word not in values]
        click.echo("")
        if values:
            classes = list(next(iter(values.values())))
            print_table(
                [f"if all answered {name} =", *(f"mean probability of {each}" for each in classes)],
                [[word, *(each.short() for each in shares.values())] for word, shares in values.items()],
            )
        if absent:
            click.echo(f"left out, as nobody may have answered so: {name} = {', '.join(absent)}")
    echo_notes("", [each for values in found.values() for shares in values.values() for each in shares.values()])


def echo_impurities(classifier: DisguisedClassifier) -> None:
    """Print the decrease in impurity by the splits on each question, and its standard deviation over trees."""
    taken = getattr(classifier, "feature_importances_", None)
    spread = getattr(classifier, "feature_importances_std_", None)
    if taken is None:
        return
    rows = []
    for index in (-taken).argsort(kind="stable").tolist():
        deviation = "" if spread is None else f" ({spread[index]:z.4f})"
        rows.append([str(classifier.feature_names_in_[index]), f"{taken[index]:z.4f}{deviation}"])
    print_table(["question", "Gini impurity its splits take away"], rows)
    click.echo("on what the model was grown on" + ("" if spread is None else "; in brackets the deviation over trees"))


def _cell(found: Estimate | None) -> str:
    return "-" if found is None else found.short()


def mode_of(model: Model) -> dict[str, str]:
    """Return the mode of a model with the reason for its choice, for the command's output.

    The dictionary is empty for a model without modes.
    """
    choice = getattr(model.classifier, "choice_", None)
    if choice is None:
        why = getattr(model.classifier, "why_", None)
        return {} if why is None else {"why": why}
    return {"mode": choice.mode, "why": choice.why}


def comparison_of(model: Model) -> LearnerComparison | None:
    """Return the comparison of learners that was made in training, or None if there was none."""
    choice = getattr(model.classifier, "choice_", None)
    found: LearnerComparison | None = getattr(model.classifier, "comparison_", getattr(choice, "comparison", None))
    return found


def plan_of(classifier: DisguisedClassifier, responses: int) -> TrainingPlan | None:
    """Return the training plan of a classifier that compares learners, or None for other classifiers."""
    from miner.learners.auto import AutoClassifier
    from miner.learners.classifier import survey_target

    if not isinstance(classifier, AutoClassifier):
        return None
    return classifier.plan(responses, survey_target(classifier.survey, classifier.target))


def trained_line(training: Training) -> str:
    """Return a line with the numbers of responses that a model was trained and tested on."""
    dealt = "dealt by the store" if training.seed is None else f"seed {training.seed}"
    plain = f" and {training.n_plain} plain rows" if training.n_plain else ""
    return f"trained on {training.n_train} responses{plain}, tested on {training.n_test} ({dealt})"


class VersionRead(NamedTuple):
    """Version of a survey that a command read, with its number of responses."""

    version: int
    fingerprint: str
    responses: int


def add_read(survey: Survey, number: int, responses: int) -> None:
    """Note that the command reads the responses to one version of a survey."""
    meta = click.get_current_context().meta
    meta[SENSITIVE] = meta.get(SENSITIVE, False) or any(question.sensitive for question in survey.questions)
    meta.setdefault(READ, {})[number] = survey.name, VersionRead(number, survey.fingerprint, responses)


def origin() -> dict[str, Any]:
    """Return where the command's figures are from, as plain JSON values."""
    context = click.get_current_context()
    names, versions = zip(*context.meta[READ].values(), strict=True)
    asked = {name: context.params[name] for name in ASKED if context.params.get(name)}
    return {
        "survey": names[0],
        "versions": [each._asdict() for each in versions],
        "asked": {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items()},
        "responses": sum(each.responses for each in versions),
        "program": f"deniable {version('deniable')}",
    }


def origin_line() -> str:
    """Return where the command's figures are from, as one line of text."""
    found = origin()
    versions = ", ".join(f"version {each['version']} ({each['fingerprint'][:SHOWN]})" for each in found["versions"])
    asked = {name: ", ".join(value) if isinstance(value, list) else value for name, value in found["asked"].items()}
    parts = [f"{name.replace('_', '-')} {value}" for name, value in asked.items()]
    return "; ".join(
        [f"from {found['survey']} {versions}", *parts, f"{found['responses']} responses", found["program"]]
    )


def print_figures(document: dict[str, Any]) -> None:
    """Print a JSON document of figures, with the level that was asked for their intervals and where they are from."""
    asked = click.get_current_context().params.get("level")
    print_json(document | ({} if asked is None else {"level": asked}) | {"origin": origin()})


def saying_origin(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that prints figures end its text with what printing them again shows, and where they are from."""

    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401 - click's own
        command(**given)
        if not given["as_json"]:
            if click.get_current_context().meta.get(SENSITIVE):
                click.echo(PRINTED_AGAIN)
            click.echo(origin_line())

    return run
