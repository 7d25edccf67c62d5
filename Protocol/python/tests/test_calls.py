"""Calls: the turns of events, where a front alone would hide the order of things."""

from __future__ import annotations

import asyncio
import unittest

from napkin_front.calls import Calls
from napkin_front.errors import NotExecuted, OutcomeUnknown
from napkin_front.values import NOTHING


class CallsTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.calls = Calls()
        self.calls.opened(1)
        await self.calls.credit()
        self.first = self.calls.sent(1)
        self.waiting = asyncio.create_task(self.calls.credit())
        await asyncio.sleep(0)

    async def test_a_turn_that_comes_just_before_the_connection_is_lost_is_none(self) -> None:
        self.calls.replied(1, NOTHING)
        self.assertEqual(self.calls.lost(), 0)
        with self.assertRaises(NotExecuted):
            await self.waiting
        self.assertEqual(await self.first, NOTHING)

    async def test_nor_is_it_one_on_the_next_connection(self) -> None:
        self.calls.replied(1, NOTHING)
        self.calls.lost()
        self.calls.opened(1)
        with self.assertRaises(NotExecuted):
            await self.waiting
        # The credit of the next connection is all there, once.
        await self.calls.credit()
        third = asyncio.create_task(self.calls.credit())
        await asyncio.sleep(0)
        self.assertFalse(third.done())
        third.cancel()

    async def test_a_turn_that_comes_to_one_who_has_left_goes_to_the_next(self) -> None:
        next_one = asyncio.create_task(self.calls.credit())
        await asyncio.sleep(0)
        self.calls.replied(1, NOTHING)
        self.waiting.cancel()
        await next_one

    async def test_a_turn_that_is_cancelled_gives_nothing_to_the_next_connection(self) -> None:
        self.calls.replied(1, NOTHING)
        self.calls.lost()
        self.calls.opened(1)
        self.waiting.cancel()
        await asyncio.gather(self.waiting, return_exceptions=True)
        await self.calls.credit()
        third = asyncio.create_task(self.calls.credit())
        await asyncio.sleep(0)
        self.assertFalse(third.done())
        third.cancel()

    async def test_a_reply_of_a_lost_connection_gives_nothing(self) -> None:
        self.assertEqual(self.calls.lost(), 1)
        self.calls.opened(1)
        self.calls.replied(1, NOTHING)
        with self.assertRaises(OutcomeUnknown):
            await self.first
        with self.assertRaises(NotExecuted):
            await self.waiting
        self.assertEqual(self.calls.outstanding, 0)
        await self.calls.credit()
        third = asyncio.create_task(self.calls.credit())
        await asyncio.sleep(0)
        self.assertFalse(third.done())
        third.cancel()
