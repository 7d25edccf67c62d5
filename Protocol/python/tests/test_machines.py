"""Machines: a front that is sent to another one, which may be gone."""

from __future__ import annotations

import asyncio
import socket
from unittest import mock

from napkin_front import Front, values
from napkin_front.connection import Connection, Frame, Kind
from napkin_front.errors import ConnectionFailure
from napkin_front.machines import stream
from napkin_front.outcomes import RefusalCode

from .front_case import FrontCase, leave_at_once, stay, title
from .worker import FakeWorker, Peer

MACHINE = {"host": "ssh://kim@desk:2222", "socket": "/run/n.sock"}


async def send_away(peer: Peer) -> None:
    """Says as napkind that the session is on the machine."""
    frame = await peer.expect(Kind.OPEN)
    words = {"code": RefusalCode.ELSEWHERE, "message": "there", "machine": MACHINE}
    peer.send(Frame(Kind.REFUSED, values.write(words), sequence=frame.sequence))


async def far(peer: Peer) -> None:
    """Is napkind and worker on another machine, on one stream."""
    assert await peer.shake_hands(1)
    frame = await peer.expect(Kind.OPEN)
    place = {"socket": "/far", "ticket": "0" * 32, "app": "app", "session": "app"}
    peer.send(Frame(Kind.REDIRECT, values.write(place), sequence=frame.sequence))
    assert await peer.shake_hands(2)
    assert peer.hello is not None and peer.hello.ticket == "0" * 32
    await stay(peer)
    peer.end()


class MachineTests(FrontCase):
    async def test_a_front_is_sent_to_another_machine_and_attaches_by_one_stream(self) -> None:
        tasks: list[asyncio.Task[None]] = []

        async def start(machine: dict[str, str | None]) -> Connection:
            self.assertEqual(machine, MACHINE)
            near, other = socket.socketpair()
            peer = Peer(*await asyncio.open_unix_connection(sock=other))
            tasks.append(asyncio.create_task(far(peer)))
            return Connection(*await asyncio.open_unix_connection(sock=near))

        async def napkind(_: FakeWorker, peer: Peer) -> None:
            await send_away(peer)

        with (
            mock.patch.object(FakeWorker, "_be_napkind", napkind),
            mock.patch("napkin_front.machines.stream", start),
        ):
            async with FakeWorker() as worker, Front("app", socket=worker.socket) as front:
                self.assertEqual(title(front), "one")
        await asyncio.gather(*tasks)

    async def test_a_machine_that_is_gone_is_asked_about_where_the_front_was_sent_away(
        self,
    ) -> None:
        away = 2
        original = FakeWorker._be_napkind

        async def napkind(worker: FakeWorker, peer: Peer) -> None:
            nonlocal away
            away -= 1
            await (original(worker, peer) if away < 0 else send_away(peer))

        async def gone(machine: dict[str, str | None]) -> Connection:
            raise ConnectionFailure("nobody")

        with (
            mock.patch.object(FakeWorker, "_be_napkind", napkind),
            mock.patch("napkin_front.machines.stream", gone),
            mock.patch("napkin_front.machines.SECONDS_PAUSE", 0.0),
        ):
            async with FakeWorker(stay) as worker, Front("app", socket=worker.socket) as front:
                self.assertEqual(title(front), "one")
        self.assertEqual(away, -1)

    async def test_a_front_whose_napkind_is_gone_asks_the_machines_that_it_has_named(self) -> None:
        tasks: list[asyncio.Task[None]] = []
        asked: list[str | None] = []
        gone = MACHINE | {"socket": "/gone"}

        async def die(peer: Peer) -> None:
            worker.listen_no_more()
            await leave_at_once(peer)

        async def start(machine: dict[str, str | None]) -> Connection:
            asked.append(machine["socket"])
            if machine == gone:
                raise ConnectionFailure("nobody")
            near, other = socket.socketpair()
            peer = Peer(*await asyncio.open_unix_connection(sock=other))
            tasks.append(asyncio.create_task(far(peer)))
            return Connection(*await asyncio.open_unix_connection(sock=near))

        with mock.patch("napkin_front.machines.stream", start):
            async with FakeWorker(die) as worker:
                worker.machines = [gone, MACHINE]
                async with Front("app", socket=worker.socket) as front:
                    await front.until(lambda _: tasks)
                    self.assertEqual(title(front), "one")
        self.assertEqual(asked, ["/gone", "/run/n.sock"])
        await asyncio.gather(*tasks)

    async def test_a_host_is_no_option_and_no_word_of_a_shell(self) -> None:
        for host in ["ssh://-oProxyCommand=id", "ssh://desk;id", "desk", "ssh://a@-b", "ssh://é"]:
            with self.subTest(host), self.assertRaisesRegex(ConnectionFailure, "cannot reach"):
                await stream({"host": host, "socket": None})
