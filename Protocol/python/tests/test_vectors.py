"""The golden vectors of Protocol/vectors: every one is run, and their number is printed.

Fails when one is left out: when a file, a group or a field is new here, when a test does not run,
or when the vectors are fewer or more than ``TOTAL``.
"""

from __future__ import annotations

import asyncio
import base64
import collections
import functools
import json
import pathlib
import re
import sys
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

from napkin_front import cbor, contracts, values
from napkin_front.comparison import Breaks, contract_changes
from napkin_front.connection import (
    LENGTH_MAX,
    REFUSAL,
    WELCOME,
    Connection,
    Frame,
    Kind,
)
from napkin_front.contracts import FeatureSchema
from napkin_front.errors import Refused, Unreadable
from napkin_front.front import answered_by, read_renamed
from napkin_front.outcomes import event_fault
from napkin_front.screen import ShownTree
from napkin_front.session import ATTACHED, REDIRECT, read_fault
from napkin_front.tree import Node, items_of, operations
from napkin_front.values import Item

from . import others
from .conversation import check_conversation
from .items import diagnostic, faithful, same_data, written
from .messages import Acceptor, Version
from .swift_types import type_named, types_of, value_as_json
from .worker import Decoder

VECTORS = pathlib.Path(__file__).parents[2] / "vectors"
Vector = dict[str, Any]

FIELDS = {
    "frames": {"bytes", "limit", "before"},
    "items": {"bytes"},
    "messages": {"bytes", "kind", "to"},
    "schemas": {"bytes", "kind", "to"},
    "faults": {"bytes", "kind"},
    "values": {"bytes", "type", "encoded"},
    "transitions": {"before", "flags", "bytes"},
    "methods": {"key", "bytes"},
    "contracts": {"schema"},
    "handshakes": {"role", "supported", "hello", "steps"},
    "conversations": {"steps"},
    "limits": {"bytes", "check", "limit", "kind"},
    "changes": {"before", "after"},
    "deltas": {"before", "bytes"},
}
"""What a vector of each group is given; another field would go untested."""
COMMON = {"name", "about", "means", "error"}

TOTAL = 1275
"""How many vectors there are. Whoever adds one sees here that it is run."""


