"""A survey with every kind of question that is made of others."""

from __future__ import annotations

EVERY_KIND = """
name = "kinds"
title = { en = "Every kind", ar = "كل الأنواع" }
languages = ["en", "ar"]
preview = "before"

[[questions]]
name = "bullied"
label = { en = "Were you bullied?", ar = "هل تعرضت للتنمر؟" }
kind = "yes_no"
section = { en = "At school", ar = "في المدرسة" }
prior = { yes = 0.2, no = 0.8 }
decline = true
group = "a"

[[questions]]
name = "how"
label = { en = "How were you bullied?", ar = "كيف؟" }
kind = "multiple"
none = { en = "None of these", ar = "لا شيء مما سبق" }
most = 2
coins = "one"
ask_if = "bullied = yes"
prior = { words = 0.5, hands = 0.2, net = 0.3 }
group = "b"
[questions.options]
words = { en = "By words", ar = "بالكلام" }
hands = { en = "By hands", ar = "باليد" }
net = { en = "On the net", ar = "على الشبكة" }

[[questions]]
name = "climate"
label = { en = "How much do you agree?", ar = "إلى أي حد توافق؟" }
kind = "grid"
values = ["no", "partly", "full"]
group = "c"
coins = "own"
[questions.statements]
fair = { en = "Teachers are fair", ar = "المعلمون منصفون" }
voice = { en = "My voice counts", ar = "صوتي مسموع" }
[questions.words]
en = { no = "Not at all", partly = "Partly", full = "Fully" }
ar = { no = "لا", partly = "جزئيا", full = "تماما" }

[[questions]]
name = "rank"
label = { en = "What matters most?", ar = "ما الأهم؟" }
kind = "ranking"
group = "d"
[questions.items]
pay = { en = "Marks", ar = "الدرجات" }
time = { en = "Time", ar = "الوقت" }
peers = { en = "Friends", ar = "الأصدقاء" }

[[questions]]
name = "moved"
label = { en = "When did you join?", ar = "متى انضممت؟" }
kind = "date"
cuts = [2010-01-01, 2020-01-01]
minimum = 2000-01-01
group = "e"

[[questions]]
name = "money"
label = { en = "Pocket money?", ar = "المصروف؟" }
kind = "number"
cuts = [1000, 2000]
maximum = 100000
unit = "EUR"
decline = true
optional = true
group = "f"

[[questions]]
name = "bus"
label = { en = "Which bus?", ar = "أي حافلة؟" }
kind = "choice"
values = ["Line 1", "Line 2", "Line 3", "Line 4", "Line 5", "Line 6", "Line 7", "Line 8", "Line 9", "Line 10",
          "Line 11", "Line 12", "Line 13", "Line 14", "Line 15", "Métro"]
group = "g"

[groups]
a = { truth = "3/4" }
b = { truth = "3/4" }
c = { truth = "1/2", channel = "uniform" }
d = { truth = "1/2", channel = "uniform" }
e = { truth = "1/2", channel = "uniform" }
f = { truth = "1/2", channel = "uniform" }
g = { truth = "1/2", channel = "uniform" }
"""

TICKS = """
name = "ticks"
title = { en = "Ticks", ar = "علامات" }
languages = ["en", "ar"]
preview = "before"

[[questions]]
name = "how"
label = { en = "How were you bullied?", ar = "كيف تعرضت للتنمر؟" }
hint = { en = "In the last year", ar = "في السنة الماضية" }
kind = "multiple"
none = { en = "None of these", ar = "لا شيء مما سبق" }
most = 2
decline = true
prior = { words = 0.5, hands = 0.2, net = 0.3 }
group = "b"
[questions.options]
words = { en = "By words", ar = "بالكلام" }
hands = { en = "By hands", ar = "باليد" }
net = { en = "On the net", ar = "على الشبكة" }

[[questions]]
name = "site"
label = { en = "On which net?", ar = "على أي شبكة؟" }
kind = "choice"
values = ["school", "other"]
ask_if = "how has net"
group = "s"

[groups]
b = { truth = "1/2" }
s = { truth = "3/4" }
"""
