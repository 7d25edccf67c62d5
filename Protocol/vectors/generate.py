#!/usr/bin/env python3
"""Writes the golden vectors, `*.json`, from their source, `source/*.toml`, and CONVERSATION.md.

Usage   generate.py            write
        generate.py --check    write nothing; fail when a file differs from what would be written

README.md has the format of both. Needs Python 3.11, or an older one and tomli.
"""

from __future__ import annotations

import json
import re
import struct
import sys
import textwrap
from pathlib import Path

import notation

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
FRAME_BYTES_MAX = 16 * 1024 * 1024
KINDS = {
    "hello": 1, "welcome": 2, "refused": 3, "ping": 4, "pong": 5, "goodbye": 6, "query": 7,
    "answer": 8, "open": 16, "redirect": 17, "attach": 32, "attached": 33, "transition": 34,
    "state": 35, "effect": 36, "event": 37, "reply": 38, "fault": 39, "ask": 40, "askReply": 41,
    "askEnded": 42, "detach": 43, "schema": 44, "contractWanted": 45, "contract": 46,
    "received": 47, "openURL": 48, "workflowStep": 49, "workflowEnded": 50, "cancelWorkflow": 51,
    "stateDelta": 52, "skipped": 53, "renamed": 54, "measure": 55, "measured": 56, "log": 57,
    "cancelEvent": 60,
    "register": 64, "admit": 65, "drain": 66,
}


class SourceError(Exception):
    """A vector's source is wrong; the message names the vector."""


def fnv(text: bytes, offset: int, prime: int, bits: int) -> int:
    value = offset
    for byte in text:
        value = (value ^ byte) * prime % (1 << bits)
    return value


def method_number(key: str) -> int:
    return fnv(key.encode(), 0x811C9DC5, 0x01000193, 32)


def contract_hash(text: str) -> int:
    return fnv(text.encode(), 0xCBF29CE484222325, 0x100000001B3, 64)


def quoted(text: str) -> str:
    marks = (f"\\u{{{ord(c):x}}}" if c < " " or c == "\x7f" else "\\" + c if c in '"\\' else c
             for c in text)
    return '"' + "".join(marks) + '"'


def word(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_.-]+", text) else quoted(text)


def columns(level: int, left: str, right: str = "") -> str:
    left = "  " * level + left
    return left + " " * max(2, 32 - len(left)) + right if right else left


def method_lines(method: dict) -> list:
    lines = [columns(1, f"{method['delivery']} {method['key']}",
                     "throws" if method["isThrowing"] else "")]
    for one in method["parameters"]:
        same = one["label"] == one["name"]
        left = one["name"] if same else f"{one['label']} {one['name']}"
        lines.append(columns(2, left, one["type"]))
    return lines + ([columns(2, "->", method["result"])] if "result" in method else [])


def type_lines(one: dict) -> list:
    def fields(level: int, of: dict) -> list:
        return [columns(level, word(field["key"]), field["type"] + (
            " = default" if field.get("hasDefault") else "")) for field in of.get("fields", [])]

    kind, cases = one["kind"], one.get("cases")
    if kind == "struct":
        return [f"struct {one['name']}"] + fields(1, one)
    if kind == "enum":
        lines = [[columns(1, word(case["key"]))] + fields(2, case) for case in cases or []]
        return [f"enum {one['name']}"] + sum(lines, [])
    if kind == "raw":
        heading = f"{'raw' if cases is None else 'enum'} {one['name']}"
        return [columns(0, heading, one["raw"])] + [
            columns(1, word(case["key"]), quoted(case["value"])) for case in cases or []]
    return [f"opaque {one['name']}"]


def contract_text(schema: dict) -> str:
    """The lines of a feature and of its types; Python sorts text by its scalars."""
    lines = [f"feature {word(schema['feature'])}"]
    if "arguments" in schema:
        lines.append(columns(1, "arguments", schema["arguments"]))
    for methods in (schema["presents"], schema["listens"]):
        lines += sum(map(method_lines, sorted(methods, key=lambda one: one["key"])), [])
    types = sorted(schema.get("types", []), key=lambda one: one["name"])
    return "".join(line + "\n" for line in lines + sum(map(type_lines, types), []))


# Payloads


def items(source: dict) -> list:
    return notation.parse(source.get("cbor", ""))


def payload(source: dict) -> bytes:
    """`cbor`, a sequence of items in diagnostic notation, then `raw`, bytes in hex."""
    return b"".join(map(notation.encode, items(source))) + bytes.fromhex(source.get("raw", ""))


