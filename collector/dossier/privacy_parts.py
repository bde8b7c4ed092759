"""The parts of a dossier on what is collected, what a response discloses, and whom to trust with what."""

from collections.abc import Iterator, Sequence
from math import prod

from collector.disclosure.false_responses import PlannedShift, planned_shift
from collector.disclosure.lint import WARN, certainty
from collector.dossier.document import Cell, Grid, Part, Points, Worded, gap
from collector.dossier.facts import DossierFacts
from collector.exchange.codebook import label_of
from collector.survey.question import Question
from collector.survey.screen import Condition
from collector.wording.wording import kind_of, unit_of, wordings

NOT_STORED = (
    "true answers to disguised questions, and the random numbers of the coins: they never leave the browser",
    "the address, the browser's name, cookies, and the time or order in which responses arrive",
    "any link between an invitation or a contact and a response",
)
STORED = (
    "the codes of a response: disguised, or as answered where the table above says so",
    "a random number of the response, and whether it was disguised by hand",
    "a keyed hash of its receipt, until the survey is closed for good",
    "a keyed hash of each invitation, and whether it was used, but not with which response",
)
HOST = (
    "The host of the server handles each request: it may see the address, the time and the size of a request, and the "
    "disguised codes in it. The software writes none of these into its store or log; for its limit on requests it "
    "keeps a salted hash of an address in memory for up to an hour. A proxy, a load balancer, a database archive or a "
    "backup in front of or below the software may keep more: "
    f"{gap('who hosts, what their systems log, and for how long')}."
)
TRUSTED: tuple[tuple[Cell, ...], ...] = (
    ("the respondent's browser and device", "the true answers, until Send", "it is the respondent's own"),
    (
        "the script of the page",
        "the true answers, inside the browser",
        (
            "an operator could serve another script; `collector verify-page` compares every byte from outside, and a "
            "form by hand needs no script (the study card offers it, unless questions are drawn for each person or "
            "the chances cannot be drawn with a die, cards or a coin)"
        ),
    ),
    (
        "people who run the server",
        "each response, and while a request lasts its address and time",
        (
            "they could note these, drop or add responses, and bring a person, whom they recognise, together with a "
            "disguised response"
        ),
    ),
    (
        "people who read the store or a backup",
        "the responses",
        (
            "two copies of the store with one response between them show which response came between, and which "
            "invitation was used"
        ),
    ),
    ("researchers", "the responses", "they can shift their belief as the part on disclosure says"),
    ("readers of publications", "figures of all responses together", "the part on disclosure says what these tell"),
    (
        "respondents",
        "their own receipts",
        "they could send false responses: the part on disclosure says how far these go",
    ),
)


def _asked(facts: DossierFacts, question: Question) -> str:
    survey, screen = facts.survey, facts.survey.screen_of(question.name)
    conditions: Sequence[Condition] = () if screen is None else screen.ask_if
    if_answered = " and ".join(f"{name} is {' or '.join(values)}" for name, values in conditions)
    drawn = "some people, drawn at random" if survey.may_miss(question.name) else "everybody"
    return f"{drawn}{f', if {if_answered}' if if_answered else ''}"


def _how_sent(facts: DossierFacts, question: Question) -> str:
    group = facts.survey.group_of(question.name)
    if group is None:
        return "as answered"
    key, number = group.channel.coin.published
    others = len(group.questions) - 1
    shared = f", one coin with {others} other{'s' if others > 1 else ''}" if others else ""
    coin = f"truth {number}" if key == "truth" else f"odds of {float(number):,.0f} to 1"
    return f"disguised: {group.channel.name} channel, {coin}, group {group.name}{shared}"


def collected(facts: DossierFacts) -> Part:
    """Return the part on what is collected, what is not, and what a host may see."""
    survey = facts.survey
    rows = [
        (
            question.name,
            Worded(label_of(survey, question, language), language),
            Worded(" / ".join(wordings(survey, question, language)), language),
            f"{kind_of(survey, question)}{unit and f', in {unit}'}",
            _asked(facts, question),
            _how_sent(facts, question),
        )
        for question in survey.questions
        for language in survey.languages
        for unit in [unit_of(survey, question, language)]
    ]
    number, sampling = len(survey.questions), survey.sampling
    asked = (
        "" if sampling is None else f" Each person is asked {sampling.ask} questions, drawn at random by the browser."
    )
    return Part(
        "What is collected, and what is not",
        (
            (
                f"The survey has {number} questions in {', '.join(survey.languages)}. Disguised in the browser "
                f"before they are sent: {len(facts.disguised)}. Sent as answered: {len(facts.as_answered)}.{asked} "
                "There is no free text, and a number or day is sent only as the interval that it falls in."
            ),
            Grid(("question", "wording", "answers", "kind", "asked of", "how it is sent"), tuple(rows)),
            "The software stores:",
            Points(STORED),
            "The software does not store:",
            Points(NOT_STORED),
            HOST,
            (
                "Evidence: guarantee 8 (docs/guarantee.md), and `collector audit-store`, which proves from the store's "
                "file what it holds."
            ),
        ),
    )


