"""Write the attack audit as one HTML page, without scripts, external fonts or pictures, and with accessible tables."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from miner.attacks.audit import OnPeople, ReleaseAudit, mean_of
from miner.attacks.exposure import Exposure
from miner.attacks.membership import Guesses, Membership

STYLE = """
body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff;
overflow-wrap:anywhere}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}
table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{border:1px solid #767676;padding:.25rem .6rem;text-align:right}th[scope=row],thead th:first-child{text-align:left}
.wide{overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}}
"""
MOST_TREES = 10  # largest number of trees that are listed one by one
ABOUT = (
    ("uniqueness", "a leaf with one person is that person's record"),
    (
        "homogeneity",
        "a leaf with one class tells the class of everybody in it. H_u: share of people, H_leaf: of leaves",
    ),
    ("background knowledge", "the attacker also knows some classes that the person does not have"),
    ("l-diversity", "how many classes are in a leaf; the more, the less a leaf tells"),
    ("membership inference", "whether the attacker can tell who was in the data"),
)


def audit_page(audit: ReleaseAudit) -> str:
    """Return the page of an attack audit as HTML."""
    title = escape(f"Attack audit: {audit.name}")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = "\n".join(_body(audit))
    style = f"<style>{STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}{style}</head>\n<body><main>\n{body}\n</main></body></html>\n'


def _body(audit: ReleaseAudit) -> Iterator[str]:
    yield f"<h1>Attack audit: {escape(audit.name)}</h1>"
    yield f'<p role="note"><strong>{escape(audit.warning)}</strong></p>'
    yield "<p>The attacker knows everything about a person but the class, and has the model.</p>"
    yield "<dl>"
    yield from (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in ABOUT)
    yield "</dl>"
    if audit.guarantee:
        yield "<h2>What the model promises</h2><ul>"
        yield from (f"<li>{escape(line)}</li>" for line in audit.guarantee)
        yield "</ul>"
    yield "<h2>What the published counts give away</h2>"
    if audit.guarantee:
        yield "<p>Where counts are noisy, a leaf may look pure or small and not be it.</p>"
    yield from _trees(audit.published, "As published")
    if audit.people is not None:
        yield from _people(audit.people)
    if audit.membership is not None:
        yield from _membership(audit.membership)


def _trees(trees: Sequence[Exposure], caption: str) -> Iterator[str]:
    columns = ("tree", "people", "leaves", "smallest leaf", "unique", "H_u", "H_leaf", "least entropy l")
    rows = [_row(str(number), tree) for number, tree in enumerate(trees[:MOST_TREES], start=1)]
    if len(trees) > 1:
        shares = (mean_of(trees, what) for what in ("unique_people", "homogeneous_people", "homogeneous_leaves"))
        smallest, least = min(tree.smallest for tree in trees), min(tree.least_entropy for tree in trees)
        rows.append((f"mean or least of {len(trees)}", "", "", str(smallest), *map(_share, shares), f"{least:.2f}"))
    yield from _table(f"{caption}: trees", columns, rows)
    first = trees[0]
    of = "" if len(trees) == 1 else " of the first tree"
    diversity = [(str(each.classes), str(each.leaves), str(each.people)) for each in first.diversity]
    yield from _table(f"{caption}: l-diversity{of}", ("classes in a leaf", "leaves", "people"), diversity)
    known = [(str(number), _share(first.background(number))) for number in range(len(first.diversity))]
    yield from _table(
        f"{caption}: people whose class is learnt{of}", ("classes known not to be theirs", "people"), known
    )


def _row(name: str, tree: Exposure) -> tuple[str, ...]:
    shares = (tree.unique_people, tree.homogeneous_people, tree.homogeneous_leaves)
    figures = (str(tree.people), str(tree.leaves), str(tree.smallest))
    return (name, *figures, *map(_share, shares), f"{tree.least_entropy:.2f}")


def _people(people: OnPeople) -> Iterator[str]:
    yield "<h2>What would happen to the people it was grown on</h2>"
    yield from _trees(people.trees, "True counts")
    attack = people.homogeneity
    right = "" if attack.right is None else f" and is right about {_share(attack.right)} of them"
    yield (
        f"<p>Through the published counts the homogeneity attack reaches {_share(attack.attacked)} of them{right}. "
        f"In at least one tree {_share(people.anywhere.homogeneous)} are in a leaf that truly has one class, "
        f"{_share(people.anywhere.unique)} are alone in a leaf.</p>"
    )


def _membership(found: Membership) -> Iterator[str]:
    yield "<h2>Can an attacker tell who was in the data?</h2>"
    columns = ("guesses about", "guesses", "right", "share right, bounds", "epsilon is at least")
    rows = [_guess("everybody", found.everybody), _guess("the surest tenth", found.sure)]
    yield from _table("Membership inference", columns, rows)
    yield (
        f"<p>Each Clopper-Pearson bound holds with {found.confidence:.1%} confidence. Guessing blindly is right half "
        "of the time. The bound on epsilon takes it that people were dealt in or out by chance.</p>"
    )


def _guess(name: str, guesses: Guesses) -> tuple[str, ...]:
    share = f"{guesses.right / guesses.guesses:.3f} ({guesses.lower:.3f} to {guesses.upper:.3f})"
    return name, str(guesses.guesses), str(guesses.right), share, f"{guesses.epsilon:.3f}"


def _table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
    yield f"<caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>"
    for first, *rest in rows:
        yield f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
    yield "</tbody></table></div>"


def _share(share: float) -> str:
    return f"{share:.1%}"
