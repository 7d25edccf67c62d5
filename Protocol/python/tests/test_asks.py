"""Asks: questions, their answers, and their ends."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from napkin_front import (
    Asked,
    AskEnded,
    Change,
    Front,
    values,
)
from napkin_front.connection import Frame, Kind

from .front_case import ROOT, FrontCase, stay, title
from .worker import SECONDS_MAX, FakeWorker, Peer


class AskTests(FrontCase):
    async def test_a_question_is_answered_by_its_handler(self) -> None:
        async def script(peer: Peer) -> None:
            attach = await peer.attach(ROOT)
            self.assertIsNone(attach.declines_asks)
            peer.ask("confirm(_:)", "sure?", sequence=5)
            answer = await peer.expect(Kind.ASK_REPLY)
            self.assertEqual((answer.sequence, answer.payload), (5, b"\xf5"))
            peer.state("present(title:)", "done")
            await peer.expect(Kind.DETACH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)

            @front.on_ask("a.root", "confirm(_:)")
            async def confirm(node: Any, question: str) -> bool:
                self.assertEqual((node.feature, question), ("a.root", "sure?"))
                await asyncio.sleep(0)
                return True

            async with front, asyncio.timeout(SECONDS_MAX):
                await front.until(lambda tree: title(front) == "done")
                self.assertEqual(front.asks, {})

    async def test_a_handler_that_comes_too_late_is_an_error_that_says_what_to_do(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.expect(Kind.DETACH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            async with front:
                for register in (front.on_ask, front.on_effect):
                    with self.assertRaisesRegex(
                        RuntimeError, f"{register.__name__}.*after the front has attached.*before"
                    ):
                        register("a.root", "confirm(_:)")

    async def test_a_question_that_is_over_cancels_its_handler(self) -> None:
        started, cancelled = asyncio.Event(), asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.ask("confirm(_:)", "sure?", sequence=5)
            await started.wait()
            peer.send(
                Frame(Kind.ASK_ENDED, values.write({"answeredBy": "Ada"}), sequence=5),
                Frame(Kind.ASK_ENDED, sequence=6),
            )
            await peer.expect(Kind.DETACH)

        changes: list[Change] = []
        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            front.listen(changes.append)

            @front.on_ask("a.root", "confirm(_:)")
            async def confirm(node: Any, question: str) -> bool:
                started.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    cancelled.set()
                return True

            async with front, asyncio.timeout(SECONDS_MAX):
                await cancelled.wait()
                self.assertFalse(front.answer(5, True), "a late answer is not sent")
        self.assertEqual([c for c in changes if isinstance(c, AskEnded)], [AskEnded(5, "Ada")])

    async def test_a_question_is_asked_again_after_a_lost_connection(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.ask("confirm(_:)", "sure?", sequence=5)
            peer.end()

        async def second(peer: Peer) -> None:
            await peer.attach(ROOT, is_resumed=True)
            peer.ask("confirm(_:)", "sure?", sequence=5)
            answer = await peer.expect(Kind.ASK_REPLY)
            self.assertEqual((answer.sequence, answer.payload), (5, b"\xf4"))
            peer.state("present(title:)", "done")
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            front.listen(answer_when_back)
            await front.until(lambda tree: title(front) == "done")

        def answer_when_back(change: Change) -> None:
            if isinstance(change, Asked):
                self.assertTrue(fronts[0].answer(change, False))

        fronts: list[Front] = []
        async with FakeWorker(first, second) as worker:
            front = Front("app", socket=worker.socket, answers_asks=True)
            async with front, asyncio.timeout(SECONDS_MAX):
                await front.until(lambda tree: not front.is_connected)
                self.assertEqual(front.asks, {})
                fronts.append(front)
                await body(front)

    async def test_a_handler_that_fails_leaves_the_question_open(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.ask("confirm(_:)", "sure?")
            answer = await peer.expect(Kind.ASK_REPLY)
            self.assertEqual(answer.payload, b"\x63yes")
            await peer.expect(Kind.DETACH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            failed = asyncio.Event()

            @front.on_ask("a.root", "confirm(_:)")
            def confirm(node: Any, question: str) -> bool:
                asyncio.get_running_loop().call_soon(failed.set)
                raise ValueError("no idea")

            with self.assertLogs("napkin_front", logging.ERROR) as logs:
                async with front, asyncio.timeout(SECONDS_MAX):
                    await failed.wait()
                    self.assertTrue(front.answer(1, "yes"))
            self.assertIn("the question stays open", logs.output[0])

    async def test_a_listener_that_fails_does_not_end_the_front(self) -> None:
        async def body(front: Front) -> None:
            def fail(change: Change) -> None:
                raise ValueError("a mistake")

            front.listen(fail)
            with self.assertLogs("napkin_front", logging.ERROR):
                await front.until(lambda tree: not front.is_connected)
                await front.until(lambda tree: front.is_connected)

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.end()

        await self.run_front([first, stay], body)
