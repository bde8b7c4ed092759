"""Block designs: code sets for values, such that any two values share the same number of codes.

Sending a random one of a value's s codes, and now and then a uniform one of all K, is the optimal shape of a locally
private channel where there are many values (Ye & Barg 2018; for block designs Park, Nam & Lee 2023). Three families:

- *subsets*: a code for each set of d values; a value has the sets that it is in (subset selection, Ye & Barg 2018;
  Wang and others 2016).
- *projective*: a code for each point of the projective geometry over the field of q elements, a value for each
  hyperplane; a value has the points that are in it (Feldman, Nelson, Nguyen & Talwar 2022). Its codes are few: about
  as many as values.
- *cyclotomic*: values are elements of a field of q, a code stands for a base set of k elements or an image of it under
  x -> a x + b. The base set is a union of cosets of a multiplicative subgroup, with 0 or without (cyclotomic classes,
  as in difference families: Wilson 1972), so that it has few images; as the maps take any two elements to any other
  two, all images together are a design. Nearly every k has one, with the precision of the subsets of k of q values.

k-ary randomized response is s = 1.
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
    """The points of this many hyperplanes of the smallest sufficient projective geometry, and its number of points.

    Raises:
        SurveyError: If the order is not one that we know, or there would be too many points.
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
    """Dimension of the smallest vector space whose projective geometry has this many hyperplanes; at least 3."""
    dimension = 3
    while points(order, dimension) < values:
        dimension += 1
    return dimension


def points(order: int, dimension: int) -> int:
    """The number of points (and of hyperplanes) of a projective geometry, given the dimension of its vector space."""
    return sum(order**power for power in range(dimension))


def subset_blocks(values: int, size: int) -> tuple[Blocks, int]:
    """Indices, for each value, of the subsets of this size that contain it; and the number of subsets.

    Raises:
        SurveyError: If a set has no room for two values or room for all, or there would be too many sets.
    """
    if not 1 < size < values:
        problem = "the size of its subsets is not 2 or more and below the number of values"
        raise SurveyError("coding", problem, f"use a size from 2 to {values - 1}")
    _check_size(comb(values, size))
    subsets = list(combinations(range(values), size))
    blocks = [tuple(number for number, each in enumerate(subsets) if value in each) for value in range(values)]
    return blocks, len(subsets)


def cyclotomic_blocks(values: int, order: int, size: int) -> tuple[Blocks, int]:
    """Indices, for each value, of the images of the base set that contain it; and the number of images.

    Args:
        values: How many there are: they are the first elements of the field. The others stand for nothing.
        order: Order of the field, a prime power: q.
        size: Size of the base set: k.

    Raises:
        SurveyError: If we know no such field, it has too few elements, the base set would have fewer than two or nearly
            all of them, or there would be too many images.
    """
    _check_order(order)
    if not (values <= order and 1 < size < order - 1):
        problem = f"a base set of {size} in a field of {order} does not make a design for {values} values"
        raise SurveyError("coding", problem, "use a field with as many elements, and a base set of at least 2")
    _check_size(images(order, size))
    base = _base_set(order, size)
    sums, times = field(order).sums, field(order).times
    maps = {frozenset(times[scale][element] for element in base) for scale in range(1, order)}
    sets = sorted({tuple(sorted(sums[shift][element] for element in each)) for each in maps for shift in range(order)})
    blocks = [tuple(number for number, each in enumerate(sets) if value in each) for value in range(values)]
    return blocks, len(sets)


def images(order: int, size: int) -> int:
    """Largest number of images of a base set: q (q - 1) / h, h the order of the subgroup whose cosets it is made of."""
    return order * (order - 1) // _subgroup(order, size)


def _subgroup(order: int, size: int) -> int:
    """The largest order of a multiplicative subgroup of which so many elements, but for 0, are whole cosets."""
    return max(each for each in range(1, order) if (order - 1) % each == 0 and size % each <= 1)


def _base_set(order: int, size: int) -> list[int]:
    """The first cosets of the subgroup, and 0 where that makes the size."""
    powers, subgroup = field(order).primitive_powers, _subgroup(order, size)
    cosets, index = size // subgroup, (order - 1) // subgroup
    base = [power for exponent, power in enumerate(powers) if exponent % index < cosets]
    return base if len(base) == size else [0, *base]


def _check_order(order: int) -> None:
    if order not in ORDERS:
        known = ", ".join(map(str, ORDERS))
        raise SurveyError("coding", "there is no field of this order here", f"use one of: {known}")


def _check_size(codes: int) -> None:
    if codes > MOST_CODES:
        raise SurveyError("coding", f"it needs more than {MOST_CODES} codes", "choose another, or drop the coding")


def _vectors(order: int, dimension: int) -> Iterator[tuple[int, ...]]:
    """A vector for each point: those whose first coordinate that is not 0 is 1."""
    for zeros in range(dimension):
        for rest in product(range(order), repeat=dimension - zeros - 1):
            yield (*[0] * zeros, 1, *rest)


def is_block_design(blocks: Sequence[frozenset[int]], codes: int) -> bool:
    """Whether values have equally many codes, not all of them, and any two values equally many in common, and fewer."""
    sizes = {len(block) for block in blocks}
    common = {len(first & second) for first, second in combinations(blocks, 2)}
    return len(sizes) == len(common) == 1 and max(common) < max(sizes) < codes


def elements_and_size(blocks: Sequence[frozenset[int]], codes: int) -> tuple[int, int]:
    """Numbers q and k where the sets are those of k of q elements, from s/K = k/q and l/s = (k - 1)/(q - 1)."""
    size = len(blocks[0])
    share, common = Fraction(size, codes), Fraction(len(blocks[0] & blocks[1]), size)
    elements = (1 - common) / (share - common)
    return int(elements), int(share * elements)


def block_reading(blocks: Sequence[frozenset[int]], codes: Sequence[int]) -> dict[int, tuple[Fraction, ...]]:
    """Inverse weights of each code: signed weights of the values, adding up to 1, unbiased over a value's codes.

    With s codes for each value and l in common to any two, value v weighs ([v has the code] - l/s) / (1 - l/s). Where
    the values are not all there could be, these do not add up to 1: what is missing, on average nothing, is dealt
    evenly.
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
