"""Handshake: conversations over a socket, as a table of what comes in and what goes out."""

from __future__ import annotations

import asyncio
import tempfile
import unittest
from typing import Any

from napkin_front import Front, Refused, cbor, values
from napkin_front.connection import LENGTH_MAX_HANDSHAKE, REFUSAL, Frame, Kind

from .messages import Hello, Role, Version
from .worker import SECONDS_MAX, Decoder

ONE = Version(1, 0)


def hello(oldest: Version = ONE, newest: Version = ONE) -> Frame:
    return Frame(Kind.HELLO, values.write(Hello(oldest, newest, Role.FRONT, "c")))


def welcome(version: Version = ONE) -> Frame:
    return Frame(Kind.WELCOME, values.write({"version": version, "server": "s", "pid": 1}))


def refusal(code: str) -> Frame:
    return Frame(Kind.REFUSED, values.write({"code": code, "message": "that is why"}))


class HandshakeTests(unittest.IsolatedAsyncioTestCase):
    async def talk(self, answer: bytes) -> tuple[Hello, str, list[str]]:
        """What a front says first, how it fails after that answer, and what else it says."""
        said: list[Frame] = []

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            decoder = Decoder()
            while data := await reader.read(4096):
                decoder.feed(data)
                while (frame := decoder.next_frame()) is not None:
                    said.append(frame)
                    if len(said) == 1:
                        writer.write(answer)
            writer.close()
            ended.set()

        ended = asyncio.Event()
        with tempfile.TemporaryDirectory(prefix="nk", dir="/tmp") as directory:
            path = f"{directory}/s"
            async with await asyncio.start_unix_server(accept, path), asyncio.timeout(SECONDS_MAX):
                with self.assertRaises(Refused) as caught:
                    await Front("app", socket=path).attach()
                await ended.wait()
        codes = [cbor.read(REFUSAL, frame.payload)["code"] for frame in said[1:]]
        self.assertEqual({frame.kind for frame in said[1:]} - {Kind.REFUSED}, set())
        return values.read(Hello, said[0].payload), caught.exception.code, codes

    async def test_what_may_not_answer_a_hello_is_refused(self) -> None:
        for name, answer in [
            ("a newer version", welcome(Version(1, 1))),
            ("an older version", welcome(Version(0, 9))),
            ("another major", welcome(Version(2, 0))),
            ("unreadable", Frame(Kind.WELCOME, b"\xff")),
            ("hello", hello()),
            ("attached", Frame(Kind.ATTACHED)),
            ("ping", Frame(Kind.PING)),
            ("too long", Frame(Kind.WELCOME, bytes(LENGTH_MAX_HANDSHAKE))),
        ]:
            with self.subTest(name):
                said, code, codes = await self.talk(answer.encode())
                self.assertEqual((said.role, said.oldest, said.newest), ("front", ONE, ONE))
                self.assertEqual((code, codes), ("protocolViolation", ["protocolViolation"]))

    async def test_a_refusal_is_not_answered(self) -> None:
        cases: list[tuple[Frame, Any]] = [
            (refusal("badTicket"), "badTicket"),
            (refusal("ofALaterVersion"), "workerUnavailable"),
            (Frame(Kind.REFUSED, b"\x01"), "protocolViolation"),
        ]
        for answer, expected in cases:
            with self.subTest(expected):
                _, code, codes = await self.talk(answer.encode())
                self.assertEqual((code, codes), (expected, []))
