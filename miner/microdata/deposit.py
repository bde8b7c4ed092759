"""Make the files of a deposit: disguised responses that may be published, with all that is needed to analyse them.

Rows have no receipt, id or time, and are sorted by their codes. Every file follows from the published design and these
rows, so a deposit tells nothing about a person that the response does not tell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from collector.disclosure.privacy import SurveyPrivacy, versions_line
from collector.exchange.codebook import ddi_codebook, how_disguised, label_of, meanings
from collector.store.published import Published
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.microdata import deposit_analysis
from miner.microdata.deposit_analysis import leaf_of, root_of
from miner.microdata.files import table_bytes
from miner.microdata.readings import free_names, words_of
from miner.responses.labelled import DTA, SAV, labelled_file, notes
from miner.responses.responses import NOT_ASKED, Counted, Data, Responses, codes_of_values
from miner.weights.events import with_conditions
from miner.weights.fitted_weights import FittedWeights
from miner.weights.possible_weights import possible_weights

SCRIPTS = {"analyse.R": "deposit.R", "analyse.do": "deposit.do"}
README = """Deposit of the disguised responses to the survey {name}, version {version}: {people} rows
{simulated}
design    {fingerprint} (SHA-256 of design.json)
root      {root}

The answers to sensitive questions were disguised at random before they were sent. The codes are not answers. Never
count them: use the scripts, or the readings.

WHAT IS HERE
responses.csv, .parquet, .sav, .dta  a row for each response, sorted by content: without receipts, ids and times (.dta
                                     may begin with the first response to each question)
design.json                          the published design
codebook.xml (DDI-Codebook 2.5), codebook.txt   questions, codes and probabilities
readings.csv                         a row for each row of responses.csv: undisguised answers in words, and for the
                                     values of disguised questions an unbiased reading, which is not an answer
readings_columns.csv                 the question, value and coins of each reading, and its smallest and largest value
readings_pairs.csv                   pairs of readings that a response could have, for shares of those asked
analyse.py, analyse.R, analyse.do    shares, tables and differences, with errors and intervals
SHA256SUMS                           digests of the files (sha256sum -c SHA256SUMS)

HOW TO CHECK IT
The root is that of a hash tree over the rows of responses.csv, with the leaf and node prefixes of RFC 6962: a leaf is
SHA-256(00, row without its line end), a node is SHA-256(01, left, right). "python analyse.py" compares it. Compare the
root with the one that was published elsewhere. There are no proofs of inclusion, and no receipt belongs to a row.

WHAT A ROW TELLS ABOUT A PERSON
{privacy}
The guarantee is local: it holds for one response, whatever else a reader knows, and whoever reads this folder. Answers
to questions that are not disguised are here as they were sent. {versions}
A central epsilon, which holds for readers of published figures, does not hold for this folder: it has every response.
At least {fewest} people are alike in all that is not disguised: undisguised answers (and with them any stratum, cluster
or sampling weight made of them), which questions were asked, and whether a person disguised the answers by hand.

