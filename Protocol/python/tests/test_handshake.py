"""Handshake: conversations, as tables of what comes in and what goes out."""

from __future__ import annotations

import unittest

from napkin_front import messages, values
from napkin_front.errors import RefusalCode
from napkin_front.frames import Frame, Kind
from napkin_front.handshake import Action, Close, Established, Handshake, Send, common_version
from napkin_front.messages import Hello, Refusal, Role, Version, Welcome

ONE = Version(1, 0)


def hello(oldest: Version = ONE, newest: Version = ONE) -> Frame:
    return Frame(Kind.HELLO, values.write(Hello(oldest, newest, Role.FRONT, "c")))


def welcome(version: Version = ONE) -> Frame:
    return Frame(Kind.WELCOME, values.write(Welcome(version, "s", 1)))


def summary(actions: list[Action]) -> list[str]:
    """What goes out, briefly."""
    words = []
    for action in actions:
        match action:
            case Send(frame):
                message = messages.read(frame.kind, frame.payload)
                words.append(f"{frame.kind.name} {getattr(message, 'code', '')}".strip())
            case Established(version):
                words.append(f"established {version}")
            case Close():
                words.append("close")
    return words


class HandshakeTests(unittest.TestCase):
    def test_two_machines_agree(self) -> None:
        front = Handshake(Hello(ONE, Version(1, 3), Role.FRONT, "c", "t"))
        worker = Handshake(oldest=ONE, newest=Version(1, 2), server="s", pid=7)
        self.assertEqual(worker.connected(), [])
        [said] = front.connected()
        assert isinstance(said, Send)
        [answer, established] = worker.received(said.frame)
        assert isinstance(answer, Send)
        self.assertEqual(front.received(answer.frame), [established])
        self.assertEqual(established, Established(Version(1, 2)))
        self.assertEqual(worker.peer, Hello(ONE, Version(1, 3), Role.FRONT, "c", "t"))
        self.assertEqual(front.peer, Welcome(Version(1, 2), "s", 7))

    def test_an_acceptor(self) -> None:
        refused = ["REFUSED protocolViolation", "close"]
        for name, frame, expected in [
            ("agrees", hello(), ["WELCOME", "established 1.0"]),
            ("a newer one", hello(ONE, Version(1, 7)), ["WELCOME", "established 1.0"]),
            ("another major", hello(Version(2, 0), Version(2, 5)), ["REFUSED version", "close"]),
            ("too new", hello(Version(1, 3), Version(1, 5)), ["REFUSED version", "close"]),
            ("upside down", hello(Version(1, 5), ONE), ["REFUSED version", "close"]),
            ("unreadable", Frame(Kind.HELLO, b"\xa0"), refused),
            ("a long name", Frame(Kind.HELLO, long_hello()), refused),
            ("welcome", welcome(), refused),
            ("ping", Frame(Kind.PING), refused),
            ("refused", Frame(Kind.REFUSED, refusal()), ["close"]),
            ("attach", Frame(Kind.ATTACH), refused),
        ]:
            with self.subTest(name):
                machine = Handshake()
                self.assertEqual(summary(machine.connected() + machine.received(frame)), expected)

    def test_an_initiator(self) -> None:
        refused = ["REFUSED protocolViolation", "close"]
        for name, frame, expected in [
            ("is welcomed", welcome(), ["established 1.0"]),
            ("a version that was not offered", welcome(Version(1, 1)), refused),
            ("unreadable", Frame(Kind.WELCOME, b"\xff"), refused),
            ("hello", hello(), refused),
            ("attached", Frame(Kind.ATTACHED), refused),
            ("is refused", Frame(Kind.REFUSED, refusal()), ["close"]),
            ("unreadable words", Frame(Kind.REFUSED, b"\x01"), ["close"]),
        ]:
            with self.subTest(name):
                machine = Handshake(Hello(ONE, ONE, Role.FRONT, "c"))
                self.assertEqual(summary(machine.connected()), ["HELLO"])
                self.assertEqual(summary(machine.received(frame)), expected)

    def test_what_a_refusal_said_is_kept(self) -> None:
        machine = Handshake(Hello(ONE, ONE, Role.FRONT, "c"))
        machine.received(Frame(Kind.REFUSED, refusal("badTicket")))
        self.assertEqual(machine.refusal, Refusal(RefusalCode.BAD_TICKET, "m"))

    def test_versions(self) -> None:
        for theirs, ours, expected in [
            (((1, 0), (1, 9)), ((1, 0), (1, 2)), (1, 2)),
            (((1, 0), (1, 1)), ((1, 0), (1, 2)), (1, 1)),
            (((1, 2), (1, 2)), ((1, 0), (1, 2)), (1, 2)),
            (((1, 3), (1, 4)), ((1, 0), (1, 2)), None),
            (((0, 0), (0, 9)), ((1, 0), (1, 2)), None),
            (((1, 0), (2, 3)), ((1, 2), (1, 4)), (1, 4)),
        ]:
            with self.subTest(theirs=theirs, ours=ours):
                found = common_version(*(Version(*pair) for pair in (*theirs, *ours)))
                self.assertEqual(found, None if expected is None else Version(*expected))


def refusal(code: str = "overloaded") -> bytes:
    return values.write({"code": code, "message": "m"})


def long_hello() -> bytes:
    return values.write(Hello(ONE, ONE, Role.FRONT, "n" * 129))
