"""The parts of a dossier for boards and reviewers: purpose, information, methods, reporting, registry."""

from collector.characters import isolated
from collector.dossier.document import POPULATION, REWARD, SEEN, Block, Cell, Grid, Part, Points, Worded, gap
from collector.dossier.facts import DossierFacts
from collector.planning.differences import DifferenceSettings, difference_plans
from collector.planning.expectations import value_plans
from collector.wording.languages import catalogue

LISTS = (
    "AAPOR's Transparency Initiative, CROSS (Sharma and others 2021, https://doi.org/10.1007/s11606-021-06737-1), "
    "CHERRIES (Eysenbach 2004, https://doi.org/10.2196/jmir.6.3.e34), and preregistrations as at OSF and AsPredicted."
)
ESTIMATED = "question", "value", "share", "standard error", "width of the 95 % interval"
REGISTRY = "https://arxiv.org/abs/2509.13509"


def purpose(facts: DossierFacts) -> Part:
    """Return the part on who asks, why, and what it takes of respondents."""
    study = facts.survey.study
    minutes = gap("minutes") if study is None or study.minutes is None else f"about {study.minutes} minutes"
    reward = "a completion code or link for a panel" if study and (study.code or study.redirect) else "none by the page"
    leave = "a button on each page leaves it at once, as three presses of Shift do"
    if study is not None and study.no_exit is not None:
        leave = f"the page has no exit button: {study.no_exit}"
    return Part(
        "Purpose, people and burden",
        (
            Grid(
                ("field", "draft"),
                (
                    ("survey", f"{facts.named}; {facts.software}"),
                    ("who asks", facts.study_text("who", "who asks")),
                    ("purpose", facts.study_text("why", "the purpose")),
                    ("contact", facts.study_text("contact", "contact")),
                    ("ethics approval", facts.study_text("ethics", "board and reference")),
                    ("who is asked", facts.noted(POPULATION)),
                    ("respondents expected", f"{facts.respondents:,}" if facts.respondents else gap("number")),
                    ("days", facts.days),
                    ("burden", minutes),
                    ("leaving", f"taking part is voluntary, nothing is sent before Send, and {leave}"),
                    (
                        "deception",
                        (
                            "none: respondents can read the odds of each disguised question, and which questions share "
                            "a coin. For example, the page says “Chance changes the answer of 20 in 100 people before "
                            "it is sent.” where the part on codes has 4/5 in its last column"
                        ),
                    ),
                    (
                        "refusing a question",
                        f"without leaving: {facts.optional or 'no question'}; the others need an answer to go on",
                    ),
                    ("reward", f"{reward}; {REWARD}"),
                    ("help for respondents in distress", facts.noted("whom respondents in distress can call")),
                ),
            ),
        ),
    )


def informed(facts: DossierFacts) -> Part:
    """Return the part with what respondents read, in each language of the survey."""
    survey, study = facts.survey, facts.survey.study
    texts = () if study is None else (study.consent, study.privacy)
    own: list[Block] = [each for text in texts if text is not None for each in facts.each_language(text)]
    missing = [
        name for name, text in zip(("consent", "privacy notice"), texts or (None, None), strict=True) if not text
    ]
    gaps = (f"The survey file has no {name}: {gap(f'{name}, or where respondents read it')}." for name in missing)
    return Part(
        "Information for respondents",
        (
            (
                "Before the first question, respondents read the study card with who asks, why, how long, until when, "
                "contact and approval, and agree. They read these texts of the survey:"
            ),
            *own,
            *gaps,
            "They also read these texts of the software, in each language of the survey:",
            Points(tuple(Worded(isolated(text), tag) for tag in survey.languages for text in _interface(facts, tag))),
            *(
                f"“We never learn whether yours was swapped” does not hold for somebody who knows an answer to group "
                f"{each.group.name} from elsewhere: the response then shows whether it was swapped."
                for each in facts.privacy.groups
                if each.belief_with_outside_fact == 1
            ),
            f"Article 13 GDPR asks for more: {facts.noted('legal basis, rights, retention and transfers')}.",
        ),
    )


def _interface(facts: DossierFacts, language: str) -> tuple[str, ...]:
    _ = catalogue(language)
    every = _("Answer truthfully: what is sent is disguised")
    some = _("Answer truthfully: part of what is sent is disguised")
    disguise = (
        some if facts.as_answered else every,
        _("Before an answer to a disguised question leaves this device, a coin toss may swap it for another."),
        *(() if facts.privacy.refusals else (_("We never learn whether yours was swapped."),)),
        _("We still get correct totals, because we know how often chance swaps."),
    )
    return (
        *(disguise if facts.disguised else (_("Your answers are sent as they are"),)),
        _("Taking part is your choice, and you can leave at any time: nothing is sent before you press Send."),
        _("After you send, you get a receipt: a code with which you can delete your response later."),
    )


