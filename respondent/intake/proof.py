"""Proof that a form by hand was made here: a keyed hash in it, which no page of another site can read.

The hash is of the survey's name, the form's receipt and the day, under the store's pepper. So a form is good for one
response to one survey, on the day it was opened and the next, in UTC; and on the day before, because a clock may be set
back. Nothing is kept for it, and no cookie is set.
docs/respondent.md says what it proves and what it does not.
"""

from base64 import urlsafe_b64encode
from hmac import compare_digest
from time import time

from collector.store.store import Store

DAY = 86_400  # seconds
AGES = (0, 1, -1)  # days since the form was opened that are good, by a clock that may have been set back


def draw_proof(store: Store, name: str, receipt: bytes, days_ago: int = 0) -> str:
    """The proof for a form of today, or of some days ago.

    Raises:
        StoreError: If the pepper cannot be read.
    """
    day = int(time() // DAY) - days_ago
    return urlsafe_b64encode(store.sealed(name, receipt + day.to_bytes(8, "big"))).decode().rstrip("=")


def is_ours(store: Store, name: str, receipt: bytes, proof: str) -> bool:
    """Whether the form with this receipt was made here for this survey, not too long ago.

    Raises:
        StoreError: If the pepper cannot be read.
    """
    good = [draw_proof(store, name, receipt, days) for days in AGES]
    return any(compare_digest(each.encode(), proof.encode(errors="replace")) for each in good)
