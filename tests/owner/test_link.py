"""The link opens the desk once; what it is exchanged for is another secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from owner.link import GOOD_SECONDS, Link


def test_a_link_is_good_once() -> None:
    link = Link()
    inside = link.exchange(link.once)
    assert inside is not None
    assert link.admits(inside)
    assert link.exchange(link.once) is None
    assert link.admits(inside)


@pytest.mark.parametrize("given", ["", "x", "\udcff", "é" * 43])
def test_a_wrong_link_opens_nothing_and_leaves_the_right_one_good(given: str) -> None:
    link = Link()
    assert link.exchange(given) is None
    assert not link.admits(given)
    assert not link.admits(link.once)
    assert link.exchange(link.once) is not None


def test_a_link_grows_old() -> None:
    now = [0.0]
    young, old = Link(lambda: now[0]), Link(lambda: now[0])
    now[0] = GOOD_SECONDS - 1
    assert young.exchange(young.once) is not None
    now[0] = GOOD_SECONDS
    assert old.exchange(old.once) is None


def test_of_many_who_come_at_once_one_gets_in() -> None:
    link = Link()
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(link.exchange, [link.once] * 200))
    assert sum(each is not None for each in found) == 1


def test_secrets_are_long_and_never_the_same() -> None:
    secrets = [secret for link in (Link(), Link()) for secret in (link.once, link.exchange(link.once))]
    assert len(set(secrets)) == 4
    assert all(len(secret or "") == 43 for secret in secrets)  # 32 bytes
