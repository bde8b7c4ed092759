"""Puts a CycloneDX SBOM of the locked runtime dependencies into the wheel (PEP 770): ``*.dist-info/sboms/``.

It has no time and no random number in it: two builds of one commit are equal, byte for byte.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.requirements import Requirement

VIA = re.compile(r"    #(?: via|  ) ([a-z0-9-]+)")  # a package that requires the one above it


class Locked:
    """One locked dependency.

    Attributes:
        requirement: Its name, version and marker.
        parents: The names of the packages that require it.
    """

    def __init__(self, requirement: Requirement) -> None:
        self.requirement, self.parents = requirement, list[str]()

    @property
    def reference(self) -> str:
        """The package URL: name and version."""
        return f"pkg:pypi/{self.requirement.name}@{str(self.requirement.specifier).removeprefix('==')}"


class SbomHook(BuildHookInterface[Any]):
    """Writes the SBOM for one build of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Write the file, and have it added to the wheel."""
        self._folder = TemporaryDirectory()
        path = Path(self._folder.name) / f"{self.metadata.core.name}.cdx.json"
        document = sbom(Path(self.root) / "requirements", self.metadata.core.name, self.metadata.version)
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Delete the file."""
        self._folder.cleanup()


def sbom(requirements: Path, name: str, version: str) -> dict[str, Any]:
    """The SBOM as plain JSON values.

    Args:
        requirements: The folder of the lock files: ``host.txt`` has what is always installed, ``runtime.txt`` also what
            the extras ``miner`` and ``release`` add.
        name: Of the project.
        version: Of the project.
    """
    text = (requirements / "runtime.txt").read_text(encoding="utf-8")
    always = {each.requirement.name for each in locked((requirements / "host.txt").read_text(encoding="utf-8"))}
    found = list(locked(text))
    root = f"pkg:pypi/{name}@{version}"
    references = [(root, name), *((each.reference, each.requirement.name) for each in found)]
    components = []
    for each in found:
        marker = {"properties": [{"name": "marker", "value": str(each.requirement.marker)}]}
        components.append(
            {
                "type": "library",
                "bom-ref": each.reference,
                "name": each.requirement.name,
                "version": each.reference.rpartition("@")[2],
                "scope": "required" if each.requirement.name in always else "optional",
                "purl": each.reference,
            }
            | (marker if each.requirement.marker else {})
        )
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid5(NAMESPACE_URL, root + text).urn,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": name,
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "purl": root,
            }
        },
        "components": components,
        "dependencies": [
            {"ref": reference, "dependsOn": [each.reference for each in found if parent in each.parents]}
            for reference, parent in references
        ],
    }


def locked(text: str) -> Iterator[Locked]:
    """The dependencies of a lock file, as ``uv pip compile --generate-hashes`` writes it, in its order."""
    dependency = None
    for line in text.splitlines():
        via = VIA.match(line)
        if not line.startswith((" ", "#")):
            if dependency:
                yield dependency
            dependency = Locked(Requirement(line.removesuffix("\\")))
        elif via and dependency:
            dependency.parents.append(via[1])
    if dependency:
        yield dependency
