"""Write models atomically as JSON files, and check models when they are read.

A model file contains the published survey with its fingerprint, and the parameters and the learnt state of the
classifier. A model file also contains the accuracy on disguised test responses, and the privacy statement.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, ModelError
from collector.output import write_text
from collector.planning.shuffled import central_privacy
from collector.store.simulated import Simulated
from collector.survey.design import survey_from_design
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from collector.survey_file.text_file import LARGEST_MADE, text_of
from miner.evaluation.implied import ImpliedAccuracy
from miner.figures.estimate import Estimate
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import KINDS
from miner.learnt import exact_fraction

T = TypeVar("T")
FORMAT = 1
DERIVED = (
    "Of respondents the model sees disguised responses only: it tells no more about one than the response that was "
    "sent. What that response tells:"
)
OWN_ROWS = (
    "The model is also computed from {} undisguised rows, and shows counts of them: for the people of these rows it "
    "promises nothing."
)
ALIKE = (
    "Readers of the model: how many respondents gave the same answers to {} decides which central epsilon holds; "
    "`collector check --respondents` states it for a number."
)
PLAIN = (str, int, float, bool, type(None))
RETRAIN = "train the model again"
MOST_DIGITS = 300  # largest number of digits of a whole number, so that it is finite as a float


@dataclass(frozen=True)
class ModelAccuracy:
    """Accuracy of a model on disguised test responses.

    Attributes:
        accuracy: Estimated share of respondents whose true class the model predicts.
        baseline: Estimated accuracy of always predicting the most frequent class in training.
        label: Name of the most frequent class in training.
        auc: Area under the ROC curve, or None if there are too few responses to rank.
        implied: Accuracy computed from a fitted model of the test responses if `accuracy` is very uncertain, otherwise
            None.
    """

    accuracy: Estimate
    baseline: Estimate
    label: str
    auc: Estimate | None
    implied: ImpliedAccuracy | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the accuracy as plain JSON values."""
        baseline = {"label": self.label} | self.baseline.as_json
        auc = None if self.auc is None else self.auc.as_json
        implied = {} if self.implied is None else {"implied_accuracy": self.implied.as_json}
        return {"accuracy": self.accuracy.as_json, "auc": auc, "baseline": baseline} | implied


