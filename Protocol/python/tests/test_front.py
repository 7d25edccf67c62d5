"""Front: how it attaches, and what it shows."""

from __future__ import annotations

import asyncio
import os
import pathlib
import tempfile
from typing import Any
from unittest import mock

from napkin_front import (
    ConnectionFailure,
    Front,
    Item,
    RefusalCode,
    Refused,
    Unreachable,
    read_contracts,
)
from napkin_front.connection import Frame, Kind
from napkin_front.contracts import contract_hash
from napkin_front.front import is_name
from napkin_front.values import method_number

from .front_case import ROOT, FrontCase, stay, title
from .worker import FakeWorker, Peer, transition


class FrontTests(FrontCase):
    def test_names_have_marks_and_numerals_of_any_script_and_are_composed(self) -> None:
        for name in ("a-1", "\u0915\u093f", "\u2167", "\u00c5"):
            self.assertTrue(is_name(name), ascii(name))
        for name in ("", "a b", "\u00b2", "A\u030a", "\u212b", "a" * 129):
            self.assertFalse(is_name(name), ascii(name))

    async def test_the_tree_is_there_when_the_front_is(self) -> None:
        async def body(front: Front) -> None:
            self.assertEqual(front.tree.features, ["a.root"])
            assert front.tree.root is not None and front.attached is not None
            self.assertEqual(front.tree.root.state("present(title:)", str), "one")
            self.assertEqual((front.attached["session"], front.is_connected), ("app", True))

        worker = await self.run_front(stay, body, session="friday", creates=False)
        [opened] = worker.opens
        self.assertEqual((opened.app, opened.session, opened.creates), ("app", "friday", False))

    async def test_what_is_asked_for_is_said_at_attach(self) -> None:
        traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        [contract] = read_contracts("feature a.root\n  event go()\n")

        async def script(peer: Peer) -> None:
            attach = await peer.attach(ROOT)
            self.assertEqual(attach.contracts, {"a.root": contract_hash(contract)})
            self.assertEqual((attach.is_read_only, attach.wants_schema), (True, True))
            self.assertEqual(attach.name, "ann")
            self.assertEqual(attach.traceparent, traceparent)
            self.assertEqual((attach.previous_front, attach.previous_epoch), (None, None))
            self.assertEqual(attach.declines_asks, True)
            await peer.expect(Kind.DETACH)

        async def body(front: Front) -> None:
            pass

        await self.run_front(
            script,
            body,
            contracts=[contract],
            is_read_only=True,
            wants_schema=True,
            name="ann",
            traceparent=traceparent,
        )

    async def test_what_only_looks_creates_no_session(self) -> None:
        for front in (Front("app", is_read_only=True), Front("app", mirrors=3)):
            self.assertFalse(front.opening["creates"])
        self.assertTrue(Front("app").opening["creates"])

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
                ("none", "which does not exist: start it with `napkind --socket"),
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
            (greet, "not a napkind that this front understands"),
            (hang_up, "without a word: try again if"),
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
            peer.send(transition({"unmount": 1}, epoch=4))
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
