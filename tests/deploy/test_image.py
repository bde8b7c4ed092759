"""The image: built without a registry, run as `deploy/compose.yaml` confines it, answered, backed up and restored.

Its base is made of Debian's packages by mmdebstrap, which takes minutes; `DENIABLE_BASE` names an image, or an archive
of a root file system, that is there already.
"""

from __future__ import annotations

import json
import os
import re
import resource
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.survey.survey import Survey
from one_respondent import code_answers, disguise

ROOT = Path(__file__).resolve().parents[2]
MISSING = [name for name in ("podman", "buildah", "mmdebstrap") if shutil.which(name) is None]
CONFINED = ("--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--network", "none")
STORE = ("--store", "/data/deniable.db")
PEOPLE = 5
WAIT = 60
KILLED = 128 + 9  # exit code
POST = """
import sys
from http.client import HTTPConnection
connection = HTTPConnection("127.0.0.1", 8000)
connection.request("POST", sys.argv[1], sys.stdin.read(), {"Content-Type": "application/json"})
print(connection.getresponse().status)
"""
"""Program that runs in the container, which has no network, and sends responses as a page does."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (make image)"),
    pytest.mark.skipif(os.geteuid() != 0, reason="mmdebstrap and podman are run as root here"),
]


class Containers:
    """Podman with a folder of its own for images, volumes and settings.

    Args:
        folder: For all of them.
    """

    def __init__(self, folder: Path) -> None:
        limits = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
        hard = {name: min(resource.getrlimit(number)[1], 1024) for name, number in limits.items()}
        text = ", ".join(f'"{name}={number}:{number}"' for name, number in hard.items() if number > 0)
        engine = '[engine]\nruntime = "runc"\n' if shutil.which("runc") else ""
        (folder / "containers.conf").write_text(f"[containers]\ndefault_ulimits = [{text}]\n{engine}", encoding="utf-8")
        storage = f'[storage]\ndriver = "{os.environ.get("STORAGE_DRIVER", "overlay")}"\n'
        storage += f'graphroot = "{folder}/images"\nrunroot = "{folder}/run"\n'
        (folder / "storage.conf").write_text(storage, encoding="utf-8")
        self._environment = os.environ | {
            "CONTAINERS_CONF": str(folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
        }

    def __call__(self, *words: str | Path, given: str | None = None, tool: str = "podman") -> str:
        """Run a command, which must not fail, and return its output."""
        done = subprocess.run(  # noqa: S603 - as the test has it
            [tool, *map(str, words)],
            env=self._environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def run(self, *words: str, volumes: tuple[str, ...] = ()) -> str:
        """Run a command in the image with the volumes of the compose file's services, and return its output."""
        mounts = [part for each in ("data:/data", *volumes) for part in ("--volume", each)]
        return self("run", "--rm", *CONFINED, *mounts, "localhost/deniable", *words)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of an image, or the path of an archive of Debian with Python."""
    if "DENIABLE_BASE" in os.environ:
        return os.environ["DENIABLE_BASE"]
    path = tmp_path_factory.mktemp("base") / "base.tar"
    command = ["mmdebstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm", str(path)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - as above
    return str(path)


@pytest.fixture(scope="module")
def containers(base: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    """The image, and podman to run it. Pip in it uses the certificates that pip uses here."""
    folder = tmp_path_factory.mktemp("containers")
    found = Containers(folder)
    if Path(base).is_file():
        found("import", base, "localhost/base")
        base = "localhost/base"
    mounts: list[str] = []
    if certificates := os.environ.get("PIP_CERT"):
        (folder / "pip.conf").write_text(f"[global]\ncert = {certificates}\n", encoding="utf-8")
        mounts = ["--volume", f"{folder}/pip.conf:/etc/pip.conf:ro", "--volume", f"{certificates}:{certificates}:ro"]
    words = ["build", "--isolation", "chroot", "--format", "docker", "--network", "host", "--build-arg", f"BASE={base}"]
    words += [*mounts, "--file", str(ROOT / "deploy" / "Containerfile"), "--tag", "localhost/deniable", str(ROOT)]
    found(*words, tool="buildah")
    yield found
    found("rm", "--all", "--force")
    found("volume", "rm", "--all", "--force")
    found("rmi", "--all", "--force")


@pytest.fixture(scope="module")
def published(containers: Containers) -> str:
    """Publish the survey in the volume that later tests serve, and return the output."""
    words = ("collector", "publish", "/surveys/wellbeing.toml", *STORE)
    return containers.run(*words, volumes=(f"{ROOT}/examples:/surveys:ro",))


@pytest.fixture(scope="module")
def served(containers: Containers, published: str) -> Iterator[str]:
    """The name of a container that serves the survey, once it is healthy."""
    assert "published" in published
    containers("run", "--detach", "--name", "serve", *CONFINED, "--volume", "data:/data", "localhost/deniable")
    deadline = time.monotonic() + WAIT
    while "Serving" not in containers("logs", "serve"):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    containers("exec", "serve", "sh", "-c", "until healthy; do sleep 0.2; done")
    yield "serve"
    containers("stop", "--time", "30", "serve")


def response(survey: Survey) -> str:
    """One response as a page sends it, disguised with secret coins."""

    def words() -> int:
        return secrets.randbits(32)

    answers = {each.name: each.minimum or 0 if each.kind == "number" else each.values[0] for each in survey.questions}
    codes = disguise(survey, code_answers(survey, answers, words), words)
    named = dict(zip([each.name for each in survey.questions], codes, strict=True))
    return json.dumps({"fingerprint": survey.fingerprint, "codes": named, "receipt": secrets.token_urlsafe(32)})


def test_the_image_runs_without_privileges_and_has_what_a_host_needs(containers: Containers) -> None:
    config = json.loads(containers("inspect", "localhost/deniable"))[0]
    assert config["User"] == "10001:10001"
    assert config["Healthcheck"]["Test"] == ["CMD", "healthy"]
    assert containers.run("id", "-u") == "10001\n"
    assert containers.run("respondent", "--version").startswith("respondent ")
    assert containers.run("python3", "-c", "import psycopg; print(psycopg.pq.__impl__)") == "binary\n"
    assert "numpy" not in containers.run("python3", "-m", "pip", "list")


def test_it_takes_responses_on_a_root_that_cannot_be_written(
    containers: Containers, served: str, wellbeing: Survey
) -> None:
    containers("exec", served, "healthy")
    containers("exec", served, "sh", "-c", "! touch /opt/deniable/new 2>/dev/null")
    for _ in range(PEOPLE):
        path = f"/api/v1/surveys/{wellbeing.name}/responses"
        words = ("exec", "--interactive", served, "python3", "-c", POST, path)
        assert containers(*words, given=response(wellbeing)) == "201\n"
    status = json.loads(containers("exec", served, "collector", "status", wellbeing.name, *STORE, "--json"))
    assert status["surveys"][0]["responses"] == PEOPLE
    modes = containers("exec", served, "stat", "--format", "%a %u", "/data", "/data/deniable.db.pepper")
    assert modes == "700 10001\n600 10001\n"
    assert re.fullmatch(r"Serving 1 survey on .*\nSHA-384 of .*\n", containers("logs", served))


def test_a_night_leaves_a_backup_that_can_be_restored(containers: Containers, served: str, wellbeing: Survey) -> None:
    assert served
    backups = ("backups:/backups",)
    night = ("run", "--detach", "--name", "nightly", *CONFINED, "--env", f"STORE={STORE[1]}")
    containers(*night, "--volume", "data:/data", "--volume", "backups:/backups", "localhost/deniable", "nightly")
    deadline = time.monotonic() + WAIT
    while "digest" not in containers("logs", "nightly"):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    containers("stop", "--time", "30", "nightly")
    code = containers("inspect", "--format", "{{.State.ExitCode}}", "nightly")
    assert int(code) != KILLED, "it does not end when it is asked to"
    digest = re.search(r"digest (\w+)", containers("logs", "nightly"))
    assert digest
    restored = ("collector", "restore", "/backups/deniable.backup", "--store", "/data/restored.db")
    assert digest[1] in containers.run(*restored, volumes=backups)
    status = containers.run("collector", "status", wellbeing.name, "--store", "/data/restored.db", "--json")
    assert json.loads(status)["surveys"][0]["responses"] == PEOPLE
    assert containers.run("collector", "audit-store", "--store", "/data/restored.db").endswith("\ngreen\n")
