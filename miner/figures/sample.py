"""Hold responses together with the design of the sample that their respondents are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from collector.errors import QueryError
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Data

UNWEIGHTED = ("sample", "this figure has no formula with sampling weights", "leave out the sample")


@dataclass(frozen=True, eq=False)
class Sample(Data):
    """Disguised responses with the sampling design of their respondents.

    The functions `estimate`, `crosstab`, `difference`, `shares`, `mean`, `total`, `quantile`, `trend` and `regress`
    take a sample in place of responses. What would count people without their sampling weights raises an error.

    Attributes:
        responses: Disguised responses, in memory or on disk.
        design: Sampling design of the respondents.
    """

    responses: Data
    design: SampleDesign

    @property
    def survey(self) -> Survey:  # type: ignore[override] # an attribute of other data
        """Return the published survey."""
        return self.responses.survey

    @property
    def simulated(self) -> Simulated | None:  # type: ignore[override] # an attribute of other data
        """Return the record of simulated responses."""
        return self.responses.simulated

    def __len__(self) -> int:
        return len(self.responses)

    def tallied(self, sets: Sequence[Sequence[int]]) -> NoReturn:
        """Refuse to count responses without their sampling weights.

        Raises:
            QueryError: Always.
        """
        del sets
        raise QueryError(*UNWEIGHTED)

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what responses have and a sample has not, such as codes."""
        raise AttributeError(name) if name.startswith("_") else QueryError(*UNWEIGHTED)


def parts_of(data: Data) -> tuple[Data, SampleDesign]:
    """Return responses and their sampling design, which is that of a simple random sample if none is given."""
    return (data.responses, data.design) if isinstance(data, Sample) else (data, SampleDesign())
