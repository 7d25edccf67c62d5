"""Calls: events over several connections, where a front alone would hide the order of things."""

from __future__ import annotations

import asyncio
import unittest
from unittest import mock

from napkin_front import EventFault, NotExecuted, OutcomeUnknown, Unsendable, calls
from napkin_front.calls import Calls, Identity
from napkin_front.errors import FaultCode
from napkin_front.frames import FRAME_LENGTH_MAX, Frame, Kind
from napkin_front.messages import Fault
from napkin_front.values import Item

from .worker import SECONDS_MAX


async def outcomes(events: list[asyncio.Future[Item]]) -> list[type]:
    """How events have ended, by the types of their errors."""
    async with asyncio.timeout(SECONDS_MAX):
        results = await asyncio.gather(*events, return_exceptions=True)
    return [type(result) for result in results]


class CallsTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.sent: list[Frame] = []
        self.calls = Calls(self.send)
        self.attach(window=2)

    def send(self, frame: Frame) -> None:
        frame.encode()
        self.sent.append(frame)

    def attach(self, window: int, *, is_resumed: bool = False, epoch: int = 1) -> None:
        self.calls.attached(Identity(7, epoch), is_resumed=is_resumed)
        self.calls.opened(window)

    def offer(self, method: int, payload: bytes = b"") -> asyncio.Future[Item]:
        return self.calls.offer(Frame(Kind.EVENT, payload, 1, self.epoch, method=method))

    @property
    def epoch(self) -> int:
        assert self.calls.identity is not None
        return self.calls.identity.epoch

    def take_sent(self) -> list[tuple[int, int]]:
        """The sequences and methods of what was sent since the last time."""
        taken = [(frame.sequence, frame.method) for frame in self.sent]
        self.sent.clear()
        return taken

    async def test_numbers_have_no_gaps_and_go_on_over_connections(self) -> None:
        first, second = self.offer(10), self.offer(20)
        self.calls.replied(1, Item(b"\x01"))
        self.calls.lost()
        self.take_sent()
        self.attach(window=2, is_resumed=True)
        third = self.offer(30)
        self.assertEqual(self.take_sent(), [(2, 20), (3, 30)])
        self.calls.replied(3, Item(b"\x03"))
        self.calls.faulted(2, Fault(FaultCode.GONE, "gone"))
        self.assertEqual((await first, await third), (b"\x01", b"\x03"))
        with self.assertRaises(EventFault):
            await second

    async def test_what_is_sent_again_is_unchanged_also_in_a_new_epoch(self) -> None:
        self.offer(10, b"\x05")
        [frame] = self.sent
        for epoch in (2, 3):
            self.calls.lost()
            self.sent.clear()
            self.attach(window=2, is_resumed=True, epoch=epoch)
            self.assertEqual(self.sent, [frame])
            self.assertEqual(self.calls.identity, Identity(7, epoch))
        self.offer(20)
        self.assertEqual((self.sent[-1].epoch, self.sent[-1].sequence), (3, 2))

    async def test_an_event_that_waits_has_no_number_and_goes_on(self) -> None:
        for method in (10, 20, 30, 40, 50):
            self.offer(method)
        self.assertEqual(self.take_sent(), [(1, 10), (2, 20)])
        self.calls.lost()
        self.calls.attached(Identity(7, 1), is_resumed=True)
        # Before the tree is there nothing is sent but what was sent already.
        self.assertEqual(self.take_sent(), [(1, 10), (2, 20)])
        # They count, also where the window is smaller now.
        self.calls.opened(1)
        self.calls.replied(2, Item())
        self.assertEqual(self.take_sent(), [])
        self.calls.replied(1, Item())
        self.assertEqual(self.take_sent(), [(3, 30)])
        # Where it is larger now, what waited has its turn.
        self.calls.lost()
        self.attach(window=9, is_resumed=True)
        self.assertEqual(self.take_sent(), [(3, 30), (4, 40), (5, 50)])

    async def test_an_event_that_waited_is_for_the_node_of_its_call(self) -> None:
        for method in (10, 20, 30):
            self.offer(method)
        self.calls.lost()
        self.attach(window=3, is_resumed=True, epoch=2)
        self.assertEqual((self.sent[-1].sequence, self.sent[-1].epoch), (3, 1))

    async def test_a_front_that_is_not_known_any_more_begins_anew(self) -> None:
        events = [self.offer(method) for method in (10, 20, 30)]
        self.calls.lost()
        self.assertFalse(any(event.done() for event in events))
        self.take_sent()
        self.attach(window=2)
        self.assertEqual(await outcomes(events), [OutcomeUnknown, OutcomeUnknown, NotExecuted])
        self.assertEqual(self.calls.in_doubt, 2)
        self.offer(40)
        self.assertEqual(self.take_sent(), [(1, 40)])

    async def test_after_a_minute_nobody_remembers(self) -> None:
        self.assertEqual(calls.AWAY_SECONDS, 60)
        events = [self.offer(method) for method in (10, 20, 30)]
        with mock.patch.object(calls, "AWAY_SECONDS", 0.001):
            self.calls.lost()
        self.assertEqual(await outcomes(events), [OutcomeUnknown, OutcomeUnknown, NotExecuted])
        self.assertIsNone(self.calls.identity)

    async def test_who_is_back_in_time_is_not_given_up_later(self) -> None:
        event = self.offer(10)
        over = asyncio.Event()
        with mock.patch.object(calls, "AWAY_SECONDS", 0.001):
            self.calls.lost()
            asyncio.get_running_loop().call_later(0.002, over.set)
        self.attach(window=2, is_resumed=True)
        await over.wait()
        self.assertFalse(event.done())
        self.assertEqual(self.calls.identity, Identity(7, 1))
        event.cancel()

    async def test_a_cancelled_event_keeps_its_credit_until_it_is_answered(self) -> None:
        events = [self.offer(method) for method in (10, 20, 30, 40)]
        events[0].cancel()
        events[2].cancel()
        self.take_sent()
        self.calls.replied(1, Item())
        # The one that waited is passed over, and leaves no gap.
        self.assertEqual(self.take_sent(), [(3, 40)])

    async def test_what_cannot_be_sent_leaves_no_gap(self) -> None:
        too_long = self.offer(10, bytes(FRAME_LENGTH_MAX))
        with self.assertRaises(Unsendable):
            await too_long
        self.offer(20)
        self.assertEqual(self.take_sent(), [(1, 20)])

    async def test_without_a_connection_nothing_is_taken(self) -> None:
        self.calls.lost()
        with self.assertRaises(NotExecuted):
            self.offer(10)
        self.calls.attached(Identity(7, 1), is_resumed=True)
        with self.assertRaises(NotExecuted):
            self.offer(20)
        self.calls.given_up("that is why")

    async def test_an_answer_that_nobody_waits_for_is_none(self) -> None:
        event = self.offer(10)
        self.calls.replied(2, Item())
        self.calls.faulted(0, Fault(FaultCode.GONE, "gone"))
        self.assertEqual((event.done(), self.calls.outstanding), (False, 1))
        self.calls.replied(1, Item())
        self.calls.replied(1, Item(b"\x09"))
        self.assertEqual(await event, Item())
