"""Resumed events: what becomes of them when the connection is lost, over a real socket."""

from __future__ import annotations

import asyncio
from unittest import mock

from napkin_front import (
    Arrived,
    Change,
    Front,
    NotExecuted,
    OutcomeUnknown,
    RefusalCode,
    session,
)
from napkin_front.connection import Frame, Kind
from napkin_front.values import method_number

from .front_case import ROOT, FrontCase, leave_at_once, stay, title
from .worker import SECONDS_MAX, FakeWorker, Peer, mount


class CheckedCase(FrontCase):
    async def asyncSetUp(self) -> None:
        self.checked = asyncio.Event()
        """Set by a script that has looked at everything: the front may leave."""

    async def was_confirmed(self, peer: Peer, *counts: int) -> None:
        """The front has sent these confirmations, and no other frame, until now."""
        await peer.has_nothing_to_say()
        self.assertEqual(peer.received, list(counts))
        self.checked.set()


class ResumedEventTests(CheckedCase):
    def setUp(self) -> None:
        self.applied: list[Frame] = []
        """What the worker has run, over all connections."""

    async def apply(self, peer: Peer) -> Frame:
        self.applied.append(await peer.event())
        return self.applied[-1]

    async def test_an_event_whose_reply_was_lost_is_applied_once_and_answered(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, front=5, epoch=9)
            await self.apply(peer)
            peer.end()

        async def second(peer: Peer) -> None:
            attach = await peer.attach(ROOT, front=5, epoch=9, is_resumed=True)
            self.assertEqual((attach.previous_front, attach.previous_epoch), (5, 9))
            again = await peer.event()
            self.assertEqual(again, self.applied[0])
            peer.reply(again, "from the record")
            new = await self.apply(peer)
            self.assertEqual((new.sequence, new.method), (2, method_number("next()")))
            peer.reply(new, "new")
            await peer.expect(Kind.DETACH)

        changes: list[Change] = []

        async def body(front: Front) -> None:
            front.listen(changes.append)
            self.assertEqual(await front.event("a.root", "go(_:)", 3), "from the record")
            self.assertEqual(await front.event("a.root", "next()"), "new")
            self.assertEqual(front.lost, 0)

        await self.run_front([first, second], body)
        self.assertEqual(len(self.applied), 2)
        [arrival] = [change for change in changes if isinstance(change, Arrived)]
        self.assertEqual((arrival.is_return, arrival.lost), (True, 0))

    async def test_events_are_sent_again_in_order_before_new_ones_until_all_are_answered(
        self,
    ) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, window=3)
            events = [await peer.event() for _ in range(3)]
            peer.reply(events[1], 2)
            await peer.event()
            peer.end()

        async def second(peer: Peer) -> None:
            # A front may lose its connection again before anything is answered.
            await peer.attach(ROOT, window=1, is_resumed=True)
            self.assertEqual([(await peer.event()).sequence for _ in range(3)], [1, 3, 4])
            await peer.has_nothing_to_say()
            peer.end()

        async def third(peer: Peer) -> None:
            await peer.attach(ROOT, window=4, is_resumed=True)
            for number in (1, 3, 4, 5):
                event = await peer.event()
                self.assertEqual((event.sequence, event.payload), (number, bytes([number])))
                peer.reply(event, number)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            events = [front.event("a.root", "go(_:)", number) for number in range(1, 6)]
            self.assertEqual(await asyncio.gather(*events), [1, 2, 3, 4, 5])

        await self.run_front([first, second, third], body)

    async def test_too_late_they_are_unknown_and_those_that_waited_not_executed(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, window=2, front=5)
            await peer.event()
            await peer.event()
            await peer.has_nothing_to_say()  # beyond the window
            peer.end()

        async def second(peer: Peer) -> None:
            attach = await peer.attach(mount(1, "a.root", title="new"), front=6, epoch=2)
            self.assertEqual((attach.previous_front, attach.previous_epoch), (5, 1))
            event = await peer.event()
            self.assertEqual((event.sequence, event.epoch), (1, 2))
            peer.reply(event, 1)
            await peer.expect(Kind.DETACH)

        changes: list[Change] = []

        async def body(front: Front) -> None:
            front.listen(changes.append)
            events = [front.event("a.root", "go()") for _ in range(5)]
            results = await asyncio.gather(*events, return_exceptions=True)
            self.assertEqual([type(r) for r in results], [OutcomeUnknown] * 2 + [NotExecuted] * 3)
            await front.until(lambda tree: title(front) == "new")
            self.assertEqual(await front.event("a.root", "again()"), 1)
            self.assertEqual(front.lost, 2)

        await self.run_front([first, second], body)
        [arrival] = [change for change in changes if isinstance(change, Arrived)]
        self.assertEqual(arrival.lost, 2)

    async def test_after_too_long_they_end_and_it_comes_back_as_somebody_else(self) -> None:
        ended = asyncio.Event()

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, window=1)
            await peer.event()
            worker.refusals = [RefusalCode.WORKER_UNAVAILABLE] * 100_000
            peer.end()

        async def second(peer: Peer) -> None:
            self.assertTrue(ended.is_set())
            attach = await peer.attach(ROOT)
            self.assertEqual((attach.previous_front, attach.previous_epoch), (None, None))
            event = await peer.event()
            self.assertEqual(event.sequence, 1)
            peer.reply(event, 1)
            await peer.expect(Kind.DETACH)

        async with asyncio.timeout(SECONDS_MAX), FakeWorker(first, second) as worker:
            with (
                mock.patch("napkin_front.session.RETRY_SECONDS", (0.0, 0.001)),
                mock.patch("napkin_front.front.AWAY_SECONDS", 0.05),
            ):
                async with Front("app", socket=worker.socket) as front:
                    events = [front.event("a.root", "go()") for _ in range(2)]
                    results = await asyncio.gather(*events, return_exceptions=True)
                    kinds = [type(result) for result in results]
                    self.assertEqual(kinds, [OutcomeUnknown, NotExecuted])
                    self.assertFalse(front.is_connected)
                    ended.set()
                    worker.refusals.clear()
                    await front.until(lambda tree: front.is_connected)
                    self.assertEqual(await front.event("a.root", "again()"), 1)

    async def test_who_is_taken_for_somebody_else_leaves_and_comes_back(self) -> None:
        async def first_time(peer: Peer) -> None:
            await peer.attach(ROOT, is_resumed=True)
            await peer.is_told_of_a_violation()

        async with FakeWorker(first_time) as worker:
            with self.assertRaisesRegex(Exception, "front 1 is resumed, which this is not"):
                await Front("app", socket=worker.socket).attach()

        async def another(peer: Peer) -> None:
            await peer.attach(ROOT, front=2, is_resumed=True)
            await peer.is_told_of_a_violation()

        async def right(peer: Peer) -> None:
            attach = await peer.attach(ROOT, front=1, is_resumed=True)
            self.assertEqual(attach.previous_front, 1)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            await front.until(lambda tree: front.is_connected)

        await self.run_front([leave_at_once, another, right], body)

    async def test_a_front_that_is_refused_for_good_ends_its_events(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.event()
            worker.refusals = [RefusalCode.UNKNOWN_SESSION]
            peer.end()

        async with (
            asyncio.timeout(SECONDS_MAX),
            FakeWorker(first, stay) as worker,
            Front("app", socket=worker.socket) as front,
        ):
            with self.assertRaisesRegex(OutcomeUnknown, "that is why"):
                await front.event("a.root", "go()")

    async def test_an_event_that_kills_its_worker_is_not_sent_a_fourth_time(self) -> None:
        self.assertEqual(session.DEATHS_IN_ROW_MAX, 3)
        attachments = 0

        async def dies(peer: Peer) -> None:
            nonlocal attachments
            attachments += 1
            await peer.attach(ROOT, epoch=9, is_resumed=attachments > 1)
            self.assertEqual((await peer.event()).method, method_number("bad()"))
            worker.pid += 1
            peer.end()

        async def is_cut(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=True)
            await peer.event()
            peer.end()

        async def lives(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=True)
            # In its place, what runs nothing: no number is skipped.
            self.assertEqual(await peer.event(), Frame(Kind.EVENT, sequence=1))
            peer.fault(Frame(Kind.EVENT, sequence=1), "gone")
            new = await peer.event()
            self.assertEqual((new.sequence, new.method), (2, method_number("good()")))
            peer.reply(new, "answered")
            await peer.expect(Kind.DETACH)

        # As many connections end, but fewer processes.
        scripts = [dies, is_cut, is_cut, dies, is_cut, dies, lives]
        async with (
            asyncio.timeout(SECONDS_MAX),
            FakeWorker(*scripts) as worker,
            Front("app", socket=worker.socket) as front,
        ):
            with mock.patch.object(session, "RETRY_SECONDS", (0.0,)):
                with self.assertRaisesRegex(OutcomeUnknown, "died 3 times in a row"):
                    await front.event("a.root", "bad()")
                await front.until(lambda tree: front.is_connected)
                self.assertEqual(await front.event("a.root", "good()"), "answered")

    async def test_deaths_are_not_in_a_row_where_the_worker_served_for_long(self) -> None:
        async def dies(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=worker.pid > 1)
            await peer.event()
            worker.pid += 1
            peer.end()

        async def lives(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=True)
            peer.reply(await peer.event(), "answered")
            await peer.expect(Kind.DETACH)

        with (
            mock.patch.object(session, "DEATHS_APART_SECONDS", 0.0),
            mock.patch.object(session, "RETRY_SECONDS", (0.0,)),
        ):
            async with (
                asyncio.timeout(SECONDS_MAX),
                FakeWorker(dies, dies, dies, dies, lives) as worker,
                Front("app", socket=worker.socket) as front,
            ):
                self.assertEqual(await front.event("a.root", "slow()"), "answered")

    async def test_a_worker_that_says_why_or_attaches_nobody_has_not_died(self) -> None:
        attachments = 0

        async def serves(peer: Peer) -> None:
            nonlocal attachments
            attachments += 1
            await peer.attach(ROOT, epoch=9, is_resumed=attachments > 1)
            await peer.event()
            worker.pid += 1

        async def sends_away(peer: Peer) -> None:
            await serves(peer)
            peer.goodbye(RefusalCode.OVERLOADED)

        async def errs(peer: Peer) -> None:
            await serves(peer)
            peer.send(Frame(Kind.ATTACHED))
            await peer.is_told_of_a_violation()
            peer.end()

        async def attaches_nobody(peer: Peer) -> None:
            await peer.introduction()
            peer.end()

        async def lives(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=True)
            peer.reply(await peer.event(), "answered")
            await peer.expect(Kind.DETACH)

        for scripts in ([sends_away], [errs], [sends_away, attaches_nobody]):
            attachments = 0
            with self.subTest(scripts), mock.patch.object(session, "RETRY_SECONDS", (0.0,)):
                async with (
                    asyncio.timeout(SECONDS_MAX),
                    FakeWorker(*scripts * 3, lives) as worker,
                    Front("app", socket=worker.socket) as front,
                ):
                    self.assertEqual(await front.event("a.root", "slow()"), "answered")

    async def test_an_event_that_was_sent_after_the_first_of_three_deaths_is_sent_again(
        self,
    ) -> None:
        deaths = 0

        async def dies(peer: Peer) -> None:
            nonlocal deaths
            await peer.attach(ROOT, epoch=9, is_resumed=deaths > 0)
            for number in range(1, 3 if deaths else 2):
                self.assertEqual((await peer.event()).sequence, number)
            (deaths, worker.pid) = (deaths + 1, worker.pid + 1)
            peer.end()

        async def lives(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=9, is_resumed=True)
            self.assertEqual(await peer.event(), Frame(Kind.EVENT, sequence=1))
            event = await peer.event()
            self.assertEqual((event.sequence, event.method), (2, method_number("good()")))
            peer.reply(event, "answered")
            await peer.expect(Kind.DETACH)

        with mock.patch.object(session, "RETRY_SECONDS", (0.0,)):
            async with (
                asyncio.timeout(SECONDS_MAX),
                FakeWorker(dies, dies, dies, lives) as worker,
                Front("app", socket=worker.socket) as front,
            ):
                bad = asyncio.ensure_future(front.event("a.root", "bad()"))
                await front.until(lambda tree: deaths == 1 and front.is_connected)
                self.assertEqual(await front.event("a.root", "good()"), "answered")
                with self.assertRaisesRegex(OutcomeUnknown, "died 3 times in a row"):
                    await bad
                self.assertEqual(front.lost, 1)


class ConfirmationTests(CheckedCase):
    async def test_every_32nd_answer_and_each_connection_counts_its_own(self) -> None:
        self.assertEqual(session.ANSWERS_PER_CONFIRMATION, 32)

        async def answer(peer: Peer, count: int) -> None:
            for number in range(count):
                event = await peer.event()
                if number % 2:
                    peer.reply(event)
                else:
                    peer.fault(event, "failed")

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, window=100)
            await answer(peer, 70)
            await peer.has_nothing_to_say()
            self.assertEqual(peer.received, [32, 64])
            peer.end()

        async def second(peer: Peer) -> None:
            await peer.attach(ROOT, window=100, is_resumed=True)
            # An answer that nobody waits for is ignored, and counts: to what has been answered,
            # and to what was never sent.
            peer.send(Frame(Kind.REPLY, sequence=70), Frame(Kind.REPLY, sequence=1000))
            await answer(peer, 30)
            await self.was_confirmed(peer, 32)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            for count in (70, 30):
                await front.until(lambda tree: front.is_connected)
                events = [front.event("a.root", "go()") for _ in range(count)]
                await asyncio.gather(*events, return_exceptions=True)
                if count == 70:
                    await front.until(lambda tree: not front.is_connected)
            await self.checked.wait()

        await self.run_front([first, second], body)
