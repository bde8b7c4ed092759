"""The dossier of a survey as a document."""

from collector.dossier.coding_part import coding
from collector.dossier.document import Document, Part, Points, Worded
from collector.dossier.evidence import EVIDENCE
from collector.dossier.facts import DossierFacts
from collector.dossier.law_parts import assessment, record, retention
from collector.dossier.privacy_parts import collected, disclosure, opinion, trusted
from collector.dossier.report_parts import informed, methods, purpose, registry, reporting


def dossier(facts: DossierFacts) -> Document:
    """Return the dossier of a survey: what boards, data protection officers and reviewers ask, as far as known."""
    writers = (
        *(purpose, collected, coding, disclosure, opinion, trusted, informed, retention),
        *(record, assessment, methods, reporting, registry),
    )
    parts = (*(write(facts) for write in writers), Part("Evidence on disguise", EVIDENCE))
    title = Worded(facts.survey.title[facts.language], facts.language)
    gaps = Points(tuple(f"{part}: {gap}" for part, gap in Document(title, parts).gaps))
    about = (
        (
            f"A draft that {facts.software} made from the design {facts.named}. Every figure on disclosure is one that "
            "`collector check` prints for this design. Texts in square brackets are known only to the people "
            "who run the survey: they fill them in, or check that the privacy notice says them. This document is no "
            "legal advice."
        ),
        "To be filled in or checked:",
        gaps,
    )
    return Document(title, (Part("About this document", about), *parts))
