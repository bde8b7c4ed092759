"""Publishing of a survey from the designer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from collector.database.address import read_place
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.store.published import Published
from collector.store.store import Store
from collector.survey.survey import Survey

FREEZES = (
    "Questions, values, priors, groups and random draws: a change makes another version, with responses of its own.",
    "The odds that respondents are shown: no later version makes them better for responses that were sent.",
    "The name: the address of the survey has it, and so have its invitations.",
    "Texts, languages, days and quotas stay open: a change of these alone is a revision, and responses pool.",
)


def frozen_by(survey: Survey, store: str) -> list[str]:
    """Return sentences on the version that publishing would make, and on what could no longer be changed."""
    before = None
    place = read_place(store)
    if not isinstance(place, Path) or place.is_file():
        with Store(place) as opened:
            before = opened.state(survey.name)
    if before is None:
        becomes = f'It becomes version 1 of "{survey.name}", with the fingerprint {survey.fingerprint}.'
    else:
        newest = before.newest
        becomes = (
            f'"{survey.name}" is published as version {newest.version}, with the fingerprint {newest.fingerprint}.'
        )
    return [becomes, *FREEZES]


def published_in(survey: Survey, store: str) -> Published:
    """Publish a survey in a store, and create the store if it does not exist.

    Raises:
        SurveyError: If `collector check` refuses the design.
        StoreError: If the store cannot publish the survey (see `Store.publish`).
    """
    refusals = SurveyPrivacy(survey).refusals
    if refusals:
        raise SurveyError(refusals[0].place, refusals[0].problem, refusals[0].remedy)
    with Store(read_place(store), create=True) as opened:
        opened.refuse_tests()
        return opened.publish(survey)


def as_plain(published: Published) -> dict[str, Any]:
    """Return a published version as plain JSON values."""
    return {"published": published.name, "version": published.version, "fingerprint": published.fingerprint}
