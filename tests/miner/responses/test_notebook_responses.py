"""Responses show themselves in a notebook: how many there are, and how each question is disguised."""

from __future__ import annotations

import numpy as np

from collector.survey.survey import Survey
from miner.responses.responses import Responses


def test_responses_show_their_number_and_questions_and_no_code(wellbeing: Survey) -> None:
    codes = np.array([[each.codes[0] for each in wellbeing.questions]] * 3, np.int16)
    shown = Responses(wellbeing, codes)._repr_html_()
    assert "3 to survey wellbeing" in shown
    assert shown.count("<tr") == len(wellbeing.questions) + 1
    assert shown.count("Disguised by randomized response") == sum(
        wellbeing.is_disguised(each.name) for each in wellbeing.questions
    )
