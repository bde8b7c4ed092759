"""Define the points of a ROC curve and the bins of a calibration curve."""

from dataclasses import dataclass

from miner.figures.estimate import Estimate


@dataclass(frozen=True)
class RocPoint:
    """Point of a ROC curve. Respondents whose score is at least the threshold are predicted positive.

    Attributes:
        threshold: Threshold of the predicted probability.
        true_positive_rate: Share of the positives at or above the threshold, or None if the estimated number of
            positives is not above 0.
        false_positive_rate: Share of the negatives at or above the threshold, or None if the estimated number of
            negatives is not above 0.
    """

    threshold: float
    true_positive_rate: Estimate | None
    false_positive_rate: Estimate | None


@dataclass(frozen=True)
class CalibrationBin:
    """Bin of a calibration curve, which contains the respondents whose predicted probability is in one interval.

    Attributes:
        lower: Lower bound of the interval, included.
        upper: Upper bound of the interval, excluded unless it is 1.
        share: Share of the bin's respondents among all respondents.
        predicted: Mean predicted probability in the bin, or None if the estimated number of respondents is not above 0.
        observed: Estimated share of the class in the bin, or None if the estimated number of respondents is not above
            0.
    """

    lower: float
    upper: float
    share: Estimate
    predicted: Estimate | None
    observed: Estimate | None
