"""Calls: events over several connections, where a front alone would hide the order of things."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, cast

from napkin_front import EventFault
from napkin_front.connection import Connection, Frame, Kind
from napkin_front.session import Session
from napkin_front.tree import SNAPSHOT
from napkin_front.values import write

from .worker import SECONDS_MAX, mount

Answer = asyncio.Task[bytes]


async def outcomes(events: list[Answer]) -> list[str]:
    """How events have ended, by the codes of their faults."""
    async with asyncio.timeout(SECONDS_MAX):
        results = await asyncio.gather(*events, return_exceptions=True)
    return [str(getattr(result, "code", result)) for result in results]


class Wire:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Frame] = []
        self.pid = 1

    def send(self, frame: Frame) -> None:
        self.sent.append(frame)

    def close(self) -> None:
        """Nothing is open."""


class CallsTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.session = Session("", {"app": "app"}, {})
        self.wire = Wire()
        self.offered: list[Answer] = []
        self.attach(window=2)

    def take(self, kind: Kind, value: Any = None, **fields: int) -> None:
        payload = b"" if value is None else write(value)
        self.session.received(cast(Connection, self.wire), Frame(kind, payload, **fields))

    def attached(self, window: int, *, is_resumed: bool = False, epoch: int = 1) -> None:
        attached: dict[str, Any] = {"app": "app", "session": "app", "front": 7, "epoch": epoch}
        self.take(Kind.ATTACHED, attached | {"window": window, "isResumed": is_resumed})

    def opened(self, epoch: int = 1) -> None:
        self.take(Kind.TRANSITION, [mount(1, "a.root")], epoch=epoch, flags=SNAPSHOT)

    def attach(self, window: int, *, is_resumed: bool = False, epoch: int = 1) -> None:
        self.attached(window, is_resumed=is_resumed, epoch=epoch)
        self.opened(epoch)

    def lose(self) -> None:
        self.session._disconnected(None)

    async def offer(self, method: int, payload: bytes = b"") -> Answer:
        assert self.session.tree.root is not None
        answer = asyncio.create_task(self.session.call(self.session.tree.root, method, payload))
        await asyncio.sleep(0)
        self.offered.append(answer)
        return answer

    def replied(self, sequence: int, value: Any = None) -> None:
        self.take(Kind.REPLY, value, sequence=sequence)

    def faulted(self, sequence: int, code: str = "gone") -> None:
        self.take(Kind.FAULT, {"code": code, "message": "m"}, sequence=sequence)

    def take_sent(self) -> list[tuple[int, int]]:
        """The sequences and methods of what was sent since the last time."""
        taken = [(frame.sequence, frame.method) for frame in self.wire.sent]
        self.wire.sent.clear()
        return taken

    async def asyncTearDown(self) -> None:
        self.session.give_up("the test is over")
        await asyncio.gather(*self.offered, return_exceptions=True)

    async def test_numbers_have_no_gaps_and_go_on_over_connections(self) -> None:
        first, second = await self.offer(10), await self.offer(20)
        self.replied(1, 1)
        self.lose()
        self.take_sent()
        self.attach(window=2, is_resumed=True)
        third = await self.offer(30)
        self.assertEqual(self.take_sent(), [(2, 20), (3, 30)])
        self.replied(3, 3)
        self.faulted(2)
        self.assertEqual((await first, await third), (b"\x01", b"\x03"))
        with self.assertRaises(EventFault):
            await second

    async def test_what_is_sent_again_is_unchanged_also_in_a_new_epoch(self) -> None:
        await self.offer(10, b"\x05")
        [frame] = self.wire.sent
        for epoch in (2, 3):
            self.lose()
            self.wire.sent.clear()
            self.attach(window=2, is_resumed=True, epoch=epoch)
            self.assertEqual(self.wire.sent, [frame])
        await self.offer(20)
        self.assertEqual((self.wire.sent[-1].epoch, self.wire.sent[-1].sequence), (3, 2))

    async def test_an_event_that_waits_has_no_number_and_goes_on(self) -> None:
        for method in (10, 20, 30, 40, 50):
            await self.offer(method)
        self.assertEqual(self.take_sent(), [(1, 10), (2, 20)])
        self.lose()
        self.attached(1, is_resumed=True)
        # Before the tree is there nothing is sent but what was sent already.
        self.assertEqual(self.take_sent(), [(1, 10), (2, 20)])
        # They count, also where the window is smaller now.
        self.opened()
        self.replied(2)
        self.assertEqual(self.take_sent(), [])
        self.replied(1)
        self.assertEqual(self.take_sent(), [(3, 30)])
        # Where it is larger now, what waited has its turn.
        self.lose()
        self.attach(window=9, is_resumed=True)
        self.assertEqual(self.take_sent(), [(3, 30), (4, 40), (5, 50)])

    async def test_an_event_that_waited_is_for_the_node_of_its_call(self) -> None:
        for method in (10, 20, 30):
            await self.offer(method)
        self.lose()
        self.attach(window=3, is_resumed=True, epoch=2)
        self.assertEqual((self.wire.sent[-1].sequence, self.wire.sent[-1].epoch), (3, 1))

    async def test_a_front_that_is_not_known_any_more_begins_anew(self) -> None:
        events = [await self.offer(method) for method in (10, 20, 30)]
        self.lose()
        await asyncio.sleep(0)
        self.assertFalse(any(event.done() for event in events))
        self.take_sent()
        self.attach(window=2)
        self.assertEqual(await outcomes(events), ["unknown", "unknown", "notExecuted"])
        self.assertEqual(self.session.lost, 2)
        await self.offer(40)
        self.assertEqual(self.take_sent(), [(1, 40)])

    async def test_a_cancelled_event_keeps_its_credit_until_it_is_answered(self) -> None:
        events = [await self.offer(method) for method in (10, 20, 30, 40)]
        events[0].cancel()
        events[2].cancel()
        await asyncio.sleep(0)
        self.take_sent()
        self.replied(1)
        # The one that waited is passed over, and leaves no gap.
        self.assertEqual(self.take_sent(), [(3, 40)])

    async def test_without_a_connection_nothing_is_taken(self) -> None:
        self.lose()
        self.assertEqual(await outcomes([await self.offer(10)]), ["notExecuted"])
        self.attached(2, is_resumed=True)
        self.assertEqual(await outcomes([await self.offer(20)]), ["notExecuted"])

    async def test_an_answer_that_nobody_waits_for_is_none(self) -> None:
        event = await self.offer(10)
        self.replied(2)
        self.faulted(0)
        await asyncio.sleep(0)
        self.assertFalse(event.done())
        self.replied(1)
        self.replied(1, 9)
        self.assertEqual(await event, b"")
