"""A store is served from a local disk only: the type of the file system is read from the kernel's list of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.database import file_system
from collector.database.address import read_place
from collector.database.file_system import check_disk, type_of
from collector.errors import StoreError

LINES = """\
20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
21 20 0:30 / /srv rw - nfs4 server:/srv rw,vers=4.2
22 21 8:2 / /srv/local rw shared:3 master:1 - xfs /dev/sdb1 rw
23 20 0:31 / /mnt/my\\040disk rw - cifs //server/share rw
24 20 0:32 / /home/a/far rw - fuse.sshfs b@c:/ rw
25 20 0:33 / /home/a/joined rw - fuse.mergerfs a:b rw
26 20 0:34 / /twice rw - nfs server:/x rw
27 20 0:35 / /twice rw - btrfs /dev/sdc rw
28 20 0:36 / /usb rw - fuseblk /dev/sdd1 rw
"""
TYPES = {
    "/var/lib/deniable.db": "ext4",
    "/srv/deniable.db": "nfs4",
    "/srv/deep/er/deniable.db": "nfs4",
    "/srv/local/deniable.db": "xfs",
    "/srvlocal/deniable.db": "ext4",
    "/mnt/my disk/deniable.db": "cifs",
    "/home/a/far/deniable.db": "fuse.sshfs",
    "/home/a/joined/deniable.db": "fuse.mergerfs",
    "/twice/deniable.db": "btrfs",
    "/usb/deniable.db": "fuseblk",
}


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of mounts that the test writes."""
    path = tmp_path / "mountinfo"
    path.write_text(LINES)
    monkeypatch.setattr(file_system, "MOUNTS", path)
    return path


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("path", TYPES)
def test_the_type_is_that_of_the_innermost_and_newest_mount(path: str) -> None:
    assert type_of(Path(path)) == TYPES[path]


@pytest.mark.usefixtures("mounts")
def test_a_link_is_followed_to_where_the_file_lies(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to("/srv/deniable.db")
    assert type_of(tmp_path / "link.db") == "nfs4"


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("path", [path for path, kind in TYPES.items() if kind in {"nfs4", "cifs", "fuse.sshfs"}])
def test_a_network_file_system_is_refused_by_name(path: str) -> None:
    with pytest.raises(StoreError, match=rf"network file system \({TYPES[path]}\)"):
        check_disk(Path(path))


@pytest.mark.usefixtures("mounts")
def test_one_that_may_be_on_a_network_is_warned_of_and_a_local_one_is_not() -> None:
    assert "shared file system (fuse.mergerfs)" in str(check_disk(Path("/home/a/joined/deniable.db")))
    for path in ("/var/lib/deniable.db", "/twice/deniable.db", "/usb/deniable.db"):
        assert check_disk(Path(path)) is None
    assert check_disk(read_place("postgresql://db.example/deniable")) is None


def test_where_there_is_no_list_of_mounts_nothing_is_said(mounts: Path) -> None:
    mounts.unlink()
    assert check_disk(Path("/srv/deniable.db")) is None


@pytest.mark.skipif(not file_system.MOUNTS.exists(), reason="this system lists no mounts")
def test_this_system_lists_the_file_system_of_processes() -> None:
    assert type_of(Path("/proc/self/x")) == "proc"
