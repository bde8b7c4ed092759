"""Points of a ROC curve and bins of a calibration curve."""

from dataclasses import dataclass

from miner.estimates.estimate import Estimate


@dataclass(frozen=True)
class RocPoint:
    """One point of a ROC curve: respondents with at least this score are predicted positive.

    Attributes:
        threshold: Threshold of the predicted probability.
        true_positive_rate: Share of the positives above the threshold; None if their estimated number is not above 0.
        false_positive_rate: Share of the negatives above the threshold; None likewise.
    """

    threshold: float
    true_positive_rate: Estimate | None
    false_positive_rate: Estimate | None


@dataclass(frozen=True)
class CalibrationBin:
    """The respondents whose predicted probability is in one interval.

    Attributes:
        lower: The lower bound, included.
        upper: The upper bound, excluded unless it is 1.
        share: Their share of all respondents.
        predicted: Their mean predicted probability; None if their estimated number is not above 0.
        observed: The estimated share of them in the class; None likewise.
    """

    lower: float
    upper: float
    share: Estimate
    predicted: Estimate | None
    observed: Estimate | None
