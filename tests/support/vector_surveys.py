"""The surveys that the shared vectors are about."""

from __future__ import annotations

from pathlib import Path

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SMALL = """
name = "small"
title = "Small survey"
languages = ["en"]
questions = [
  { name = "year", label = "Which year?", kind = "scale", values = ["1st", "2nd", "3rd"], sensitive = false },
  { name = "drug", label = "How often?", kind = "choice", values = ["never", "rarely", "often"], group = "pair", \
prior = { never = 0.5, rarely = 0.3, often = 0.2 } },
  { name = "fear", label = "Were you afraid?", kind = "yes_no", group = "pair" },
  { name = "income", label = "Income?", kind = "number", unit = "EUR", minimum = 0, cuts = [400, 800], \
group = "money" },
]
groups = { pair = { truth = "3/4" }, money = { truth = "2/3", channel = "uniform" } }
mining = { target = "fear" }
"""

EDGES = """
name = "edges"
title = { en = "Édge cases: 測試", pt-BR = "Casos raros" }
languages = ["en", "pt-BR"]
questions = [
  { name = "constructor", label = { en = "A name that objects have", pt-BR = "A name that objects have" }, \
kind = "yes_no", sensitive = false },
  { name = "sure", label = { en = "Sent as it is", pt-BR = "Sent as it is" }, \
kind = "choice", values = ["a", "b", "c"], group = "sure", \
words = { en = { a = "A", b = "B", c = "C" } }, hint = { en = "Pick one.", pt-BR = "Escolha." }, \
prior = { a = "1/2", b = "1/3", c = "1/6" } },
  { name = "turned", label = { en = "Always complemented", pt-BR = "Always complemented" }, \
kind = "yes_no", group = "turned" },
  { name = "five", label = { en = "Five values", pt-BR = "Five values" }, \
kind = "choice", values = ["a", "b", "c", "d", "e"], group = "odd", \
prior = { a = 0.37, b = 0.31, c = 0.17, d = 0.11, e = 0.04 } },
  { name = "most", label = { en = "One value holds most", pt-BR = "One value holds most" }, \
kind = "scale", values = ["a", "b", "c"], group = "odd", \
prior = { a = 0.1, b = 0.7, c = 0.2 } },
  { name = "load", label = { en = "Decimals", pt-BR = "Decimals" }, \
kind = "number", cuts = [-1.5, 0, 0.00001, 0.1, 1000000], minimum = -10, \
group = "spread" },
  { name = "site", label = { en = "Three sites", pt-BR = "Three sites" }, \
kind = "choice", values = ["x", "y", "z"], group = "spread" },
  { name = "plain", label = { en = "Uniform, sent as it is", pt-BR = "Uniform, sent as it is" }, \
kind = "yes_no", group = "spread_sure" },
  { name = "lone", label = { en = "Odd, coded as in the paper", pt-BR = "Odd, coded as in the paper" }, \
kind = "scale", values = ["p", "q", "r"], coding = "szucs", \
prior = { p = 0.5, q = 0.3, r = 0.2 }, group = "seed" },
  { name = "fine", label = { en = "A coin that is often redrawn", pt-BR = "A coin that is often redrawn" }, \
kind = "yes_no", group = "fine" },
  { name = "count", label = { en = "How many?", pt-BR = "Quantos?" }, \
kind = "number", whole = true, minimum = -5, maximum = 90, cuts = [0, 2, 30], group = "count" },
]

[study]
who = { en = "We", pt-BR = "Nós" }
until = 2026-12-31

[groups]
sure = { truth = 1 }
turned = { truth = 0 }
odd = { truth = "3/7" }
spread = { truth = "2/3", channel = "uniform" }
spread_sure = { truth = 1, channel = "uniform" }
seed = { truth = 0.9 }
fine = { truth = "1073741825/2147483649" }
count = { truth = "4/5", channel = "uniform" }
"""


