"""A survey with every kind of answer, in any languages, and how each answer reads in English and in German."""

from __future__ import annotations

from collections.abc import Sequence

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

TEXTS = {
    "fruit": ("Which fruit first?", "Welches Obst zuerst?"),
    "apple": ("Red apple", "Roter Apfel"),
    "pear": ("Green pear", "Grüne Birne"),
    "rent": ("Your rent?", "Ihre Miete?"),
    "crowns": ("crowns", "Kronen"),
    "steps": ("How many steps?", "Wie viele Schritte?"),
    "moved": ("When did you move?", "Wann sind Sie umgezogen?"),
    "pets": ("Which pets?", "Welche Tiere?"),
    "cat": ("A cat", "Eine Katze"),
    "dog": ("A big dog", "Ein großer Hund"),
    "petless": ("No pets", "Keine Tiere"),
    "tools": ("Which tools?", "Welche Werkzeuge?"),
    "saw": ("Hand saw", "Handsäge"),
    "axe": ("Sharp axe", "Scharfe Axt"),
    "drinks": ("What do you drink?", "Was trinken Sie?"),
    "tea": ("Black tea", "Schwarzer Tee"),
    "ale": ("Pale ale", "Helles Bier"),
    "neither": ("Neither", "Weder noch"),
    "town": ("How true is it?", "Wie sehr stimmt es?"),
    "quiet": ("It is quiet", "Es ist ruhig"),
    "clean": ("It is clean", "Es ist sauber"),
    "low": ("Hardly", "Kaum"),
    "high": ("Very much", "Sehr"),
    "smokes": ("Do you smoke?", "Rauchen Sie?"),
    "often": ("How often?", "Wie oft?"),
    "rare": ("Once a week", "Einmal die Woche"),
    "daily": ("Each day", "Jeden Tag"),
    "coat": ("Which coat?", "Welcher Mantel?"),
}

READ = {
    "fruit": {
        "en": ["Red apple \u203a Green pear", "Green pear \u203a Red apple"],
        "de": ["Roter Apfel \u203a Grüne Birne", "Grüne Birne \u203a Roter Apfel"],
    },
    "rent": {
        "en": ["under 400 crowns", "400 to under 1,250.5 crowns", "1,250.5 crowns or more", "Prefer not to say"],
        "de": [
            "unter 400 Kronen",
            "400 bis unter 1.250,5 Kronen",
            "1.250,5 Kronen oder mehr",
            "Möchte ich nicht sagen",
        ],
    },
    "steps": {
        "en": ["under 1", "1 to under 12,000 m", "12,000 m or more"],
        "de": ["unter 1", "1 bis unter 12.000 m", "12.000 m oder mehr"],
    },
    "moved": {
        "en": [
            "before 1 March 2015",
            "1 March 2015 to before 31 December 2020",
            "31 December 2020 or later",
            "Prefer not to say",
        ],
        "de": [
            "vor 1. März 2015",
            "1. März 2015 bis vor 31. Dezember 2020",
            "31. Dezember 2020 oder später",
            "Möchte ich nicht sagen",
        ],
    },
    "pets": {
        "en": ["No pets", "A cat", "A big dog", "A cat + A big dog", "No answer"],
        "de": ["Keine Tiere", "Eine Katze", "Ein großer Hund", "Eine Katze + Ein großer Hund", "Keine Antwort"],
    },
    "tools": {
        "en": ["Nothing ticked", "Hand saw", "Sharp axe"],
        "de": ["Nichts angekreuzt", "Handsäge", "Scharfe Axt"],
    },
    "drinks_tea": {"en": ["Yes", "No"], "de": ["Ja", "Nein"]},
    "town_quiet": {"en": ["Hardly", "Very much", "No answer"], "de": ["Kaum", "Sehr", "Keine Antwort"]},
    "smokes": {"en": ["Yes", "No", "Prefer not to say"], "de": ["Ja", "Nein", "Möchte ich nicht sagen"]},
    "often": {
        "en": ["Once a week", "Each day", "Does not apply"],
        "de": ["Einmal die Woche", "Jeden Tag", "Trifft nicht zu"],
    },
    "coat": {"en": ["rain coat", "winter coat"], "de": ["rain coat", "winter coat"]},
}
"""The words of the values of each question, in their order, written by hand."""

FILE = """
name = "worded"
title = TITLE
languages = LANGUAGES
preview = "before"
[[questions]]
name = "fruit"
label = <fruit>
kind = "ranking"
items = { apple = <apple>, pear = <pear> }
group = "a"
[[questions]]
name = "rent"
label = <rent>
kind = "number"
unit = <crowns>
cuts = [400, 1250.5]
decline = true
group = "b"
[[questions]]
name = "steps"
label = <steps>
kind = "number"
unit = "m"
cuts = [1, 12000]
group = "c"
[[questions]]
name = "moved"
label = <moved>
kind = "date"
cuts = [2015-03-01, 2020-12-31]
decline = true
group = "d"
[[questions]]
name = "pets"
label = <pets>
kind = "multiple"
none = <petless>
optional = true
options = { cat = <cat>, dog = <dog> }
group = "e"
[[questions]]
name = "tools"
label = <tools>
kind = "multiple"
most = 1
options = { saw = <saw>, axe = <axe> }
group = "f"
[[questions]]
name = "drinks"
label = <drinks>
kind = "multiple"
coins = "own"
none = <neither>
options = { tea = <tea>, ale = <ale> }
group = "k"
[[questions]]
name = "town"
label = <town>
kind = "grid"
values = ["low", "high"]
coins = "own"
optional = true
statements = { quiet = <quiet>, clean = <clean> }
words = WORDS_OF_low_high
group = "g"
[[questions]]
name = "smokes"
label = <smokes>
kind = "yes_no"
decline = true
group = "h"
[[questions]]
name = "often"
label = <often>
kind = "scale"
values = ["rare", "daily"]
words = WORDS_OF_rare_daily
ask_if = "smokes = yes"
unasked = "sent"
group = "i"
[[questions]]
name = "coat"
label = <coat>
kind = "choice"
values = ["rain_coat", "winter_coat"]
group = "j"
[groups]
"""


def worded_survey(languages: Sequence[str] = ("en", "de"), truth: str = "3/4") -> Survey:
    """The survey in these languages, the first of which comes first; other ones than German have the English texts."""

    def text(name: str) -> str:
        pairs = (f'{tag} = "{TEXTS[name][tag == "de"]}"' for tag in languages)
        return f"{{ {', '.join(pairs)} }}"

    def words(*values: str) -> str:
        tables = (", ".join(f'{value} = "{TEXTS[value][tag == "de"]}"' for value in values) for tag in languages)
        return "{ " + ", ".join(f"{tag} = {{ {table} }}" for tag, table in zip(languages, tables, strict=True)) + " }"

    written = FILE + "".join(f'{each} = {{ truth = "{truth}", channel = "uniform" }}\n' for each in "abcdefghijk")
    written = written.replace("TITLE", text("coat")).replace("LANGUAGES", str(list(languages)).replace("'", '"'))
    written = written.replace("WORDS_OF_low_high", words("low", "high"))
    written = written.replace("WORDS_OF_rare_daily", words("rare", "daily"))
    for name in TEXTS:
        written = written.replace(f"<{name}>", text(name))
    return parse_survey(written)
