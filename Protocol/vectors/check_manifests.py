#!/usr/bin/env python3
"""Checks the manifests' JSON Schema, app.schema.json, against the vectors in manifests/.

Every valid manifest must match it, and every invalid one must be no JSON or not match, except those
whose error a schema cannot express.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
# The id must be the file's name, and has letters of any script; two numbers are compared.
BEYOND = {"other-id", "limits-own-sessions"}


def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses what JSON leaves open: a name twice in one object."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice in one object")
    return dict(pairs)


def matches(path: Path, validator: jsonschema.Draft202012Validator) -> bool:
    try:
        manifest = json.loads(path.read_bytes(), object_pairs_hook=members)
    except ValueError:
        return False
    return validator.is_valid(manifest)


def main() -> int:
    schema = json.loads((HERE.parent / "app.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    valid = sorted((HERE / "manifests/valid").glob("*.json"))
    invalid = sorted((HERE / "manifests/invalid").glob("*.json"))
    wrong = [f"{path.name} does not match" for path in valid if not matches(path, validator)]
    wrong += [
        f"{path.name} matches"
        for path in invalid
        if matches(path, validator) != (path.stem in BEYOND)
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"manifests: {len(valid)} match the schema, {len(invalid) - len(BEYOND)} do not")
    return 1 if wrong or not valid or not invalid else 0


if __name__ == "__main__":
    sys.exit(main())
