"""Core: how much of the package an attachment needs, and what a peer cannot do to it."""

from __future__ import annotations

import asyncio
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from napkin_front import Front, NotExecuted, OutcomeUnknown, Unsendable, front, values
from napkin_front.connection import LENGTH_MAX, LENGTH_MAX_CONTROL, LENGTH_MIN, Frame, Kind
from napkin_front.errors import ConnectionFailure
from napkin_front.outcomes import RefusalCode

from .front_case import ROOT, FrontCase, stay
from .worker import SECONDS_MAX, FakeWorker, Peer, transition

LINES_MAX = 878
PACKAGE = pathlib.Path(__file__).parents[1]
LOADED = """
import sys, napkin_front.session
modules = {name: sys.modules[name] for name in sys.modules if name.startswith("napkin_front")}
print("\\n".join(f"{name} {module.__file__}" for name, module in sorted(modules.items())
    if not name.endswith("_finder")))
"""


class SizeTests(unittest.TestCase):
    def test_the_core_is_read_in_one_sitting_and_imports_nothing_beside_it(self) -> None:
        command = [sys.executable, "-c", LOADED]
        output = subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True, text=True)
        files = dict(line.split(" ", 1) for line in output.stdout.splitlines())
        core = {"", ".cbor", ".connection", ".errors", ".session", ".tree"}
        self.assertEqual(set(files), {f"napkin_front{name}" for name in core})
        for name, file in files.items():
            self.assertEqual(pathlib.Path(file).parent, PACKAGE / "napkin_front", name)
        lines = sum(len(pathlib.Path(file).read_text().splitlines()) for file in files.values())
        self.assertLessEqual(lines, LINES_MAX)


class LimitTests(FrontCase):
    async def test_frames_of_napkind_have_a_smaller_limit(self) -> None:
        for length, words in [
            (LENGTH_MAX_CONTROL, "ANSWER answers no OPEN"),
            (LENGTH_MAX_CONTROL + 1, "65537 bytes"),
        ]:
            payload = bytes(length - LENGTH_MIN)

            async def napkind(_: FakeWorker, peer: Peer, payload: bytes = payload) -> None:
                await peer.expect(Kind.OPEN)
                peer.send(Frame(Kind.ANSWER, payload, sequence=1))
                await peer.is_told_of_a_violation()

            with mock.patch.object(FakeWorker, "_be_napkind", napkind):
                async with FakeWorker() as worker:
                    with self.assertRaisesRegex(ConnectionFailure, words):
                        await Front("app", socket=worker.socket).attach()

    async def test_who_asks_and_does_not_read_is_not_read_from_either(self) -> None:
        pings = Frame(Kind.PING, sequence=1).encode() * 10_000

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(2):
                    for _ in range(1000):
                        peer.writer.write(pings)
                        await peer.writer.drain()
            peer.writer.transport.abort()

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, stay], body)

    async def test_an_event_that_no_worker_takes_leaves_no_gap(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            event = await peer.event()
            self.assertEqual(event.sequence, 1)
            peer.reply(event)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            with self.assertRaisesRegex(Unsendable, "send it in parts"):
                await front.event("a.root", "go(_:)", bytes(LENGTH_MAX))
            await front.event("a.root", "go()")

        await self.run_front(script, body)

    async def test_the_first_transition_is_a_snapshot(self) -> None:
        async def script(peer: Peer) -> None:
            with mock.patch("tests.worker.transition", return_value=transition(ROOT)):
                await peer.attach()
            await peer.is_told_of_a_violation()

        async with FakeWorker(script) as worker:
            with self.assertRaisesRegex(ConnectionFailure, "a snapshot is due"):
                await Front("app", socket=worker.socket).attach()

    async def test_a_session_is_renamed_to_names_only(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(Frame(Kind.RENAMED, values.write({"session": "a b"})))
            await peer.is_told_of_a_violation()

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            await front.until(lambda tree: front.is_connected)

        worker = await self.run_front([script, stay], body)
        self.assertEqual(worker.opens[-1].session, None)


class AwayTests(FrontCase):
    async def test_after_a_minute_nobody_remembers(self) -> None:
        self.assertEqual(front.AWAY_SECONDS, 60)

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, window=2)
            await peer.event()
            await peer.event()
            worker.refusals = [RefusalCode.WORKER_UNAVAILABLE] * 1000
            peer.end()

        async with asyncio.timeout(SECONDS_MAX), FakeWorker(first, stay) as worker:
            with mock.patch("napkin_front.front.AWAY_SECONDS", 0.001):
                async with Front("app", socket=worker.socket) as shown:
                    events = [shown.event("a.root", "go()") for _ in range(3)]
                    results = await asyncio.gather(*events, return_exceptions=True)
                    kinds = [type(result) for result in results]
                    self.assertEqual(kinds, [OutcomeUnknown, OutcomeUnknown, NotExecuted])

    async def test_who_is_back_in_time_is_not_given_up_later(self) -> None:
        over = asyncio.Event()

        async def second(peer: Peer) -> None:
            await peer.attach(ROOT, is_resumed=True)
            event = await peer.event()
            await over.wait()
            peer.reply(event, "in time")
            await peer.expect(Kind.DETACH)

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.event()
            peer.end()

        async def body(shown: Front) -> None:
            event = asyncio.create_task(shown.event("a.root", "go()"))
            await shown.until(lambda tree: not shown.is_connected)
            await shown.until(lambda tree: shown.is_connected)
            asyncio.get_running_loop().call_later(0.6, over.set)
            self.assertEqual(await event, "in time")

        with mock.patch("napkin_front.front.AWAY_SECONDS", 0.5):
            await self.run_front([first, second], body)
