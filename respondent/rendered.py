"""The page of a published design as this installation makes it, for comparison by `collector verify-page`."""

from pathlib import Path

from collector.store.published import Published
from collector.store.store import Invitations
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey
from respondent.app import create_app
from respondent.preview import NoStore


class _Design(NoStore):
    """A substitute for a store, which has one published design and stores no responses."""

    def __init__(self, survey: Survey, *, by_invitation: bool) -> None:
        super().__init__(Path())
        self._carried, self._issued = survey, int(by_invitation)

    def _published(self) -> Published:
        return Published(self._carried.name, 1, self._carried.fingerprint, self._carried)

    def invitations(self, name: str) -> Invitations:
        """Return numbers of invitations, which are zero if respondents need no invitation."""
        del name
        return Invitations(self._issued, 0)


def rendered(design: str, base: str, query: str, *, by_invitation: bool, mark: str) -> str:
    """Return the HTML of a survey's page.

    Args:
        design: Canonical JSON of the design in the page.
        base: Address of the server, below which ``/s/`` begins.
        query: Query of the page's address, which may name a language.
        by_invitation: Whether the page asks for an invitation code.
        mark: Mark on the page, as in `create_app`.

    Raises:
        SurveyError: If the design is not valid.
    """
    survey = survey_from_json(design)
    app = create_app(_Design(survey, by_invitation=by_invitation), mark=mark)
    return app.test_client().get(f"/s/{survey.name}", base_url=base, query_string=query).text
