#!/usr/bin/env python3
"""Writes the seeds of the fuzzers: one file for each input, from the vectors and the transcripts.

usage: seeds.py FOLDER

FOLDER/TARGET is made anew for each target of Tests/Proofs/Support/FuzzTargets; each file is an input as the target
reads it. Fails when a target gets fewer than 200.
"""

import hashlib
import json
import shutil
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEEDS_MIN = 200
# Longer inputs make the fuzzer slow and show nothing more; the limits have tests of their own.
BYTES_MAX = 16384
KINDS = {
    "hello": 1, "welcome": 2, "refused": 3, "ping": 4, "pong": 5, "goodbye": 6, "query": 7,
    "answer": 8, "open": 16, "redirect": 17, "attach": 32, "attached": 33, "transition": 34,
    "state": 35, "effect": 36, "event": 37, "reply": 38, "fault": 39, "ask": 40, "askReply": 41,
    "askEnded": 42, "detach": 43, "schema": 44, "contractWanted": 45, "contract": 46,
    "received": 47, "openURL": 48, "workflowStep": 49, "workflowEnded": 50,
    "cancelWorkflow": 51, "cancelEvent": 60, "register": 64, "admit": 65, "drain": 66,
}


def unpacked(value) -> bytes:
    """Bytes of a vector: hex, or runs of hex and how often it comes."""
    if isinstance(value, str):
        return bytes.fromhex(value)
    if sum(len(run) // 2 * count for run, count in value) > BYTES_MAX:
        return b""
    return b"".join(bytes.fromhex(run) * count for run, count in value)


def frame(kind: int, payload: bytes, flags: int = 0, node: int = 0) -> bytes:
    return struct.pack("<IBBHIIQI", 24 + len(payload), kind, flags, 0, node, 0, 0, 0) + payload


def vectors(group: str) -> list:
    return json.loads((ROOT / "Protocol" / "vectors" / f"{group}.json").read_text())["vectors"]


def payloads() -> list:
    """(kind, payload) of every message in the vectors and the transcripts."""
    found = []
    for group in ("messages", "faults", "schemas"):
        for vector in vectors(group):
            if vector["kind"] in KINDS and "bytes" in vector:
                found.append((KINDS[vector["kind"]], unpacked(vector["bytes"])))
    return found + [(one[4], one[28:]) for one in transcript_frames()]


def transcripts() -> list:
    files = sorted((ROOT / "Tests" / "Fuzz" / "transcripts").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


def transcript_frames(sender: str | None = None) -> list:
    return [
        bytes.fromhex(line["frame"])
        for transcript in transcripts()
        for line in transcript
        if sender is None or line["from"] == sender
    ]


def streams(sender: str) -> list:
    """Runs of 1, 2, 4… frames that came one after another from one side."""
    frames = transcript_frames(sender)
    return [
        b"".join(frames[start : start + length])
        for length in (1, 2, 4, 8, 16)
        for start in range(0, len(frames), length)
    ]


def frame_seeds() -> list:
    found = [unpacked(vector["bytes"]) for vector in vectors("frames")]
    found += streams("front") + streams("worker")
    return [bytes([cut]) + stream for stream in found for cut in (1, 255)]


def item_seeds() -> list:
    found = [unpacked(vector["bytes"]) for vector in vectors("items") + vectors("values")]
    return found + [payload for _, payload in payloads()]


def handshake_seeds() -> list:
    found = []
    for vector in vectors("handshakes"):
        frames = [step["in"]["frame"] for step in vector["steps"] if "frame" in step["in"]]
        role = 0 if vector["role"] == "initiator" else 1
        found.append(bytes([role]) + b"".join(bytes.fromhex(one) for one in frames))
    for kind, payload in payloads():
        found += [bytes([role]) + frame(kind, payload) for role in (0, 1)]
    return found


def connection_seeds() -> list:
    """Both ends of each connection: a byte for the role, one for what else happens, a stream."""
    hello = {role: frame(1, handshake_hello(role)) for role in ("front", "tool", "worker")}
    welcome = next(one for one in transcript_frames() if one[4] == KINDS["welcome"])
    openings = [
        (0, hello["front"]), (0, hello["tool"]), (0, hello["worker"]), (1, hello["front"]),
        (2, welcome), (3, welcome), (4, welcome), (5, welcome),
    ]
    found = []
    for role, opening in openings:
        sender = "front" if role < 2 else "worker"
        for event in (0x12, 0x23, 0x81, 0xFF):
            found += [bytes([role, event]) + opening + one for one in streams(sender)[::7]]
        found += [bytes([role, 0xFF]) + opening + frame(kind, p) for kind, p in payloads()[::5]]
    return found + [bytes([one[0], 0xFF]) + one[1:] for one in handshake_seeds()]


def handshake_hello(role: str) -> bytes:
    """The payload of a hello of this role in a vector."""
    name = b"\x64role" + bytes([0x60 + len(role)]) + role.encode()
    return next(
        payload
        for kind, payload in payloads()
        if kind == KINDS["hello"] and name in payload
    )


def control_seeds() -> list:
    return [bytes([kind]) + payload for kind, payload in payloads()]


def batch_seeds() -> list:
    found = streams("worker") + streams("daemon")
    for vector in vectors("transitions"):
        before = frame(KINDS["transition"], unpacked(vector["before"]), flags=1)
        after = frame(KINDS["transition"], unpacked(vector["bytes"]), flags=vector.get("flags", 0))
        found += [before + after, before + after + after]
    for kind, payload in payloads():
        if kind == KINDS["transition"]:
            found += [frame(kind, payload, flags=flags) for flags in (0, 1)]
    return found


def size_seeds() -> list:
    """A choice, then what that reads: payloads, streams, and values one after another."""
    values = [unpacked(vector["bytes"]) for vector in vectors("values")]
    found = [bytes([0]) + stream for stream in streams("front") + streams("worker")]
    # Announced, and not there.
    found += [bytes([0]) + struct.pack("<I", count) + bytes(64) for count in (4096, 65536, 1 << 24)]
    for old, new in zip(values, values[1:]):
        cut = 256 * len(old) // max(len(old) + len(new), 1)
        found += [bytes([choice, min(cut, 255)]) + old + new for choice in (1, 2)]
    return found + control_seeds()


def page_seeds() -> list:
    """What client.js sends."""
    kinds = ["press", "text", "submit", "toggle", "pick", "select", "choose", "focus", "key", "leave"]
    more = [
        {}, {"id": "e1"}, {"id": "e2", "label": "Yes"}, {"id": "e3", "text": "smo\u00e9\U0001f356"},
        {"id": "e4", "isOn": True}, {"id": "e5", "row": 3}, {"id": "e5", "row": -1}, {"key": "Enter"},
        {"key": "Control+a", "id": "e6"}, {"id": "e7", "row": 1 << 63}, {"id": None, "text": 7},
    ]
    events = [
        {"type": kind, "number": number} | one
        for kind in kinds for one in more for number in (0, 1, -1)
    ]
    return [json.dumps(event).encode() for event in events]


def door_seeds() -> list:
    """Heads of requests; \\1, \\2 and \\3 stand for the token, the cookie and the path."""
    targets = [
        "/", "/?token=\1", "/?token=", "\3", "\3client.js", "\3logout", "\3socket?tab=",
        "\3socket?tab=0af", "\3../x", "/\2",
    ]
    hosts = [["napkin.test"], ["evil.example"], ["napkin.test", "napkin.test"]]
    origins = [[], ["https://napkin.test"], ["null"], ["http://napkin.test"]]
    found = []
    for target in targets:
        for method in ("GET", "POST"):
            for host in hosts:
                for origin in origins:
                    lines = [f"{method} {target}"] + [f"Host: {one}" for one in host]
                    lines += [f"Origin: {one}" for one in origin] + ["Cookie: a=b; \2"]
                    found += [bytes([shared]) + "\n".join(lines).encode() for shared in (0, 1)]
    return found


def write(folder: Path, seeds: list) -> int:
    folder.mkdir(parents=True)
    for seed in seeds:
        if len(seed) <= BYTES_MAX:
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    return sum(1 for _ in folder.iterdir())


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py FOLDER")
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    targets = {
        "frames": frame_seeds, "items": item_seeds, "handshake": handshake_seeds,
        "connection": connection_seeds, "control": control_seeds, "batches": batch_seeds,
        "sizes": size_seeds, "pages": page_seeds, "doors": door_seeds,
    }
    for name, seeds in targets.items():
        count = write(folder / name, seeds())
        if count < SEEDS_MIN:
            sys.exit(f"seeds: {name} has {count} seeds, fewer than {SEEDS_MIN}")


if __name__ == "__main__":
    main()
