"""Import of a form question by question. Parts of the form that a survey cannot have are left out and named.

A question that is marked as disguised is never left out. If a question that is marked as disguised cannot be imported,
the whole form is refused. A question is also left out if its condition names a question that was left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from collector.conditions.language import written_one_of
from collector.errors import SurveyError
from collector.forms.collected import FormTally, collected, collected_notes, counted_reasons
from collector.forms.conditions import Named, conditions_of, named
from collector.forms.cuts import MEASURED, PROPOSED, proposed, within
from collector.forms.plain_text import dropped, shortened, without_markup
from collector.survey.picture import Picture
from collector.survey.question import DECLINED, NOT_APPLICABLE
from collector.survey.screen import GRID
from collector.survey.survey import Survey, check_number_of_questions
from collector.survey.text import LONGEST_TEXT
from collector.survey_file.kinds.kind import FLAGS
from collector.survey_file.naming import LONGEST_NAME, name_of
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import file_of

T = TypeVar("T")
U = TypeVar("U")
Table = dict[str, Any]
MOST_NAMED = 10
CHOSEN = "does_not_apply"  # value of a person who was asked and chose "not applicable"
OF_THE_FORM = ("group", "coins", "coding", "replacement", "prior", "ask_if")
"""Keys that cannot be checked for a question alone."""


@dataclass(frozen=True)
class Found:
    """A question that has been read from a form.

    Attributes:
        table: Table of the survey file, without its conditions.
        name: Name of the question in the form.
        written: The form's words for values, options or statements, or None if the form uses the names of the survey
            file.
        conditions: Conditions for asking the question, each with its place in the form.
        declined: The form's word for "prefer not to say".
        rows: Name of the survey's question for each named row of a grid.
    """

    table: Table
    name: str
    written: Mapping[str, str] | None = None
    conditions: Sequence[tuple[str, str]] = ()
    declined: str = DECLINED
    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass
class FormReading:
    """The state of an import while a form is read.

    Attributes:
        strict: Whether to refuse the form instead of leaving anything out.
        languages: Languages of the survey, the form's default language first.
        notes: Notes on changes and unused parts, each with the parts of the form that the note is about.
        errors: Errors about parts that a survey cannot have, by the error message.
        taken_tables: Number of imported questions.
        left_questions: Problem and number of questions left out, by the error message.
        known: Questions that later conditions may name.
        missing: Places of texts without a translation, by language.
        taken: Places of the questions read so far, by name.
        named: Names in the form, by the names in the survey.
        pictures: Pictures of the imported questions, by their SHA-256.
        measured: Cut points from a table of answers, by name of the question in the form or in the survey.
    """

    strict: bool = False
    languages: list[str] = field(default_factory=list)
    notes: dict[tuple[str, str], None] = field(default_factory=dict)
    errors: dict[str, SurveyError] = field(default_factory=dict)
    taken_tables: int = 0
    left_questions: dict[str, tuple[str, int]] = field(default_factory=dict)
    known: dict[str, Named] = field(default_factory=dict)
    missing: dict[str, dict[str, None]] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    measured: Mapping[str, Sequence[Decimal]] = field(default_factory=dict)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Lines about the parts that a survey cannot have: a line for each problem, with all places."""
        return collected(self.errors.values())

    @property
    def tally(self) -> FormTally:
        """The numbers of imported questions, of questions left out, and of other parts left out."""
        reasons = counted_reasons(self.left_questions.values())
        return FormTally(self.taken_tables, reasons, len(self.errors.keys() - self.left_questions.keys()))

    def note(self, words: str, about: str = "") -> None:
        """Add a note. Notes with equal words become one line."""
        self.notes[words, about] = None

    def leave_questions(self, error: SurveyError, place: str = "", number: int = 1) -> None:
        """Leave out one or more questions because of an error, and count the questions."""
        line = self.leave(error, place)
        _, before = self.left_questions.get(line, ("", 0))
        self.left_questions[line] = error.problem, before + number

    def leave(self, error: SurveyError, place: str = "") -> str:
        """Leave out the part of the form that an error is about, or refuse the form.

        Returns:
            The message of the error.

        Raises:
            SurveyError: The given error, if nothing may be left out.
        """
        if self.strict:
            raise error
        if place and not error.place.startswith(place):
            error = SurveyError(f"{place}, by {error.place}", error.problem, error.remedy)
        line = str(error)
        self.errors[line] = error
        return line

    def cuts(self, names: Sequence[str], bounds: Mapping[str, Any], *, whole: bool) -> list[Any]:
        """Return cut points for a number or a date without cut points, and add a note.

        The cut points come from a table of answers, or are chosen between the bounds of the question.
        """
        of_table = next((self.measured[name] for name in names if name in self.measured), ())
        for found, words in ((within(of_table, bounds), MEASURED), (proposed(bounds, whole=whole), PROPOSED)):
            if found:
                self.note(words, f"{names[0]} {' '.join(map(str, found))}")
                return found
        return []

    def part(self, read: Callable[[], T], otherwise: U) -> T | U:
        """Return an optional part of a question, or `otherwise` if a survey cannot have the part."""
        try:
            return read()
        except SurveyError as error:
            self.leave(error)
            return otherwise

    def plain(self, text: str, place: str) -> str:
        """Return a text on one line, without markup and shortened if necessary, and record the changes."""
        plain = without_markup(text)
        if plain != " ".join(text.split()):
            self.leave(
                SurveyError(place, "a text contains HTML or Markdown; only its words are used", "write plain words")
            )
        return self.fitted(plain, place)

    def fitted(self, text: str, place: str) -> str:
        """Return a text, shortened if necessary, and record that it was shortened."""
        if len(text) > LONGEST_TEXT:
            problem = f"the text is longer than {LONGEST_TEXT} characters, and its end is left out"
            self.leave(SurveyError(place, problem, "shorten it"))
        return shortened(text)

    def kept(self, parts: Sequence[Mapping[str, str]], places: Sequence[str], mark: str) -> int:
        """Return how many leading parts must be left out so that the other parts make a text that is short enough."""
        first = dropped(parts, mark)
        for place in places[:first]:
            problem = f"with what follows it, it is longer than {LONGEST_TEXT} characters"
            self.leave(SurveyError(place, problem, "shorten the text, or put it under [study] in the survey file"))
        return first

    def translated(self, texts: Mapping[str, str | None], places: Mapping[str, str]) -> dict[str, str]:
        """Return a text in every language.

        A missing translation is replaced by the text in another language.

        Raises:
            SurveyError: If a translation is missing and nothing may be left out.
        """
        first = next(text for tag in self.languages if (text := texts.get(tag)) is not None)
        for tag in self.languages:
            if texts.get(tag) is None:
                if self.strict:
                    raise SurveyError(places[tag], f'the text is missing in "{tag}"', "translate it")
                self.missing.setdefault(tag, {})[places[tag]] = None
        return {tag: text if (text := texts.get(tag)) is not None else first for tag in self.languages}

    def name(self, given: str, number: int = 1) -> str:
        """Return a valid and unique name for a question, and add a note if the form has another name."""
        name = first = name_of(given, number)
        others = 1
        while self.named.setdefault(name, given) != given:
            others += 1
            name = f"{first[: LONGEST_NAME - len(str(others)) - 1]}_{others}"
        if name != given:
            self.note("renamed", f'"{given}" is {name}')
        return name

    def take(self, place: str, read: Callable[[], Found], *, disguised: bool) -> Table | None:
        """Return the table of a question with the question's conditions, or None if the question is left out.

        Args:
            place: Place of the question in the form.
            read: Function that reads the question.
            disguised: Whether the form marks the question as disguised.

        Raises:
            SurveyError: If the question cannot be imported and is disguised, or if nothing may be left out.
        """
        before = dict(self.notes), dict(self.errors), {tag: dict(each) for tag, each in self.missing.items()}
        try:
            found = _found(read, place)
            table = found.table
            asked = [words for each in found.conditions for words in self._conditions(*each)]
            if asked and "ask_if" not in table:
                table["ask_if"] = " and ".join(dict.fromkeys(asked))
            written = self._without_reserved(table, found.written)
            names = self._names(table, place)
        except SurveyError as error:
            if disguised:
                raise
            self.notes, self.errors, self.missing = before  # what is said of its parts
            self.leave_questions(error, place)
            return None
        self.taken_tables += 1
        check_number_of_questions(self.taken_tables)
        self.taken |= dict.fromkeys(names, place)
        self.known |= named(table, found.name, written, found.declined)
        self.known |= {row: self.known[question] for row, question in found.rows.items()}
        return table

    def _without_reserved(self, table: Table, written: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Remove extra values (`EXTRAS`) such as "no answer" from a table, because a survey adds them itself.

        The choice "not applicable" of a form is renamed, because in a survey "not applicable" means that a person was
        not asked.

        Returns:
            The form's words for the values that remain in the table, or None.
        """
        extras = {value for value, key in FLAGS.items() if table.get(key)} & {*table.get("values", ())}
        for value in sorted(extras):
            self.note("not choices, but answers of the survey's own", f'"{value}" of {table["name"]}')
            table["values"] = [each for each in table["values"] if each != value]
        if "ask_if" not in table or NOT_APPLICABLE not in table.get("values", ()):
            return written
        values = table["values"]
        new = CHOSEN
        while new in values:
            new += "_"
        self.note("renamed", f'"{NOT_APPLICABLE}" of {table["name"]} is {new}')

        def renamed(value: str) -> str:
            return new if value == NOT_APPLICABLE else value

        usual = {each: each for each in values} | {NOT_APPLICABLE: "not applicable"}  # no two values may read the same
        said = table.get("words") or dict.fromkeys(self.languages, usual)
        table["words"] = {tag: {renamed(each): word for each, word in words.items()} for tag, words in said.items()}
        for key in {"prior", "pictures"} & table.keys():
            table[key] = {renamed(each): given for each, given in table[key].items()}
        table["values"] = [*map(renamed, values)]
        if table["kind"] == GRID:  # the form's words are those of its rows
            return written
        return {form: renamed(each) for form, each in (written or dict(zip(values, values, strict=True))).items()}

    def _conditions(self, place: str, expression: str) -> list[str]:
        try:
            return [written_one_of(*each) for each in conditions_of(expression, self.known)]
        except SurveyError as error:
            raise SurveyError(f"{place}: {expression[:60]}", error.problem, error.remedy) from None

    def _names(self, table: Table, place: str) -> list[str]:
        """Check a table of a survey file, and return the names of its questions."""
        alone = {key: each for key, each in table.items() if key not in OF_THE_FORM} | {"sensitive": False}
        title = dict.fromkeys(self.languages, "-") if len(self.languages) > 1 else "-"
        form = {"name": "form", "title": title, "languages": self.languages, "questions": [alone]}
        try:
            names = [each.name for each in parse_survey(file_of(form, "one question")).questions]
        except SurveyError as error:
            raise SurveyError(place, error.problem, error.remedy) from None
        for name in names:
            if name in self.taken:
                raise SurveyError(
                    place,
                    f'the name "{name}" is used twice, first at {self.taken[name]}',
                    "rename one of the two questions",
                )
        return names

    def closing_notes(self, survey: Survey) -> Iterator[str]:
        """Yield all notes of the import, the notes about the whole form last."""
        yield from collected_notes(self.notes)
        for tag, places in self.missing.items():
            many = f", and {len(places) - 1} more" if len(places) > 1 else ""
            yield f'not translated into "{tag}", and shown as in another language: {next(iter(places))}{many}'
        plain = [question.name for question in survey.questions if not question.sensitive]
        if not survey.groups:
            yield "no question is disguised: every answer is sent as it is"
        elif plain:
            yield f"sent as they are: {', '.join(plain)}"

    def check_some(self, tables: Sequence[Table], place: str, remedy: str) -> None:
        """Refuse a form without any question that can be asked.

        Raises:
            SurveyError: If no question can be asked.
        """
        if not tables:
            left_out = self.left_out
            why = left_out[:MOST_NAMED]
            more = f" | and {len(left_out) - len(why)} more" if len(why) < len(left_out) else ""
            problem = f"it asks nothing that can be asked: {' | '.join(why)}{more}" if why else "it asks nothing"
            raise SurveyError(place, problem, remedy)


def _found(read: Callable[[], Found], place: str) -> Found:
    try:
        return read()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SurveyError(
            place, "a part of the form is not valid", "open the form in the program that wrote it, and save it again"
        ) from error
