#!/usr/bin/env python3
"""Checks the payload grammar, napkin.cddl, against the golden vectors.

Every payload of a good vector must match the rule of its message; every payload that a receiver
refuses for its shape must not. What the grammar cannot express (an item's encoding, a session
name's letters) is left to the implementations, which run the vectors, too.

The validator is cddl-verifier. Tried on these vectors, it was right on all; pycddl 0.6.4 takes maps
without a mandatory field and arrays that are too long where they are inside a choice, and zcbor
0.9.1 does not start with the cbor2 that pip installs beside it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import cddl_verifier
from generate import KINDS

HERE = Path(__file__).resolve().parent
# Errors of shape, which a grammar can see.
SHAPE = {"typeMismatch", "missingField", "unknownCase", "outOfRange", "protocolViolation"}
# A name of the wrong length; letters that are not allowed are beyond a grammar of sizes.
UNNAMED = "badRequest"
# Payloads that are no item, and need not be.
UNREAD = {"ping", "pong", "detach", "drain", "askEnded", "received", "cancelWorkflow", "cancelEvent"}
ARGUMENTS = {"state", "effect", "event", "reply", "ask", "askReply"}


def rule(vector: dict) -> str:
    return f"answer-{vector['to']}" if vector["kind"] == "answer" else vector["kind"]


def applies(vector: dict) -> bool:
    """Whether the payload is an item that the grammar has something to say of."""
    if "error" not in vector:
        return vector["kind"] not in UNREAD and vector["bytes"] != ""
    if vector["error"] == UNNAMED:
        return " of 129 " in vector["name"] or "empty" in vector["name"]
    # A key that is no text, and what a transition keeps for itself, are still shapes.
    return vector["error"] in SHAPE and vector["kind"] not in ARGUMENTS


def unruled(text: str) -> list[str]:
    """The messages and answers without a rule. Pieces and files are no items."""
    rules = set(re.findall(r"^([A-Za-z-]+) = ", text, re.MULTILINE))
    queries, requests = (re.findall(r"\? (\w+): never", re.search(
        rf"^{group} = \((.*?)\)$", text, re.MULTILINE | re.DOTALL)[1])
        for group in ("one-question", "one-request"))
    wanted = [kind for kind in KINDS if kind != "answer"] + ["answer-admit"]
    wanted += [f"answer-{query}" for query in queries if query not in ("ledger", "more")]
    wanted += [f"answer-ledger{one.capitalize()}" for one in requests if one != "export"]
    return [name for name in wanted if name not in rules]


def main() -> int:
    text = (HERE.parent / "napkin.cddl").read_text()
    grammar = cddl_verifier.Validator(text)
    wrong = [f"there is no rule for {name}" for name in unruled(text)]
    matched, refused, skipped = 0, 0, 0
    for group in ("messages", "faults", "schemas"):
        for vector in json.loads((HERE / f"{group}.json").read_text())["vectors"]:
            if not applies(vector):
                skipped += 1
                continue
            name = rule(vector)
            result = grammar.validate(bytes.fromhex(vector["bytes"]), name)
            matched += result.valid
            refused += not result.valid
            if result.valid == ("error" in vector):
                why = "; ".join(map(str, result.diagnostics)) or "it matches"
                wrong.append(f"{vector['name']!r} against {name}: {why}")
    for line in wrong:
        print(f"check_cddl: {line}", file=sys.stderr)
    print(f"check_cddl: {matched} payloads match their rule, {refused} do not; "
          f"{skipped} are beyond a grammar; {len(wrong)} wrong")
    return 1 if wrong or not matched or not refused else 0


if __name__ == "__main__":
    sys.exit(main())
