"""Block designs: sets of codes for values, such that any two values share an equal number of codes.

With a block design, a respondent usually sends a random one of the s codes of the true value, and sometimes a random
one of all K codes. For many values, block designs are the best locally private channels (Ye & Barg 2018; Park, Nam &
Lee 2023). This module builds three families of block designs:

- *subsets*: Each code is a set of d values. The codes of a value are the sets that contain the value (subset selection,
  Ye & Barg 2018; Wang and others 2016).
- *projective*: Each code is a point of the projective geometry over the field of q elements. Each value is a
  hyperplane, whose codes are the points on the hyperplane (Feldman, Nelson, Nguyen & Talwar 2022). The numbers of codes
  and values are about equal.
- *cyclotomic*: Each value is an element of a field of q elements. Each code is a base set of k elements or an image of
  the base set under x -> a x + b. The base set is a union of cosets of a multiplicative subgroup, with or without 0
  (cyclotomic classes, as in difference families: Wilson 1972), so that the base set has few images. A cyclotomic design
  is as precise as all subsets of k of q values.

A block design with s = 1 is k-ary randomized response.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb

from collector.coding.finite_field import ORDERS, field
from collector.errors import SurveyError

MOST_CODES = 2048
Blocks = list[tuple[int, ...]]


def projective_blocks(values: int, order: int) -> tuple[Blocks, int]:
    """Return the points on each value's hyperplane, and the number of points.

    The function uses the smallest projective geometry that has a hyperplane for every value.

    Raises:
        SurveyError: If the order of the field is not in `ORDERS`, or the geometry has too many points.
    """
    _check_order(order)
    dimension = dimension_for(order, values)
    _check_size(points(order, dimension))
    vectors = list(_vectors(order, dimension))
    blocks = [
        tuple(number for number, point in enumerate(vectors) if field(order).product(plane, point) == 0)
        for plane in vectors[:values]
    ]
    return blocks, len(vectors)


def dimension_for(order: int, values: int) -> int:
    """Return the dimension, at least 3, of the smallest vector space with at least as many hyperplanes as values."""
    dimension = 3
    while points(order, dimension) < values:
        dimension += 1
    return dimension


def points(order: int, dimension: int) -> int:
    """Return the number of points of a projective geometry, which is also its number of hyperplanes.

    Args:
        order: Order of the field.
        dimension: Dimension of the vector space.
    """
    return sum(order**power for power in range(dimension))


def subset_blocks(values: int, size: int) -> tuple[Blocks, int]:
    """Return the numbers of the subsets that contain each value, and the number of all subsets.

    Raises:
        SurveyError: If the subsets do not have from 2 to `values` - 1 elements, or there are too many subsets.
    """
    if not 1 < size < values:
        problem = "the size of its subsets is not 2 or more and below the number of values"
        raise SurveyError("coding", problem, f"use a size from 2 to {values - 1}")
    _check_size(comb(values, size))
    subsets = list(combinations(range(values), size))
    blocks = [tuple(number for number, each in enumerate(subsets) if value in each) for value in range(values)]
    return blocks, len(subsets)


def cyclotomic_blocks(values: int, order: int, size: int) -> tuple[Blocks, int]:
    """Return the numbers of the base set's images that contain each value, and the number of all images.

    Args:
        values: Number of values.
        order: Order q of the field, a prime power.
        size: Size k of the base set.

    Raises:
        SurveyError: If the order is not in `ORDERS` or is smaller than the number of values, if `size` is not from 2 to
            q - 2, or if the base set has too many images.
    """
    _check_order(order)
    if not (values <= order and 1 < size < order - 1):
        problem = f"a base set of {size} in a field of {order} does not make a design for {values} values"
        raise SurveyError(
            "coding",
            problem,
            f"use a field of {values} elements or more, and a base set of 2 elements to 2 fewer than the field has",
        )
    _check_size(images(order, size))
    base = _base_set(order, size)
    sums, times = field(order).sums, field(order).times
    maps = {frozenset(times[scale][element] for element in base) for scale in range(1, order)}
    sets = sorted({tuple(sorted(sums[shift][element] for element in each)) for each in maps for shift in range(order)})
    blocks = [tuple(number for number, each in enumerate(sets) if value in each) for value in range(values)]
    return blocks, len(sets)


def images(order: int, size: int) -> int:
    """Return the largest number of images of a base set.

    A base set has q (q - 1) / h images, where h is the order of the subgroup whose cosets form the base set.
    """
    return order * (order - 1) // _subgroup(order, size)


def _subgroup(order: int, size: int) -> int:
    """Return the order of the largest multiplicative subgroup whose cosets can be joined to a base set."""
    return max(each for each in range(1, order) if (order - 1) % each == 0 and size % each <= 1)


def _base_set(order: int, size: int) -> list[int]:
    """Return a base set: the first cosets of a subgroup, and the element 0 if one element is missing."""
    powers, subgroup = field(order).primitive_powers, _subgroup(order, size)
    cosets, index = size // subgroup, (order - 1) // subgroup
    base = [power for exponent, power in enumerate(powers) if exponent % index < cosets]
    return base if len(base) == size else [0, *base]


def _check_order(order: int) -> None:
    if order not in ORDERS:
        known = ", ".join(map(str, ORDERS))
        raise SurveyError("coding", "Deniable has no finite field with this number of elements", f"use one of: {known}")


def _check_size(codes: int) -> None:
    if codes > MOST_CODES:
        raise SurveyError(
            "coding", f"it needs more than {MOST_CODES} codes", "choose another number of values, or remove the coding"
        )


def _vectors(order: int, dimension: int) -> Iterator[tuple[int, ...]]:
    """Return a vector for each point of a projective geometry, scaled so that the first non-zero coordinate is 1."""
    for zeros in range(dimension):
        for rest in product(range(order), repeat=dimension - zeros - 1):
            yield (*[0] * zeros, 1, *rest)


def is_block_design(blocks: Sequence[frozenset[int]], codes: int) -> bool:
    """Return whether the code sets of the values form a block design.

    In a block design, each value has s codes, and any two values share l codes, with l < s < `codes`.
    """
    sizes = {len(block) for block in blocks}
    common = {len(first & second) for first, second in combinations(blocks, 2)}
    return len(sizes) == len(common) == 1 and max(common) < max(sizes) < codes


def elements_and_size(blocks: Sequence[frozenset[int]], codes: int) -> tuple[int, int]:
    """Return q and k of a block design whose codes are sets of k out of q elements.

    If each value has s of the K codes, and two values share l codes, then s/K = k/q and l/s = (k - 1)/(q - 1).
    """
    size = len(blocks[0])
    share, common = Fraction(size, codes), Fraction(len(blocks[0] & blocks[1]), size)
    elements = (1 - common) / (share - common)
    return int(elements), int(share * elements)


def block_reading(blocks: Sequence[frozenset[int]], codes: Sequence[int]) -> dict[int, tuple[Fraction, ...]]:
    """Return the inverse weights of each code, which are signed weights of the values that add up to 1.

    If each value has s codes and any two values share l codes, the weight of value v is ([v has the code] - l/s) / (1 -
    l/s). If the survey uses only some values of the design, the weights of a code are shifted by a constant so that
    they add up to 1.
    """
    common = Fraction(len(blocks[0] & blocks[1]), len(blocks[0]))
    absent = -common / (1 - common)
    reading = {}
    weights: dict[int, tuple[Fraction, Fraction]] = {}
    for code in codes:
        has = [code in block for block in blocks]
        owners = sum(has)
        if owners not in weights:
            missing = (1 - owners - (len(has) - owners) * absent) / len(has)
            weights[owners] = absent + missing, 1 + missing
        other, own = weights[owners]
        reading[code] = tuple(own if each else other for each in has)
    return reading
