"""Pages for respondents: the list of open surveys, each survey as one document, and the form to fill in by hand."""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import Environment
from jinja2.ext import Extension
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from collector.errors import DeniableError
from collector.page.static_files import ENTRY
from collector.store.store import Store
from collector.survey.picture import NAME, TYPES
from collector.survey.survey import Survey
from collector.wording.languages import SHIPPED
from collector.wording.wording import is_whole, wording
from respondent.errors import UnmarkedError
from respondent.headers import headers_with
from respondent.intake.body import draw_receipt, read_receipt
from respondent.intake.proof import draw_proof
from respondent.intake.states import open_survey, version_of
from respondent.pages.card import disguise
from respondent.pages.compression import compressed
from respondent.pages.forms import hand_form
from respondent.pages.hand import HandGroup, NotByHandError, by_hand
from respondent.pages.kinds import RESTORED, has_pictures, scripts_of, styles_of
from respondent.pages.languages import Interface, chosen_language, interface
from respondent.pages.static_files import checked
from respondent.pages.texts import error_words, interval_words, texts_for
from respondent.pages.words import condition_words

BLOCKS = (
    "!doctype|html|head|meta|title|link|script|body|header|nav|main|section|form|fieldset|legend|figure|figcaption|"
    "h1|h2|p|div|ul|li|dl|dt|dd|table|thead|tbody|tr|th|td|details|summary|template|noscript"
)
LINE_AT_BLOCK = re.compile(rf"(?<=>)\n(?=</?(?:{BLOCKS})\b)")
"""The end of a line between a tag and a tag that begins or ends a block. No browser shows it."""

LATE = Markup("#late{visibility:hidden;animation:late 0s 10s forwards}@keyframes late{to{visibility:visible}}")
"""Style that shows, after ten seconds, that the script did not load. It is inside the page, because if the address
of the script fails, that of a style sheet fails too."""

UNSENT = Markup(
    "form:has(#check:not([hidden])):not(:has(#preview)) #next,form:has(#preview:not([hidden])) #next,"
    "#card details:has([data-delete]){display:none}"
)
"""Style of a draft, which is only shown: no button sends a response or a receipt."""


def pages(store: Store) -> Blueprint:
    """Return the Flask routes of the pages for the surveys in a store."""
    routes = Blueprint("pages", __name__)
    routes.record_once(lambda state: _prepare(state.app.jinja_env))

    @routes.app_context_processor
    def language() -> dict[str, Any]:
        """Return the template variables of pages that belong to no survey, such as the list of surveys."""
        return _about(_chosen(_translated(store)))

    @routes.get("/")
    def index() -> str:
        surveys = [state.newest.survey for state in store.states() if state.is_open]
        shown = [(each, _chosen(each.languages).language) for each in surveys]
        return render_template("index.html", surveys=shown)

    @routes.get("/s/<name>")
    def survey(name: str) -> Response:
        state = open_survey(store, name)
        published = state.newest.survey
        spoken = _chosen(published.languages)
        by_invitation = _by_invitation(store, name)
        hashes = cast("dict[str, str]", current_app.jinja_env.globals["hashes"])
        scripts = scripts_of(published, hashes, by_invitation=by_invitation)
        style = LATE + UNSENT if current_app.jinja_env.globals["mark"] == "draft" else LATE
        import_map = _import_map({each: hashes[each] for each in (*scripts, RESTORED) if each != ENTRY})
        page = render_template(
            "survey.html",
            **_about(spoken),
            survey=published,
            count=len(published.questions) - sum(len(each.questions) - 1 for each in published.screens),
            disguise=disguise(published),
            by_hand=_hand_groups(published, spoken)[1] is None,
            data=_data(published, spoken, state.quota.full_values(published), by_invitation=by_invitation),
            design=_in_html(published.canonical),
            by_invitation=by_invitation,
            scripts=scripts,
            styles=styles_of(published),
            import_map=import_map,
            late=style,
        )
        answer = compressed(page.encode(), "text/html")
        answer.headers.update(headers_with(import_map, style))
        return answer

    @routes.get("/s/<name>/by-hand", endpoint="by_hand")
    def on_paper(name: str) -> str:
        published, receipt = open_survey(store, name).newest.survey, draw_receipt()
        return _form_by_hand(store, published, receipt, draw_proof(store, name, read_receipt(receipt)))

    @routes.app_errorhandler(UnmarkedError)
    def unmarked(_: UnmarkedError) -> ResponseReturnValue:
        """Return the page of an incomplete form for disguising by hand, with marks on missing codes."""
        sent, name = request.form, str((request.view_args or {})["name"])
        try:
            open_survey(store, name)
            published = version_of(store, name, sent["fingerprint"])
            return _form_by_hand(store, published, sent["receipt"], sent["proof"], sent), UnmarkedError.status
        except DeniableError as error:  # no handler is asked for what another raises
            return current_app.handle_user_exception(error)

    @routes.get("/pictures/<name>", endpoint="picture")
    def picture(name: str) -> Response:
        content = store.picture(name) if NAME.fullmatch(name) else None
        if content is None:
            abort(404)
        return checked(Response(content, mimetype=TYPES[name.rpartition(".")[2]]))

    @routes.get("/exit", endpoint="exit")
    def leave() -> str:
        return render_template("exit.html")

    return routes


