"""The part of a dossier from which a reviewer can recompute the disclosure and the standard errors."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from collector.dossier.document import Grid, Part, Points
from collector.dossier.facts import DossierFacts
from collector.exchange.codebook import chances_told, sent_chances
from collector.survey.group import Group
from collector.survey.question import Question


def coding(facts: DossierFacts) -> Part:
    """Return the part with the probability of each code for each answer to a disguised question."""
    columns = "question", "answer", "prior", "codes drawn", "codes sent", "sent as a code of the answer"
    rules = tuple(_rule(group, facts.survey.members(group)) for group in facts.survey.groups)
    return Part(
        "How an answer becomes a code",
        (
            (
                "An answer becomes a code in two steps. First, one of the codes of the answer is drawn. Then the coin "
                "of the group decides which codes are sent. The column “codes sent” has the probabilities after "
                "both steps, for each question alone. The last column adds up those of the codes of the answer."
            ),
            Grid(columns, tuple(row for each in facts.disguised for row in _rows(facts, each))),
            "The coins:",
            Points(rules),
            (
                "One coin decides for all questions of a group. If t is the probability that the drawn codes are sent, "
                "then P(codes sent | answers) is t times the product of the probabilities that each of these codes is "
                "drawn for its answer, plus (1 - t) times the product of the probabilities that each of these codes is "
                "sent instead. The column “codes sent” must not be multiplied within a group. Each group has its own "
                "coin: the probabilities of groups are multiplied."
            ),
            (
                "The figures on disclosure follow from these probabilities and the priors by Bayes' rule. Answers to "
                "different questions are taken as independent, except for combinations that the screens rule out. An "
                "answer with several codes shares its prior among them: a code that is drawn with 3/5 for an answer "
                "of prior 1/2 counts with 3/10, and not with 1/2."
            ),
            (
                "Each response counts for an answer with a weight w. If complements are sent instead, w = (t f(code "
                "sent) - (1 - t) f(its complement)) / (2t - 1); otherwise w = (f(code sent) - (1 - t) u) / t, where u "
                "is the mean of f over the codes that are sent instead. f is 1 for the codes of the answer, and 0 for "
                "other codes; where a code stands for several answers, collector/coding/shared.py defines f. The "
                "estimate p of a share is the mean of w over n responses, and its standard error is the square root of "
                "(m - p squared) / n, where m is the mean of w squared. The 95 % interval is Wilson's score interval, "
                "generalised to weights (docs/estimating.md). For combinations of answers, the weights of different "
                "groups are multiplied. If a question is asked on a condition, the share is a ratio of two such means: "
                "among those who are asked."
            ),
        )
        if facts.disguised
        else ("No question is disguised.",),
    )


def _rows(facts: DossierFacts, question: Question) -> Iterator[tuple[str, ...]]:
    sent = sent_chances(facts.survey, question)
    for place, (value, prior) in enumerate(zip(question.values, question.prior, strict=True)):
        after = _named({code: row[place] for code, row in sent.items()}) if sent else "depends on the questions asked"
        yield (
            *(question.name, value, str(prior), _named(question.coding.draw_probabilities(place)), after),
            str(sum(sent[code][place] for code in question.coding.codes_of(place))) if sent else after,
        )


def _rule(group: Group, members: tuple[Question, ...]) -> str:
    paired, (key, number) = group.channel.replacement.paired, group.channel.coin.published
    numbers = ", ".join(f"{each.name} {each.coding.sharpness}" for each in members)
    odds = f"o / (o + K), where o is {number} and K is the product of these numbers of the questions asked ({numbers}),"
    instead = "; ".join(
        f"{each.name} {', '.join(f'{each.coding.complement(code)} for {code}' for code in each.codes)}"
        if paired
        else f"{each.name} {_named(each.coding.replacement_probabilities)}"
        for each in members
    )
    return (
        f"{group.name}: with probability {number if key == 'truth' else odds} the drawn codes of "
        f"{', '.join(group.questions)} are sent. Otherwise {'their complements' if paired else 'other draws'} are sent"
        f"{'' if paired else ', which do not depend on the answers'}: {instead}."
    )


def _named(chances: Mapping[int, Fraction]) -> str:
    """Return codes with their probabilities; codes that all have the same probability are listed."""
    listed = ", ".join(map(str, chances))
    if len(chances) == 1:
        return f"code {listed}"
    others = f"each of the codes {listed}" if len({*chances.values()}) == 1 else "each other code"
    return chances_told({str(code): chance for code, chance in chances.items()}, "code {}", others)
