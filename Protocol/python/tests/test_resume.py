"""Resume: a front that loses its connection, for every reason."""

from __future__ import annotations

import asyncio
import logging
from unittest import mock

from napkin_front import (
    Arrived,
    Change,
    ConnectionFailure,
    Disconnected,
    EventFault,
    Front,
    Lost,
    Mounted,
    NotExecuted,
    OutcomeUnknown,
    RefusalCode,
    Refused,
    Unmounted,
    Unreadable,
    values,
)
from napkin_front.connection import Frame, Kind
from napkin_front.outcomes import FaultCode
from napkin_front.values import method_number

from .front_case import ROOT, FrontCase, leave_at_once, stay, title
from .worker import SECONDS_MAX, FakeWorker, Peer, Script, mount, transition


class ResumeTests(FrontCase):
    async def test_a_lost_connection_is_made_again_and_says_who_it_was(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, mount(2, "a.old", 1), epoch=7, front=3)
            peer.end()

        async def second(peer: Peer) -> None:
            attach = await peer.attach(mount(1, "a.root", title="new"), epoch=8, front=1)
            self.assertEqual((attach.previous_front, attach.previous_epoch), (3, 7))
            await peer.expect(Kind.DETACH)

        changes: list[Change] = []
        async with FakeWorker(first, second) as worker:
            front = Front("app", socket=worker.socket)
            front.listen(changes.append)
            async with front, asyncio.timeout(SECONDS_MAX):
                await front.until(lambda tree: title(front) == "new")
                # The snapshot replaces everything: nodes of the same number are others.
                self.assertEqual(front.tree.features, ["a.root"])
        kinds = [type(change) for change in changes]
        expected = [Arrived, Mounted, Mounted, Lost, Arrived, Unmounted, Mounted]
        self.assertEqual(kinds, expected)
        arrivals = [change for change in changes if isinstance(change, Arrived)]
        self.assertEqual([arrival.is_return for arrival in arrivals], [False, True])

    async def test_a_renamed_session_is_opened_by_its_new_name_and_its_tree(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=7)
            peer.send(Frame(Kind.RENAMED, values.write({"session": "supper"})))
            await peer.has_nothing_to_say()
            peer.end()

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            assert front.attached is not None
            self.assertEqual(front.attached["session"], "supper")
            await front.until(lambda tree: front.is_connected)

        worker = await self.run_front([first, stay], body, session="lunch")
        opens = [(opened.session, opened.epoch) for opened in worker.opens]
        self.assertEqual(opens, [("lunch", None), ("supper", 7)])

    async def test_a_worker_that_wants_figures_gets_none_and_one_that_skips_is_heard(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(
                Frame(Kind.SKIPPED, values.write({"states": 3, "effects": 1})),
                Frame(Kind.MEASURE, values.write({"seconds": 5}), sequence=4),
            )
            measured = await peer.expect(Kind.MEASURED)
            self.assertEqual((measured.sequence, measured.payload.hex()), (4, "a164726f777380"))
            peer.state("present(title:)", "two")
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            await front.until(lambda tree: title(front) == "two")

        await self.run_front(script, body)

    async def test_an_event_never_reaches_a_node_of_the_tree_before(self) -> None:
        gate = asyncio.Event()

        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.end()

        async def second(peer: Peer) -> None:
            # ATTACHED has come, the snapshot has not: the tree is still the old one.
            gate_frame = transition(mount(1, "a.other"), epoch=2, is_snapshot=True)
            with mock.patch("tests.worker.transition", return_value=Frame(Kind.PING, sequence=1)):
                await peer.attach(epoch=2)
            await peer.expect(Kind.PONG)
            gate.set()
            peer.send(Frame(Kind.PING, sequence=2))
            await peer.expect(Kind.PONG)
            peer.send(gate_frame)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            await gate.wait()
            with self.assertRaises(NotExecuted):
                await front.event("a.root", "go()")
            await front.until(lambda tree: tree.features == ["a.other"])

        await self.run_front([first, second], body)

    async def test_a_node_of_the_tree_before_is_gone_also_when_its_number_is_there(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.end()

        async def body(front: Front) -> None:
            old = front.tree.root
            assert old is not None
            await front.until(lambda tree: tree.root is not old)
            with self.assertRaises(EventFault) as caught:
                await front.event(old, "go()")
            self.assertEqual(caught.exception.code, FaultCode.GONE)

        await self.run_front([first, stay], body)

    async def test_frames_may_be_large_once_the_handshake_is_done(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(mount(1, "a.root", title="x" * 1_000_000))
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            self.assertEqual(len(title(front) or ""), 1_000_000)

        await self.run_front(script, body)

    def test_which_refusals_are_final(self) -> None:
        final = "version notPermitted unknownApp unknownSession sessionOfAnotherApp "
        final += "contractMismatch sessionEnded detached badRequest"
        self.assertEqual({str(code) for code in RefusalCode if code.is_final}, set(final.split()))

    async def test_every_final_refusal_ends_the_front_and_no_other_does(self) -> None:
        for code in RefusalCode:
            with self.subTest(code), mock.patch("napkin_front.session.RETRY_SECONDS", (0.0,)):

                async def end(peer: Peer, code: RefusalCode = code) -> None:
                    await peer.attach(ROOT)
                    peer.goodbye(code)

                async def body(front: Front, code: RefusalCode = code) -> None:
                    if code.is_final:
                        with self.assertRaises(Refused) as caught:
                            await front.until(lambda tree: False)
                        self.assertEqual(caught.exception.code, code)
                        self.assertIs(front.ended, caught.exception)
                    else:
                        await front.until(lambda tree: not front.is_connected)
                        await front.until(lambda tree: front.is_connected)

                await self.run_front([end, stay], body)

    async def test_it_tries_until_it_is_let_in(self) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            worker.refusals = [RefusalCode.WORKER_UNAVAILABLE] * 5
            peer.end()

        with mock.patch("napkin_front.session.RETRY_SECONDS", (0.0, 0.001)):
            async with FakeWorker(first, stay) as worker:
                async with Front("app", socket=worker.socket) as front:
                    await front.until(lambda tree: not front.is_connected)
                    await front.until(lambda tree: front.is_connected)
                self.assertEqual(len(worker.opens), 7)

    async def test_the_waits_between_tries(self) -> None:
        # They begin anew once the front has been attached for a while, and not before.
        for steady, last in ((0.0, 0.0), (10.0, 1.0)):
            steadiness = mock.patch("napkin_front.session.STEADY_SECONDS", steady)
            with self.subTest(steady), steadiness:
                await self.waits((0, 0.05, 0.2, 1, 1, 1, last))

    async def waits(self, bases: tuple[float, ...]) -> None:
        async def first(peer: Peer) -> None:
            await peer.attach(ROOT)
            worker.refusals = [RefusalCode.WORKER_UNAVAILABLE] * 5
            peer.end()

        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        async with asyncio.timeout(SECONDS_MAX), FakeWorker(first, leave_at_once, stay) as worker:
            with mock.patch("napkin_front.session.asyncio.sleep", sleep):
                async with Front("app", socket=worker.socket) as front:
                    await front.until(lambda tree: len(worker.opens) == 8 and front.is_connected)
        for wait, base in zip(waits, bases, strict=True):
            self.assertGreaterEqual(wait, base)
            self.assertLessEqual(wait, base * 1.5)

    async def test_whatever_breaks_the_protocol_is_told_so_and_left(self) -> None:
        def broken(name: str) -> Frame:
            return {
                "unreadable transition": Frame(Kind.TRANSITION, b"\x81\x01", epoch=1),
                "an event from a worker": Frame(Kind.EVENT, b"", 1, 1, 1, 1),
                "attached twice": Frame(Kind.ATTACHED, b"\xa0"),
                "unreadable fault": Frame(Kind.FAULT, b""),
            }[name]

        for name in ["unreadable transition", "an event from a worker",
                     "attached twice", "unreadable fault"]:  # fmt: skip
            with self.subTest(name):

                async def script(peer: Peer, name: str = name) -> None:
                    await peer.attach(ROOT)
                    peer.send(broken(name))
                    goodbye = await peer.expect(Kind.GOODBYE)
                    self.assertIn(b"protocolViolation", goodbye.payload)
                    with self.assertRaises(EOFError):
                        await peer.frame()

                async def body(front: Front) -> None:
                    await front.until(lambda tree: not front.is_connected)
                    await front.until(lambda tree: front.is_connected)

                await self.run_front([script, stay], body)

    async def test_unreadable_arguments_and_results_are_for_whoever_reads_them(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            number = method_number("present(title:)")
            event = await peer.event()
            peer.send(Frame(Kind.REPLY, b"\x1c", sequence=event.sequence))
            event = await peer.event()
            peer.send(
                Frame(Kind.STATE, b"\x1c", 1, 1, method=number),
                Frame(Kind.EFFECT, b"\x1c", 1, 1, method=method_number("flash(_:)")),
                Frame(Kind.ASK, b"\x1c", 1, 1, 1, method_number("confirm(_:)")),
                Frame(Kind.PONG, sequence=9),
                Frame(Kind.REPLY, sequence=99),
            )
            peer.reply(event, "text")
            event = await peer.event()
            peer.state("present(title:)", "two")
            peer.reply(event)
            await peer.expect(Kind.DETACH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            front.on_effect("a.root", "flash(_:)")(lambda node, value: None)
            front.on_ask("a.root", "confirm(_:)")(lambda node, value: True)
            with self.assertLogs("napkin_front", logging.ERROR) as logs:
                async with front, asyncio.timeout(SECONDS_MAX):
                    with self.assertRaises(Unreadable):
                        await front.event("a.root", "go()")
                    with self.assertRaises(Unreadable):
                        await front.event("a.root", "go()", result=int)
                    with self.assertRaises(Unreadable):
                        title(front)
                    await front.event("a.root", "go()")
                    self.assertEqual((title(front), list(front.asks)), ("two", [1]))
            self.assertEqual(len(logs.output), 2)

    async def test_a_goodbye_in_unreadable_words_is_one(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(Frame(Kind.GOODBYE, b"\xff"))
            peer.end()

        reasons: list[ConnectionFailure] = []

        async def body(front: Front) -> None:
            front.listen(lambda c: reasons.append(c.reason) if isinstance(c, Lost) else None)
            await front.until(lambda tree: not front.is_connected)
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, stay], body)
        assert isinstance(reasons[0], Refused)
        self.assertEqual(reasons[0].code, RefusalCode.SHUTTING_DOWN)

    async def test_half_a_frame_and_the_end_is_a_lost_connection(self) -> None:
        reasons: list[str] = []

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.writer.write(Frame(Kind.STATE, b"\x01", 1, 1, method=1).encode()[:20])
            peer.end()

        async def body(front: Front) -> None:
            front.listen(
                lambda change: (
                    reasons.append(str(change.reason)) if isinstance(change, Lost) else None
                )
            )
            await front.until(lambda tree: not front.is_connected)
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, stay], body)
        self.assertIn("in the middle of a frame", reasons[0])

    async def test_deaths_of_before_are_no_deaths_of_somebody_else(self) -> None:
        def lives(front: int, *, is_resumed: bool, dies: bool = True) -> Script:
            async def play(peer: Peer) -> None:
                await peer.attach(ROOT, front=front, epoch=front, is_resumed=is_resumed)
                event = await peer.event()
                worker.pid += 1
                if dies:
                    peer.end()
                else:
                    peer.reply(event, "answered")
                    await peer.expect(Kind.DETACH)

            return play

        scripts = [lives(1, is_resumed=False), lives(1, is_resumed=True)]
        scripts += [lives(2, is_resumed=False), lives(2, is_resumed=True, dies=False)]
        async with (
            asyncio.timeout(SECONDS_MAX),
            FakeWorker(*scripts) as worker,
            Front("app", socket=worker.socket) as front,
        ):
            with self.assertRaises(OutcomeUnknown):
                await front.event("a.root", "go()")
            await front.until(lambda tree: front.is_connected)
            self.assertEqual(await front.event("a.root", "again()"), "answered")

    async def test_closing_ends_what_waits(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.event()
            peer.state("present(title:)", "has it")
            await peer.expect(Kind.DETACH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            async with front:
                event = asyncio.create_task(front.event("a.root", "go()"))
                waiting = asyncio.create_task(front.until(lambda tree: False))
                await front.until(lambda tree: title(front) == "has it")
            with self.assertRaises(OutcomeUnknown):
                await event
            with self.assertRaises(Disconnected):
                await waiting
            with self.assertRaises(NotExecuted):
                await front.event("a.root", "go()")
