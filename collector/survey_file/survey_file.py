"""The reader of survey files in TOML, which checks a file and compiles it to a `Survey`.

Decimals in a survey file are read exactly (0.2 is 1/5). Codings are computed only when a survey file is compiled.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from collector.characters import cleaned
from collector.errors import SurveyError
from collector.survey.design import read_screens
from collector.survey.fields import Fields
from collector.survey.sampling import Sampling
from collector.survey.study import read_study
from collector.survey.survey import Survey, check_languages
from collector.survey.text import read_text
from collector.survey_file.group_file import disguised, read_wishes
from collector.survey_file.kinds.kind import Expanded
from collector.survey_file.others import with_others
from collector.survey_file.picture_file import beside, check_weight, read_picture
from collector.survey_file.privacy_file import EpsilonPlan, SamplingWish, planned, read_promise
from collector.survey_file.question_file import read_question
from collector.survey_file.question_tables import expanded
from collector.survey_file.text_file import text_of

TEXT_KEYS = frozenset(
    "title label hint section words unit none options statements items study picture_text logo_text".split()  # noqa: SIM905
)
"""Keys of texts that respondents read."""
FILE_KEYS = frozenset({"picture", "pictures", "logo"})  # keys of file names, which stay as they are on the disk


@dataclass(frozen=True)
class Compiled:
    """The compiled contents of a survey file.

    Attributes:
        survey: Design of the survey.
        plan: Design chosen for the epsilon in ``[privacy]``, or None without this table.
        dropped: Invisible characters that were removed, with their places.
    """

    survey: Survey
    plan: EpsilonPlan | None
    dropped: tuple[tuple[str, str], ...] = ()


def read_survey_file(path: Path | str) -> Survey:
    """Return the survey that a survey file describes.

    Raises:
        InputError: If the file cannot be read as text.
        SurveyError: If the file is not valid.
    """
    return read_compiled(Path(path)).survey


def read_compiled(path: Path) -> Compiled:
    """Return the compiled contents of a survey file.

    Raises:
        InputError: If the file cannot be read as text.
        SurveyError: If the file is not valid.
    """
    text = text_of(path, "a TOML file")
    try:
        return compiled(text, path.parent)
    except SurveyError as error:
        raise error.within(str(path)) from None


def parse_survey(text: str) -> Survey:
    """Return the survey that the text of a survey file describes.

    Raises:
        SurveyError: If the file is not valid.
    """
    return compiled(text).survey


def compiled(text: str, folder: Path | None = None) -> Compiled:
    """Return the compiled contents of a survey file, given its text.

    Args:
        text: Text of the survey file.
        folder: Folder of the pictures, or None if pictures are not allowed.

    Raises:
        SurveyError: If the file is not valid. If a survey file has several errors, a `SurveyFaultsError` reports all
            errors together.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise SurveyError("survey", f"the survey file is not valid TOML ({error})", "correct the line") from None
    except (ValueError, RecursionError):
        raise SurveyError(
            "survey",
            "a number is too long, or lists are nested too deep",
            "shorten the number, or use fewer levels of brackets",
        ) from None
    return compiled_values(document, folder)


def compiled_values(document: dict[str, Any], folder: Path | None = None) -> Compiled:
    """Return the compiled contents of a survey file, given its values as Python values.

    Args:
        document: Values of the survey file.
        folder: Folder of the pictures, or None if pictures are not allowed.

    Raises:
        SurveyError: If the file is not valid.  Several errors are raised together as a `SurveyFaultsError`.
    """
    document, dropped = cleaned(document, TEXT_KEYS, FILE_KEYS)
    try:
        return replace(_compiled(document, folder), dropped=tuple(dropped))
    except SurveyError as error:
        raise with_others(error, document, folder) from None


