"""Front: over real Unix sockets, with a worker that does what each test says."""

from __future__ import annotations

import asyncio
import logging
import os
import pathlib
import tempfile
import unittest
from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

from napkin_front import (
    Arrived,
    Asked,
    AskEnded,
    Change,
    ConnectionFailure,
    Disconnected,
    EventFault,
    Front,
    Item,
    Lost,
    Mounted,
    Node,
    NotExecuted,
    OutcomeUnknown,
    RefusalCode,
    Refused,
    Unmounted,
    Unreachable,
    Unreadable,
    backoff,
)
from napkin_front.errors import FaultCode
from napkin_front.frames import Frame, Kind
from napkin_front.messages import Operation
from napkin_front.methods import method_number

from .worker import SECONDS_MAX, FakeWorker, Peer, Script, mount, transition

ROOT = mount(1, "a.root", title="one")


async def stay(peer: Peer) -> None:
    """Attaches and waits for the front to leave."""
    await peer.attach(ROOT)
    await peer.expect(Kind.DETACH)


class FrontTests(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        self.assertEqual({task.get_name() for task in rest if "front" in task.get_name()}, set())

    async def run_front(
        self,
        script: Script | list[Script],
        body: Callable[[Front], Awaitable[None]],
        **options: Any,
    ) -> FakeWorker:
        """Attaches a front to a worker that plays the scripts, and runs ``body`` with it."""
        scripts = script if isinstance(script, list) else [script]
        async with (
            asyncio.timeout(SECONDS_MAX),
            FakeWorker(*scripts) as worker,
            Front("app", socket=worker.socket, **options) as front,
        ):
            await body(front)
        return worker

    # Attaching

    async def test_the_tree_is_there_when_the_front_is(self) -> None:
        async def body(front: Front) -> None:
            self.assertEqual(front.tree.features, ["a.root"])
            assert front.tree.root is not None and front.attached is not None
            self.assertEqual(front.tree.root.state("present(title:)", str), "one")
            self.assertEqual((front.attached.session, front.is_connected), ("app", True))

        worker = await self.run_front(stay, body, session="friday", creates=False)
        [opened] = worker.opens
        self.assertEqual((opened.app, opened.session, opened.creates), ("app", "friday", False))

    async def test_what_is_asked_for_is_said_at_attach(self) -> None:
        async def script(peer: Peer) -> None:
            attach = await peer.attach(ROOT)
            self.assertEqual(attach.contracts, {"a.root": 2**64 - 1})
            self.assertEqual((attach.is_read_only, attach.wants_schema), (True, True))
            self.assertEqual((attach.previous_front, attach.previous_epoch), (None, None))
            self.assertEqual(attach.declines_asks, True)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            pass

        await self.run_front(
            script, body, contracts={"a.root": 2**64 - 1}, is_read_only=True, wants_schema=True
        )

    async def test_a_refusal_is_raised_with_its_code_and_words(self) -> None:
        for code in RefusalCode:
            async with FakeWorker(refusals=[code]) as worker:
                with self.assertRaisesRegex(Refused, "that is why") as caught:
                    await Front("app", socket=worker.socket).attach()
                self.assertEqual(caught.exception.code, code)

    async def test_a_worker_may_say_no_to_an_attach(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.expect(Kind.ATTACH)
            peer.goodbye(RefusalCode.CONTRACT_MISMATCH)

        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            with self.assertRaises(Refused) as caught:
                await front.attach()
            self.assertEqual(caught.exception.code, RefusalCode.CONTRACT_MISMATCH)
            self.assertFalse(front.is_connected)

    async def test_where_no_napkind_is(self) -> None:
        with tempfile.TemporaryDirectory(prefix="nk", dir="/tmp") as directory:
            path = pathlib.Path(directory)
            (path / "file").touch()
            listener = await asyncio.start_unix_server(lambda *_: None, path / "old")
            listener.close()
            for name, words in [
                ("none", "nothing is there: start it with `napkind --socket"),
                ("file", "is not a socket"),
                ("old", "left over"),
                ("x" * 200, "at most 107 bytes"),
            ]:
                with self.subTest(name), self.assertRaisesRegex(Unreachable, words):
                    await Front("app", socket=str(path / name)).attach()

    async def test_what_is_no_napkind(self) -> None:
        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 mail.example ESMTP ready, and more to come\r\n")
            await reader.read()
            writer.close()

        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        for listener, words in [
            (greet, "no napkind that this front understands"),
            (hang_up, "closed the connection without a word"),
            (say_nothing, "said nothing for"),
        ]:
            with (
                self.subTest(listener.__name__),
                tempfile.TemporaryDirectory(prefix="nk", dir="/tmp") as directory,
                mock.patch("napkin_front.connection.SECONDS_MAX", 0.05),
            ):
                async with await asyncio.start_unix_server(listener, f"{directory}/s"):
                    with self.assertRaisesRegex(ConnectionFailure, words):
                        await Front("app", socket=f"{directory}/s").attach()

    async def test_another_users_socket_is_left_alone(self) -> None:
        async with FakeWorker(stay) as worker:
            stranger = mock.patch("os.getuid", return_value=os.getuid() + 1)
            with stranger, self.assertRaises(Refused) as caught:
                await Front("app", socket=worker.socket).attach()
            self.assertEqual(caught.exception.code, RefusalCode.NOT_PERMITTED)
            await worker.accepted.wait()

    # Showing

    async def test_screens_are_the_newest_and_a_slow_reader_misses_those_between(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            event = await peer.event()
            for number in range(100):
                peer.state("present(title:)", str(number))
            peer.reply(event)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            titles = []
            asyncio.get_running_loop().call_soon(
                lambda: tasks.append(asyncio.create_task(front.event("a.root", "go()")))
            )
            tasks: list[asyncio.Task[Any]] = []
            async for tree in front.screens():
                assert tree.root is not None
                titles.append(tree.root.state("present(title:)", str))
                if titles[-1] == "99":
                    break
            await tasks[0]
            self.assertEqual(titles[0], "one")
            self.assertLess(len(titles), 100)

        await self.run_front(script, body)

    async def test_what_belongs_to_another_tree_is_ignored(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, epoch=5)
            peer.state("present(title:)", "stale", epoch=4)
            peer.send(transition(Operation(unmount=1), epoch=4))
            peer.ask("confirm(_:)", "stale?", epoch=4)
            peer.state("present(title:)", "nowhere", node=9, epoch=5)
            peer.state("present(title:)", "two", epoch=5)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            tree = await front.until(lambda tree: title(front) != "one")
            self.assertEqual((title(front), tree.features), ("two", ["a.root"]))
            self.assertEqual(front.asks, {})

        await self.run_front(script, body)

    async def test_effects_reach_their_handler_in_order(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            event = await peer.event()
            for number in range(3):
                payload = Item(b"\x82" + bytes([number]) + b"\x61x")
                method = method_number("flash(_:with:)")
                peer.send(Frame(Kind.EFFECT, payload, 1, 1, method=method))
            peer.send(Frame(Kind.EFFECT, b"", 1, 1, method=method_number("beep()")))
            peer.reply(event)
            await peer.expect(Kind.DETACH)

        seen: list[Any] = []
        async with FakeWorker(script) as worker:
            front = Front("app", socket=worker.socket)
            front.on_effect("a.root", "flash(_:with:)")(
                lambda node, number, text: seen.append((node.feature, number, text))
            )
            front.on_effect("a.root", "beep()")(lambda node: seen.append("beep"))
            async with front:
                await front.event("a.root", "go()")
        self.assertEqual(seen, [("a.root", n, "x") for n in range(3)] + ["beep"])

    async def test_a_ping_is_answered(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.send(Frame(Kind.PING, b"\xff", sequence=77))
            pong = await peer.expect(Kind.PONG)
            self.assertEqual((pong.sequence, pong.payload), (77, b"\xf5"))
            peer.state("present(title:)", "two")
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            await front.until(lambda tree: title(front) == "two")

        await self.run_front(script, body)

    # Events and their outcome

    async def test_a_value(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            event = await peer.event()
            self.assertEqual(event.payload.hex(), "820a6162")
            self.assertEqual(event.method, method_number("order(_:of:)"))
            self.assertEqual((event.node, event.epoch), (1, 1))
            # What the handler presented is shown before its reply.
            peer.state("present(title:)", "ordered")
            peer.reply(event, 3)
            peer.reply(await peer.event())
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            result = await front.event("a.root", "order(_:of:)", 10, "b", result=int)
            self.assertEqual((result, title(front)), (3, "ordered"))
            assert front.tree.root is not None
            self.assertIsNone(await front.event(front.tree.root, "go()"))

        await self.run_front(script, body)

    async def test_a_fault(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            for code in [*FaultCode, "ofALaterVersion"]:
                peer.fault(await peer.event(), code, "in words")
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            for code in [*FaultCode, FaultCode.FAILED]:
                with self.assertRaisesRegex(EventFault, "in words") as caught:
                    await front.event("a.root", "go()")
                self.assertEqual(caught.exception.code, code)

        await self.run_front(script, body)

    async def test_unknown_when_the_connection_is_lost_before_the_reply(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            await peer.event()
            peer.end()

        async def body(front: Front) -> None:
            with self.assertRaisesRegex(OutcomeUnknown, "before the event was answered"):
                await front.event("a.root", "go()")
            self.assertEqual(front.lost, 1)
            # It is not sent again: the next connection sees this one only.
            await front.until(lambda tree: front.is_connected)
            self.assertEqual(await front.event("a.root", "again()"), 2)

        async def next_script(peer: Peer) -> None:
            await peer.attach(ROOT, is_resumed=True)
            event = await peer.event()
            self.assertEqual(event.method, method_number("again()"))
            peer.reply(event, 2)
            await peer.expect(Kind.DETACH)

        await self.run_front([script, next_script], body)

    async def test_not_executed_when_it_waited_for_credit(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, window=2)
            await peer.event()
            await peer.event()
            peer.send(Frame(Kind.PING, sequence=1))
            await peer.expect(Kind.PONG)  # nothing comes beyond the window
            peer.end()

        async def body(front: Front) -> None:
            events = [asyncio.create_task(front.event("a.root", "go()")) for _ in range(5)]
            results = await asyncio.gather(*events, return_exceptions=True)
            self.assertEqual([type(r) for r in results], [OutcomeUnknown] * 2 + [NotExecuted] * 3)

        await self.run_front([script, stay], body)

    async def test_not_executed_while_there_is_no_connection(self) -> None:
        gate = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.end()

        async def late(peer: Peer) -> None:
            await gate.wait()
            await stay(peer)

        async def body(front: Front) -> None:
            await front.until(lambda tree: not front.is_connected)
            with self.assertRaisesRegex(NotExecuted, "no connection"):
                await front.event("a.root", "go()")
            gate.set()
            await front.until(lambda tree: front.is_connected)

        await self.run_front([script, late], body)

    async def test_events_beyond_the_window_wait_in_the_order_of_their_calls(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, window=3)
            held = [await peer.event() for _ in range(3)]
            for number in range(17):
                peer.reply(held.pop(0), number)
                held.append(await peer.event())
            self.assertEqual([event.payload for event in held], [bytes([n]) for n in (17, 18, 19)])
            for event in held:
                peer.reply(event, event.payload[0])
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            events = [asyncio.create_task(front.event("a.root", "go(_:)", n)) for n in range(20)]
            self.assertEqual(await asyncio.gather(*events), list(range(20)))

        await self.run_front(script, body)

    async def test_a_cancelled_event_gives_its_credit_back_when_it_is_answered(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, window=1)
            first = await peer.event()
            peer.state("present(title:)", "has it")
            peer.send(Frame(Kind.PING))
            await peer.expect(Kind.PONG)
            peer.reply(first, 1)
            peer.reply(await peer.event(), 2)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            first = asyncio.create_task(front.event("a.root", "go()"))
            waiting = asyncio.create_task(front.event("a.root", "never()"))
            await front.until(lambda tree: title(front) == "has it")
            first.cancel()
            waiting.cancel()
            self.assertEqual(await front.event("a.root", "go()"), 2)
            results = await asyncio.gather(first, waiting, return_exceptions=True)
            self.assertEqual([type(result) for result in results], [asyncio.CancelledError] * 2)

        await self.run_front(script, body)

    async def test_a_node_that_is_gone_is_not_sent_to(self) -> None:
        async def script(peer: Peer) -> None:
            await peer.attach(ROOT, mount(2, "a.child", 1))
            peer.send(transition(Operation(unmount=2), mount(3, "a.child", 1)))
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            old = front.tree.find("a.child")
            assert old is not None
            await front.until(lambda tree: tree.node(3) is not None)
            targets: list[tuple[Node | str, str]] = [
                (old, "not mounted any more"),
                ("a.nothing", "a.root, a.child is"),
            ]
            for target, words in targets:
                with self.assertRaisesRegex(EventFault, words) as caught:
                    await front.event(target, "go()")
                self.assertEqual(caught.exception.code, FaultCode.GONE)

        await self.run_front(script, body)

    async def test_a_wrong_number_of_arguments_is_a_mistake_of_the_program(self) -> None:
        async def body(front: Front) -> None:
            with self.assertRaisesRegex(TypeError, "takes 1 arguments, 2 are given"):
                await front.event("a.root", "go(_:)", 1, 2)

        await self.run_front(stay, body)

    # Coming back

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
        final += "contractMismatch sessionEnded badRequest"
        self.assertEqual({str(code) for code in RefusalCode if code.is_final}, set(final.split()))

    async def test_every_final_refusal_ends_the_front_and_no_other_does(self) -> None:
        for code in RefusalCode:
            with self.subTest(code), mock.patch.object(backoff, "SECONDS", (0.0,)):

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

        with mock.patch.object(backoff, "SECONDS", (0.0, 0.001)):
            async with FakeWorker(first, stay) as worker:
                async with Front("app", socket=worker.socket) as front:
                    await front.until(lambda tree: not front.is_connected)
                    await front.until(lambda tree: front.is_connected)
                self.assertEqual(len(worker.opens), 7)

    def test_the_waits_between_tries(self) -> None:
        delays = backoff.delays()
        waits = [next(delays) for _ in range(6)]
        for wait, base in zip(waits, (0, 0.05, 0.2, 1, 1, 1), strict=True):
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

    # Asks

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

    async def test_a_question_that_is_over_cancels_its_handler(self) -> None:
        started, cancelled = asyncio.Event(), asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.attach(ROOT)
            peer.ask("confirm(_:)", "sure?", sequence=5)
            await started.wait()
            peer.send(Frame(Kind.ASK_ENDED, sequence=5), Frame(Kind.ASK_ENDED, sequence=6))
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
        self.assertEqual([c for c in changes if isinstance(c, AskEnded)], [AskEnded(5)])

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


def title(front: Front) -> str | None:
    """What the root presents."""
    root = front.tree.root
    text = None if root is None else root.state("present(title:)", str)
    assert text is None or isinstance(text, str)
    return text