def disclosure(facts: DossierFacts) -> Part:
    """Return the part on what one answer and a whole response disclose, with the places of the proofs."""
    privacy, checked = facts.privacy, facts.checked
    whole, *more = privacy.closing_lines
    main = [
        PlannedShift({name: value}, false, number, planned_shift(facts.survey, {name: place}, false, number))
        for _, false, number, _ in checked.shifts[:1]
        for name in (each.name for each in facts.disguised if each.name == facts.survey.target)
        for place, value in enumerate(facts.survey.question(name).values)
    ]
    central = () if checked.central is None else checked.central.lines
    refused = "`collector check` refuses this design: a response makes a sensitive answer certain. Do not publish it."
    return Part(
        "What a response discloses",
        (
            *((refused,) if privacy.refusals else ()),
            f"{facts.surest} Proof: docs/proofs.md, section 6.",
            f"{whole} Proof: docs/proofs.md, section 5.",
            *more,
            "By group of questions that share a coin:",
            Points(privacy.group_lines),
            "By question, how likely an answer is before a response, and at most after it:",
            Points(tuple(privacy.question_line(each) for each in privacy.questions)),
            *central,
            *(("Proof: docs/proofs.md, section 17.",) if central else ()),
            (
                "How far false responses can move an estimate, if 1 response in 100 (at least one) is false: its "
                "sender chose the codes without a coin. The list has the answer, and the two and four answers "
                "together, that false responses can move most, and the main outcome. Another number: `collector check "
                "--false`."
            ),
            Points(tuple(each.line for each in (*checked.shifts, *main))),
            "Remarks of `collector check` on the design:",
            Points(
                tuple(
                    f"{each} {gap(f'why this stays as it is: {each.place}')}" if each.severity == WARN else str(each)
                    for each in checked.lints
                )
                or ("none",)
            ),
        ),
    )


def opinion(facts: DossierFacts) -> Part:
    """Return the part on the three questions of Opinion 05/2014, which draws no conclusion."""
    return Part(
        "Singling out, linkability and inference (Opinion 05/2014)",
        (
            (
                "The Article 29 Working Party's Opinion 05/2014 asks three questions about a technique. Its own table "
                'answers them for noise addition with "yes", "may not" and "may not", and for differential privacy '
                'with "may not" three times'
                f"{'' if facts.is_proved else ', which does not apply here: no epsilon holds for a whole response'}. "
                "The figures below let the controller and its authority judge. This document "
                "does not conclude whether the responses are anonymous."
            ),
            Grid(
                ("question", "what the design says"),
                (
                    ("Can somebody be singled out?", " ".join(_singled_out(facts))),
                    ("Can records be linked?", " ".join(_linked(facts))),
                    ("Can an answer be inferred?", " ".join(_inferred(facts))),
                ),
            ),
            f"The controller's assessment: {gap('conclusion on Recital 26, by whom, and on which day')}.",
        ),
    )


def _singled_out(facts: DossierFacts) -> Iterator[str]:
    if facts.as_answered:
        names = ", ".join(each.name for each in facts.as_answered)
        rarest = float(prod(min(filter(None, each.prior)) for each in facts.as_answered))
        yield (
            f"Answers that are sent as they are ({names}) make {facts.plain_combinations:,} combinations. By the "
            f"priors, taken as independent, the rarest has the share {rarest:.2g}"
            f"{f', about {round(rarest * facts.respondents):,} people' if facts.respondents else ''}. "
            "Where only one response has a combination, somebody who knows whose it is knows the person's codes."
        )
    else:
        yield "No answer is sent as it is, so that none points at a person."
    yield "The store has a row for each response, without a name, address or time."
    if facts.for_good:
        yield "The survey is closed for good: the hashes of receipts are erased."
        return
    yield (
        "Until the survey is closed for good, responses are pseudonymous: whoever has a receipt, the store and its key "
        "finds the response of the receipt. Invitations say who may have responded, and the store which were used."
    )


def _linked(facts: DossierFacts) -> Iterator[str]:
    yield "No identifier joins two responses of one person, or a response and another file."
    if facts.as_answered:
        yield f"The {facts.plain_combinations:,} combinations of answers that are sent as they are could."
    if facts.is_proved:
        yield (
            f"If responses of one person are joined all the same, their epsilons add up: {facts.privacy.epsilon:.3f} "
            f"for one, {2 * facts.privacy.epsilon:.3f} for two."
        )
    else:
        yield "No epsilon limits what two joined responses of one person tell."
    if facts.survey.wave > 1:
        yield f"This is wave {facts.survey.wave}: earlier waves of the same people count."


def _inferred(facts: DossierFacts) -> Iterator[str]:
    yield f'It "may not" be excluded. {facts.surest}'
    known = [each for each in facts.privacy.groups if each.belief_with_outside_fact is not None]
    for each in known:
        after = certainty(each.belief_with_outside_fact or each.belief.after)
        yield (
            f"In group {each.group.name}, somebody who knows one answer from elsewhere can be {after} sure of the "
            "others."
        )
    yield "Figures about all people together let anybody infer what is usual; no disguise prevents that."


def trusted(facts: DossierFacts) -> Part:
    """Return the part on who must be trusted with what."""
    return Part(
        "Who must be trusted with what",
        (
            Grid(("who", "holds or sees", "what they could do, and what stands against it"), TRUSTED),
            (
                "The people who run the server and the people who analyse the responses should not be the same: "
                f"{gap('who runs the server, who analyses, and who holds the key file of the store')}."
            ),
            *(() if facts.is_proved else (facts.privacy.closing_lines[0],)),
        ),
    )
