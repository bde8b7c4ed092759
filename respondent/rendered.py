"""The site of a published design as this installation serves it, for comparison by `collector verify-page`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from collector.store.published import Published, SurveyState
from collector.store.quota import Quota
from collector.store.store import Invitations
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey
from respondent.app import create_app
from respondent.preview import NoStore

Given = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body of an HTTP answer."""


class _Design(NoStore):
    """A substitute for a store, which has one published design and stores no responses."""

    def __init__(self, survey: Survey, pictures: Mapping[str, bytes], quota: Quota, *, by_invitation: bool) -> None:
        super().__init__(Path())
        self._carried, self._pictures, self._quota, self._issued = survey, pictures, quota, int(by_invitation)

    def _published(self) -> Published:
        return Published(self._carried.name, 1, self._carried.fingerprint, self._carried)

    def states(self) -> list[SurveyState]:
        """Return the state of the design's survey, which is open, although some of its quotas may be reached."""
        return [SurveyState(self._published(), is_closed=False, is_simulated=False, quota=self._quota)]

    def picture(self, name: str) -> bytes | None:
        """Return the bytes of a picture."""
        return self._pictures.get(name)

    def invitations(self, name: str) -> Invitations:
        """Return numbers of invitations, which are zero if respondents need no invitation."""
        del name
        return Invitations(self._issued, 0)


def rendered(
    design: str,
    *,
    pictures: Mapping[str, bytes],
    full: Mapping[str, Sequence[str]],
    by_invitation: bool,
) -> Callable[[str, str, str, Mapping[str, str]], Given]:
    """Return a function that answers requests as a server does on which only this design is published.

    Args:
        design: Canonical JSON of the design in the page.
        pictures: Pictures by their names.
        full: Values whose quota is reached, by the question's name.
        by_invitation: Whether the page asks for an invitation code.

    Returns:
        A function of the mark on every page, as in `create_app`, of the server's address, below which ``/s/`` begins,
        of the rest of the address, and of the request's headers.

    Raises:
        SurveyError: If the design is not valid.
    """
    survey = survey_from_json(design)
    names = [question.name for question in survey.questions]
    quotas = survey.study.quotas if survey.study else ()
    reached = {
        (index, survey.questions[index].values.index(value)): 0
        for name, values in quotas
        for index in [names.index(name)]
        for value, _ in values
        if value in full.get(name, ())
    }
    app = create_app(_Design(survey, pictures, Quota(None, reached), by_invitation=by_invitation))

    def answer(mark: str, base: str, path: str, headers: Mapping[str, str]) -> Given:
        app.jinja_env.globals["mark"] = mark  # so that all marks share the compiled templates
        with app.test_client().get(path, base_url=base, headers=dict(headers)) as given:
            return given.status_code, list(given.headers), given.data

    return answer
