"""The files of ``deploy/`` fit together: commands that exist, services that are confined, an image of what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import healthy
from collector.cli import main as collector
from respondent.cli import main as respondent

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
COMMANDS = {"collector": collector, "respondent": respondent}
DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")


def filled(text: str) -> str:
    """A value of the compose file where no setting is made."""
    return DEFAULT.sub(r"\1", text)


def written_commands() -> Iterator[list[str]]:
    """Every command of ours in the files of the folder."""
    yield re.findall(r'"([^"]+)"', CONTAINERFILE.split("\nCMD ")[1])
    for service in SERVICES.values():
        command = [filled(part) for part in service.get("command", ())]
        if command and command[0] in COMMANDS:
            yield command
    for line in re.findall(r"collector [^&;]+", (DEPLOY / "nightly.sh").read_text(encoding="utf-8")):
        yield line.replace('"$STORE"', "/data/deniable.db").split()


@pytest.mark.parametrize("words", list(written_commands()), ids=" ".join)
def test_every_command_of_ours_takes_its_options(words: list[str], tmp_path: Path) -> None:
    words = [word.replace("/backups", str(tmp_path)) for word in words]  # a folder that there is
    group = COMMANDS[words[0]]
    with click.Context(group) as context:
        _, command, rest = group.resolve_command(context, words[1:])
        assert command is not None
        command.make_context(command.name, rest)


def test_commands_of_all_files_are_looked_at() -> None:
    assert len(list(written_commands())) == 6


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_confined(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "web" else [])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["ulimits"] == {"core": 0}
    assert [each.split(":")[0] for each in service["tmpfs"]] == ["/tmp"]  # noqa: S108 - in a container
    assert not any(re.search("password|secret|token", key, re.IGNORECASE) for key in service.get("environment", {}))
    assert set(service.get("networks", ())) <= set(COMPOSE["networks"])
    assert {volume.split(":")[0] for volume in service["volumes"] if re.match(r"\w", volume)} <= set(COMPOSE["volumes"])
    assert re.fullmatch(r"localhost/deniable|docker\.io/library/\w+:\d\S+", service["image"])


def test_only_the_web_server_is_on_a_network_that_leads_outside() -> None:
    assert COMPOSE["networks"] == {"inside": {"internal": True}, "store": {"internal": True}, "outside": {}}
    assert [name for name, each in SERVICES.items() if "outside" in each.get("networks", ())] == ["web"]
    assert [name for name, each in SERVICES.items() if "ports" in each] == ["web"]
    assert [name for name, each in SERVICES.items() if "store" not in each["networks"]] == ["web"]


def test_a_service_waits_only_for_services_there_are() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)


def test_what_the_files_name_exists() -> None:
    assert (DEPLOY / SERVICES["publish"]["build"]["dockerfile"].removeprefix("deploy/")).is_file()
    sources = [filled(volume).rsplit(":", 2)[0] for service in SERVICES.values() for volume in service["volumes"]]
    assert {(DEPLOY / each).resolve().exists() for each in sources if each.startswith(".")} == {True}
    survey = Path(filled(SERVICES["publish"]["command"][2])).name
    assert (ROOT / "examples" / survey).is_file()
    copied = re.findall(r"^COPY (?!--from)(?:--chmod=\d+ )?(.+) \S+$", CONTAINERFILE, re.MULTILINE)
    paths = " ".join(copied).split()
    assert len(paths) >= 5
    assert all((ROOT / path).exists() for path in paths)


def test_the_image_is_built_from_the_sources_of_the_wheel_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert all((ROOT / path).exists() for path in let_in)
    packages = {"collector", "owner", "respondent", "miner"}
    assert packages | {"static", "templates", "requirements", "pyproject.toml"} <= let_in
    assert not {"tests", "docs", ".git", ".venv", "deploy"} & let_in


def pinned(name: str) -> set[str]:
    return set(re.findall(r"^\w[\w.-]*==\S+", (ROOT / "requirements" / name).read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("name", ["build.txt", "postgres.txt"])
def test_the_lock_files_of_the_image_pin_what_the_tests_run_with(name: str) -> None:
    assert pinned(name)
    assert {each for each in pinned(name) if each.split("==")[0] != "tomlkit"} <= pinned("dev.txt")


class Answer(BaseHTTPRequestHandler):
    """Answers the health address for one name, otherwise as a server does that has no such page or host."""

    def do_GET(self) -> None:
        """Say 200 or 400."""
        good = self.path == "/api/v1/health" and self.headers["Host"] == "survey.example.org"
        self.send_response(200 if good else 400)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.parametrize(("host", "code"), [("survey.example.org", 0), ("other.example.org", 1)])
def test_the_health_check_asks_in_the_name_of_the_survey(host: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        monkeypatch.setattr(healthy, "PORT", server.server_address[1])
        monkeypatch.setenv("SURVEY_HOST", host)
        assert healthy.is_healthy() == (not code)


def test_the_health_check_fails_where_nothing_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(healthy, "PORT", 1)
    assert not healthy.is_healthy()


def test_the_shell_can_read_what_it_runs_each_night() -> None:
    assert subprocess.run(["/bin/sh", "-n", str(DEPLOY / "nightly.sh")], check=False).returncode == 0  # noqa: S603


def test_a_night_tidies_the_store_and_backs_it_up(tmp_path: Path) -> None:
    """Runs the script with commands that write down how they are called, and a sleep that ends it."""
    for name, line in {"collector": f'echo "$@" >> {tmp_path}/calls', "sleep": "kill $PPID"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin", "STORE": "/data/a.db"}
    subprocess.run([str(DEPLOY / "nightly.sh")], env=environment, check=False, timeout=60)  # noqa: S603 - ours
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert calls == ["tidy --store /data/a.db", "backup /backups/deniable.backup --store /data/a.db"]
