"""The wheel, installed where nothing else is, runs the three commands and serves the page."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from collector.page.static_files import disguise_hash, static_files
from respondent.pages.languages import interface

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(  # noqa: S603 - our own commands
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel and its locked runtime dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    install = (folder / "venv" / "bin", "install", "--quiet", "--no-compile")  # Python compiles what is imported
    pip(*install, "--require-hashes", "-r", ROOT / "requirements" / "runtime.txt")
    pip(*install, "--no-deps", *folder.glob("*.whl"))
    return folder / "venv" / "bin"


@pytest.fixture(scope="module")
def host(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment with what a web host needs, and no more."""
    folder = tmp_path_factory.mktemp("host")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    install = (folder / "venv" / "bin", "install", "--quiet", "--no-compile")
    pip(*install, "--require-hashes", "-r", ROOT / "requirements" / "host.txt")
    pip(*install, "--no-deps", *installed.parents[1].glob("*.whl"))
    return folder / "venv" / "bin"


@pytest.fixture(scope="module")
def lowest(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment with the lowest versions that the wheel and its extras allow."""
    folder = tmp_path_factory.mktemp("lowest")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    named = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    needed = [each for each in map(Requirement, named) if each.name != project["name"]]
    pins = {f"{each.name}{_extras(each)}=={_lowest(each)}" for each in needed}
    pip(folder / "venv" / "bin", "install", "--quiet", "--no-compile", *sorted(pins))
    pip(folder / "venv" / "bin", "install", "--quiet", "--no-compile", "--no-deps", *installed.parents[1].glob("*.whl"))
    return folder / "venv" / "bin"


def _extras(requirement: Requirement) -> str:
    return f"[{','.join(requirement.extras)}]" if requirement.extras else ""


def _lowest(requirement: Requirement) -> str:
    (version,) = (each.version for each in requirement.specifier if each.operator == ">=")
    return version


def pip(binaries: Path, *arguments: str | Path) -> str:
    """Run the pip of the tests for another environment, which has none."""
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", binaries / "python")
    return run(*command, *arguments, cwd=binaries)


@pytest.fixture
def served(installed: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a server that the wheel started on a store it published to."""
    with serving(installed, tmp_path) as address:
        yield address


@contextmanager
def serving(binaries: Path, folder: Path) -> Iterator[str]:
    """Publish a survey in a folder and serve it, with the commands of an environment."""
    run(binaries / "collector", "publish", ROOT / "examples" / "wellbeing.toml", cwd=folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(binaries / "respondent"), "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            wait_for("127.0.0.1", port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def wait_for(host: str, port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex((host, port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not start")


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - http to ourselves
        return str(answer.read().decode())


def pip_list(binaries: Path) -> list[dict[str, str]]:
    """The packages of an environment: names and versions."""
    found: list[dict[str, str]] = json.loads(pip(binaries, "list", "--format", "json"))
    return found


def test_the_environment_has_no_development_dependency(installed: Path) -> None:
    names = {package["name"].lower() for package in pip_list(installed)}
    assert "deniable" in names
    assert names.isdisjoint({"pytest", "ruff", "mypy", "playwright", "hypothesis"})


@pytest.mark.parametrize("command", ["collector", "respondent", "miner"])
def test_each_command_says_what_it_does(installed: Path, tmp_path: Path, command: str) -> None:
    assert f"Usage: {command}" in run(installed / command, "--help", cwd=tmp_path)


def test_it_serves_the_same_files_as_the_checkout(served: str) -> None:
    assert "Student wellbeing" in get(f"{served}/")
    for path in sorted((ROOT / "static").glob("*/*.*")):
        assert get(f"{served}/static/{path.relative_to(ROOT / 'static')}") == path.read_text(encoding="utf-8")


def test_its_page_is_the_one_that_it_verifies(served: str, installed: Path, tmp_path: Path) -> None:
    address = f"{served}/s/wellbeing"
    found = json.loads(run(installed / "collector", "verify-page", address, "--json", cwd=tmp_path))
    assert found["same"]
    assert found["disguise"] == disguise_hash(static_files(ROOT / "static"))
    assert found["disguise"] in get(address)


def test_it_speaks_the_languages_of_the_checkout(served: str) -> None:
    assert interface("ar").gettext("Open surveys") in get(f"{served}/?lang=ar")


def test_it_takes_a_response_and_mines_it(served: str, installed: Path, tmp_path: Path) -> None:
    published = json.loads(run(installed / "collector", "status", "wellbeing", "--json", cwd=tmp_path))
    codes = {"year": 0, "cannabis": 0, "drinking": 0, "income": 0, "debt": 0, "distress": 0}
    response = {"fingerprint": published["surveys"][-1]["fingerprint"], "codes": codes}
    for _ in range(3):
        body = json.dumps(response | {"receipt": secrets.token_urlsafe(32)}).encode()
        request = urllib.request.Request(  # noqa: S310 - http to ourselves
            f"{served}/api/v1/surveys/wellbeing/responses", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - http to ourselves
            assert answer.status == 201
    estimate = json.loads(run(installed / "miner", "estimate", "wellbeing", "year = first", "--json", cwd=tmp_path))
    assert estimate["n"] == 3
    assert estimate["estimate"] == 1.0


HOST_BYTES = 60_000_000  # of the packages of a web host, as they are installed


def test_a_web_host_serves_and_disguises_without_what_the_miner_computes_with(host: Path, tmp_path: Path) -> None:
    (packages,) = host.parent.glob("lib/python*/site-packages")
    assert sum(path.stat().st_size for path in packages.rglob("*") if path.is_file()) < HOST_BYTES
    with serving(host, tmp_path) as address:
        assert "Student wellbeing" in get(f"{address}/s/wellbeing")
    assert "accepted" in run(host / "collector", "check", ROOT / "examples" / "wellbeing.toml", cwd=tmp_path)


@pytest.mark.soak
def test_a_survey_runs_through_on_the_lowest_versions_of_all_libraries(lowest: Path, tmp_path: Path) -> None:
    with serving(lowest, tmp_path) as address:
        assert "Student wellbeing" in get(f"{address}/s/wellbeing")
        run(lowest / "collector", "verify-page", f"{address}/s/wellbeing", cwd=tmp_path)
    survey = ROOT / "examples" / "wellbeing.toml"
    run(lowest / "python", ROOT / "examples" / "population.py", "900", "true.csv", cwd=tmp_path)
    for command in (
        f"miner simulate {survey} true.csv --seed 1 -o sent.csv",
        "collector import wellbeing sent.csv",
        "collector export wellbeing --format parquet -o folder",
        f"collector convert {survey} -o form.xlsx",
        "collector convert form.xlsx -o form.toml",
        "miner crosstab wellbeing cannabis distress",
        "miner estimate wellbeing debt=yes --from folder --workers 1",
        "miner regress wellbeing distress~debt",
        "miner train wellbeing --model naive-bayes --seed 1 -o model.json",
        "miner predict model.json true.csv",
        f"miner plan {survey} --respondents 500 --rehearsals 0 --plot plan.png",
        "miner responses wellbeing -o responses.sav",
        "miner responses wellbeing -o responses.dta",
        "miner budget people --epsilon 1",
    ):
        program, *words = command.split(" ")
        run(lowest / program, *words, cwd=tmp_path)
    assert "opendp" in run(
        lowest / "python", "-c", "import opendp, apscheduler, psycopg; print('opendp')", cwd=tmp_path
    )


@pytest.mark.parametrize("command", [("miner",), ("python", "-m", "miner"), ("python", "-c", "import miner")])
def test_a_host_without_the_miners_libraries_is_told_in_a_line_what_to_install(
    command: tuple[str, ...], host: Path, tmp_path: Path
) -> None:
    program = [str(host / command[0]), *command[1:]]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert done.returncode == (1 if "import miner" in command else 2)
    line = done.stderr.splitlines()[-1].removeprefix("ImportError: ")
    assert line == 'miner: the libraries that it computes with are not installed; run: pip install "deniable[miner]"'
    assert len(done.stderr.splitlines()) == 1 or "import miner" in command


def test_the_wheel_names_each_locked_runtime_dependency(installed: Path) -> None:
    (wheel,) = installed.parents[1].glob("*.whl")
    with ZipFile(wheel) as files:
        (name,) = (each for each in files.namelist() if "/sboms/" in each)
        document = json.loads(files.read(name))
    assert name.endswith(".dist-info/sboms/deniable.cdx.json")
    lines = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8").splitlines()
    locked = [line.split()[0] for line in lines if "==" in line]
    assert len(locked) > 40
    components = {each["bom-ref"]: each for each in document["components"]}
    assert [f"{each['name']}=={each['version']}" for each in components.values()] == locked
    names = {f"pkg:pypi/{canonicalize_name(each['name'])}@{each['version']}" for each in pip_list(installed)}
    assert names - components.keys() == {document["metadata"]["component"]["bom-ref"]}
    hosted = (ROOT / "requirements" / "host.txt").read_text(encoding="utf-8")
    assert {name for name, each in components.items() if each["scope"] == "required"} == {
        f"pkg:pypi/{line.split()[0].replace('==', '@')}" for line in hosted.splitlines() if "==" in line
    }
    needs = {each["ref"]: each["dependsOn"] for each in document["dependencies"]}
    flask, werkzeug = (next(each for each in components if f"/{name}@" in each) for name in ("flask", "werkzeug"))
    assert flask in needs[document["metadata"]["component"]["bom-ref"]]
    assert werkzeug in needs[flask]
    assert all(any(each in parents for parents in needs.values()) for each in components), "each is there for another"


def test_a_wheel_built_from_the_source_archive_is_byte_for_byte_the_same(installed: Path, tmp_path: Path) -> None:
    (first,) = installed.parents[1].glob("*.whl")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    assert (tmp_path / first.name).read_bytes() == first.read_bytes()
