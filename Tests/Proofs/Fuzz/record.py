#!/usr/bin/env python3
"""Records what passes between a front, napkind and a worker, as seeds for the fuzzers.

usage: record.py NAPKIND OUTPUT

Plays one evening at Rib House on the sockets of a real napkind: login, pit board, back, logout, login,
an event to a node that is gone, a reattach, the listings. Writes both directions, frame by frame, as
JSON: {"from": "front", "to": "worker", "frame": hex}.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Protocol" / "vectors"))
from notation import encode, parse  # noqa: E402

HEADER = struct.Struct("<IBBHIIQI")
KINDS = {
    "hello": 1, "welcome": 2, "ping": 4, "pong": 5, "query": 7, "answer": 8, "open": 16,
    "redirect": 17, "attach": 32, "attached": 33, "transition": 34, "state": 35, "event": 37,
    "reply": 38, "fault": 39, "detach": 43,
}
HELLO = '{"oldest": {"major": 1, "minor": 0}, "newest": {"major": 1, "minor": 0}, "role": "%s", "client": "recorder"%s}'
ATTACH = '{"isReadOnly": false, "contracts": {}, "wantsSchema": true%s}'


def method(key: str) -> int:
    number = 0x811C9DC5
    for byte in key.encode():
        number = (number ^ byte) * 0x01000193 % 2**32
    return number


def text_after(payload: bytes, key: str) -> str:
    """The text that follows a key of a payload that napkind wrote."""
    place = payload.index(key.encode()) + len(key)
    head = payload[place]
    if head == 0x78:
        return payload[place + 2 : place + 2 + payload[place + 1]].decode()
    return payload[place + 1 : place + 1 + (head & 0x1F)].decode()


class Connection:
    """One socket whose frames are written down."""

    def __init__(self, path: str, name: str, transcript: list) -> None:
        self.name = name
        self.transcript = transcript
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(path)
        self.buffer = b""

    def send(self, kind, notation="", node=0, epoch=0, sequence=0, key="") -> None:
        payload = b"".join(encode(item) for item in parse(notation)) if notation else b""
        number = method(key) if key else 0
        head = (24 + len(payload), KINDS[kind], 0, 0, node, epoch, sequence, number)
        frame = HEADER.pack(*head) + payload
        self.transcript.append({"from": "front", "to": self.name, "frame": frame.hex()})
        self.socket.sendall(frame)

    def receive(self) -> tuple:
        """The next frame: kind, flags, node, epoch, sequence, method, payload."""
        while len(self.buffer) < 4 or len(self.buffer) < 4 + self.length():
            more = self.socket.recv(65536)
            if not more:
                sys.exit(f"record: the {self.name} closed the connection")
            self.buffer += more
        end = 4 + self.length()
        frame, self.buffer = self.buffer[:end], self.buffer[end:]
        self.transcript.append({"from": self.name, "to": "front", "frame": frame.hex()})
        _, kind, flags, _, node, epoch, sequence, number = HEADER.unpack(frame[:28])
        return kind, flags, node, epoch, sequence, number, frame[28:]

    def length(self) -> int:
        return struct.unpack("<I", self.buffer[:4])[0]

    def await_kind(self, kind: str, sequence: int = 0) -> tuple:
        while True:
            frame = self.receive()
            if frame[0] == KINDS[kind] and (not sequence or frame[4] == sequence):
                return frame


class Evening:
    """A front's way through Rib House."""

    def __init__(self, daemon: str, transcript: list) -> None:
        self.daemon = daemon
        self.transcript = transcript
        self.worker = None
        self.sequence = 0
        self.epoch = 0
        self.nodes = {}

    def attach(self, extra: str = "") -> None:
        door = Connection(self.daemon, "daemon", self.transcript)
        door.send("hello", HELLO % ("front", ""))
        door.await_kind("welcome")
        door.send("open", '{"app": "rib-house", "creates": true}', sequence=1)
        payload = door.await_kind("redirect")[6]
        ticket = text_after(payload, "ticket")
        self.worker = Connection(text_after(payload, "socket"), "worker", self.transcript)
        self.worker.send("hello", HELLO % ("front", f', "ticket": "{ticket}"'))
        self.worker.await_kind("welcome")
        self.worker.send("attach", ATTACH % extra)
        self.worker.await_kind("attached")
        self.shown(self.worker.await_kind("transition"))

    def shown(self, frame: tuple) -> None:
        """Notes the newest node of each feature that a transition names."""
        self.epoch = frame[3]
        payload = frame[6]
        for feature in ("logged-out", "logged-in", "pit-board"):
            name = f"rib-house.{feature}".encode()
            mount = payload.rfind(b"mount", 0, max(payload.find(name), 0))
            if mount >= 0:
                head = payload[mount + 5]
                self.nodes[feature] = head if head < 24 else payload[mount + 6]

    def tap(self, feature: str, key: str) -> None:
        self.sequence += 1
        self.worker.send(
            "event", node=self.nodes[feature], epoch=self.epoch, sequence=self.sequence, key=key)
        while True:
            frame = self.worker.receive()
            if frame[0] == KINDS["transition"]:
                self.shown(frame)
            if frame[0] in (KINDS["reply"], KINDS["fault"]) and frame[4] == self.sequence:
                return

    def await_feature(self, feature: str) -> None:
        while feature not in self.nodes:
            self.shown(self.worker.await_kind("transition"))

    def watch(self, states: int) -> None:
        for _ in range(states):
            self.worker.await_kind("state")

    def play(self) -> None:
        self.attach()
        self.await_feature("logged-out")
        self.tap("logged-out", "didTapLogin()")
        self.await_feature("logged-in")
        self.watch(60)
        self.tap("logged-in", "didTapPitBoard()")
        self.await_feature("pit-board")
        self.watch(80)
        self.tap("pit-board", "didTapBack()")
        self.tap("pit-board", "didTapBack()")
        self.attach(f', "previousFront": 1, "previousEpoch": {self.epoch}')
        self.watch(20)
        self.tap("logged-in", "didTapLogout()")
        self.worker.send("ping", "true", sequence=9)
        self.worker.await_kind("pong", 9)
        self.worker.send("detach", "true")

    def ask(self) -> None:
        door = Connection(self.daemon, "daemon", self.transcript)
        door.send("hello", HELLO % ("tool", ""))
        door.await_kind("welcome")
        queries = ['{"apps": {}}', '{"sessions": {}}', '{"tree": {}}', '{"kill": {"session": "rib-house"}}']
        for sequence, query in enumerate(queries, start=1):
            door.send("query", query, sequence=sequence)
            door.await_kind("answer", sequence)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: record.py NAPKIND OUTPUT")
    transcript = []
    with tempfile.TemporaryDirectory(prefix="nkr.", dir="/tmp") as directory:
        path = f"{directory}/n.sock"
        ready, signal = os.pipe()
        napkind = subprocess.Popen(
            [sys.argv[1], "--socket", path, "--state-dir", f"{directory}/s", "--ready-fd", str(signal)],
            pass_fds=[signal], env=os.environ | {"NAPKIN_RIBHOUSE_TICK": "0.02"})
        os.close(signal)
        try:
            if not os.read(ready, 100):
                sys.exit("record: napkind did not start")
            evening = Evening(path, transcript)
            evening.play()
            evening.ask()
        finally:
            napkind.terminate()
            napkind.wait()
    lines = ",\n".join("  " + json.dumps(line) for line in transcript)
    Path(sys.argv[2]).write_text(f"[\n{lines}\n]\n")
    print(f"{len(transcript)} frames in {sys.argv[2]}")


if __name__ == "__main__":
    main()
