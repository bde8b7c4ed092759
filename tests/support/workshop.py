"""A folder with something for every command to work on, and a way to call each of them that prints JSON."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Thread

import numpy as np
from click.testing import CliRunner, Result
from werkzeug.serving import make_server

from collector.cli import main as collector
from collector.store.store import Store
from miner.cli import main as miner
from population import draw_answers
from respondent.app import create_app
from respondent.cli import main as respondent
from spreadsheets import FORM, save_form

GROUPS = {"collector": collector, "respondent": respondent, "miner": miner}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAGE = "the page of wellbeing, served"
PEOPLE, ROWS = 150, 60
RETRAIN = 'champion = "champion.json"\nminimum_new = 20\nhold_out = "1/3"\nmode = "faithful"\n'
RETRAIN += "level = 0.000001\n"  # so that chance alone never looks like drift

# In this order, in one folder: each finds what those before it left. Two calls of a command differ in what they print.
JSON_CALLS: tuple[tuple[str, ...], ...] = (
    ("collector", "check", "wellbeing.toml", "--respondents", "20"),
    ("collector", "check", "plain.toml"),
    ("collector", "publish", "wellbeing.toml"),
    ("collector", "close", "wellbeing"),
    ("collector", "open", "wellbeing"),
    ("collector", "verify-page", PAGE),
    ("collector", "link", "wellbeing", "--address", "https://survey.example.org", "-o", "link.svg"),
    ("collector", "import", "wellbeing", "responses.csv"),
    ("collector", "publish", "wellbeing_two_languages.toml"),
    ("collector", "invite", "wellbeing_two_languages", "--count", "2"),
    ("collector", "invite", "wellbeing_two_languages", "--count", "2", "--links", "https://survey.example.org"),
    ("collector", "list"),
    ("collector", "status", "wellbeing_two_languages"),
    ("collector", "close", "wellbeing_two_languages", "--for-good"),
    ("collector", "remove", "wellbeing_two_languages", "--yes"),
    ("collector", "tidy"),
    ("collector", "audit-store"),
    ("collector", "draft", "table.csv", "--target", "distress", "-o", "draft.toml"),
    ("collector", "texts", "export", "wellbeing.toml", "wellbeing.po", "--language", "de"),
    ("collector", "convert", "wellbeing.toml", "-o", "wellbeing.json"),
    ("collector", "dossier", "wellbeing", "--respondents", "150", "-o", "dossier.html"),
    ("collector", "convert", "form.xlsx", "-o", "form.toml"),
    ("miner", "plan", "wellbeing.toml", "--respondents", "150", "--target-width", "0.2", "--rehearsals", "0"),
    (
        *("miner", "plan", "wellbeing.toml", "--respondents", "60", "--rehearsals", "2", "--mode", "faithful"),
        *("--pilot", "table.csv", "--seed", "1"),
    ),
    ("miner", "estimate", "wellbeing", "cannabis = yes"),
    ("miner", "estimate", "wellbeing", "cannabis = yes", "--plain", "table.csv"),
    ("miner", "estimate", "wellbeing", "cannabis", "--by", "year", "--differences"),
    ("miner", "estimate", "wellbeing", "income", "--mean", "--by", "year"),
    ("miner", "estimate", "wellbeing", "income", "--quantile", "0.5"),
    ("miner", "crosstab", "wellbeing", "cannabis", "distress"),
    ("miner", "crosstab", "wellbeing", "cannabis", "distress", "year"),
    ("miner", "difference", "wellbeing", "distress = yes", "debt = yes", "debt = no"),
    ("miner", "regress", "wellbeing", "debt ~ year"),
    ("miner", "rules", "wellbeing", "--min-support", "0.2"),
    ("miner", "audit-survey", "wellbeing", "--seed", "1"),
    ("miner", "recode", "wellbeing", "-o", "next.toml"),
    ("miner", "train", "wellbeing", "--mode", "faithful", "--seed", "1", "-o", "model.json"),
    ("miner", "train", "wellbeing", "--mode", "faithful", "--test-share", "0", "-o", "untested.json"),
    ("miner", "train", "wellbeing", "--model", "random-trees", "--seed", "1", "-o", "trees.json"),
    ("miner", "evaluate", "model.json", "wellbeing", "--importances", "--dependence"),
    ("miner", "train", "wellbeing", "--model", "logit", "--seed", "1", "-o", "logit.json"),
    ("miner", "show", "logit.json"),
    ("miner", "show", "model.json"),
    ("miner", "show", "trees.json"),
    ("miner", "retrain", "wellbeing", "--config", "retrain.toml"),
    ("miner", "retrain", "wellbeing", "--config", "retrain.toml"),
    ("collector", "import", "wellbeing", "responses.csv", "--again"),
    ("miner", "retrain", "wellbeing", "--config", "retrain.toml"),
    ("miner", "budget", "students", "--epsilon", "5"),
    (
        *("miner", "release", "table.csv", "--survey", "plain.toml", "--data-set", "students", "--epsilon", "1"),
        *("--target", "distress", "-o", "release.json"),
    ),
    (
        *("miner", "release", "table.csv", "--survey", "plain.toml", "--data-set", "students", "--epsilon", "1"),
        *("--target", "distress", "--method", "private-rdt", "--cohort", "north", "--seed", "1", "-o", "north.json"),
    ),
    ("miner", "merge", "north.json", "-o", "both.json"),
    ("miner", "release", "model.json", "-o", "released.json"),
    ("miner", "show", "release.json"),
    ("miner", "ledger"),
    ("collector", "backup", "one.backup"),
    ("collector", "restore", "one.backup", "--store", "again.db"),
    (
        *("miner", "compare", "table.csv", "--survey", "plain.toml", "--target", "distress", "--methods", "ours"),
        *("--epsilon", "1", "--folds", "2", "--seed", "1"),
    ),
    ("miner", "audit", "release.json", "--data", "table.csv", "--others", "answers.csv", "--seed", "1"),
    ("miner", "audit", "release.json"),
    ("collector", "publish", "wellbeing.toml", "--new-version"),
    ("collector", "import", "wellbeing", "responses.csv", "--again"),
    ("miner", "anchors", "wellbeing", "--even", "year", "--anchor", "cannabis", "--arm", "1"),
    ("miner", "trend", "wellbeing", "distress = yes"),
    ("miner", "trend", "wellbeing", "distress = yes", "--by", "year", "--level", "0.9"),
)


def call(*arguments: str) -> Result:
    """Run a command of ours, by its whole line. `PAGE` in it is served meanwhile."""
    if PAGE not in arguments:
        return CliRunner().invoke(GROUPS[arguments[0]], arguments[1:])
    with Store(Path("deniable.db")) as store:
        server = make_server("127.0.0.1", 0, create_app(store), threaded=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        line = [f"http://127.0.0.1:{server.port}/s/wellbeing" if each == PAGE else each for each in arguments]
        try:
            return CliRunner().invoke(GROUPS[line[0]], line[1:])
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def furnish(folder: Path) -> None:
    """Make the files that `JSON_CALLS` begin with; the working folder must be this one."""
    for name in ("wellbeing.toml", "wellbeing_two_languages.toml"):
        shutil.copy(EXAMPLES / name, folder)
    people = draw_answers(PEOPLE, np.random.default_rng(3))
    people.to_csv("answers.csv", index=False)
    people[:ROWS].to_csv("table.csv", index=False)
    save_form(folder / "form.xlsx", FORM)
    (folder / "retrain.toml").write_text(RETRAIN, encoding="utf-8")
    for arguments in (
        ("miner", "simulate", "wellbeing.toml", "answers.csv", "--seed", "1", "-o", "responses.csv"),
        ("collector", "draft", "table.csv", "--target", "distress", "-o", "drafted.toml"),
    ):
        result = call(*arguments)
        assert result.exit_code == 0, result.output
    drafted = (folder / "drafted.toml").read_text(encoding="utf-8")
    (folder / "plain.toml").write_text(drafted.replace("confirmed = false", "confirmed = true"), encoding="utf-8")
