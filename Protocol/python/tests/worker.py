"""A napkind and its worker in one, over real Unix sockets, that do what a test says."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pathlib
import tempfile
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from napkin_front import cbor, values
from napkin_front.connection import LENGTH_MAX, REFUSAL, Frame, Kind, take_frame
from napkin_front.outcomes import RefusalCode
from napkin_front.tree import SNAPSHOT
from napkin_front.values import method_number

from .messages import Acceptor, Attach, Hello, Open, goodbye

Operation = dict[str, Any]

SECONDS_MAX = 5.0
"""How long a test waits for what must come."""


class Decoder:
    """What has arrived, and the frames that it makes."""

    def __init__(self, limit: int = LENGTH_MAX) -> None:
        self.limit, self.buffer = limit, bytearray()

    @property
    def rest(self) -> int:
        """How many bytes wait for more."""
        return len(self.buffer)

    def feed(self, data: bytes) -> None:
        self.buffer += data

    def next_frame(self) -> Frame | None:
        return take_frame(self.buffer, self.limit)


class Peer:
    """The worker's side of one connection, its handshake done."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.decoder = Decoder()
        self.hello: Hello | None = None
        self.received: list[int] = []
        """What the front has confirmed."""

    async def shake_hands(self, pid: int) -> bool:
        acceptor = Acceptor(pid=pid)
        while True:
            for action in acceptor.received(await self.frame()):
                if isinstance(action, Frame):
                    self.send(action)
                elif action == "established":
                    self.hello = acceptor.hello
                    return True
                else:
                    self.writer.close()
                    return False

    async def frame(self) -> Frame:
        """The next frame; ``EOFError`` at the end."""
        while (frame := self.decoder.next_frame()) is None:
            async with asyncio.timeout(SECONDS_MAX):
                data = await self.reader.read(LENGTH_MAX)
            if not data:
                raise EOFError
            self.decoder.feed(data)
        return frame

    async def expect(self, kind: Kind) -> Frame:
        """The next frame but for confirmations, which come at any time."""
        while (frame := await self.frame()).kind == Kind.RECEIVED != kind:
            assert frame.payload == b"", "a confirmation is empty"
            self.received.append(frame.sequence)
        assert frame.kind == kind, f"{frame.kind.name} instead of {kind.name}"
        return frame

    def send(self, *frames: Frame) -> None:
        """Sends frames in one write."""
        self.writer.write(b"".join(frame.encode() for frame in frames))

    def end(self) -> None:
        """What is left of a worker that was killed: a closed connection."""
        self.writer.close()

    async def attach(
        self,
        *operations: Operation,
        epoch: int = 1,
        window: int = 8,
        front: int = 1,
        is_resumed: bool = False,
    ) -> Attach:
        """Takes the attach and answers with a tree."""
        attach = await self.introduction()
        attached = {"app": "app", "session": "app", "front": front, "epoch": epoch}
        attached |= {"window": window, "isResumed": is_resumed}
        self.send(
            Frame(Kind.ATTACHED, values.write(attached)),
            transition(*operations, epoch=epoch, is_snapshot=True),
        )
        return attach

    async def introduction(self) -> Attach:
        return values.read(Attach, (await self.expect(Kind.ATTACH)).payload)

    async def has_nothing_to_say(self) -> None:
        """Until now the front has sent nothing but confirmations."""
        self.send(Frame(Kind.PING, sequence=1))
        await self.expect(Kind.PONG)

    async def is_told_of_a_violation(self) -> None:
        words = cbor.read(REFUSAL, (await self.expect(Kind.GOODBYE)).payload)
        assert words["code"] == RefusalCode.PROTOCOL_VIOLATION, words

    async def event(self) -> Frame:
        return await self.expect(Kind.EVENT)

    def reply(self, event: Frame, value: Any = values.NOTHING) -> None:
        self.send(Frame(Kind.REPLY, values.write(value), sequence=event.sequence))

    def fault(self, event: Frame, code: str, message: str = "m") -> None:
        payload = values.write({"code": code, "message": message})
        self.send(Frame(Kind.FAULT, payload, sequence=event.sequence))

    def goodbye(self, code: RefusalCode) -> None:
        self.send(Frame(Kind.GOODBYE, goodbye(code)))
        self.writer.close()

    def ask(self, key: str, value: Any, sequence: int = 1, node: int = 1, epoch: int = 1) -> None:
        method = method_number(key)
        self.send(Frame(Kind.ASK, values.write(value), node, epoch, sequence, method))

    def state(self, key: str, *arguments: Any, node: int = 1, epoch: int = 1) -> None:
        payload = values.pack(arguments)
        self.send(Frame(Kind.STATE, payload, node, epoch, method=method_number(key)))