class VectorTests(unittest.TestCase):
    """One test for all files, and a subtest for each vector."""

    def setUp(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()

    def run_file(self, group: str) -> None:
        table = json.loads((VECTORS / f"{group}.json").read_text())
        self.assertEqual(table["group"], group)
        names = [vector["name"] for vector in table["vectors"]]
        self.assertEqual(len(names), len(set(names)), "names are unique")
        for vector in table["vectors"]:
            with self.subTest(group=group, name=vector["name"], about=vector["about"]):
                strange = vector.keys() - FIELDS[group] - COMMON
                self.assertEqual(strange, set(), "fields that nothing tests")
                self.assertTrue(("means" in vector) != ("error" in vector), "means or error")
                self.check(group, vector, table)
                self.counts[group] += 1

    def check(self, group: str, vector: Vector, table: Vector) -> None:
        checks: dict[str, Callable[[Vector], None]] = {
            "frames": self.check_frames,
            "items": self.check_item,
            "messages": self.check_message,
            "schemas": self.check_message,
            "faults": self.check_message,
            "values": functools.partial(self.check_value, types_of(table)),
            "transitions": self.check_transition,
            "methods": self.check_method,
            "contracts": self.check_contract,
            "handshakes": self.check_handshake,
            "conversations": lambda vector: asyncio.run(check_conversation(vector)),
            "limits": self.check_limit,
            "changes": self.check_changes,
            "deltas": self.check_delta,
        }
        if "error" not in vector or group in ("frames", "handshakes"):
            checks[group](vector)
            return
        with self.assertRaises(Unreadable) as caught:
            checks[group](vector)
        self.assertEqual(caught.exception.name, vector["error"], str(caught.exception))

    def test_every_vector_of_every_group(self) -> None:
        files = {path.stem for path in VECTORS.glob("*.json")}
        self.assertEqual(files, set(FIELDS), "a file of vectors that nothing runs")
        for group in sorted(FIELDS):
            self.run_file(group)
        total = sum(self.counts.values())
        print(f"\n{total} vectors: {dict(self.counts)}", file=sys.stderr)
        self.assertEqual(total, TOTAL, "vectors that have passed")

    # What each group asks for

    def check_frames(self, vector: Vector) -> None:
        stream = bytes.fromhex(vector["bytes"])
        for step in (1, 7, max(1, len(stream))):
            decoder = Decoder(vector["limit"])
            frames, error = [], None
            try:
                for start in range(0, len(stream), step):
                    decoder.feed(stream[start : start + step])
                    while (frame := decoder.next_frame()) is not None:
                        frames.append(frame)
            except Unreadable as caught:
                error = caught.name
            self.assertEqual(error, vector.get("error"))
            means = vector.get("means", {"frames": vector.get("before")})
            self.assertEqual(list(map(frame_as_json, frames)), means["frames"])
            if error is None:
                self.assertEqual(decoder.rest, means["rest"])
                encoded = b"".join(frame.encode() for frame in frames)
                self.assertEqual(encoded, stream[: len(stream) - decoder.rest])

    def check_item(self, vector: Vector) -> None:
        data = bytes.fromhex(vector["bytes"])
        check_item(data)
        item, end = faithful(data, 0)
        self.assertEqual(end, len(data))
        means = vector["means"]
        self.assertTrue(same_data(item, means["data"]), f"{item} is not {means['data']}")
        self.assertEqual(diagnostic(item), means["diagnostic"])
        self.assertEqual(written(item) == data, means["written"])

    def check_message(self, vector: Vector) -> None:
        kind = Kind[snake(vector["kind"])]
        means = vector.get("means")
        value = read_any(kind, bytes.fromhex(vector["bytes"]), vector.get("to", ""))
        if isinstance(value, Item):
            items = [faithful(value, 0)[0]] if value else []
            self.assertTrue(same_data(items, (means or {}).get("items")), f"{items}")
        elif kind == Kind.TRANSITION:
            self.assertEqual({"operations": list(map(operation_as_json, value))}, means)
        else:
            self.assertEqual(message_as_json(value), means)
            if value is not None:
                again = read_any(kind, values.write(value), vector.get("to", ""))
                self.assertEqual(again, value, "written and read again")

    def check_value(self, types: dict[str, Any], vector: Vector) -> None:
        shape = type_named(vector["type"], types)
        value = values.read(shape, bytes.fromhex(vector["bytes"]))
        self.assertEqual(value_as_json(value), vector["means"])
        if vector["encoded"] is not None:
            self.assertEqual(values.write(value, shape).hex(), vector["encoded"])

    def check_transition(self, vector: Vector) -> None:
        tree = ShownTree()
        tree.transition(bytes.fromhex(vector["before"]), flags=1)
        changes = tree.transition(bytes.fromhex(vector["bytes"]), vector["flags"] & ~2)
        signs = [("+" if what == "mounted" else "-") + str(node.number) for what, node in changes]
        self.assertEqual(signs, vector["means"]["changes"])
        self.assertEqual(tree_as_json(tree.root), vector["means"]["tree"])

    def check_delta(self, vector: Vector) -> None:
        delta = values.read(others.StateDelta, bytes.fromhex(vector["bytes"]))
        after = delta.apply(bytes.fromhex(vector["before"]))
        self.assertEqual(after.hex(), vector["means"]["after"])

    def check_method(self, vector: Vector) -> None:
        number = values.method_number(vector["key"])
        self.assertEqual(number, vector["means"]["number"])
        encoded = Frame(Kind.STATE, method=number).encode()
        self.assertEqual(encoded[24:28].hex(), vector["bytes"])

    def check_contract(self, vector: Vector) -> None:
        schema, means = schema_from_json(vector["schema"]), vector["means"]
        self.assertEqual(means.keys(), {"text", "hash"})
        self.assertEqual(contracts.contract_text(schema), means["text"])
        self.assertEqual(str(contracts.contract_hash(schema)), means["hash"])
        again = contracts.read_app(means["text"])
        again.features[0].types = again.types  # also those that nothing names
        self.assertEqual(contracts.contract_text(again.features[0]), means["text"])

    def check_changes(self, vector: Vector) -> None:
        pair = [schema_from_json(vector[side]) for side in ("before", "after")]
        self.assertEqual(broken(*pair), vector["means"]["breaks"])
        # The other way round older and newer change places.
        breaks = vector["means"]["breaks"]
        opposite = {"older": "newer", "newer": "older"}
        swapped = [name for name, other in opposite.items() if other in breaks]
        self.assertEqual(broken(*reversed(pair)), swapped)

    def check_handshake(self, vector: Vector) -> None:
        if vector["role"] == "initiator":
            asyncio.run(self.initiate(vector))
            return
        acceptor = Acceptor(*(Version(*pair) for pair in vector["supported"]))
        for step in vector["steps"]:
            out: list[Vector] = []
            if step["in"] != {"connected": True}:
                for action in acceptor.received(one_frame(bytes.fromhex(step["in"]["frame"]))):
                    out.append(self.action_as_json(action, acceptor))
            self.assertEqual(out, step["out"])
        self.assertEqual(acceptor.code, vector.get("error"))
        if "means" in vector:
            self.assertEqual(version_as_json(acceptor.version), vector["means"]["version"])

    def action_as_json(self, action: Frame | str, acceptor: Acceptor) -> Vector:
        if isinstance(action, Frame):
            return sent_as_json(action)
        is_established = action == "established"
        return {action: version_as_json(acceptor.version) if is_established else True}

    async def initiate(self, vector: Vector) -> None:
        """Has a connection shake hands over a socket, and looks at what it sends."""
        versions = dict(zip(("oldest", "newest"), vector["supported"], strict=True))
        hello = vector["hello"] | {
            name: {"major": major, "minor": minor} for name, (major, minor) in versions.items()
        }
        accepted: asyncio.Queue[Any] = asyncio.Queue()

        async def accept(*stream: Any) -> None:
            await accepted.put(stream)

        with tempfile.TemporaryDirectory(prefix="nk", dir="/tmp") as directory:
            path = f"{directory}/s"
            async with await asyncio.start_unix_server(accept, path), asyncio.timeout(5):
                opening = asyncio.create_task(Connection.open(path, hello, LENGTH_MAX))
                reader, writer = await accepted.get()
                version, decoder = None, Decoder()
                for step in vector["steps"]:
                    if step["in"] != {"connected": True}:
                        writer.write(frame := bytes.fromhex(step["in"]["frame"]))
                    for action in step["out"]:
                        if "send" in action:
                            while (sent := decoder.next_frame()) is None:
                                decoder.feed(await reader.read(1))
                            self.assertEqual(sent_as_json(sent), action)
                        elif "established" in action:
                            connection = await opening
                            version = cbor.read(WELCOME, one_frame(frame).payload)["version"]
                            self.assertEqual(list(version.values()), action["established"])
                            connection.close()
                        else:
                            self.assertEqual(await reader.read(), b"")
                            self.assertEqual(decoder.rest, 0)
                if "error" in vector:
                    with self.assertRaises(Refused) as caught:
                        await opening
                    self.assertEqual(caught.exception.code, vector["error"])
                else:
                    self.assertEqual(list((version or {}).values()), vector["means"]["version"])
                writer.close()

    def check_limit(self, vector: Vector) -> None:
        data = b"".join(map(run_of_bytes, vector["bytes"]))
        match vector["check"]:
            case "frame":
                decoder = Decoder(vector["limit"])
                decoder.feed(data)
                self.assertIsNotNone(decoder.next_frame())
            case "item":
                check_item(data)
            case "message":
                read_any(Kind[snake(vector["kind"])], data)
            case other:
                self.fail(f"an unknown check: {other}")
        self.assertEqual(vector.get("means"), {"accepted": True})


# Frames, actions


def one_frame(data: bytes) -> Frame:
    decoder = Decoder()
    decoder.feed(data)
    frame = decoder.next_frame()
    assert frame is not None
    return frame


def frame_as_json(frame: Frame) -> Vector:
    return frame._asdict() | {"kind": int(frame.kind), "payload": frame.payload.hex()}


def version_as_json(version: Version | None) -> list[int] | None:
    return None if version is None else [version.major, version.minor]


def sent_as_json(frame: Frame) -> Vector:
    message: Vector = values.read(dict[str, Any], frame.payload)
    sent: Vector = {"send": frame.kind.name.lower()}
    sent |= {name: message[name] for name in ("role", "code", "ticket") if name in message}
    for name in ("oldest", "newest", "version"):
        if name in message:
            sent[name] = list(message[name].values())
    return sent


def check_item(data: bytes) -> None:
    """Passes an item whatever it is, and reads it if it is plain data."""
    values.check(data)
    try:
        values.read(Any, data)
    except Unreadable as error:
        if error.name not in ("unsupported", "typeMismatch", "duplicateKey"):
            raise


def run_of_bytes(run: Any) -> bytes:
    if isinstance(run, dict):
        before, after = bytes.fromhex(run["before"]), bytes.fromhex(run["after"])
        return b"".join(before + b"%08x" % index + after for index in range(run["count"]))
    text, count = run
    return bytes.fromhex(text) * int(count)


# Messages


SHAPES: dict[Kind, Any] = {
    Kind.WELCOME: WELCOME,
    Kind.REFUSED: REFUSAL,
    Kind.GOODBYE: REFUSAL,
    Kind.REDIRECT: REDIRECT,
    Kind.ATTACHED: ATTACHED,
    Kind.FAULT: REFUSAL,
    Kind.CONTRACT_WANTED: [str],
}
"""How the core reads what it gets."""
PAYLOADS = (Kind.STATE, Kind.EFFECT, Kind.EVENT, Kind.REPLY, Kind.ASK, Kind.ASK_REPLY)


def read_any(kind: Kind, payload: bytes, answer_to: str = "") -> Any:
    """A payload of any kind, also of those that a front neither sends nor gets."""
    if kind == Kind.TRANSITION:
        return list(operations(payload))
    if kind == Kind.LOG:
        items_of(payload)
        return values.read(Any, payload)
    if kind == Kind.RENAMED:
        return {"session": read_renamed(payload)}
    if kind == Kind.ASK_ENDED:
        who = answered_by(payload)
        return {"answeredBy": who} if who else None
    if kind in PAYLOADS:
        return values.unpack(payload)
    if kind in (Kind.SCHEMA, Kind.CONTRACT):
        return values.read(list[FeatureSchema], payload)
    if (shape := SHAPES.get(kind)) is not None:
        value = cbor.read(shape, payload)
        if shape is REFUSAL:  # a code of a later version counts as another
            if kind == Kind.FAULT:
                fault = event_fault(read_fault(payload))
                value = {"code": str(fault.code), "message": fault.message}
                more = {"error": fault.error, "receipt": fault.receipt}
                return value | {name: item for name, item in more.items() if item is not None}
            value["code"] = str(Refused(**value).code)
        return value
    other: Any = others.ANSWERS[answer_to] if kind == Kind.ANSWER else others.SHAPES.get(kind)
    return None if other is None else values.read(other, payload)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def message_as_json(value: Any) -> Any:
    plain = {} if value is None else plain_json(values.plain(value))
    if isinstance(plain, dict):  # what is optional and absent
        return {key: element for key, element in plain.items() if element is not None}
    return plain


def plain_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain_json(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [plain_json(element) for element in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def operation_as_json(operation: Node | int) -> Vector:
    if isinstance(operation, int):
        return {"unmount": operation}
    return {
        "mount": operation.number,
        "parent": operation.above,
        "slot": operation.slot,
        "presentation": operation.presentation,
        "feature": operation.feature,
        "arguments": operation.arguments.hex(),
        "states": [[method, value.hex()] for method, value in operation.states.items()],
    }


def tree_as_json(node: Any) -> Any:
    if node is None:
        return None
    return [node.number, node.feature, [tree_as_json(child) for child in node.children]]


def broken(before: FeatureSchema, after: FeatureSchema) -> list[str]:
    """Which fronts a change breaks, older ones first."""
    changes = contract_changes(before, after)
    sides = {"older": Breaks.OLDER, "newer": Breaks.NEWER}
    return [name for name, side in sides.items() if any(side in c.breaks for c in changes)]


def schema_from_json(schema: Vector) -> FeatureSchema:
    return values.read(FeatureSchema, values.dumps(schema))
