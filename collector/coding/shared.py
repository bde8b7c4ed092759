"""Registry of the codings in which a code stands for several values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from collector.coding import block_design
from collector.coding.threshold_coding import THRESHOLDS, is_threshold_coding, threshold_blocks, threshold_reading

Blocks = Sequence[frozenset[int]]
"""The codes of each value."""


@dataclass(frozen=True)
class SharedScheme:
    """A family of codings in which a code stands for several values.

    Attributes:
        blocks: Function that returns the codes of each value and the number of codes, given the number of values and
            the parameters.
        written: Pattern of the parameters in a survey file, such as ``-Q-K`` in ``cyclotomic-Q-K``, and a remark about
            the parameters.
        parameters: Function that returns the parameters, given the codes of each value and the number of codes.
        is_sound: Function that returns whether given codes of each value belong to the scheme.
        reading: Function that returns the inverse weights of each code, which are signed weights of the values that add
            up to 1.
        of_scales: Whether the scheme is only for questions whose values have an order.
    """

    blocks: Callable[..., tuple[list[tuple[int, ...]], int]]
    written: str = ""
    parameters: Callable[[Blocks, int], tuple[int, ...]] = lambda *_: ()
    is_sound: Callable[[Blocks, int], bool] = block_design.is_block_design
    reading: Callable[[Blocks, Sequence[int]], dict[int, tuple[Fraction, ...]]] = block_design.block_reading
    of_scales: bool = False

    @property
    def count(self) -> int:
        """The number of parameters that the name of a coding of this family contains."""
        return self.written.split(" ")[0].count("-")


SHARED: dict[str, SharedScheme] = {
    THRESHOLDS: SharedScheme(
        threshold_blocks,
        is_sound=is_threshold_coding,
        reading=lambda blocks, _: threshold_reading(len(blocks)),
        of_scales=True,
    ),
    "projective": SharedScheme(
        block_design.projective_blocks, "-Q (Q a prime power)", lambda blocks, codes: ((codes - 1) // len(blocks[0]),)
    ),
    "cyclotomic": SharedScheme(
        block_design.cyclotomic_blocks, "-Q-K (Q a prime power)", block_design.elements_and_size
    ),
    "subsets": SharedScheme(
        block_design.subset_blocks, "-K", lambda blocks, codes: block_design.elements_and_size(blocks, codes)[1:]
    ),
}
"""Every registered coding in which values share codes. docs/extending.md explains how to add one."""