def methods(facts: DossierFacts) -> Part:
    """Return the part with a paragraph on methods, and the precision to expect."""
    survey, sampling = facts.survey, facts.survey.sampling
    asked = "" if sampling is None else f" Each respondent was asked {sampling.ask} of these, drawn at random."
    coins = "; ".join(
        f"{', '.join(each.questions)} ({each.channel.name} channel, {' '.join(map(str, each.channel.coin.published))})"
        for each in survey.groups
    )
    epsilon = f" (local epsilon {facts.privacy.epsilon:.3f} for a response)" if facts.is_proved else ""
    disguised = f" Disguised were {coins}{epsilon}." if survey.groups else ""
    paragraph = (
        f"The survey had {len(survey.questions)} questions.{asked} Answers to {len(facts.disguised)} of them were "
        "disguised by randomized response in the respondent's browser before anything was sent, by secure random "
        f"numbers that were not kept.{disguised} Shares are means of weights by the exact inverse of the disguise, "
        "unbiased whatever people answered; standard errors and 95 % intervals contain the error of the disguise. "
        "Estimates may fall below 0 or above 1 and were not cut. "
        f"Software: {facts.software}; design {survey.fingerprint}."
    )
    return Part("Methods paragraph", (paragraph, *_precision(facts)))


def _precision(facts: DossierFacts) -> tuple[Block, ...]:
    if facts.respondents is None:
        return (f"Precision: {gap('run the command with --respondents, or take it from miner plan')}.",)
    plans = (value_plans(facts.survey, each, facts.respondents) for each in facts.survey.questions)
    found = difference_plans(facts.survey, facts.respondents, DifferenceSettings())
    rows = tuple(
        (
            *(each.question, value.value, f"{value.share:.3f}", f"{value.standard_error:.4f}", f"{value.width:.3f}"),
            "none" if each.disguised.groups is None else f"{each.disguised.groups:.3f}",
            f"{each.bias:.3f}",
        )
        for each, value in zip(found, (max(each, key=lambda one: one.standard_error) for each in plans), strict=True)
    )
    return (
        (
            f"Precision to expect of {facts.respondents:,} respondents if the priors are right, as `miner plan` says, "
            "for the value of each question with the largest error:"
        ),
        Grid((*ESTIMATED, "difference of two halves", "break-even bias"), rows),
        (
            "Difference of two halves: the smallest that a two-sided test at level 0.05 finds with power 0.8. "
            "Break-even bias: if the question asked openly were off by more, and disguise removed that, disguise would "
            "have the smaller mean square error."
        ),
    )


