"""The published schema of what commands print with --json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

DOCS = Path(__file__).resolve().parents[2] / "docs"


def document(name: str) -> dict[str, Any]:
    """A JSON file of the documentation."""
    return dict(json.loads((DOCS / name).read_text(encoding="utf-8")))


def validator(command: str) -> Draft202012Validator:
    """The validator for the output of one command, such as ``miner plan``."""
    whole, model = document("commands.schema.json"), document("model.schema.json")
    registry = Registry().with_resources([("model.schema.json", Resource.from_contents(model))])
    schema = whole["commands"][command] | {"$schema": whole["$schema"], "$defs": whole["$defs"]}
    return Draft202012Validator(schema, registry=registry)
