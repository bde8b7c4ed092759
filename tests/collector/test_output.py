"""Files that commands write: whole or not at all, with their owner, and with no drafts of killed commands around."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from collector.errors import OutputError
from collector.maintenance.backup import back_up
from collector.output import draft_of, write_bytes, write_text
from collector.store.store import Store

OTHER, GROUP = 54_321, 54_322
ONLY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
HANG = """
import sys, time
from pathlib import Path
from collector.output import write_text

def pieces():
    yield "half"
    print("writing", flush=True)
    time.sleep(60)

write_text(Path(sys.argv[1]), pieces())
"""


def hanging(path: Path) -> subprocess.Popen[str]:
    """A command that is in the middle of writing a file."""
    command = [sys.executable, "-c", HANG, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


@ONLY_ROOT
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o2664])
def test_what_root_writes_over_a_file_of_another_keeps_owner_group_and_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text("before")
    os.chown(path, OTHER, GROUP)
    path.chmod(mode)
    write_text(path, ["after"])
    found = path.stat()
    assert (path.read_text(), found.st_uid, found.st_gid, found.st_mode & 0o7777) == ("after", OTHER, GROUP, mode)
    write_text(tmp_path / "new", ["new"])
    found = (tmp_path / "new").stat()
    assert (found.st_uid, found.st_mode & 0o7777) == (os.geteuid(), 0o600)


@ONLY_ROOT
def test_what_root_backs_up_over_a_backup_of_another_keeps_its_owner(tmp_path: Path) -> None:
    target = tmp_path / "a.backup"
    with Store(tmp_path / "a.db", create=True):
        pass
    back_up(tmp_path / "a.db", target)
    os.chown(target, OTHER, GROUP)
    back_up(tmp_path / "a.db", target)
    assert (target.stat().st_uid, target.stat().st_gid, target.stat().st_mode & 0o777) == (OTHER, GROUP, 0o600)


def test_a_draft_of_a_killed_command_is_removed_by_the_next_and_one_of_a_living_command_is_not(tmp_path: Path) -> None:
    path, other = tmp_path / "table.csv", tmp_path / "other.csv"
    with hanging(path) as killed, hanging(path) as living, hanging(other) as foreign:
        try:
            kill(killed)
            assert len(names(tmp_path)) == 3
            write_text(path, ["whole"])
            assert len(names(tmp_path)) == 3, "the killed one's is gone, the living one's is not"
            assert path.read_text() == "whole"
            kill(foreign)
            write_text(path, ["again"])
            assert len(names(tmp_path)) == 3, "what another file's command left is not touched"
            write_text(other, ["again"])
            assert {"table.csv", "other.csv"} < names(tmp_path)
            assert len(names(tmp_path)) == 3
        finally:
            for each in (killed, living, foreign):
                kill(each)
    write_text(path, ["last"])
    assert names(tmp_path) == {"table.csv", "other.csv"}


def test_drafts_of_stores_and_folders_that_killed_commands_left_are_removed_whole(tmp_path: Path) -> None:
    for name in (".a.0123abcd", ".a.0123abcd-journal"):
        (tmp_path / name).write_text("left")
    (tmp_path / ".a.4567cdef").mkdir()
    (tmp_path / ".a.4567cdef" / "part").write_text("left")
    for name in (".a.0123abc", ".a.0123abcd.txt", ".a.0123ABCD", "a.0123abcd", ".b.0123abcd"):
        (tmp_path / name).write_text("somebody else's")
    with draft_of(tmp_path / "a", is_folder=True) as (draft, _):
        assert draft.is_dir()
        assert names(tmp_path) == {
            ".a.0123abc",
            ".a.0123abcd.txt",
            ".a.0123ABCD",
            "a.0123abcd",
            ".b.0123abcd",
            draft.name,
        }
    assert not draft.exists()


def test_a_draft_that_leads_elsewhere_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    (tmp_path / ".a.0123abcd").symlink_to(tmp_path / "kept")
    write_bytes(tmp_path / "a", [b"a"])
    assert names(tmp_path) == {"a", "kept", ".a.0123abcd"}


def test_what_cannot_be_written_leaves_the_file_as_it_was_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("before")

    def broken() -> list[str]:
        raise OSError(122, "quota")

    with pytest.raises(OutputError, match=r"\(Disk quota exceeded\)"):
        write_text(path, (each for _ in "a" for each in broken()))
    assert path.read_text() == "before"
    assert names(tmp_path) == {"a"}
