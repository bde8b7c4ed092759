"""The code book of a survey, as an HTML page and as DDI-Codebook 2.5 for archives."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from collector.channel.value_channel import value_transition
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.file_table import Converted
from collector.survey.question import EXTRAS, Question
from collector.survey.survey import Survey
from collector.wording.wording import is_whole, kind_of, unit_of, wordings

DDI = "ddi:codebook:2_5"
KEEP = " Keep the codes that are marked as missing: they are disguised like the others, and estimates need them."
SHORT = 10_000  # largest denominator of a probability that is written as a fraction
WHOLE = ", only whole numbers"
STYLE = (
    "body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "td,th{padding:.2rem 1rem .2rem 0;text-align:left}"
)


def how_disguised(survey: Survey, question: Question) -> str:
    """Return one or two sentences on how a question's codes are disguised."""
    group = survey.group_of(question.name)
    if group is None:
        return "Sent as answered: the codes are not disguised."
    key, number = group.channel.coin.published
    others = [name for name in group.questions if name != question.name]
    shared = f", together with {', '.join(others)}" if others else ""
    return (
        f'Disguised by randomized response before it was sent: group "{group.name}"{shared}, channel '
        f"{group.channel.name}, {key} {number}, coding {question.coding.scheme}. Do not count codes as answers: "
        "frequencies have to be estimated (miner estimate)."
    )


def sent_chances(survey: Survey, question: Question) -> dict[int, tuple[Fraction, ...]]:
    """Return the exact P(code sent | value) of each value, by the codes of a question.

    An empty dictionary is returned if the question is not disguised, or if P depends on which other questions were
    asked.
    """
    group = survey.group_of(question.name)
    if group is None or group.channel.coin.varies:
        return {}
    sent = value_transition(question.coding, group.channel)
    return {code: tuple(sent[code]) for code in question.codes}


def chances_told(chances: Mapping[str, Fraction], each: str, others: str) -> str:
    """Return probabilities as text, with the most frequent probability last.

    Args:
        chances: Probability by name.
        each: Words for one name, with ``{}`` for the name.
        others: Words for all names that share the most frequent probability.
    """
    usual, often = Counter(chances.values()).most_common(1)[0]
    if often == 1:
        usual = Fraction(-1)
    said = [f"{each.format(name)} with {_chance(chance)}" for name, chance in chances.items() if chance != usual]
    return ", ".join([*said, *([f"{others} with {_chance(usual)}"] if often > 1 else [])])


def _chance(chance: Fraction) -> str:
    return str(chance) if chance.denominator <= SHORT else f"{float(chance):.6g}"


def label_of(survey: Survey, question: Question, language: str) -> str:
    """Return the label of a question, in which an option or a statement is followed by the whole question."""
    screen, label = survey.screen_of(question.name), question.label[language]
    return label if screen is None or screen.label is None else f"{label} ({screen.label[language]})"


def meanings(survey: Survey, question: Question, nothing: str) -> dict[int, str]:
    """Return the values that each code stands for, with their wordings in the survey's first language."""
    read, coding = wordings(survey, question, survey.languages[0]), question.coding
    said = [name if name == words else f"{name}: {words}" for name, words in zip(question.values, read, strict=True)]
    return {code: " or ".join(said[value] for value in coding.values_of(code)) or nothing for code in question.codes}


def _values(survey: Survey, question: Question) -> Iterator[tuple[str, str, str]]:
    """Return each value of a question with its codes and its wording."""
    for index, words in enumerate(wordings(survey, question, survey.languages[0])):
        yield ", ".join(map(str, question.coding.codes_of(index))), question.values[index], words