@dataclass(frozen=True)
class Training:
    """Responses that a model was trained and tested on.

    Attributes:
        n_train: Number of responses that the model was trained on.
        n_test: Number of responses that were held out from training and used for testing.
        test_share: Share of responses that were to be held out.
        seed: Seed of the split into training and test responses, or None if the store splits the responses.
        outcome: Accuracy on the held-out responses, or None if no responses were held out.
        n_plain: Number of undisguised rows of the analyst that the model was also trained on.
        simulated: Record of simulated responses, or None if no response is known to be simulated.
    """

    n_train: int
    n_test: int
    test_share: Fraction
    seed: int | None
    outcome: ModelAccuracy | None
    n_plain: int = 0
    simulated: Simulated | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the training as plain JSON values."""
        split = {"n_train": self.n_train, "n_test": self.n_test, "test_share": str(self.test_share), "seed": self.seed}
        simulated = None if self.simulated is None else self.simulated.as_json
        return (
            split | {"n_plain": self.n_plain, "simulated": simulated} | (self.outcome.as_json if self.outcome else {})
        )


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Trained model with its survey, its class question and its accuracy.

    Attributes:
        kind: Kind of learner, one of `miner.learners.kinds.LEARNERS`.
        survey: Published survey.
        target: Name of the class question.
        classifier: Fitted classifier, which predicts from frames of true values.
        training: Responses that the model was trained and tested on.
    """

    kind: str
    survey: Survey
    target: str
    classifier: DisguisedClassifier
    training: Training

    def __repr__(self) -> str:
        return f"<Model: {self.kind} that predicts {self.target} of survey {self.survey.name}>"

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the classifier."""
        return parameters_of(self.classifier)

    @property
    def privacy(self) -> tuple[str, ...]:
        """Return lines that state what the model discloses about respondents."""
        own = (OWN_ROWS.format(self.training.n_plain),) if self.training.n_plain else ()
        return (*own, DERIVED, *SurveyPrivacy(self.survey).lines, *self._central)

    @property
    def _central(self) -> tuple[str, ...]:
        """Return lines that state what readers of the model file learn about respondents.

        If the model learnt from undisguised rows, or has no responses, no lines are returned.
        """
        people = self.training.n_train + self.training.n_test
        if self.training.n_plain or not people:
            return ()
        central = central_privacy(self.survey, people)
        return (ALIKE.format(", ".join(central.alike)),) if central.alike and central.is_finite else central.lines

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the whole content of the model file as plain JSON values."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "fingerprint": self.survey.fingerprint,
            "target": self.target,
            "parameters": self.parameters,
            "training": self.training.as_json,
            "privacy": list(self.privacy),
            "survey": self.survey.design,
            "learnt": self.classifier.learnt,
        }


def write_model(model: Model, path: Path) -> None:
    """Write a model to a JSON file. If writing fails, the old file remains unchanged.

    Raises:
        OutputError: If the file cannot be written.
    """
    text = json.dumps(model.as_json, ensure_ascii=False, allow_nan=False)
    write_text(path, [text, "\n"])


def read_model(path: Path) -> Model:
    """Read a model from a JSON file.

    Raises:
        ModelError: If the file does not exist, or is not a complete and consistent model.
    """
    return read_document(path, model_from_document)


def read_document(path: Path, read: Callable[[object], T]) -> T:
    """Read a JSON file with a function that checks its values.

    Raises:
        InputError: If the file cannot be read as text.
        ModelError: If the file is not JSON, or its values are not valid.
    """
    text = text_of(path, "a model", LARGEST_MADE)
    try:
        document = json.loads(text, parse_int=_whole)
        json.dumps(document, ensure_ascii=False, allow_nan=False, indent=0).encode()  # what cannot be written again
    except (ValueError, RecursionError):
        raise ModelError(str(path), "the file is not JSON", "give the path of a model") from None
    try:
        return read(document)
    except DeniableError as error:
        raise ModelError(f"{path}: {error.place}", error.problem, error.remedy) from None


def _whole(word: str) -> int:
    if len(word) > MOST_DIGITS:
        raise ValueError
    return int(word)


def read_design(fields: Fields, readable: int, remedy: str) -> tuple[Survey, str]:
    """Read the published design of a model or a release, and the name of its class question.

    Args:
        fields: Fields of the file, including format, design, fingerprint and class question.
        readable: Number of the file format that this version of the software reads.
        remedy: Remedy that errors name.

    Raises:
        DeniableError: If the file has another format, its fingerprint does not match its design, or its class question
            is not in the design.
    """
    if fields.take("format", int) != readable:
        raise ModelError("model, format", "this version of Deniable cannot read the format of the model", remedy)
    survey = survey_from_design(fields.take("survey", dict))
    if fields.take("fingerprint", str) != survey.fingerprint:
        raise ModelError("model, fingerprint", "the fingerprint is not that of the survey in the model", remedy)
    return survey, survey.question(fields.take("target", str)).name


def model_from_document(document: object) -> Model:
    """Read a model from JSON values, and check all of them.

    Raises:
        DeniableError: If the values are not a complete and consistent model.
    """
    fields = Fields(document, "model")
    survey, target = read_design(fields, FORMAT, RETRAIN)
    kind = fields.take("kind", str)
    if kind not in KINDS:
        raise ModelError("model, kind", "there is no such kind of model", f"use one of: {', '.join(KINDS)}")
    parameters = _parameters(KINDS[kind](survey, target), fields.take("parameters", dict))
    model = Model(
        kind=kind,
        survey=survey,
        target=target,
        classifier=KINDS[kind](survey, target).set_params(**parameters).restored(fields.take("learnt", dict)),
        training=_training(Fields(fields.take("training", dict), "model, training"), survey.question(target).values),
    )
    fields.take_list("privacy", str)  # for people; what holds is computed from the survey
    fields.finish()
    return model


def parameters_of(classifier: DisguisedClassifier) -> dict[str, Any]:
    """Return the parameters of a classifier, without its survey and class question."""
    parameters = classifier.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in {"survey", "target"}}


def _parameters(example: DisguisedClassifier, given: dict[str, Any]) -> dict[str, Any]:
    """Check that parameters are plain values and belong to the classifier, and return the parameters."""
    names = parameters_of(example)
    if given.keys() != names.keys() or not all(isinstance(each, PLAIN) for each in given.values()):
        raise ModelError("model, parameters", f"the parameters are not {', '.join(names)}", RETRAIN)
    return given


def _training(fields: Fields, classes: tuple[str, ...]) -> Training:
    try:
        test_share = exact_fraction(fields.take("test_share", str))
    except ValueError:
        raise ModelError(fields.within("test_share"), "the test share is not a fraction", RETRAIN) from None
    accuracy, auc, implied = (fields.take_optional(each, dict) for each in ("accuracy", "auc", "implied_accuracy"))
    training = Training(
        n_train=fields.take("n_train", int),
        n_test=fields.take("n_test", int),
        test_share=test_share,
        seed=fields.take_optional("seed", int),
        outcome=None
        if accuracy is None
        else _outcome(accuracy, fields.take("baseline", dict), (auc, implied), classes),
        n_plain=fields.take("n_plain", int),
        simulated=_simulated(fields),
    )
    fields.finish()
    least = min(training.n_train, training.n_test, training.seed or 0, training.n_plain)
    if least < 0 or bool(training.n_test) != bool(training.outcome):
        raise ModelError(fields.place, "the figures of the model contradict each other", RETRAIN)
    return training


def _simulated(fields: Fields) -> Simulated | None:
    found = fields.take_optional("simulated", dict)
    if found is None:
        return None
    inner = Fields(found, fields.within("simulated"))
    simulated = Simulated(inner.take("responses", int), inner.take("seeded", int), inner.take("of", int))
    inner.finish()
    if not 0 <= simulated.seeded <= simulated.responses > 0 or simulated.of < 0:
        raise ModelError(inner.place, "the figures of the model contradict each other", RETRAIN)
    return simulated


def _outcome(
    accuracy: dict[str, Any],
    baseline: dict[str, Any],
    others: tuple[dict[str, Any] | None, dict[str, Any] | None],
    classes: tuple[str, ...],
) -> ModelAccuracy:
    fields = Fields(baseline, "model, baseline")
    label = fields.take("label", str)
    if label not in classes:
        raise ModelError(fields.within("label"), "the label is not a value of the target", RETRAIN)
    measured = [Estimate.from_fields(each) for each in (Fields(accuracy, "model, accuracy"), fields)]
    auc, implied = others
    area = None if auc is None else Estimate.from_fields(Fields(auc, "model, auc"))
    fitted = None if implied is None else ImpliedAccuracy.from_fields(Fields(implied, "model, implied_accuracy"))
    return ModelAccuracy(measured[0], measured[1], label, area, fitted)
