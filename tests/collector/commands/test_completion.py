"""What bash and zsh complete: commands, options, choices, and what only the store and the folder know."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workshop import EXAMPLES, GROUPS, call

DOCS = Path(__file__).resolve().parents[3] / "docs"
BIN = Path(sys.executable).parent
ZSH = shutil.which("zsh")
TAB = b"\t"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a store of one survey, a file that is a model by its beginning, and others that are not."""
    folder = tmp_path_factory.mktemp("workshop")
    shutil.copy(EXAMPLES / "wellbeing.toml", folder)
    for name in ("deniable.db", "other.db"):
        assert (
            call("collector", "publish", str(folder / "wellbeing.toml"), "--store", str(folder / name)).exit_code == 0
        )
    (folder / "model.json").write_text('{"format": 1}', encoding="utf-8")
    (folder / "mere.json").write_text("[]", encoding="utf-8")
    (folder / "people.csv").write_text("", encoding="utf-8")
    (folder / "damaged.db").write_bytes(b"no store")
    return folder


def completed(group: str, shell: str, line: str, folder: Path | None = None) -> list[str]:
    """What a shell's function is told of a line whose last word is to be completed."""
    words = line.split(" ")
    word = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    environment = {**os.environ, **word, f"_{group.upper()}_COMPLETE": f"{shell}_complete"}
    done = subprocess.run([BIN / group], cwd=folder, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize("group", GROUPS)
def test_a_shell_gets_a_script_and_what_completes_a_word(group: str, shell: str) -> None:
    environment = {**os.environ, f"_{group.upper()}_COMPLETE": f"{shell}_source"}
    done = subprocess.run([BIN / group], env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert f"_{group.upper()}_COMPLETE={shell}_complete" in done.stdout
    assert f"_{group}_completion" in done.stdout
    first = min(GROUPS[group].commands)
    assert first in " ".join(completed(group, shell, f"{group} {first[:3]}")).replace(",", " ").split()
    assert any("--help" in word for word in completed(group, shell, f"{group} {first} --he"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("miner tra", ["train"]),
        ("miner train wellbeing --mode la", ["latent"]),
        ("collector import", ["import"]),
        ("respondent se", ["serve"]),
    ],
)
def test_bash_itself_completes(line: str, expected: list[str], tmp_path: Path) -> None:
    words = line.split(" ")
    group = words[0]
    script = tmp_path / "ask.bash"
    script.write_text(
        f'PATH="{BIN}:$PATH"\neval "$(_{group.upper()}_COMPLETE=bash_source {group})"\n'
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _{group}_completion {group} {words[-1]} {words[-2]}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n',
        encoding="utf-8",
    )
    done = subprocess.run(["/bin/bash", script], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert "command not found" not in done.stderr
    assert sorted(done.stdout.split()) == expected


def test_the_installation_that_the_documents_tell_works_in_bash(tmp_path: Path) -> None:
    section = (DOCS / "commands.md").read_text(encoding="utf-8").partition("## Completion\n")[2].partition("For zsh")[0]
    told = "".join(line[4:] for line in section.splitlines(keepends=True) if line.startswith("    "))
    home = {"HOME": str(tmp_path), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    for script in (told, f". '{tmp_path}/.bashrc'; complete -p collector respondent miner"):
        done = subprocess.run(["/bin/bash", "-c", script], env=home, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[-1] for line in done.stdout.splitlines()] == list(GROUPS)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("collector status w", ["plain,wellbeing"]),
        ("miner estimate ", ["plain,wellbeing"]),
        ("miner estimate x", []),
        ("miner estimate --store other.db w", ["plain,wellbeing"]),
        ("miner estimate --store missing.db w", []),
        ("miner estimate --store damaged.db w", []),
        ("miner crosstab wellbeing d", ["plain,drinking", "plain,debt", "plain,distress"]),
        ("miner crosstab wellbeing debt di", ["plain,distress"]),
        ("miner crosstab missing d", []),
        ("miner show m", ["plain,model.json"]),
        ("miner show ./m", ["plain,./model.json"]),
        ("miner show nothing", ["file,nothing"]),
        ("miner show nowhere/m", ["file,nowhere/m"]),
        ("miner evaluate model.json w", ["plain,wellbeing"]),
        ("miner predict model.json ", ["plain,people.csv"]),
        ("collector check w", ["plain,wellbeing.toml"]),
        ("miner budget w", []),
    ],
)
def test_surveys_questions_and_files_complete(line: str, expected: list[str], folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert completed(line.split(maxsplit=1)[0], "bash", line, folder) == expected
    assert sorted(folder.iterdir()) == before, "a completion makes nothing"


@pytest.mark.skipif(ZSH is None, reason="there is no zsh here")
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("miner trai", "miner train "),
        ("miner train wellbeing --mode la", "miner train wellbeing --mode latent "),
        ("miner estimate we", "miner estimate wellbeing "),
        ("miner crosstab wellbeing dr", "miner crosstab wellbeing drinking "),
        ("miner show m", "miner show model.json "),
        ("collector check w", "collector check wellbeing.toml "),
        ("respondent se", "respondent serve "),
    ],
)
def test_zsh_itself_completes(typed: str, line: str, folder: Path, tmp_path: Path) -> None:
    group = typed.split(maxsplit=1)[0]
    (tmp_path / ".zshrc").write_text(
        f"path=({BIN} $path)\nautoload -U compinit; compinit -u -d {tmp_path}/dump\ncd {folder}\n"
        f'eval "$(_{group.upper()}_COMPLETE=zsh_source {group})"\n'
        'show() { zle expand-or-complete; print -r -- "LINE<$BUFFER>" }; zle -N show; bindkey "^I" show\n'
        "zle-line-init() { print READY }; zle -N zle-line-init\n",
        encoding="utf-8",
    )
    ours, theirs = pty.openpty()
    kept = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "TERM": "dumb"}
    with subprocess.Popen([str(ZSH), "-d", "-i"], env=kept, stdin=theirs, stdout=theirs, stderr=theirs) as shell:  # noqa: S603 - a shell
        os.close(theirs)
        read_until(ours, r"READY")
        os.write(ours, typed.encode() + TAB)
        found = read_until(ours, r"LINE<([^>]*)>")
        shell.kill()
    os.close(ours)
    assert found == line


def read_until(terminal: int, pattern: str) -> str:
    """The last group of a pattern, once it stands on a terminal."""
    text = ""
    while select.select([terminal], [], [], 60)[0]:
        text += os.read(terminal, 65536).decode(errors="replace")
        match = re.search(pattern, text)
        if match:
            return match[match.lastindex or 0]
    raise AssertionError(text)


@pytest.mark.skipif(ZSH is None, reason="there is no zsh here")
def test_the_installation_that_the_documents_tell_works_in_zsh(tmp_path: Path) -> None:
    section = (DOCS / "commands.md").read_text(encoding="utf-8").partition("For zsh, once")[2].partition("## `")[0]
    told = "".join(line[4:] for line in section.splitlines(keepends=True) if line.startswith("    "))
    (tmp_path / ".zshrc").write_text(f"autoload -U compinit; compinit -u -d {tmp_path}/dump\n", encoding="utf-8")
    home = {"HOME": str(tmp_path), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    for script in (
        told,
        f". '{tmp_path}/.zshrc'; print -l ${{_comps[collector]}} ${{_comps[respondent]}} ${{_comps[miner]}}",
    ):
        done = subprocess.run([str(ZSH), "-f", "-c", script], env=home, capture_output=True, text=True, check=False)  # noqa: S603 - a shell
        assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [f"_{group}_completion" for group in GROUPS]
