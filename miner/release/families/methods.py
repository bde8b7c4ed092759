"""Find release methods by their names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from collector.errors import QueryError
from miner.release.families.diffpid3 import DiffPID3
from miner.release.families.dpdf import DPDF, PublishedDPDF
from miner.release.families.greedy import GreedyTree
from miner.release.families.k_anonymous_rdt import KAnonymousRDT
from miner.release.families.naive_bayes import NaiveBayes
from miner.release.families.private_rdt import PrivateRDT, VerticalRDT
from miner.release.families.sum_queries import SumQueriesID3
from miner.release.family import COUNTING, ReleaseMethod
from miner.release.noise import positive

METHODS: Mapping[str, tuple[type[ReleaseMethod], dict[str, Any]]] = {
    "ours": (GreedyTree, {}),
    "private-rdt": (PrivateRDT, {}),
    "private-rdt-improved": (PrivateRDT, {"improved": True}),
    "private-rdt-vertical": (VerticalRDT, {}),
    "dp-id3": (SumQueriesID3, {}),
    "diffpid3-max": (DiffPID3, {"score": "max"}),
    "diffpid3-gini": (DiffPID3, {"score": "gini"}),
    "diffpid3-gain": (DiffPID3, {"score": "gain"}),
    "dpdf": (DPDF, {}),
    "dpdf-published": (PublishedDPDF, {}),
    "k-anon-rdt": (KAnonymousRDT, {}),
    "naive-bayes": (NaiveBayes, {}),
}


READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("trees", "depth", "levels", "least", "k"), int),
    **dict.fromkeys(("selecting", "beta"), Fraction),
    **dict.fromkeys(("form", "score", "splits"), str),
    "parties": lambda text: tuple(tuple(party.split(",")) for party in text.split(";")),
}


def family(
    method: str,
    epsilon: Fraction,
    size: int | None,
    **parameters: Any,  # noqa: ANN401 - each family's own
) -> ReleaseMethod:
    """Return a release method with its parameters. Parameters that are None keep their defaults.

    Args:
        method: Key of `METHODS`.
        epsilon: Total privacy budget.
        size: Declared number of records, or None to spend a part of epsilon on a noisy number of records.
        parameters: Further parameters of the method, by name.

    Raises:
        QueryError: If the method does not exist, the method has no such parameter, or a parameter is out of range.
    """
    if method not in METHODS:
        raise QueryError("method", "the method does not exist", f"use one of: {', '.join(METHODS)}")
    made, fixed = METHODS[method]
    known = {each.name for each in fields(made)} - {"epsilon", "size", "counting", *fixed}
    given = {name: value for name, value in parameters.items() if value is not None}
    for name in given:
        if name not in known:
            problem = f"{method} has no such parameter"
            raise QueryError(
                name, problem, f"use one of: {', '.join(sorted(known))}" if known else "leave the parameter out"
            )
    counting = Fraction(0) if size is not None else positive(epsilon) * COUNTING
    return made(epsilon=epsilon - counting, size=size or 1, counting=counting, **fixed, **given)


def read_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Read parameters of the form ``NAME=VALUE``.

    The questions of two parties are written ``parties=a,b;c,d``.

    Raises:
        QueryError: If a parameter is unknown or is not written as ``NAME=VALUE``.
    """
    found = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        try:
            found[name] = READERS[name](text)
        except (KeyError, ValueError, ZeroDivisionError):
            problem = "it is not a parameter with its value"
            raise QueryError("--set", problem, f"write NAME=VALUE; names are {', '.join(READERS)}") from None
    return found