SPLIT = """
name = "split"
title = "A split questionnaire, under every channel and coding"
languages = ["en"]
questions = [
  { name = "year", label = "Which year?", kind = "scale", values = ["1st", "2nd", "3rd"], sensitive = false },
  { name = "fear", label = "Were you afraid?", kind = "yes_no", group = "fear" },
  { name = "city", label = "Which city?", kind = "choice", values = ["a", "b", "c", "d", "e", "f", "g"], \
coding = "projective-2", group = "city" },
  { name = "diet", label = "Which diet?", kind = "choice", values = ["a", "b", "c", "d"], coding = "subsets-2", \
group = "diet" },
  { name = "debt", label = "In debt?", kind = "yes_no", replacement = { yes = "3/4", no = "1/4" }, group = "debt" },
  { name = "vice", label = "A vice?", kind = "choice", values = ["x", "y", "z"], \
replacement = { x = 0, y = "1/3", z = "2/3" }, group = "vice" },
  { name = "drug", label = "How often?", kind = "choice", values = ["never", "rarely", "often"], group = "pair" },
  { name = "flight", label = "Did you run?", kind = "yes_no", group = "pair" },
  { name = "income", label = "Income?", kind = "number", minimum = 0, cuts = [400, 800], group = "money" },
  { name = "rent", label = "Rent?", kind = "yes_no", group = "money" },
  { name = "loans", label = "Loans?", kind = "choice", values = ["0", "1", "2", "3"], group = "money", \
coding = "cyclotomic-5-2" },
  { name = "mood", label = "Mood?", kind = "scale", values = ["1", "2", "3", "4"], coding = "thresholds", \
group = "mood" },
]

[groups]
fear = { truth = "4/5" }
city = { truth = "1/2", channel = "uniform" }
diet = { truth = "3/5", channel = "uniform" }
debt = { truth = "2/3", channel = "uniform" }
vice = { truth = "1/3", channel = "uniform" }
pair = { truth = "3/4" }
money = { odds = "7/2" }
mood = { truth = "2/5", channel = "uniform" }

[sampling]
ask = 6
always = ["fear"]
"""


ROUTED = """
name = "routed"
title = "Questions that are not asked of everybody"
languages = ["en"]
questions = [
  { name = "hurt", label = "Hurt?", kind = "yes_no", prior = { yes = 0.2, no = 0.8 }, group = "hurt" },
  { name = "often", label = "How often?", kind = "scale", values = ["once", "monthly", "daily"], \
prior = { once = 0.5, monthly = 0.3, daily = 0.2 }, ask_if = "hurt = yes", group = "pair" },
  { name = "told", label = "Told anybody?", kind = "yes_no", prior = { yes = 0.3, no = 0.7 }, \
ask_if = "often in (monthly, daily)", group = "told" },
  { name = "happy", label = "Happy?", kind = "yes_no", prior = { yes = 0.6, no = 0.4 }, group = "pair" },
  { name = "calm", label = "Calm?", kind = "yes_no", group = "calm" },
  { name = "help", label = "Helped?", kind = "yes_no", ask_if = "calm = no", unasked = "sent", group = "help" },
]

[groups]
hurt = { truth = "4/5" }
pair = { truth = "3/4" }
told = { truth = "2/3", channel = "uniform" }
calm = { truth = "3/4" }
help = { truth = "1/2", channel = "uniform" }
"""


def surveys() -> dict[str, Survey]:
    """The surveys that cases are about."""
    example = read_survey_file(EXAMPLES / "wellbeing.toml")
    bilingual = read_survey_file(EXAMPLES / "wellbeing_two_languages.toml")
    ours = {
        "small": parse_survey(SMALL),
        "edges": parse_survey(EDGES),
        "split": parse_survey(SPLIT),
        "routed": parse_survey(ROUTED),
    }
    return {**ours, "wellbeing": example, "bilingual": bilingual}
