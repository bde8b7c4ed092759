"""What the store promises, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import pytest

from collector.database.address import Place
from collector.database.batch import FIRST, batch_from
from collector.errors import ResponseError, StoreError
from collector.store.invitation import draw_code
from collector.store.simulated import Coins
from collector.store.store import Outcome, Sent, Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from store_rows import OTHER, ROW, bring_in, take_back

NAME = "wellbeing"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, path: Path) -> Place:
    """Where a store is to be."""
    database: Place = request.getfixturevalue("database") if request.param == "postgresql" else path
    return database


@pytest.fixture
def store(place: Place, wellbeing: Survey) -> Iterator[Store]:
    with Store(place, create=True) as each:
        each.publish(wellbeing)
        yield each


def receipt() -> bytes:
    return secrets.token_bytes(32)


def sent_together(store: Store, survey: Survey, responses: list[Sent]) -> list[Outcome]:
    with ThreadPoolExecutor(16) as threads:
        return list(threads.map(lambda each: store.receive(survey, each), responses))


def test_a_version_without_responses_is_removed(store: Store, wellbeing: Survey) -> None:
    store.publish(replace(wellbeing, target=None))
    store.remove_version(NAME, 2)
    assert (store.state(NAME).newest.version, store.next_version(NAME)) == (1, 3)  # type: ignore[union-attr]
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.STORED


def test_a_survey_is_published_once_and_anew_when_its_design_changes(store: Store, wellbeing: Survey) -> None:
    changed = replace(wellbeing, target=None)
    assert store.publish(wellbeing).version == 1
    assert store.publish(changed).version == 2
    assert [each.version for each in store.surveys()] == [1, 2]
    assert store.published_as(wellbeing.fingerprint).survey == wellbeing
    assert store.version_of("other", wellbeing.fingerprint) is None
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.OUTDATED
    assert store.receive(changed, Sent(ROW, receipt())) is Outcome.STORED
    with pytest.raises(StoreError, match="use one of: wellbeing"):
        store.published("nothing")


def test_a_change_of_wording_is_a_revision(store: Store, wellbeing: Survey) -> None:
    reworded = replace(wellbeing, title=Text((("en", "Wellbeing, the second wording"),)))
    assert store.publish(reworded).version == 1
    assert store.state(NAME).newest.survey == reworded
    assert store.revisions(store.published(NAME)) == [wellbeing, reworded]


def test_responses_that_wait_are_stored_together_each_once(store: Store, wellbeing: Survey) -> None:
    responses = [Sent(ROW if number % 3 else OTHER, receipt()) for number in range(200)]
    assert sent_together(store, wellbeing, responses) == [Outcome.STORED] * 200
    assert sent_together(store, wellbeing, responses) == [Outcome.REPEATED] * 200
    assert Counter(store.rows(wellbeing)) == Counter(each.codes for each in responses)
    assert store.count(wellbeing) == 200


def test_a_repeat_among_new_ones_does_not_keep_these_out(store: Store, wellbeing: Survey) -> None:
    first = Sent(ROW, receipt())
    assert store.receive(wellbeing, first) is Outcome.STORED
    outcomes = sent_together(store, wellbeing, [first, *(Sent(OTHER, receipt()) for _ in range(31)), first])
    assert Counter(outcomes) == {Outcome.STORED: 31, Outcome.REPEATED: 2}
    assert store.receive(wellbeing, replace(first, codes=OTHER)) is Outcome.REPEATED, "whatever its codes are"
    assert store.has(wellbeing, first.receipt or b"")


def test_what_does_not_fit_is_refused_and_the_rest_of_its_batch_stored(store: Store, wellbeing: Survey) -> None:
    wrong = Sent((9, *ROW[1:]), receipt())
    with ThreadPoolExecutor(16) as threads:
        bad = threads.submit(store.receive, wellbeing, wrong)
        good = [threads.submit(store.receive, wellbeing, Sent(ROW, receipt())) for _ in range(40)]
        assert {each.result() for each in good} == {Outcome.STORED}
        with pytest.raises(ResponseError, match="one code for each question"):
            bad.result()
    assert store.rows(wellbeing) == [ROW] * 40


def test_a_response_is_taken_back_once_and_for_all(store: Store, wellbeing: Survey) -> None:
    first = Sent(ROW, receipt())
    store.receive(wellbeing, first)
    assert store.withdraw(wellbeing, receipt()) is Outcome.UNKNOWN_RECEIPT
    assert store.withdraw(wellbeing, first.receipt or b"") is Outcome.WITHDRAWN
    assert store.withdraw(wellbeing, first.receipt or b"") is Outcome.WITHDRAWN
    assert store.receive(wellbeing, first) is Outcome.DELETED
    assert store.count(wellbeing) == 0


def test_an_invitation_is_good_for_one_response_however_many_come_with_it(store: Store, wellbeing: Survey) -> None:
    codes = store.invite(NAME, 3)
    outcomes = sent_together(store, wellbeing, [Sent(ROW, receipt(), codes[0]) for _ in range(16)])
    assert Counter(outcomes) == {Outcome.STORED: 1, Outcome.USED_INVITATION: 15}
    assert store.receive(wellbeing, Sent(ROW, receipt(), draw_code())) is Outcome.UNKNOWN_INVITATION
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.UNKNOWN_INVITATION
    both = sent_together(store, wellbeing, [Sent(ROW, receipt(), each) for each in codes[1:]])
    assert both == [Outcome.STORED] * 2
    assert (store.invitations(NAME).issued, store.invitations(NAME).used) == (3, 3)


def test_a_closed_survey_takes_nothing_until_it_is_opened_and_for_good_never(store: Store, wellbeing: Survey) -> None:
    first = Sent(ROW, receipt())
    store.receive(wellbeing, first)
    store.close_survey(NAME)
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.CLOSED
    assert store.receive(wellbeing, first) is Outcome.REPEATED
    assert not store.state(NAME).is_open
    store.open_survey(NAME)
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.STORED
    store.close_survey(NAME, for_good=True)
    assert not store.has(wellbeing, first.receipt or b""), "every receipt is erased"
    with pytest.raises(StoreError, match="closed for good"):
        store.open_survey(NAME)
    assert [each.newest.name for each in store.states()] == [NAME]


def test_nothing_is_stored_any_more_once_closing_has_returned(store: Store, wellbeing: Survey) -> None:
    with Store(store.path) as sender, ThreadPoolExecutor(16) as threads:
        sending = [threads.submit(sender.receive, wellbeing, Sent(ROW, receipt())) for _ in range(400)]
        while not store.count(wellbeing):
            pass
        store.close_survey(NAME)
        stored = store.count(wellbeing)
        outcomes = Counter(each.result() for each in sending)
    assert outcomes == {Outcome.STORED: stored, Outcome.CLOSED: 400 - stored}
    assert store.count(wellbeing) == stored


def test_a_quota_is_kept_however_many_send_at_once(store: Store, wellbeing: Survey) -> None:
    limited = replace(wellbeing, study=Study(quota=5, quotas=(("year", (("first", 3),)),)))
    store.publish(limited)
    outcomes = sent_together(store, limited, [Sent(ROW, receipt()) for _ in range(20)])
    assert Counter(outcomes) == {Outcome.STORED: 3, Outcome.FULL: 17}, "three of the first year, which this row is of"


def test_a_file_is_imported_all_of_it_or_nothing_and_taken_back(store: Store, wellbeing: Survey) -> None:
    published, rows = store.published(NAME), [ROW, OTHER, ROW]
    assert bring_in(store, published, rows) == 3
    with pytest.raises(StoreError, match="imported before"):
        bring_in(store, published, rows)
    batch = batch_from(wellbeing, [ROW, ROW])
    batch[len(ROW)] = 9 + FIRST  # no code of the question
    with pytest.raises(ResponseError, match="response number 2"):
        store.imports.bring_in(published, batch)
    assert take_back(store, published, rows) == 3
    assert bring_in(store, published, rows, simulated=Coins.UNSEEDED) == 3
    assert store.imports.simulated(published).line == "all 3 responses were simulated, with unseeded coins"
    assert set(store.imports.counts(published).values()) == {3}
    assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.CLOSED, "among simulated ones"


def test_an_id_that_is_taken_is_drawn_again(place: Place, wellbeing: Survey) -> None:
    numbers = iter([7, 7, 7, 8, 8, 9])
    with Store(place, create=True, draw_ids=lambda count: [next(numbers) for _ in range(count)]) as store:
        store.publish(wellbeing)
        for _ in range(3):
            assert store.receive(wellbeing, Sent(ROW, receipt())) is Outcome.STORED
        assert store.count(wellbeing) == 3


def test_responses_are_read_in_batches_of_one_moment_and_dealt_by_their_ids(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW, OTHER] * 100)
    batches = store.batches(wellbeing, 50)
    first = next(batches)
    store.add(wellbeing, [ROW] * 100)
    assert len(first) + sum(map(len, batches)) == 200 * len(ROW)
    dealt = [held_out for _, each in store.dealt(wellbeing, Fraction(1, 3), 50) for held_out in each]
    assert len(dealt) == 300
    assert 60 < sum(dealt) < 140
    assert dealt == [each for _, part in store.dealt(wellbeing, Fraction(1, 3), 70) for each in part], "by their ids"


def test_tidying_keeps_every_row_and_the_register_keeps_runs(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW, OTHER] * 50)
    code = store.invite(NAME, 1)[0]
    store.receive(wellbeing, Sent(ROW, receipt(), code))
    before = store.rows(wellbeing)
    number = store.registry.start(wellbeing.fingerprint, {"mode": "auto"}, 101)
    store.registry.announce(number, {"accuracy": 0.5}, "0" * 64)
    store.registry.end(number, "promoted", {"accuracy": 0.5})
    for _ in range(2):
        store.registry.wait(wellbeing.fingerprint)
    store.tidy()
    assert store.rows(wellbeing) == before
    assert store.invitations(NAME).used == 1
    (run,) = store.registry.runs(wellbeing.fingerprint)
    assert (run.number, run.result, run.settings) == (number, "promoted", {"mode": "auto"})
    assert store.registry.waits(wellbeing.fingerprint) == 2


def test_a_survey_is_removed_with_all_there_is_of_it(place: Place, store: Store, wellbeing: Survey) -> None:
    with Store(place) as other:
        other.receive(wellbeing, Sent(ROW, receipt()))
        store.remove(NAME)
        assert other.receive(wellbeing, Sent(ROW, receipt())) is Outcome.REMOVED
    store.publish(wellbeing)
    store.invite(NAME, 2)
    store.add(wellbeing, [ROW] * 3)
    store.registry.wait(wellbeing.fingerprint)
    assert store.remove(NAME) == 3
    assert (store.surveys(), store.state(NAME), store.invitations(NAME).issued) == ([], None, 0)
    assert store.publish(wellbeing).version == 1
    assert store.count(wellbeing) == 0


def test_what_is_published_anew_in_another_order_is_stored_where_it_belongs(
    place: Place, store: Store, wellbeing: Survey
) -> None:
    other, reworded = replace(wellbeing, target=None), replace(wellbeing, title=Text((("en", "Another"),)))
    with Store(place) as server:
        for survey in (wellbeing, other):
            store.publish(survey)
            server.receive(survey, Sent(ROW, receipt()))
        store.remove(NAME)
        for survey in (other, wellbeing):
            store.publish(survey)
        assert sent_together(server, wellbeing, [Sent(ROW, receipt()) for _ in range(40)]) == [Outcome.STORED] * 40
        assert server.receive(other, Sent(OTHER, receipt())) is Outcome.OUTDATED
        assert (store.rows(wellbeing), server.rows(wellbeing), store.rows(other)) == ([ROW] * 40, [ROW] * 40, [])
        store.publish(reworded)
        assert server.receive(reworded, Sent(ROW, receipt())) is Outcome.STORED
        store.remove(NAME)
        store.publish(reworded)
        assert sent_together(server, reworded, [Sent(ROW, receipt()) for _ in range(40)]) == [Outcome.STORED] * 40
        assert server.receive(wellbeing, Sent(ROW, receipt())) is Outcome.OUTDATED
        assert (server.state(NAME), server.count(reworded)) == (store.state(NAME), 40)


def test_what_is_published_anew_with_other_questions_is_refused_and_the_rest_stored(
    place: Place, store: Store, wellbeing: Survey
) -> None:
    fewer = replace(wellbeing, questions=wellbeing.questions[:1], groups=(), target=None)
    with Store(place) as server:
        server.receive(wellbeing, Sent(ROW, receipt()))
        store.remove(NAME)
        store.publish(fewer)
        assert server.receive(wellbeing, Sent(ROW, receipt())) is Outcome.OUTDATED
        assert server.receive(fewer, Sent(ROW[:1], receipt())) is Outcome.STORED


def _send(place: Place, survey: Survey, responses: list[Sent]) -> list[Outcome]:
    with Store(place) as store:
        return sent_together(store, survey, responses)


def test_processes_store_at_once_and_each_response_once(store: Store, wellbeing: Survey) -> None:
    responses = [Sent(ROW, receipt()) for _ in range(60)]
    with get_context("spawn").Pool(3) as pool:
        given = [(store.path, wellbeing, responses if turn else responses[::-1]) for turn in range(3)]
        found = [each for part in pool.starmap(_send, given) for each in part]
    assert Counter(found) == {Outcome.STORED: 60, Outcome.REPEATED: 120}
    assert store.rows(wellbeing) == [ROW] * 60