def _compiled(document: dict[str, Any], folder: Path | None) -> Compiled:
    fields = Fields(document, "survey")
    name, languages = fields.take("name", str), tuple(fields.take_list("languages", str))
    check_languages(languages)
    title = read_text(fields, "title", languages)
    tables, groups = fields.tables("questions"), fields.take_optional("groups", dict)
    whole = expanded(tables, document["questions"], groups, languages, folder)
    groups, tables = whole.groups, Fields({"questions": whole.questions}, "survey").tables("questions")
    promise = read_promise(fields.take_optional("privacy", dict), groups)
    wishes = read_wishes(groups or {})
    drafts = [read_question(table, languages) for table in tables]
    target = _target(fields.take_optional("mining", dict))
    wish = _sampling(fields.take_optional("sampling", dict), whole, [draft.question.name for draft in drafts])
    named = [
        replace(
            each,
            picture=each.picture and beside(each.picture, folder),
            pictures=tuple((answer, beside(picture, folder)) for answer, picture in each.pictures),
        )
        for each in read_screens(fields)
    ]
    screens, shuffle = (*whole.screens, *named), fields.take_optional("shuffle", bool) or False
    if promise is not None:
        design, plan = planned(promise, drafts, wish, target)
        questions, homes, sampling = design.questions, design.groups, design.sampling
    else:
        plan, sampling = None, None if wish is None else _said(wish)
        questions, homes = disguised(drafts, wishes, sampling)
    card = fields.take_optional("study", dict)
    logo = None if card is None else read_picture(Fields(card, "study"), "logo", languages, folder)
    study = read_study(card, languages, logo)
    preview, wave = fields.take_optional("preview", str) or "after", fields.take_optional("wave", int)
    deposit = fields.take_optional("deposit", bool) or False
    if deposit and promise is not None and promise.central is not None:
        remedy = "give epsilon instead of central_epsilon, or remove deposit"
        raise SurveyError("deposit", "a central epsilon does not hold for published responses", remedy)
    fields.finish()
    order = {question.name: at for at, question in enumerate(questions)}
    screens = tuple(sorted(screens, key=lambda each: order.get(each.questions[0] if each.questions else "", 0)))
    survey = Survey(
        name, title, languages, questions, homes, target, study, preview, sampling, screens=screens, shuffle=shuffle
    )
    survey = replace(survey, wave=1 if wave is None else wave, deposit=deposit)
    _refuse_parted(survey, whole)
    survey.check_length()
    check_weight(survey.pictures)
    return Compiled(survey, plan)


def _target(mining: dict[str, object] | None) -> str | None:
    if mining is None:
        return None
    fields = Fields(mining, "mining")
    target = fields.take("target", str)
    fields.finish()
    return target


def _sampling(table: dict[str, object] | None, whole: Expanded, names: list[str]) -> SamplingWish | None:
    """Return the content of a ``[sampling]`` table, with the names of questions in survey order."""
    if table is None:
        return None
    fields = Fields(table, "sampling")
    ask, listed = fields.take_optional_any("ask"), fields.take_optional("always", list)
    if ask not in {None, "auto"} and type(ask) is not int:
        raise SurveyError(
            fields.within("ask"), "the value is not a whole number", 'write a whole number, or "auto" with [privacy]'
        )
    always = None if listed is None else whole.whole(fields.all_of("always", listed, str))
    fields.finish()
    number = ask if isinstance(ask, int) else None
    if always is None:
        return SamplingWish(number, None)
    unknown = [name for name in always if name not in names]
    return SamplingWish(number, (*sorted(set(names) & set(always), key=names.index), *unknown, *_twice(always)))


def _twice(names: list[str]) -> list[str]:
    """Return the names that occur repeatedly in a list."""
    return [name for place, name in enumerate(names) if name in names[:place]]


def _refuse_parted(survey: Survey, whole: Expanded) -> None:
    """Refuse limits on the number of ticked options if a respondent may be asked only some of the options.

    With limits for all options, a respondent might have to tick an option that does not apply.
    """
    if survey.sampling is None or survey.sampling.ask == len(survey.questions):
        return
    names = {tuple(parts): name for name, parts in whole.parts.items()}
    for screen in survey.screens:
        if not screen.is_together or not any(survey.may_miss(name) for name in screen.questions):
            continue
        options, least, most = len(screen.questions), screen.least or 0, screen.most
        limits = [("least", f"tick at least {least}")] if least > (screen.none is not None) else []
        limits += [("most", f"tick at most {most}")] if most is not None and most < options else []
        for key, limit in limits:
            name = names.get(screen.questions)
            problem = f'[sampling] asks people some of its {options} options only, and "{limit}" is meant of all'
            place = screen.place if name is None else f'question "{name}"'
            raise SurveyError(f"{place}, {key}", problem, f"drop {key}, or name all its options in [sampling] always")


def _said(wish: SamplingWish) -> Sampling:
    """Return the ``[sampling]`` settings of a survey file that has no ``[privacy]`` table."""
    if wish.ask is None:
        raise SurveyError(
            "sampling",
            "the number of questions to ask is missing",
            "write a number such as ask = 3, or give an epsilon under [privacy]",
        )
    return Sampling(wish.ask, wish.always or ())