def reporting(facts: DossierFacts) -> Part:
    """Return the part with the fields of reporting guidelines and of a preregistration."""
    survey, study = facts.survey, facts.survey.study
    conditions = sum(bool(each.ask_if) for each in survey.screens)
    shuffled = survey.shuffle or any(each.shuffle for each in survey.screens)
    limit = (
        "no limit of responses for an address"
        if study is None or study.per_address is None
        else (f"at most {study.per_address} responses an hour from an address")
    )
    invited = facts.invitations is not None and facts.invitations.issued > 0
    entry = (
        "by invitation codes, each good for one response"
        if invited
        else f"{gap('invitations or not')}; open to anybody with the address until `collector invite` makes invitations"
    )
    target = survey.target or gap("the question that decides")
    rows: tuple[tuple[Cell, ...], ...] = (
        ("sponsor and conductor", "AAPOR, CROSS", facts.study_text("who", "who asks, who pays")),
        ("questions asked", "preregistration", facts.study_text("why", "hypotheses")),
        ("wording, answers and order", "AAPOR, CROSS", "the part on what is collected"),
        ("population, frame and sample", "AAPOR, CROSS, CHERRIES", facts.noted(POPULATION)),
        ("contact and advertising", "CHERRIES", gap("how people learn of it")),
        ("open or closed survey", "CHERRIES", entry),
        ("mode and languages", "AAPOR, CROSS", f"web, self-administered, in {', '.join(survey.languages)}"),
        ("days", "AAPOR, CROSS, CHERRIES", facts.days),
        ("sample size", "all", f"{facts.respondents:,} expected" if facts.respondents else gap("number, and why")),
        ("precision and power", "AAPOR, CROSS, preregistration", "methods paragraph; `miner plan`"),
        ("pilot", "CROSS, CHERRIES", gap("how the survey was tested")),
        ("approval and consent", "CROSS, CHERRIES", facts.study_text("ethics", "board and reference")),
        ("voluntary; incentives", "CHERRIES", f"voluntary; {REWARD}"),
        ("randomized order", "CHERRIES", "drawn by the browser" if shuffled else "no"),
        ("adaptive questioning", "CHERRIES", f"{conditions} screens depend on earlier answers" if conditions else "no"),
        (
            "completeness",
            "CHERRIES",
            f"an answer is asked for; may be skipped or declined: {facts.optional or 'none'}",
        ),
        ("review of answers", "CHERRIES", f"until they are locked; what is sent can be seen {SEEN[survey.preview]}"),
        ("visitors, view and completion rates", "CHERRIES", "not measured: visits are not counted"),
        ("several responses of one person", "CHERRIES", f"{entry}; {limit}; no cookies, no log of addresses"),
        ("response rate", "AAPOR, CROSS, CHERRIES", facts.response_rate),
        ("incomplete or too fast responses", "CHERRIES", "only whole responses are stored, and no times"),
        (
            "missing answers",
            "CROSS",
            (
                f"skipped, declined: {f'values like others ({facts.optional})' if facts.optional else 'not possible'}; "
                f"not asked because of an earlier answer: {'a value or a random code' if conditions else 'nobody'}; "
                f"{'not drawn for a person: missing at random' if survey.sampling else 'everybody is asked all'}"
            ),
        ),
        ("weighting", "AAPOR, CROSS, CHERRIES", gap("sampling weights, or none")),
        ("main outcome", "preregistration", target),
        ("stopping rule", "preregistration", facts.stopping_rule),
        ("expected frequencies", "preregistration", gap("where the priors are from: a pilot, a source, or a guess")),
        ("analyses", "preregistration", f"shares with 95 % intervals (`miner estimate`); {gap('comparisons, models')}"),
        (
            "multiplicity",
            "preregistration",
            (
                "each interval is for its share alone; `miner estimate --by` and `miner crosstab --differences` adjust "
                f"the p values of one table together; {gap('which comparisons count together')}"
            ),
        ),
        ("exclusions", "preregistration", f"none by single answers, as these are disguised; {gap('others')}"),
        ("limits", "AAPOR, CROSS", "answers that are false before they are disguised stay false; see evidence"),
        ("data and code", "CROSS", f"{facts.software}; {gap('what is deposited, and where')}"),
    )
    return Part("Reporting and preregistration", (f"Fields of {LISTS}", Grid(("field", "asked by", "draft"), rows)))


def registry(facts: DossierFacts) -> Part:
    """Return the part with an entry for the registry of deployments, if an epsilon is proved."""
    title = "Entry for the registry of differential privacy deployments"
    if not facts.is_proved:
        return Part(title, (f"No entry: no epsilon is proved. {facts.privacy.closing_lines[0]}",))
    central = facts.checked.central
    readers = gap("run the command with --respondents") if central is None else central.line
    plain = ", ".join(each.name for each in facts.as_answered) or "none"
    rows: tuple[tuple[Cell, ...], ...] = (
        ("deployment", f"{facts.named}"),
        ("curator", facts.study_text("who", "who asks")),
        ("intended use", facts.study_text("why", "the purpose")),
        ("model", "local: each respondent's browser disguises before anything is sent"),
        ("flavour", "pure differential privacy (delta 0)"),
        ("unit of privacy", "one response of one respondent to this version: all answers to disguised questions asked"),
        ("neighbours", "any two sets of answers of one respondent to the disguised questions"),
        ("epsilon", f"{facts.privacy.epsilon:.3f} for this unit"),
        ("accounting", "epsilons of the same person's responses to other versions and waves add up"),
        ("not covered", f"answers sent as they are ({plain}), that somebody took part, which questions were asked"),
        (
            "mechanism",
            f"{', '.join(dict.fromkeys(each.channel.name for each in facts.survey.groups))} randomized response",
        ),
        ("for readers of publications", readers),
        ("implementation", f"{facts.software}; proofs in docs/proofs.md"),
    )
    return Part(
        title,
        (f"Fields after {REGISTRY}; compare them with the registry's present form.", Grid(("field", "entry"), rows)),
    )
