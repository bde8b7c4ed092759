"""Points of a ROC curve and bins of a calibration curve."""

from dataclasses import dataclass

from miner.estimates.estimate import Estimate


@dataclass(frozen=True)
class RocPoint:
    """A point of a ROC curve: respondents with at least this score are predicted positive.

    Attributes:
        threshold: Threshold of the predicted probability.
        true_positive_rate: Share of the positives above the threshold, or None if their estimated number is not above
            0.
        false_positive_rate: Share of the negatives above the threshold, or None if their estimated number is not above
            0.
    """

    threshold: float
    true_positive_rate: Estimate | None
    false_positive_rate: Estimate | None


@dataclass(frozen=True)
class CalibrationBin:
    """The respondents whose predicted probability is in one interval.

    Attributes:
        lower: Lower bound of the interval, included.
        upper: Upper bound of the interval, excluded unless it is 1.
        share: Share of these respondents among all.
        predicted: Mean predicted probability of these respondents, or None if their estimated number is not above 0.
        observed: Estimated share of these respondents in the class, or None if their estimated number is not above 0.
    """

    lower: float
    upper: float
    share: Estimate
    predicted: Estimate | None
    observed: Estimate | None
