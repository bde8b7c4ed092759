"""Which names of a list are still defined, and how dense the code is, both read from syntax trees.

    python -m benchmarks.gates.names                # the names that "One table of responses" takes away
    python -m benchmarks.gates.names Counted Pooled
    python -m benchmarks.gates.names --nodes        # expression nodes for each statement, by package

A definition is a class, a function, a name that is assigned, an alias of an import, or a name in ``__all__``.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("collector", "respondent", "miner", "owner")
GONE = (
    "Counted",
    "Pooled",
    "PooledByQuestion",
    "Gathered",
    "BlockedSource",
    "SourceInPieces",
    "CountedByWorkers",
    "Stacked",
    "hybrid_level",
    "counts_parts",
    "SampledRows",
    "SampledCells",
    "GroupedCells",
    "GroupRatio",
    "JointRatios",
    "SampledRatio",
    "MeanRatio",
    "regress_sample",
)


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the syntax tree of every module of the packages."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def defined(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node defines."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (each.id for each in targets if isinstance(each, ast.Name))
            if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
                yield from (str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.ImportFrom(names=names) | ast.Import(names=names):
            yield from (each.asname for each in names if each.asname)


def definitions(names: set[str]) -> Iterator[str]:
    """Yield the place of every definition of some names."""
    for path, tree in trees():
        for node in ast.walk(tree):
            for name in names.intersection(defined(node)):
                yield f"{path}:{getattr(node, 'lineno', 0)}: {name}"


def density(package: str) -> float:
    """Return the number of expression nodes for each statement of a package."""
    nodes = [node for path, tree in trees() if path.parts[0] == package for node in ast.walk(tree)]
    return sum(isinstance(each, ast.expr) for each in nodes) / sum(isinstance(each, ast.stmt) for each in nodes)


def main() -> None:
    """Print the definitions that are left, and end with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=GONE)
    parser.add_argument("--nodes", action="store_true")
    options = parser.parse_args()
    if options.nodes:
        print("\n".join(f"{package}: {density(package):.2f}" for package in PACKAGES))
        return
    left = sorted(definitions(set(options.names)))
    print("\n".join([*left, f"{len(left)} definitions left"]))
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
