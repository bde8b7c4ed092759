"""The parts of a dossier for a data protection officer: record of processing, impact assessment, rights, retention."""

from collector.dossier.document import POPULATION, SEEN, Grid, Part, Points, gap
from collector.dossier.facts import DossierFacts

KEPT = (
    "Receipts: as keyed hashes, until `collector close --for-good`, which erases all of them.",
    (
        "Responses: until `collector remove` deletes the survey, or a withdrawal deletes the response. The "
        "software does not delete them by itself."
    ),
    (
        "Invitations: as keyed hashes, until the survey is removed. The list of whom you invited is yours, and is not "
        "in the software."
    ),
    (
        "Backups: contain all of it as of their day, until you delete them. A response that was withdrawn later is "
        "still in them, and is in the store again after `collector restore`. How long backups are kept, and how "
        f"withdrawals are repeated after a restore: {gap('days, and who does it')}."
    ),
)
WITHDRAWN = (
    (
        "A respondent who kept the receipt can have the response deleted on the page, until the survey is closed for "
        "good. The transaction also erases the figures in the register of scheduled training from which the response "
        "could be computed; the hash of the receipt stays until the survey is closed for good. Without the receipt, "
        "a response cannot be withdrawn: nobody can find the response of a person (Article 11 GDPR)."
    ),
    (
        "What was published before cannot be called back: printed figures, reports, model files, and copies and "
        "backups of the store. The response that is withdrawn was received, and its epsilon stays spent."
    ),
)


def _sensitive(facts: DossierFacts) -> str:
    names = ", ".join(each.name for each in facts.disguised) or "none"
    plain = ", ".join(each.name for each in facts.as_answered) or "none"
    return (
        f"answers to the disguised questions ({names}), as codes that chance may have changed, and answers as given to "
        f"{plain}. Special categories (Article 9: health, sex life, ethnic origin, beliefs, politics, trade unions, "
        f"genetics, biometrics) and criminal offences (Article 10). Proposal: treat the answers to all disguised "
        f"questions as special categories, because the design calls them sensitive; "
        f"{gap('which of these questions are none, and why')}"
    )


def record(facts: DossierFacts) -> Part:
    """Return the part with a draft of the record of processing activities."""
    return Part(
        "Record of processing (Article 30 GDPR), a draft",
        (
            Grid(
                ("Article 30(1)", "draft"),
                (
                    ("(a) controller", facts.study_text("who", "name of the controller")),
                    ("contact", facts.study_text("contact", "contact of the controller")),
                    ("joint controller, representative", gap("names and contacts, or none")),
                    ("data protection officer", facts.noted("name and contact of the data protection officer")),
                    ("(b) purposes", facts.study_text("why", "purposes of the processing")),
                    ("legal basis (Articles 6 and 9(2))", facts.noted("the legal basis, for example consent")),
                    ("(c) data subjects", facts.noted(POPULATION)),
                    ("(c) personal data", f"{_sensitive(facts)}."),
                    ("(d) recipients", f"{RECIPIENTS} Processors and others: {gap('host, panel, archive, or none')}."),
                    ("(e) third countries", gap("countries and safeguards, or none")),
                    ("(f) erasure", f"{' '.join(KEPT)} Time limits: {facts.noted('how long responses are kept')}."),
                    (
                        "(g) security (Article 32)",
                        (
                            "Disguise in the browser before anything is sent; no identifiers, addresses or times in "
                            "the store; keyed hashes with a key outside the store; one request for each response, "
                            "encrypted if the host serves https; `collector audit-store`. On the host: "
                            f"{gap('access, encryption of disks, updates, backups')}."
                        ),
                    ),
                ),
            ),
        ),
    )


RECIPIENTS = (
    "Responses: the people who run the server and the people who analyse. Figures: the readers of what you publish. "
    "True answers to disguised questions: nobody."
)


def assessment(facts: DossierFacts) -> Part:
    """Return the part with a draft of the data protection impact assessment."""
    names = ", ".join(each.name for each in facts.as_answered)
    severity = "how likely and how severe, and what remains"
    risks = (
        ("an answer is inferred from a response", facts.surest, gap(severity)),
        ("all answers of a person together", facts.privacy.closing_lines[0], gap(severity)),
        (
            "somebody is recognised by answers that are sent as they are",
            f"{facts.plain_combinations:,} combinations of {names}." if names else "No answer is sent as it is.",
            gap(severity),
        ),
        (
            "the time or address of a response is noted outside the software",
            "The software keeps neither; a host could. The disguise of the codes stays.",
            gap(severity),
        ),
        (
            "the store or a backup leaks, or somebody compels the operator to hand it over",
            (
                "It has no name, address or time. A code equals the code of the true answer as often as the part on "
                "codes says, and nothing in the store shows where. What responses disclose: above."
            ),
            gap(severity),
        ),
        (
            "a changed page sends true answers",
            "`collector verify-page` from another machine compares every byte. See the part on trust.",
            gap(f"who compares, how often; {severity}"),
        ),
        (
            "a device shows that somebody took part",
            (
                "The browser's history has the address and title of the survey. Until Send, the "
                "tab keeps the disguised response. No true answer is stored on the device (guarantee 14)."
            ),
            gap(severity),
        ),
    )
    return Part(
        "Impact assessment (Article 35 GDPR), a draft",
        (
            f"Whether an assessment is required: {gap('Article 35(1) and (3), and the list of your authority')}.",
            "(a) Description: the parts above and the record of processing.",
            (
                "(b) Necessity and proportionality: the purpose needs figures about all people together, and no single "
                f"answer. {len(facts.disguised)} of {len(facts.survey.questions)} questions are disguised, and numbers "
                f"and days are sent as intervals. Why each question is needed: {gap('reasons, question by question')}."
            ),
            "(c) Risks to data subjects, and (d) measures:",
            Grid(("risk", "measure and figure", "judgement"), risks),
            (
                f"Advice of the data protection officer: {gap('advice and day')}. Views of data subjects: "
                f"{gap('asked whom, or why not')}. Decision: {gap('who, and on which day')}."
            ),
        ),
    )


def retention(facts: DossierFacts) -> Part:
    """Return the part on recipients, retention, withdrawal and the rights of respondents."""
    closed = "The survey is closed for good: receipts are erased, and no response can be withdrawn any more."
    return Part(
        "Recipients, retention, withdrawal",
        (
            RECIPIENTS,
            f"Responses are taken: {facts.days}",
            Points(KEPT),
            *((closed,) if facts.for_good else WITHDRAWN),
            Grid(
                ("right", "how it works here"),
                (
                    ("information (13)", "the study card before the first question: see the part for respondents"),
                    (
                        "access (15), portability (20)",
                        (
                            "a receipt shows whether its response exists, and the page shows what is sent: "
                            f"{SEEN[facts.survey.preview]}; without a receipt, the store cannot find the response of a "
                            "person (Article 11)"
                        ),
                    ),
                    ("rectification (16)", "delete by receipt, and answer anew, while the survey is open"),
                    ("erasure (17), objection (21)", "by receipt, as above; without the receipt, not possible"),
                    (
                        "restriction (18)",
                        "not for one response: it can be deleted, or no response is analysed meanwhile",
                    ),
                    (
                        "complaint to an authority (13(2)(d))",
                        facts.noted("the right to complain, and to which authority"),
                    ),
                    ("automated decisions (22)", "none by the software"),
                ),
            ),
        ),
    )
