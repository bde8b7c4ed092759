"""Estimate how many respondents tick each option of a `multiple` question."""

from collector.errors import QueryError
from miner.estimates.estimate import shares_of
from miner.figures.estimate import Estimate
from miner.figures.partition import Boxes
from miner.responses.condition import options_of, values_having
from miner.responses.responses import Data


def option_estimates(responses: Data) -> dict[str, dict[str, Estimate]]:
    """Estimate the share of respondents who ticked each option, by question and option.

    Questions that no respondent was asked are left out.
    """
    survey = responses.survey
    found: dict[str, dict[str, Estimate]] = {}
    for question in survey.questions:
        options = options_of(survey, question)
        if options:
            ticked: list[Boxes] = [[{question.name: values_having(question, option)}] for option in options]
            try:
                shares = shares_of(responses, ticked)
            except QueryError:  # nobody was asked it
                continue
            found[question.name] = {f"has {each}": share for each, share in zip(options, shares, strict=True)}
    return found