HOW TO USE IT
python analyse.py "condition" --by question    needs numpy and pandas
A reading is an outcome, never a predictor: means, weighted means and linear regressions of it on undisguised questions
are right, with robust standard errors. Its logit, correlation, variance and median are not.
"""


@dataclass(frozen=True)
class DepositFiles:
    """Files of a deposit.

    Attributes:
        files: Content of each file, by its name.
        root: Root of the hash tree over the rows, in hexadecimal.
        people: Number of rows.
    """

    files: dict[str, bytes]
    root: str
    people: int


def deposit_files(data: Data, published: Published, versions: list[Survey], fewest: int) -> DepositFiles:
    """Return the files of a deposit.

    Args:
        data: Responses to the version.
        published: Version to deposit.
        versions: Designs of all versions of the survey, for the epsilon of a person who answered all of them.
        fewest: Number of people whom `miner.microdata.deposit_checks.check_cells` has checked.

    Raises:
        QueryError: If there are no responses, or a library that writes a format is not installed.
    """
    survey = data.survey
    (found,) = data.on([range(len(survey.questions))])
    times, names = found.counts.astype(np.intp), [each.name for each in survey.questions]
    every = Responses(survey, np.repeat(found.responses.codes, times, axis=0))
    lines = pd.DataFrame(found.responses.codes).to_csv(index=False, header=False).encode().splitlines()
    root = root_of(np.repeat(np.array([leaf_of(line) for line in lines], object), times).tolist())
    readings = {name: table.to_csv(index=False).encode() for name, table in _readings(found).items()}
    text = README.format(
        name=survey.name,
        version=published.version,
        people=len(every),
        simulated="" if data.simulated is None else f"\n{data.simulated.line}\n",
        fingerprint=survey.fingerprint,
        root=root,
        privacy="\n".join(SurveyPrivacy(survey).closing_lines[:-1]),  # the last is about more than epsilons
        versions=versions_line(versions) or "",
        fewest=fewest,
    )
    files = {
        "README.txt": text.encode(),
        "responses.csv": _repeated([",".join(names).encode(), *lines], times),
        "responses.parquet": table_bytes(pd.DataFrame(every.codes, columns=names), ".parquet"),
        "responses.sav": labelled_file(every, SAV),
        "responses.dta": labelled_file(every, DTA),
        "design.json": survey.canonical.encode(),
        "codebook.xml": ddi_codebook(survey).content,
        "codebook.txt": "\n".join([*_codebook(survey, len(every)), ""]).encode(),
        **readings,
        "readings.csv": _repeated(readings["readings.csv"].splitlines(), times),
        "analyse.py": Path(deposit_analysis.__file__).read_bytes(),
        **{name: (Path(__file__).parent / source).read_bytes() for name, source in SCRIPTS.items()},
    }
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return DepositFiles(files | {"SHA256SUMS": sums.encode()}, root, len(every))


def _repeated(lines: list[bytes], times: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> bytes:
    """Return a header and lines, each of which is repeated, as the content of a file."""
    return b"".join(b"%b\n" % line * count for line, count in zip(lines, (1, *times.tolist()), strict=True))


def _readings(found: Counted) -> dict[str, pd.DataFrame]:
    """Return undisguised answers and readings of each distinct response, what they are of, and possible pairs."""
    survey, weights = found.responses.survey, FittedWeights(found.responses, found.counts)
    pairs = [(each, value) for each in survey.questions for value in range(len(each.values))]
    names = (name for name in free_names(survey, len(pairs)).values() if name.startswith("reading"))
    columns: dict[str, object] = {}
    rows: list[tuple[str | float, ...]] = []
    possible: list[tuple[str | float, ...]] = []
    for question, value in pairs:
        event, coins = {question.name: codes_of_values(question, {value})}, _coins(survey, question)
        words, name = (question.name, question.values[value]), next(names) if coins else ""
        rows.append((name, *words, coins, *weights.range(event)))
        if coins:
            columns[name] = _as_text(weights.of(event), weights.asked(event))
        else:
            columns[question.name] = words_of(found.responses, question.name)
        if question.coding.routed and value < len(question.values) - 1:
            asked = {question.name: codes_of_values(question, range(len(question.values) - 1))}
            ends = possible_weights(survey, [event, asked])
            seen = np.stack([weights.of(event), weights.of(asked)], axis=1)
            possible += [(*words, *pair) for pair in np.unique(seen if ends is None else ends, axis=0).tolist()]
    return {
        "readings.csv": pd.DataFrame(columns),
        "readings_columns.csv": pd.DataFrame(rows, columns=["column", "question", "value", "coins", "low", "high"]),
        "readings_pairs.csv": pd.DataFrame(possible, columns=["question", "value", "numerator", "denominator"]),
    }


def _as_text(numbers: Floats, known: Flags) -> pd.Categorical:
    """Return numbers as text with all their digits, or missing values, which is faster to write than many numbers."""
    distinct, which = np.unique(numbers, return_inverse=True)
    words = pd.CategoricalDtype([*map(repr, distinct.tolist())])
    return pd.Categorical.from_codes(np.where(known, which, -1), dtype=words)


def _coins(survey: Survey, question: Question) -> str:
    """Return the names of the groups whose coins decide the readings of a question."""
    groups = map(survey.group_of, with_conditions(survey, [question.name]))
    return " ".join(dict.fromkeys(each.name for each in groups if each is not None))


def _codebook(survey: Survey, people: int) -> Iterator[str]:
    """Yield the lines of the code book as text."""
    for question in survey.questions:
        yield f"{question.name}: {label_of(survey, question, survey.languages[0])}"
        yield f"  {how_disguised(survey, question)}"
        for code, words in meanings(survey, question, "stands for no value").items():
            yield f"  {code}  {words}"
        if survey.may_miss(question.name):
            yield f"  {NOT_ASKED}  not asked, by design"
        yield ""
    yield from notes(survey, people)