def _form_by_hand(
    store: Store, published: Survey, receipt: str, proof: str, sent: MultiDict[str, str] | None = None
) -> str:
    """Return the page with the form for disguising by hand, perhaps filled in with an incomplete form."""
    spoken = _chosen(published.languages)
    groups, obstacle = _hand_groups(published, spoken)
    numbers = {question.name: number for number, question in enumerate(published.questions, start=1)}
    return render_template(
        "by_hand.html",
        **_about(spoken),
        survey=published,
        count=len(published.questions),
        disguise=disguise(published),
        groups=groups,
        form=hand_form(published, sent),
        numbers=numbers,
        obstacle=obstacle,
        receipt=receipt,
        proof=proof,
        by_invitation=_by_invitation(store, published.name),
    )


def _prepare(templates: Environment) -> None:
    templates.add_extension(_Tight)
    templates.trim_blocks = True
    templates.globals |= {"error_words": error_words, "condition_words": condition_words}
    templates.globals |= {"is_whole": is_whole, "wording": wording}


class _Tight(Extension):
    """A Jinja extension that removes unnecessary white space from templates."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source of a template without unnecessary white space."""
        del name, filename
        lines = "\n".join(line.strip() for line in source.splitlines() if line.strip())
        return LINE_AT_BLOCK.sub("", lines)


def _about(spoken: Interface) -> dict[str, Any]:
    return {"_": spoken.gettext, "language": spoken.language, "direction": spoken.direction, "interface": spoken}


def _chosen(languages: Sequence[str]) -> Interface:
    return interface(chosen_language(languages, request.args.get("lang"), request.accept_languages))


def _translated(store: Store) -> Sequence[str]:
    """Return the languages of a page that have a translated interface."""
    try:
        state = store.state(str((request.view_args or {}).get("name")))
    except DeniableError:  # this may be the very page that says so
        state = None
    spoken = state.newest.survey.languages if state else ()
    return [tag for tag in spoken if tag.lower().split("-")[0] in SHIPPED] or SHIPPED


def _hand_groups(survey: Survey, spoken: Interface) -> tuple[list[HandGroup], int | None]:
    """Return instructions for disguising by hand, and the number of the question that makes them impossible.

    The returned number is 0 if the questionnaire is split, because only a script can draw questions.
    """
    if survey.sampling is not None:
        return [], 0
    try:
        return by_hand(survey, spoken), None
    except NotByHandError as error:
        return [], error.question


def _by_invitation(store: Store, name: str) -> bool:
    return store.invitations(name).issued > 0


def _data(survey: Survey, spoken: Interface, full: dict[str, list[str]], *, by_invitation: bool) -> Markup:
    """Return the data for the page's script, without the design, as JSON that is safe in HTML."""
    about = {
        "address": current_app.url_for("intake.receive", name=survey.name),
        "fingerprint": survey.fingerprint,
        "texts": texts_for(survey, spoken, by_invitation=by_invitation),
    }
    if has_pictures(survey):
        about["pictures"] = current_app.url_for("pages.picture", name="_")[:-1]
    if intervals := interval_words(survey, spoken.language):
        about["intervals"] = intervals
    if full:
        about["full"] = full
    return _in_html(json.dumps(about, ensure_ascii=False, separators=(",", ":")))


def _import_map(hashes: dict[str, str]) -> Markup:
    """Return the HTML import map with the hash of each script that other scripts load."""
    named = {f"../static/{name}": each for name, each in hashes.items()}
    return _in_html(json.dumps({"integrity": named}, separators=(",", ":")))


def _in_html(written: str) -> Markup:
    return Markup(written.replace("<", "\\u003c"))  # noqa: S704 - no character is left that HTML would act on
