"""Connection: one Unix socket that speaks frames, from its handshake to its end.

Spec    Protocol/SPEC.md, section 4 (Connection set-up) and section 5 (Framing)
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
from typing import Any

from . import messages, values
from .errors import Disconnected, RefusalCode, Refused, Unreachable, Unreadable
from .frames import FRAME_LENGTH_MAX, FRAME_LENGTH_MAX_HANDSHAKE, Frame, FrameDecoder, Kind
from .handshake import SECONDS_MAX, Close, Established, Handshake, Send
from .messages import CURRENT, OLDEST, Hello, Role, Version

PATH_BYTES_MAX = 107
"""What the kernel takes for a Unix socket's path."""
_READ_BYTES = 64 * 1024


def default_socket() -> str:
    """Where napkind listens unless it is told otherwise."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime}/napkin/napkind.sock"
    return f"/tmp/napkin-{os.getuid()}/napkind.sock"


class Connection:
    """A connection whose handshake is done. ``receive`` from one task only."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._decoder = FrameDecoder(FRAME_LENGTH_MAX_HANDSHAKE)
        self._sequence = 0
        self.version: Version = OLDEST
        """What both sides speak, once the handshake is done."""

    @classmethod
    async def open(
        cls, path: str, role: Role, client: str, ticket: str | None = None
    ) -> Connection:
        """Connects and shakes hands; ``Unreachable``, ``Disconnected`` or ``Refused``."""
        try:
            connection = cls(*await _connect(path))
        except OSError as error:
            raise Unreachable(_why(path, error)) from error
        hello = Hello(OLDEST, CURRENT, role, client, ticket)
        try:
            connection._refuse_strangers(path)
            async with asyncio.timeout(SECONDS_MAX):
                await connection._shake_hands(Handshake(hello))
        except TimeoutError:
            message = f"what listens at {path} said nothing for {SECONDS_MAX:.0f} s: check the path"
            refusal = messages.Refusal(RefusalCode.PROTOCOL_VIOLATION, message)
            connection.send(Frame(Kind.REFUSED, values.write(refusal)))
            connection._writer.close()
            raise Refused(refusal.code, message) from None
        except Disconnected as error:
            connection.abort()
            raise Disconnected(
                f"what listens at {path} closed the connection without a word: try again if it is "
                "a napkind that was just ending, else check the path"
            ) from error
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _shake_hands(self, machine: Handshake) -> None:
        actions = machine.connected()
        while True:
            for action in actions:
                match action:
                    case Send(frame):
                        self.send(frame)
                    case Established(version):
                        self.version = version
                        self._decoder.limit = FRAME_LENGTH_MAX
                        return
                    case Close():
                        assert machine.refusal is not None
                        await self.close()
                        raise Refused(machine.refusal.code, machine.refusal.message)
            try:
                actions = machine.received(await self._next_frame())
            except Unreadable as error:
                actions = machine.refuse(
                    RefusalCode.PROTOCOL_VIOLATION,
                    f"what answered is no napkind that this front understands ({error}): "
                    "check the path",
                )

    def _refuse_strangers(self, path: str) -> None:
        """A socket in a shared directory could be anybody's; the kernel says whose it is."""
        peer = self._writer.get_extra_info("socket")
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", credentials)
        if user != os.getuid():
            message = f"{path} belongs to user {user}, not to you; start a napkind of your own"
            raise Refused(RefusalCode.NOT_PERMITTED, message)

    def next_sequence(self) -> int:
        """A number for a request, used once on this connection."""
        self._sequence += 1
        return self._sequence

    def send(self, frame: Frame) -> None:
        """Appends a frame to what is written; dropped when the connection is over."""
        self._writer.write(frame.encode())

    async def request(self, kind: Kind, message: Any, answer: Kind) -> Any:
        """Sends a request and waits for its answer; what answers nothing is passed over."""
        number = self.next_sequence()
        self.send(Frame(kind, values.write(message), sequence=number))
        while True:
            frame = await self.receive()
            if frame.kind not in (answer, Kind.REFUSED):
                raise self.violated(f"{frame.kind.name} instead of {answer.name}")
            if frame.sequence != number:
                continue
            payload = self.read(frame)
            if frame.kind == Kind.REFUSED:
                raise Refused(payload.code, payload.message)
            return payload

    async def receive(self) -> Frame:
        """The next frame that is not about the connection itself.

        ``Disconnected`` at its end, ``Refused`` after a goodbye. Bytes that are no frame are
        answered with a goodbye, and end it as well.
        """
        while True:
            try:
                frame = await self._next_frame()
            except Unreadable as error:
                raise self.violated(str(error)) from error
            match frame.kind:
                case Kind.PING:
                    pong = Frame(Kind.PONG, values.write(True), sequence=frame.sequence)
                    self.send(pong)
                case Kind.PONG:
                    pass  # nobody waits for it
                case Kind.GOODBYE:
                    raise _goodbye(frame)
                case _:
                    return frame

    def read(self, frame: Frame) -> Any:
        """A frame's payload as its message; an unreadable one ends the connection."""
        try:
            return messages.read(frame.kind, frame.payload)
        except Unreadable as error:
            raise self.violated(f"{frame.kind.name}: {error}") from error

    def violated(self, what: str) -> Disconnected:
        """Says goodbye because of what the other side did; the error to raise."""
        refusal = messages.Refusal(RefusalCode.PROTOCOL_VIOLATION, what)
        self.send(Frame(Kind.GOODBYE, values.write(refusal)))
        self._writer.close()
        return Disconnected(f"the other side broke the protocol: {what}")

    async def _next_frame(self) -> Frame:
        while (frame := self._decoder.next_frame()) is None:
            try:
                data = await self._reader.read(_READ_BYTES)
            except OSError as error:
                raise Disconnected(f"the connection broke: {error.strerror or error}") from error
            if not data:
                where = ", in the middle of a frame" if self._decoder.rest else ""
                raise Disconnected(f"the other side closed the connection{where}")
            self._decoder.feed(data)
        return frame

    async def close(self) -> None:
        """Closes when everything has been written, or the other side has not taken it in time."""
        self._writer.close()
        try:
            async with asyncio.timeout(SECONDS_MAX):
                await self._writer.wait_closed()
        except TimeoutError:
            self.abort()
        except OSError:
            pass  # what could not be written was for nobody

    def abort(self) -> None:
        """Closes at once."""
        self._writer.transport.abort()


def _goodbye(frame: Frame) -> Refused:
    try:
        refusal = messages.read(frame.kind, frame.payload)
    except Unreadable as error:
        what = f"the other side said goodbye in words that cannot be read: {error}"
        return Refused(RefusalCode.SHUTTING_DOWN, what)
    return Refused(refusal.code, refusal.message)


async def _connect(path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if len(os.fsencode(path)) > PATH_BYTES_MAX:
        raise OSError(f"a path has at most {PATH_BYTES_MAX} bytes")
    return await asyncio.open_unix_connection(path)


def _why(path: str, error: OSError) -> str:
    start = f"start it with `napkind --socket {path}`"
    match error:
        case FileNotFoundError():
            return f"no napkind at {path}, nothing is there: {start}, or check the path"
        case ConnectionRefusedError() if os.path.exists(path) and not _is_socket(path):
            return f"{path} is not a socket: check the path"
        case ConnectionRefusedError():
            return f"no napkind at {path}, the socket is left over from one that has ended: {start}"
        case PermissionError():
            return f"no permission to connect to {path}: start a napkind of your own"
    return f"cannot connect to {path}: {error.strerror or error}"


def _is_socket(path: str) -> bool:
    return stat.S_ISSOCK(os.stat(path).st_mode)