def frame(source: dict) -> bytes:
    """A whole frame; `length`, `reserved` and `number` break it on purpose."""
    body = payload(source)
    method = source.get("method", 0)
    return struct.pack(
        "<IBBHIIQI", source.get("length", 24 + len(body)), source.get("number", KINDS.get(
            source.get("kind"), 0)), source.get("flags", 0), source.get("reserved", 0),
        source.get("node", 0), source.get("epoch", 0), source.get("sequence", 0),
        method_number(method) if isinstance(method, str) else method) + body


def header(source: dict) -> dict:
    (_, kind, flags, _, node, epoch, sequence, method) = struct.unpack(
        "<IBBHIIQI", frame(source)[:28])
    return {
        "kind": kind, "flags": flags, "node": node, "epoch": epoch, "sequence": sequence,
        "method": method, "payload": payload(source).hex()}


def outcome(source: dict, means: object) -> dict:
    if "error" in source:
        return {"error": source["error"]}
    return {"means": json.loads(source["means"]) if "means" in source else means}


# Groups


def frames(source: dict) -> dict:
    whole = [header(one) for one in source.get("frames", []) if not one.get("bad")]
    sent = b"".join(map(frame, source.get("frames", []))) + bytes.fromhex(source.get("raw", ""))
    if "cut" in source:
        sent = sent[:source["cut"]]
        whole = whole[:source["whole"]]
    used = sum(28 + len(one["payload"]) // 2 for one in whole)
    vector = {"limit": source.get("limit", FRAME_BYTES_MAX), "bytes": sent.hex()}
    if "error" in source:
        return vector | {"error": source["error"], "before": whole}
    return vector | {"means": {"frames": whole, "rest": len(sent) - used}}


def single(source: dict) -> dict:
    encoded = payload(source)
    vector = {"bytes": encoded.hex()}
    if "error" in source:
        return vector | {"error": source["error"]}
    (item,) = items(source)
    return vector | {"means": {
        "diagnostic": notation.diagnostic(item), "data": notation.data(item),
        "written": notation.is_written(item)}}


# What a receiver takes for a field that is absent, in an operation of a transition.
MOUNT = {"parent": 0, "slot": "", "presentation": "embed"}


def operation(item: notation.Item) -> dict:
    fields = item.pairs()
    if "unmount" in fields:
        return {"unmount": fields["unmount"].value}
    known = {"mount": fields["mount"].value}
    for key, default in MOUNT.items():
        one = fields.get(key)
        known[key] = default if one is None or one.is_null() else one.value
    known["feature"] = fields["feature"].value
    arguments = fields.get("arguments")
    known["arguments"] = notation.encode(arguments).hex() if arguments else ""
    states = fields.get("states")
    known["states"] = [] if states is None or states.is_null() else [
        [state.children[0].value, b"".join(map(notation.encode, state.children[1:])).hex()]
        for state in states.children]
    return known


# Kinds whose payload the contract reads: one item or none.
ARGUMENTS = {"state", "effect", "event", "reply", "ask", "askReply"}
# Kinds whose payload nobody reads.
UNREAD = {"ping", "pong", "detach", "drain", "askEnded", "received"}


def messages(source: dict) -> dict:
    kind = source["kind"]
    if kind not in KINDS:
        raise SourceError(f"unknown kind {kind}")
    vector = {"kind": kind, "bytes": payload(source).hex()}
    if kind == "answer":
        vector["to"] = source["to"]
    if "error" in source or "means" in source:
        return vector | outcome(source, None)
    if kind in UNREAD:
        means = {}
    elif kind in ARGUMENTS:
        means = {"items": [notation.data(item) for item in items(source)]}
    elif kind == "transition":
        means = {"operations": [operation(one) for one in items(source)[0].children]}
    else:
        means = notation.plain(items(source)[0])
    return vector | {"means": means}


def values(source: dict) -> dict:
    vector = {"type": source["type"], "bytes": payload(source).hex()}
    if "error" in source:
        return vector | {"error": source["error"]}
    (item,) = items(source)
    encoded = source.get("encoded")
    if encoded is None:
        written = item if notation.is_written(item) and not source.get("unordered") else None
    else:
        (written,) = notation.parse(encoded)
    vector["encoded"] = notation.encode(written).hex() if written else None
    return vector | outcome(source, notation.plain(written or item))


def transitions(source: dict) -> dict:
    vector = {
        "before": notation.encode(notation.parse(source["before"])[0]).hex(),
        "flags": source.get("flags", 0), "bytes": payload(source).hex()}
    return vector | outcome(source, None)


def applied(before: bytes, splices: list) -> bytes:
    """The splices of a stateDelta, applied: keep, leave out, put there."""
    after, position = b"", 0
    for keep, drop, insert in zip(*[iter(splices)] * 3):
        after += before[position:position + keep] + insert
        position += keep + drop
    return after + before[position:]


def deltas(source: dict) -> dict:
    before = b"".join(map(notation.encode, notation.parse(source["before"])))
    vector = {"before": before.hex(), "bytes": payload(source).hex()}
    if "error" in source:
        return vector | {"error": source["error"]}
    (delta,) = items(source)
    splices = [part.value for part in delta.children[1:]]
    after = applied(before, splices)
    if delta.children[0].value != len(before):
        raise SourceError(f"the value before has {len(before)} bytes")
    if after != b"".join(map(notation.encode, notation.parse(source["after"]))):
        raise SourceError(f"the splices make {after.hex()} of it")
    return vector | {"means": {"after": after.hex()}}


def methods(source: dict) -> dict:
    number = method_number(source["key"])
    return {"key": source["key"], "bytes": struct.pack("<I", number).hex(), "means": {
        "number": number}}


def contracts(source: dict) -> dict:
    schema = json.loads(source["schema"])
    text = contract_text(schema)
    return {"schema": schema, "means": {"text": text, "hash": str(contract_hash(text))}}


def changes(source: dict) -> dict:
    return {"before": json.loads(source["before"]), "after": json.loads(source["after"]),
            "means": {"breaks": source["breaks"]}}


def handshakes(source: dict) -> dict:
    steps = []
    for step in source["steps"]:
        if step.get("connected"):
            taken = {"connected": True}
        elif "kind" in step or "number" in step:
            taken = {"frame": frame(step).hex()}
        else:
            raise SourceError("a step is either `connected` or a frame")
        steps.append({"in": taken, "out": json.loads(step["out"])})
    vector = {"role": source["role"], "supported": source["supported"], "steps": steps}
    if source["role"] == "initiator":
        vector["hello"] = json.loads(source["hello"])
    return vector | outcome(source, None)


def conversations(source: dict) -> dict:
    steps = []
    for step in source["steps"]:
        known = {key: step[key] for key in ("connection", "from", "to", "ends") if key in step}
        if ("ends" in step) == ("kind" in step):
            raise SourceError("a step is either a frame or the end of a connection")
        steps.append(known | ({"frame": frame(step).hex()} if "kind" in step else {}))
    return {"steps": steps} | outcome(source, None)


def runs(source: list) -> list:
    """`[hex, count]` and `{count, before, after}`, as the README says."""
    return [run if isinstance(run, dict) else [run[0], run[1]] for run in source]


def limits(source: dict) -> dict:
    vector = {"check": source["check"], "bytes": runs(source["runs"])}
    for key in ("limit", "kind"):
        if key in source:
            vector[key] = source[key]
    return vector | outcome(source, {"accepted": True})


GROUPS = {
    "frames": frames, "items": single, "messages": messages, "faults": messages,
    "schemas": messages, "values": values, "transitions": transitions, "deltas": deltas,
    "methods": methods,
    "contracts": contracts, "changes": changes, "handshakes": handshakes, "limits": limits,
    "conversations": conversations,
}


# The conversation, for people: every byte with its meaning.


def heads(item: notation.Item, level: int = 0, before: str = "") -> list:
    """The bytes of each item, a container's head by itself, and what they say."""
    parts = sum(([*pair] for pair in item.children), []) if item.major == "map" else item.children
    whole = notation.encode(item)
    head = whole[:len(whole) - sum(len(notation.encode(part)) for part in parts)]
    says = before + {
        "map": f"a map of {len(item.children)}", "array": f"an array of {len(parts)}",
    }.get(item.major, notation.diagnostic(item))
    lines = [(head.hex(" "), "  " * level + says)]
    if item.major == "map":
        for key, value in item.children:
            rows = heads(value, level + 1, f"{notation.diagnostic(key)}: ")
            lines += [(f"{notation.encode(key).hex(' ')}  {rows[0][0]}", rows[0][1])] + rows[1:]
        return lines
    return lines + sum((heads(part, level + 1) for part in parts), [])


def annotated(step: dict) -> str:
    """One frame: a line for each field of its header that says something, and for each item."""
    sent = frame(step)
    fields = [
        (4, f"{len(sent) - 4} bytes follow: 24 and a payload of {len(sent) - 28}"),
        (1, f"{step['kind']} ({KINDS[step['kind']]})"),
        (3, f"flags {step.get('flags', 0)}, reserved"),
        (4, f"node {step.get('node', 0)}"), (4, f"epoch {step.get('epoch', 0)}"),
        (8, f"sequence {step.get('sequence', 0)}"), (4, f"method {step.get('method', 0)}")]
    rows, at = [], 0
    for size, says in fields:
        rows.append((sent[at:at + size].hex(" "), says))
        at += size
    rows += sum(map(heads, items(step)), [])
    return "".join(columned(given, says) for given, says in rows)


def columned(given: str, says: str) -> str:
    """16 bytes a line; what they say stands beside the first."""
    lines = textwrap.wrap(given, 48)
    return f"{lines[0]:50}{says}".rstrip() + "\n" + "".join(line + "\n" for line in lines[1:])


def conversation(source: dict) -> str:
    """The document of all conversations."""
    text = ["# A golden conversation", "",
            "Made by `generate.py` of `source/conversations.toml`: the vectors of the group "
            "`conversations`, byte by", "byte. A test plays the worker's side with the library, "
            "and one the front's with `Protocol/python`.", ""]
    for one in source["vector"]:
        text += [f"## {one['name'][0].upper()}{one['name'][1:]}", "", one["about"], ""]
        for number, step in enumerate(one["steps"], 1):
            where = f"connection {step['connection']}"
            if "ends" in step:
                text += [f"**{number}.** The end of {where}. {step['about']}", ""]
                continue
            text += [f"**{number}.** {step['from']} → {step['to']}, {where}: {step['kind']}. "
                     f"{step['about']}", "", "```", annotated(step).rstrip("\n"), "```", ""]
    return "\n".join(text)


# Files


def vectors(source: dict, make) -> list:
    made, names = [], set()
    for one in source["vector"]:
        try:
            if one["name"] in names:
                raise SourceError("the name is used twice")
            names.add(one["name"])
            if not one["about"].endswith("."):
                raise SourceError("`about` is no sentence")
            about = {key: one[key] for key in ("name", "about")}
            made.append(about | make(one))
        except (SourceError, notation.NotationError, KeyError, ValueError) as error:
            raise SystemExit(f"generate: {source['group']}, {one['name']!r}: {error!r}") from error
    return made


def document(path: Path) -> str:
    source = tomllib.loads(path.read_text())
    made = vectors(source, GROUPS[source["group"]])
    top = {key: source[key] for key in ("group", "section")}
    if "types" in source:
        top["types"] = {name: json.loads(text) for name, text in source["types"].items()}
    lines = [f"  {dump(key)}: {dump(value)}," for key, value in top.items()]
    lines += ['  "vectors": [', ",\n".join("    " + dump(one) for one in made), "  ]"]
    return "{\n" + "\n".join(lines) + "\n}\n"


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> int:
    checking = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checking:
        print(__doc__, file=sys.stderr)
        return 64
    wanted = {HERE / f"{path.stem}.json": document(path)
              for path in sorted((HERE / "source").glob("*.toml"))}
    wanted[HERE / "CONVERSATION.md"] = conversation(
        tomllib.loads((HERE / "source/conversations.toml").read_text()))
    stale = [path for path in HERE.glob("*.json") if path not in wanted]
    differing = [path for path, text in wanted.items()
                 if not path.exists() or path.read_text() != text]
    for path, text in wanted.items():
        if not checking:
            path.write_text(text)
    for path in stale:
        if not checking:
            path.unlink()
    good, bad = count(text for path, text in wanted.items() if path.suffix == ".json")
    print(f"generate: {good + bad} vectors in {len(wanted) - 1} files, {bad} of them must fail")
    if checking and (differing or stale):
        names = ", ".join(path.name for path in differing + stale)
        print(f"generate: {names} differ from their source; run {Path(__file__).name} and "
              "commit the result", file=sys.stderr)
        return 1
    return 0


def count(documents) -> tuple:
    made = [one for text in documents for one in json.loads(text)["vectors"]]
    bad = sum("error" in one for one in made)
    return len(made) - bad, bad


if __name__ == "__main__":
    sys.exit(main())
