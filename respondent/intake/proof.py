"""The proof that this server made a form for disguising by hand.

The proof is a hash of the survey's name, the form's receipt and the day, keyed with the store's pepper. Pages of other
sites cannot read the proof. A form is valid for one response to one survey, on the day (in UTC) when it was opened and
on the next day. The server stores nothing about a form, and sets no cookie.

The guarantees and limits of the proof are explained in docs/respondent.md.
"""

from base64 import urlsafe_b64encode
from hmac import compare_digest
from time import time

from collector.store.store import Store

DAY = 86_400  # number of seconds of a day
AGES = (0, 1, -1)  # allowed numbers of days since the form was opened. A clock may be set back by a day


def draw_proof(store: Store, name: str, receipt: bytes, days_ago: int = 0) -> str:
    """Return the proof for a form that was opened some days ago.

    Raises:
        StoreError: If the pepper cannot be read.
    """
    day = int(time() // DAY) - days_ago
    return urlsafe_b64encode(store.sealed(name, receipt + day.to_bytes(8, "big"))).decode().rstrip("=")


def is_ours(store: Store, name: str, receipt: bytes, proof: str) -> bool:
    """Return whether this server recently made the form with a receipt for a survey.

    Raises:
        StoreError: If the pepper cannot be read.
    """
    good = [draw_proof(store, name, receipt, days) for days in AGES]
    return any(compare_digest(each.encode(), proof.encode(errors="replace")) for each in good)
