"""The facts about a survey that a dossier states, each from the object that `collector check --json` prints."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from math import isfinite, prod
from time import time

from collector.disclosure.disclosure import Rise
from collector.disclosure.lint import percent
from collector.disclosure.option_disclosure import option_disclosures
from collector.disclosure.privacy import SurveyPrivacy
from collector.dossier.document import Cell, Worded, gap
from collector.exchange.checked import CheckedSurvey
from collector.maintenance.running import state_line
from collector.store.invitation import Invitations
from collector.store.published import SurveyState
from collector.survey.moment import in_words
from collector.survey.question import DECLINED, SKIPPED, Question
from collector.survey.survey import Survey
from collector.survey.text import Text

FEWEST_INVITED = 20
"""The fewest invitations of which a response rate is stated."""


@dataclass(frozen=True)
class DossierFacts:
    """What is known about a survey for its dossier.

    Attributes:
        checked: Results of checking the design.
        respondents: Expected number of respondents, or None if it is not known.
        state: State of the published survey, or None for a survey file.
        invitations: Numbers of invitations to the published survey, or None for a survey file.
    """

    checked: CheckedSurvey
    respondents: int | None = None
    state: SurveyState | None = None
    invitations: Invitations | None = None

    @property
    def privacy(self) -> SurveyPrivacy:
        """The statement of the privacy that the design gives."""
        return self.checked.privacy

    @property
    def survey(self) -> Survey:
        """The design of the survey."""
        return self.privacy.survey

    @property
    def language(self) -> str:
        """The first language of the survey."""
        return self.survey.languages[0]

    @cached_property
    def disguised(self) -> tuple[Question, ...]:
        """The questions whose answers are disguised."""
        return tuple(each for each in self.survey.questions if self.survey.is_disguised(each.name))

    @cached_property
    def as_answered(self) -> tuple[Question, ...]:
        """The questions whose answers are sent as they are."""
        return tuple(each for each in self.survey.questions if not self.survey.is_disguised(each.name))

    @property
    def plain_combinations(self) -> int:
        """The number of combinations of values of the questions that are sent as they are."""
        return prod(len(each.values) for each in self.as_answered)

    @property
    def is_proved(self) -> bool:
        """Whether an epsilon is proved for a whole response."""
        return isfinite(self.privacy.epsilon)

    @property
    def for_good(self) -> bool:
        """Whether the survey is closed for good, so that its receipts are erased."""
        return self.state is not None and self.state.for_good

    @property
    def named(self) -> str:
        """The name of the survey, with its version if it is published, and its fingerprint."""
        number = "" if self.state is None else f", version {self.state.newest.version}"
        wave = f", wave {self.survey.wave}" if self.survey.wave > 1 else ""
        return f"{self.survey.name}{number}{wave} (fingerprint {self.survey.fingerprint})"

    @property
    def software(self) -> str:
        """The name of the software with its version."""
        return f"Deniable {version('deniable')}"

    def study_text(self, key: str, what: str) -> Cell:
        """Return a text of the study card in the first language, or the mark of a gap."""
        found = None if self.survey.study is None else getattr(self.survey.study, key)
        return gap(what) if found is None else Worded(" ".join(found.paragraphs(self.language)), self.language)

    def noted(self, what: str) -> str:
        """Return the mark of a text that the privacy notice has to contain, or of a gap if there is no notice."""
        study = self.survey.study
        return gap(what) if study is None or study.privacy is None else f"[check that the privacy notice says: {what}]"

    @property
    def optional(self) -> str:
        """The names of the questions that may be skipped or declined."""
        return ", ".join(each.name for each in self.survey.questions if {SKIPPED, DECLINED} & {*each.values})

    def each_language(self, text: Text) -> Iterator[Worded]:
        """Yield the paragraphs of a text in every language of the survey."""
        for language in self.survey.languages:
            yield from (Worded(paragraph, language) for paragraph in text.paragraphs(language))

    @property
    def days(self) -> str:
        """From when until when responses are taken, and the present state of a published survey."""
        study = self.survey.study
        opens = "publication" if study is None or study.opens is None else in_words(study.opens, study.timezone)
        until = None if study is None or study.until is None else in_words(study.until, study.timezone)
        state = "" if self.state is None else f" Now: {state_line(self.state)}."
        confirmed = study is None or (study.end or 0) < time() + 5 * 365.25 * 86_400  # five years
        unsure = "" if confirmed else f" {gap('confirm the last day, which is more than 5 years away')}"
        return f"From {opens} until {until or gap('the last day, or a rule for it')}{unsure}.{state}"

    @property
    def surest(self) -> str:
        """The sentence on the most probable single answer to a disguised question after a response."""
        rises = list(self._rises())
        if not rises:
            return "One answer: nothing is disguised, so that whoever has a response knows every answer."
        named, rise = max(rises, key=lambda each: each[1].after)
        bound = "" if all(each.exact for each in self.privacy.questions) else " (a bound)"
        return (
            f"One answer: the most telling response raises the probability of {named} from {percent(rise)}; no "
            f"response makes an answer to a disguised question more probable than that{bound}. This is for somebody "
            "who knows the design and how common answers are as the priors say, takes answers to different questions "
            "as independent (except for combinations that the screens rule out), has the whole response, and knows "
            "nothing else about the person."
        )

    def _rises(self) -> Iterator[tuple[str, Rise]]:
        for each in self.privacy.questions:
            name = each.question.name
            if each.group is not None:
                yield from ((f"{name} = {each.question.values[risk.value]}", risk.rise) for risk in each.risks)
            for option in option_disclosures(self.survey, each):
                yield f"{name}: {option.option} ticked", option.has
                yield f"{name}: {option.option} not ticked", option.lacks

    @property
    def response_rate(self) -> str:
        """The sentence on the share of invitations that came with a response, without the time of any."""
        invited = self.invitations
        if invited is None or not invited.issued:
            return gap("how many people were reached, and the response rate by a definition that you name")
        percentage = round(100 * invited.used / invited.issued)
        if invited.issued < FEWEST_INVITED or not 0 < percentage < 100:
            return (
                f"Not stated: it is given from {FEWEST_INVITED} invitations on, and neither for nobody nor for all, "
                "because it would tell who took part."
            )
        return f"A response came with {percentage} % of {invited.issued} invitations."

    @property
    def stopping_rule(self) -> str:
        """The sentence on when the survey stops, from its days and quotas."""
        study = self.survey.study
        quota = "" if study is None or study.quota is None else f" or {study.quota:,} responses, whichever comes first"
        quotas = () if study is None else study.quotas
        cells = "; ".join(f"{name}: {', '.join(f'{v} {n}' for v, n in values)}" for name, values in quotas)
        return (
            f"{self.days.split(' Now:')[0].removesuffix('.')}{quota}{f' (quotas {cells})' if cells else ''}. Estimates "
            "do not decide when it stops. Whether somebody looks at estimates before (`miner desk`): "
            f"{gap('yes or no, and what follows from it')}."
        )
