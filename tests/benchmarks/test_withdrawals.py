"""After a withdrawal and a run, nothing that is left tells the codes of the response that was withdrawn."""

from __future__ import annotations

from pathlib import Path

from benchmarks.collecting.withdrawals import trial
from collector.survey_file.survey_file import read_survey_file


def test_withdrawn_codes_are_guessed_no_better_than_by_the_most_frequent_code(root: Path) -> None:
    survey = read_survey_file(root / "examples" / "wellbeing.toml")
    now, base, before, sound = trial(survey, ["many", "run", "few", "many", "run", "withdraw", "run", "tidy"], 3)
    assert now == base
    assert before == 1  # the attack works on the register from before the withdrawal
    assert sound
