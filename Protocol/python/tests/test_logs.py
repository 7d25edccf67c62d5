"""Logs: their items, what is missing of them, and where a front goes on after a cut."""

from __future__ import annotations

import asyncio
from typing import Any

from napkin_front import Appended, Change, Front, values
from napkin_front.connection import Frame, Kind
from napkin_front.session import READ_LOG
from napkin_front.values import method_number

from .front_case import ROOT, FrontCase
from .worker import SECONDS_MAX, FakeWorker, Peer

SAY = method_number("say(_:)")


def log(first: int, *items: Any, oldest: int = 0, epoch: int = 1) -> Frame:
    return Frame(Kind.LOG, values.write([oldest, *items]), 1, epoch, first, SAY)


class LogTests(FrontCase):
    async def test_items_come_once_and_missing_ones_are_named(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(log(3, "d", "e", oldest=1), log(4, "e", "f", oldest=1), log(9, "j", oldest=2))
            await peer.expect(Kind.DETACH)

        changes: list[Appended] = []
        heard: list[str] = []
        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)

            @front.on_item("a.root", "say(_:)")
            def say(node: Any, line: str) -> None:
                heard.append(line)

            def note(change: Change) -> None:
                if isinstance(change, Appended):
                    changes.append(change)

            front.listen(note)
            async with front, asyncio.timeout(SECONDS_MAX):
                await front.until(lambda tree: "j" in heard)
                (node,) = list(front.tree)
                self.assertEqual(list(node.logs[SAY].items), [values.write("j")])
        self.assertEqual(heard, ["d", "e", "f", "j"])
        self.assertEqual([change.first for change in changes], [3, 5, 9])
        self.assertEqual(
            [change.missing for change in changes], [range(3), range(5, 5), range(6, 9)]
        )

    async def test_history_is_read_before_what_the_front_has(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(log(3, "d"))
            event = await peer.event()
            self.assertEqual(event.method, READ_LOG)
            self.assertEqual(values.read(list[int], event.payload), [SAY, 3, 2])
            peer.reply(event, [1, 0, "b", "c"])
            await peer.expect(Kind.DETACH)

        async with (
            FakeWorker(script) as worker,
            Front("app", socket=worker.socket) as front,
            asyncio.timeout(SECONDS_MAX),
        ):
            await front.until(lambda tree: any(node.logs for node in tree))
            (node,) = list(front.tree)
            first, items = await front.history(node, "say(_:)", count=2)
            self.assertEqual((first, [item.value for item in items]), (1, ["b", "c"]))

    async def test_a_front_that_returns_goes_on_where_it_was(self) -> None:
        connections = 0

        async def script(peer: Peer) -> None:
            nonlocal connections
            connections += 1
            attach = await peer.attach(ROOT, is_resumed=connections > 1)
            if connections == 1:
                self.assertIsNone(attach.logs)
                peer.send(log(0, "a", "b"))
                peer.end()
                return
            assert attach.logs is not None
            self.assertEqual([(one.node, one.next) for one in attach.logs], [(1, 2)])
            peer.send(log(2, "c"))
            await peer.expect(Kind.DETACH)

        heard: list[str] = []
        async with FakeWorker(script, script) as worker:
            front = Front("app", socket=worker.socket)

            @front.on_item("a.root", "say(_:)")
            def say(node: Any, line: str) -> None:
                heard.append(line)

            async with front, asyncio.timeout(SECONDS_MAX):
                await front.until(lambda tree: "c" in heard)
                (node,) = list(front.tree)
                self.assertEqual(len(node.logs[SAY].items), 3)
        self.assertEqual(heard, ["a", "b", "c"])
