"""The golden journals of Protocol/vectors/journals, read as Protocol/LEDGER.md says.

Every checksum is computed, every group is taken apart, and the records of each session are
applied to its image. What comes of it is in the journal's JSON, but for timers and jobs (``own``).
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import sqlite3
import struct
import tempfile
import unittest
from typing import Any

import cbor2

JOURNALS = pathlib.Path(__file__).parents[2] / "vectors" / "journals"
Image = dict[str, Any]


def crc32c(*parts: bytes) -> int:
    value = 0xFFFFFFFF
    for byte in b"".join(parts):
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0x82F63B78 * (value & 1)
    return value ^ 0xFFFFFFFF


def number(value: int) -> bytes:
    return value.to_bytes(8, "little")


def counted(text: str) -> bytes:
    data = text.encode()
    return number(len(data)) + data


def records(number: int, group: bytes) -> list[dict[str, Any]]:
    """The records of a group, whose every byte is checked."""
    mark, own_number, count, checksum = struct.unpack_from("<4sQII", group)
    assert (mark, own_number) == (b"NKG1", number), group[:12]
    found, at, heads = [], 20, b""
    for _ in range(count):
        length, own_checksum = struct.unpack_from("<II", group, at)
        payload = group[at + 8 : at + 8 + length]
        assert crc32c(payload) == own_checksum
        assert group[at + 8 + length : at + 12 + length] == struct.pack("<I", length)
        heads += group[at : at + 8]
        found.append(cbor2.loads(payload))
        at += 12 + length
    assert at == len(group) and crc32c(group[:16], heads) == checksum
    return found


def spliced(before: bytes, delta: bytes) -> bytes:
    """A state from its delta, SPEC.md, section 6.34 (stateDelta)."""
    length, *splices = cbor2.loads(delta)
    assert length == len(before)
    after, at = b"", 0
    for keep, drop, insert in zip(*[iter(splices)] * 3, strict=True):
        after += before[at : at + keep] + insert
        at += keep + drop
    return after + before[at:]


def apply(image: Image, record: dict[str, Any]) -> None:
    """One record, in the order of the table. Timers and jobs are left out."""
    nodes, fronts = image["nodes"], image["fronts"]
    image["title"] = record.get("t", image["title"])
    for change in record.get("f", []):
        fronts[:] = [front for front in fronts if front["front"] != change["f"]]
        if "q" in change:
            at = {"front": change["f"], "started": change["q"], "forgotten": change["q"]}
            fronts.append(at | {"answers": [], "begun": []})
            image["newestFront"] = max(image["newestFront"], change["f"])
    for place in record.get("n", []):
        nodes.append({"place": place})
        image["newestNode"] = max(image["newestNode"], place["n"])
    nodes.sort(key=lambda node: node["place"]["n"])
    for gone in ({one} for one in record.get("x", [])):
        for place in [node["place"] for node in nodes]:
            if place["p"] in gone:
                gone.add(place["n"])
        nodes[:] = [node for node in nodes if node["place"]["n"] not in gone]
    by_number = {node["place"]["n"]: node for node in nodes}
    for change in record.get("d", []):
        node = by_number[change["n"]]
        node["state"] = change["w"] if "w" in change else spliced(node["state"], change["d"])
        if "s" in change:
            node["schema"] = change["s"]
    for log in record.get("l", []):
        if node := by_number.get(log["n"]):
            logs = [one for one in node.get("logs", []) if one["m"] != log["m"]]
            node["logs"] = [*logs, log]
    for tab in record.get("c", []):
        if node := by_number.get(tab["n"]):
            node["tab"] = tab["o"]
    by_front = {front["front"]: front for front in fronts}
    for event in record.get("b", []):
        if front := by_front.get(event["f"]):
            front["started"] = max(front["started"], event["q"])
            front["begun"] += [event] if event not in front["begun"] else []
    for answer in record.get("a", []):
        if front := by_front.get(answer["f"]):
            front["started"] = max(front["started"], answer["q"])
            front["begun"] = [one for one in front["begun"] if one["q"] != answer["q"]]
            front["answers"] = sorted([*front["answers"], answer], key=lambda one: one["q"])


def plain(value: Any) -> Any:
    """As the journal's JSON has it: bytes are arrays of numbers."""
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


class JournalTests(unittest.TestCase):
    def test_the_document_has_the_checksum_and_a_group(self) -> None:
        text = (JOURNALS.parents[1] / "LEDGER.md").read_text()
        self.assertIn(f"`123456789` has 0x{crc32c(b'123456789'):X}", text)
        example = re.search(r"    (4e 4b 47 31 .*)\n    (.*)\n", text)
        assert example is not None
        self.assertEqual(len(records(258, bytes.fromhex(" ".join(example.groups())))), 1)

    def test_every_golden_journal_holds_what_is_beside_it(self) -> None:
        journals = sorted(JOURNALS.glob("*.ledger"))
        self.assertNotEqual(journals, [])
        for journal in journals:
            with self.subTest(journal.name), tempfile.TemporaryDirectory() as directory:
                for end in ("", "-wal"):
                    shutil.copy(f"{journal}{end}", f"{directory}/journal{end}")
                database = sqlite3.connect(f"{directory}/journal")
                try:
                    self.check(database, json.loads(pathlib.Path(f"{journal}.json").read_text()))
                finally:
                    database.close()

    def check(self, database: sqlite3.Connection, held: dict[str, Any]) -> None:
        def rows(query: str) -> list[Any]:
            return database.execute(query).fetchall()

        self.assertEqual(rows("PRAGMA application_id"), [(0x4E4B4C47,)])
        self.assertEqual(rows("PRAGMA user_version"), [(1,)])
        meta = {}
        for key, value, checksum in rows("SELECT key, value, checksum FROM meta"):
            self.assertEqual(crc32c(key.encode(), number(value)), checksum)
            meta[key] = value
        names = {"application", "format", "trimmed", "newest", "tidied", "sessions"}
        self.assertEqual(meta.keys(), names)
        images: dict[int, tuple[int, Image]] = {}
        columns = "session, name, id, base, checksum, bytes"
        for session, name, own, base, checksum, data in rows(f"SELECT {columns} FROM sessions"):
            keyed = (number(session), number(base), counted(name), counted(own), data)
            self.assertEqual(crc32c(*keyed), checksum)
            images[session] = base, cbor2.loads(data)
        self.assertEqual(len(images), meta["sessions"])
        newest = meta["trimmed"]
        for group, data in rows("SELECT number, bytes FROM groups ORDER BY number"):
            newest += 1
            self.assertEqual(group, newest)
            for record in records(group, data):
                base, image = images.get(record["s"], (group, {}))
                if group > base:
                    apply(image, record)
        self.assertEqual(newest, held["newest"])
        if rows("SELECT 1 FROM sqlite_master WHERE name = 'schemas'"):
            known = rows("SELECT number, checksum, bytes FROM schemas ORDER BY number")
            for at, (index, checksum, data) in enumerate(known, 1):
                self.assertEqual((index, checksum), (at, crc32c(number(index), data)))
            self.assertEqual([cbor2.loads(row[2]) for row in known], held.get("schemas", []))
        found = {image["title"]["name"]: plain(image) for _, image in images.values()}
        self.assertEqual(found.keys(), held["sessions"].keys())
        for name, image in found.items():
            expected = held["sessions"][name]
            image.pop("own", None), expected.pop("own", None)
            self.assertEqual(image, expected, name)
