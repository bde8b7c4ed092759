"""The check that a store is on a local disk, which SQLite's write-ahead log needs (https://sqlite.org/wal.html)."""

import re
from pathlib import Path

from collector.database.address import Address, Place
from collector.errors import StoreError

MOUNTS = Path("/proc/self/mountinfo")  # list of mounts, which only Linux has
NETWORK = frozenset(
    [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "gfs2",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "pvfs2",
        "smb2",
        "smb3",
        "smbfs",
        "fuse.ceph-fuse",
        "fuse.davfs",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.juicefs",
        "fuse.mfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.smbnetfs",
    ]
)
SHARED = re.compile(r"fuse(\..*)?|virtiofs")  # file systems that may or may not be on a network
ESCAPE = re.compile(r"\\([0-7]{3})")  # form in which the kernel writes white space in the name of a folder
REMEDY = "move the store to a local disk, or keep it in PostgreSQL"


def type_of(path: Path) -> str | None:
    """Return the type of the file system of a file, such as ``ext4`` or ``nfs4``, or None if it is not known."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        folder = path.resolve().parent
    except OSError:
        return None
    found, depth = None, 0
    for line in lines:
        before, _, after = line.partition(" - ")
        mounted = Path(ESCAPE.sub(lambda code: chr(int(code[1], 8)), before.split()[4]))
        if folder.is_relative_to(mounted) and len(mounted.parts) >= depth:  # the last of those on the same folder holds
            found, depth = after.split()[0], len(mounted.parts)
    return found


def check_disk(place: Place) -> str | None:
    """Refuse a store on a network file system.

    Returns:
        A warning if the file system may be on a network, or None if it is local or of unknown type.

    Raises:
        StoreError: If the file system is on a network.
    """
    kind = None if isinstance(place, Address) else type_of(place)
    if kind in NETWORK:
        raise StoreError(
            str(place),
            f"it lies on a network file system ({kind}), where SQLite cannot keep a served store safe",
            REMEDY,
        )
    if kind and SHARED.fullmatch(kind):
        return f"{place}: it lies on a shared file system ({kind}), where SQLite may lose responses; {REMEDY}"
    return None
