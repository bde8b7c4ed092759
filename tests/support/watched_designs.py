"""Privacy statements of random designs, compared with an enumeration that shares nothing with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from random_designs import any_design
from watching import bits, is_forced, posteriors

CLOSE = 1e-9


@dataclass
class Watched:
    """Figures of many designs that were compared.

    Attributes:
        counts: How many designs, split ones, posteriors, entropies and refusals, and how many of them are bounds.
        wrong: What was printed and does not hold.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def watch(self, survey: Survey) -> None:
        """Compare the statement on a design with what its responses disclose.

        Raises:
            OverflowError: If the design is too large to be enumerated.
        """
        after_any, unknown, forced = posteriors(survey.canonical), bits(survey.canonical), is_forced(survey.canonical)
        privacy = SurveyPrivacy(survey)
        self.counts.update(designs=1, split=survey.sampling is not None, forced=forced)
        for each in privacy.questions:
            if each.group is None:
                continue
            name = each.question.name
            for risk, (before, after) in zip(each.risks, after_any[name], strict=True):
                self.counts.update(posteriors=1, bounded_posteriors=not each.exact)
                said = float(risk.rise.after)
                where = f"{survey.name}, {name} = {each.question.values[risk.value]}"
                self._check(after <= said + CLOSE, f"{where}: {said} at most, and it is {after}")
                self._check(not each.exact or said <= after + CLOSE, f"{where}: {said} exactly, and it is {after}")
                prior = risk.rise.before
                self._check(
                    prior is not None and abs(float(prior) - before) < CLOSE, f"{where}: prior {prior}, not {before}"
                )
            said = each.anonymity
            self.counts.update(entropies=1, bounded_entropies=not each.counted)
            self._check(said <= unknown[name] + CLOSE, f"{survey.name}, {name}: {said} bits, and {unknown[name]} are")
            short = each.counted and said < unknown[name] - CLOSE
            self._check(not short, f"{survey.name}, {name}: {said} bits exactly, and {unknown[name]} are")
        refusals = privacy.refusals
        bounded = any("too many to be weighed" in each.problem for each in refusals)
        self.counts.update(refused=bool(refusals), refused_by_a_bound=bool(refusals) and not forced and bounded)
        self._check(bool(refusals) or not forced, f"{survey.name}: accepted, and an answer becomes certain")
        self._check(forced or bounded or not refusals, f"{survey.name}: refused, and nothing becomes certain")

    def _check(self, holds: bool, what: str) -> None:  # noqa: FBT001 - the thing that is checked
        if not holds:
            self.wrong.append(what)


def watched(first: int, count: int) -> Watched:
    """The first so many random designs from a number on that are surveys and can be enumerated."""
    found, number = Watched(), first
    while found.counts["designs"] < count:
        try:
            found.watch(parse_survey(any_design(number)))
        except SurveyError:
            found.counts.update(no_survey=1)
        except OverflowError:
            found.counts.update(too_large=1)
        number += 1
    return found