def mount(number: int, feature: str, parent: int = 0, **states: Any) -> Operation:
    """A mount; states are ``name=value`` for ``present(name:)``."""
    pairs = [[method_number(f"present({name}:)"), value] for name, value in states.items()]
    return {"mount": number, "parent": parent, "feature": feature, "states": pairs}


def transition(*operations: Operation, epoch: int = 1, is_snapshot: bool = False) -> Frame:
    """The frame of a batch."""
    flags = SNAPSHOT if is_snapshot else 0
    return Frame(Kind.TRANSITION, values.write(operations), epoch=epoch, flags=flags)


Script = Callable[[Peer], Awaitable[None]]


class FakeWorker:
    """Listens as napkind, sends every front on to itself, and plays a script for each of them.

    ``scripts`` are played in order, one for each connection of a front; more connections than
    scripts are refused with ``sessionEnded``. ``refusals`` come first, one for each ``open``.
    """

    def __init__(
        self,
        *scripts: Script,
        refusals: list[RefusalCode] | None = None,
    ) -> None:
        self._scripts = iter(scripts)
        self.refusals = refusals or []
        self._directory = tempfile.TemporaryDirectory(prefix="nk", dir="/tmp")
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._tickets = (f"{number:032x}" for number in itertools.count(1))
        self._given: set[str] = set()
        self.errors: list[BaseException] = []
        self.opens: list[Open] = []
        self.pid = 1
        """The process that it says it is."""
        self.machines: list[dict[str, str]] | None = None
        """The machines that it names as napkind."""
        self.accepted = asyncio.Event()
        """Set when something has connected."""

    @property
    def socket(self) -> str:
        return str(pathlib.Path(self._directory.name) / "n.sock")

    async def __aenter__(self) -> Self:
        for path, serve in ((self.socket, self._be_napkind), (self._worker, self._be_worker)):
            self._servers.append(await asyncio.start_unix_server(self._served(serve), path))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.listen_no_more()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._directory.cleanup()
        if self.errors:  # which is why the test has ended, however that looks
            raise self.errors[0] from error

    def listen_no_more(self) -> None:
        """Refuses further connections, as a machine does that is gone."""
        for server in self._servers:
            server.close()

    @property
    def _worker(self) -> str:
        return str(pathlib.Path(self._directory.name) / "w.sock")

    def _served(
        self, serve: Script
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.accepted.set()
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                peer = Peer(reader, writer)
                if await peer.shake_hands(self.pid):
                    await serve(peer)
            except (EOFError, ConnectionError, asyncio.CancelledError):
                pass  # the front left, or the test is over
            except Exception as error:
                self.errors.append(error)
            finally:
                self._tasks.discard(task)
                with contextlib.suppress(OSError):
                    writer.close()

        return accept

    async def _be_napkind(self, peer: Peer) -> None:
        frame = await peer.expect(Kind.OPEN)
        self.opens.append(values.read(Open, frame.payload))
        if self.refusals:
            refusal = goodbye(self.refusals.pop(0))
            peer.send(Frame(Kind.REFUSED, refusal, sequence=frame.sequence))
            return
        ticket = next(self._tickets)
        self._given.add(ticket)
        place = {"socket": self._worker, "ticket": ticket, "app": "app", "session": "app"}
        redirect = values.write(place | ({"machines": self.machines} if self.machines else {}))
        peer.send(Frame(Kind.REDIRECT, redirect, sequence=frame.sequence))
        with contextlib.suppress(EOFError):
            await peer.frame()

    async def _be_worker(self, peer: Peer) -> None:
        assert peer.hello is not None and peer.hello.ticket in self._given, "a ticket, once"
        self._given.remove(peer.hello.ticket)
        script = next(self._scripts, None)
        if script is None:
            await peer.expect(Kind.ATTACH)
            peer.goodbye(RefusalCode.SESSION_ENDED)
            return
        await script(peer)
