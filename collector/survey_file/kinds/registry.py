"""The registry of all kinds of questions, by their names in survey files."""

from __future__ import annotations

from collector.survey_file.kinds.choice import ChoiceKind
from collector.survey_file.kinds.date import DateKind
from collector.survey_file.kinds.grid import GridKind
from collector.survey_file.kinds.kind import QuestionKind
from collector.survey_file.kinds.multiple import MultipleKind
from collector.survey_file.kinds.number import NumberKind
from collector.survey_file.kinds.ranking import RankingKind
from collector.survey_file.kinds.scale import ScaleKind
from collector.survey_file.kinds.yes_no import YesNoKind

_ALL = (YesNoKind, ChoiceKind, ScaleKind, NumberKind, MultipleKind, GridKind, RankingKind, DateKind)
KINDS: dict[str, QuestionKind] = {kind.name: kind() for kind in _ALL}
PARTS = {name: kind.parts for name, kind in KINDS.items() if kind.parts}
"""The key under which a table has its options, statements or items, by kind."""