def html_codebook(survey: Survey) -> Converted:
    """Return the code book as one HTML page, in the survey's first language."""
    language = survey.languages[0]
    parts = [f"<h1>{escape(survey.title[language])}</h1>", f"<p>Fingerprint <code>{survey.fingerprint}</code></p>"]
    parts += [f"<p>{escape(line)}</p>" for line in SurveyPrivacy(survey).group_lines]
    for question in survey.questions:
        unit = unit_of(survey, question, language)
        kind = f"{kind_of(survey, question)}{WHOLE if is_whole(survey, question) else ''}"
        rows = "".join(
            f"<tr><td>{codes}</td><td>{escape(value)}</td><td>{escape(shown)}</td></tr>"
            for codes, value, shown in _values(survey, question)
        )
        parts.append(
            f"<h2><code>{question.name}</code> {escape(label_of(survey, question, language))}</h2>"
            f"<p>{escape(kind)}{escape(f', in {unit}' if unit else '')}. "
            f"{escape(how_disguised(survey, question))}</p>"
            f"<table><tr><th>Codes</th><th>Value</th><th>Shown as</th></tr>{rows}</table>"
        )
    title = f"<title>{escape(survey.title[language])}</title>"
    page = f'<!doctype html>\n<html lang="{language}"><meta charset="utf-8">{title}'
    return Converted(f"{page}<style>{STYLE}</style><body>{''.join(parts)}</body></html>\n".encode(), ())


def ddi_codebook(survey: Survey) -> Converted:
    """Return the code book in the format DDI-Codebook 2.5."""
    language = survey.languages[0]
    book = Element("codeBook", {"xmlns": DDI, "version": "2.5", "xml:lang": language})
    study = SubElement(book, "stdyDscr")
    citation = SubElement(study, "citation")
    titles = SubElement(citation, "titlStmt")
    for tag in survey.languages:
        SubElement(titles, "titl" if tag == language else "parTitl", {"xml:lang": tag}).text = survey.title[tag]
    SubElement(titles, "IDNo", {"agency": "deniable"}).text = survey.fingerprint
    if survey.study and survey.study.who:
        statement = SubElement(citation, "rspStmt")
        SubElement(statement, "AuthEnty").text = survey.study.who[language]
    if survey.study and survey.study.why:
        SubElement(SubElement(study, "stdyInfo"), "abstract").text = survey.study.why[language]
    method = SubElement(SubElement(study, "method"), "dataColl")
    SubElement(method, "collMode").text = "Web page; answers are disguised by randomized response in the browser."
    data = SubElement(book, "dataDscr")
    for question in survey.questions:
        _variable(data, survey, question)
    indent(book)
    head = b'<?xml version="1.0" encoding="UTF-8"?>\n'
    return Converted(head + tostring(book, encoding="utf-8") + b"\n", ())


def _variable(data: Element, survey: Survey, question: Question) -> None:
    interval = {"intrvl": "discrete", "nature": "ordinal" if question.ordered else "nominal"}
    variable = SubElement(data, "var", {"ID": f"V_{question.name}", "name": question.name} | interval)
    for tag in survey.languages:
        SubElement(variable, "labl", {"xml:lang": tag}).text = label_of(survey, question, tag)
    asked, screen = SubElement(variable, "qstn"), survey.screen_of(question.name)
    if screen is not None and screen.label is not None:
        for tag in survey.languages:
            SubElement(asked, "preQTxt", {"xml:lang": tag}).text = screen.label[tag]
    for tag in survey.languages:
        SubElement(asked, "qstnLit", {"xml:lang": tag}).text = question.label[tag]
    for code, words in meanings(survey, question, "stands for no answer").items():
        meant = [question.values[value] for value in question.coding.values_of(code)]
        lacks = {"missing": "Y", "missType": meant[0]} if len(meant) == 1 and meant[0] in EXTRAS else {}
        category = SubElement(variable, "catgry", lacks)
        SubElement(category, "catValu").text = str(code)
        SubElement(category, "labl").text = words
    kept = KEEP if question.sensitive and variable.find("catgry[@missing]") is not None else ""
    kept += " Intervals hold only whole numbers." if is_whole(survey, question) else ""
    SubElement(variable, "codInstr").text = f"{how_disguised(survey, question)}{kept}"
