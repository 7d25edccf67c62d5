"""Connection: a Unix socket that speaks frames (Protocol/SPEC.md, section 5 (Framing))."""

import asyncio
import enum
import os
import socket
import struct
from typing import Any, NamedTuple

from cbor2 import dumps

from .cbor import read
from .errors import ConnectionFailure, Refused, Unreadable

LENGTH_MIN = 24  # bytes of a frame's header after its length field
LENGTH_MAX_HANDSHAKE, LENGTH_MAX_CONTROL, LENGTH_MAX = 4096, 64 * 1024, 16 * 1024 * 1024
SECONDS_MAX = 5.0  # how long a side waits for the other, in the handshake and at the end
WELCOME = {"version": dict.fromkeys(("major", "minor"), range(2**16)), "server": str}
WELCOME["pid"] = range(-(2**31), 2**31)
MACHINE = {"host": str, "socket": (str,)}
REFUSAL = {"code": str, "message": str, "machine": (MACHINE,)}
_HEADER = struct.Struct("<IBBHIIQI")


class Kind(enum.IntEnum):
    """What a frame is: section 6 (Messages)."""

    HELLO, WELCOME, REFUSED, PING, PONG, GOODBYE, QUERY, ANSWER = range(1, 9)
    OPEN, REDIRECT = 16, 17
    ATTACH, ATTACHED, TRANSITION, STATE, EFFECT, EVENT, REPLY, FAULT = range(32, 40)
    ASK, ASK_REPLY, ASK_ENDED, DETACH, SCHEMA, CONTRACT_WANTED, CONTRACT, RECEIVED = range(40, 48)
    OPEN_URL, WORKFLOW_STEP, WORKFLOW_ENDED, CANCEL_WORKFLOW, STATE_DELTA, SKIPPED = range(48, 54)
    RENAMED, MEASURE, MEASURED, LOG, CANCEL_EVENT = 54, 55, 56, 57, 60
    REGISTER, ADMIT, DRAIN = 64, 65, 66


class Frame(NamedTuple):
    """The unit on the byte stream. Fields that its kind does not use stay 0."""

    kind: Kind
    payload: bytes = b""
    node: int = 0
    epoch: int = 0
    sequence: int = 0
    method: int = 0
    flags: int = 0

    def encode(self) -> bytes:
        """The frame's bytes."""
        length = LENGTH_MIN + len(self.payload)
        return _HEADER.pack(length, self.kind, self.flags, 0, *self[2:6]) + self.payload


def take_frame(buffer: bytearray, limit: int) -> Frame | None:
    """Takes the first frame of what has arrived; ``None`` when it is not all there yet."""
    length = int.from_bytes(buffer[:4], "little")
    # Before the rest is there: a length that is wrong is not worth waiting for.
    if len(buffer) >= 4 and not LENGTH_MIN <= length <= limit:
        name = "tooShort" if length < LENGTH_MIN else "tooLong"
        raise Unreadable(name, f"a frame of {length} bytes; {LENGTH_MIN} to {limit} may be")
    if len(buffer) < max(_HEADER.size, 4 + length):
        return None
    _, kind, flags, reserved, node, epoch, sequence, method = _HEADER.unpack_from(buffer)
    if kind not in set(Kind) or reserved:
        name = "reservedBitsSet" if kind in set(Kind) else "unknownKind"
        raise Unreadable(name, f"a frame of kind {kind} with the reserved bits {reserved:#06x}")
    payload = bytes(buffer[_HEADER.size : 4 + length])
    del buffer[: 4 + length]
    return Frame(Kind(kind), payload, node, epoch, sequence, method, flags)


class Connection:
    """A connection. ``receive`` from one task only."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._buffer, self._limit, self.pid = bytearray(), LENGTH_MAX_HANDSHAKE, 0

    @classmethod
    async def open(cls, path: str, hello: dict[str, Any], limit: int) -> "Connection":
        """Connects and shakes hands; frames of ``limit`` bytes may come from then on."""
        try:
            connection = cls(*await asyncio.open_unix_connection(path))
        except OSError as error:
            raise ConnectionFailure(f"cannot connect to {path}: {error}") from error
        await connection.begin(path, hello, limit)
        return connection

    async def begin(self, path: str, hello: dict[str, Any], limit: int) -> None:
        """Shakes hands with whoever is at the other end now."""
        self._limit = LENGTH_MAX_HANDSHAKE
        try:
            async with asyncio.timeout(SECONDS_MAX):
                await self._shake_hands(path, hello)
        except (Unreadable, TimeoutError) as error:
            what = str(error) or f"it said nothing for {SECONDS_MAX:g} s"
            text = (
                f"the program at {path} is not a napkind that this front understands: {what}; "
                "check the path"
            )
            raise Refused("protocolViolation", self.end(Kind.REFUSED, text)) from error
        except BaseException:
            self.close()
            raise
        self._limit = limit

    async def _shake_hands(self, path: str, hello: dict[str, Any]) -> None:
        # A socket in a shared directory could be anybody's; the kernel says whose it is.
        peer = self._writer.get_extra_info("socket")
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        if (user := struct.unpack("3i", credentials)[1]) != os.getuid():
            raise Refused("notPermitted", f"{path} is user {user}'s: start a napkind of your own")
        self.send(Frame(Kind.HELLO, dumps(hello)))
        frame = await self._next_frame()
        if frame.kind == Kind.REFUSED:
            raise refusal(frame, "protocolViolation")
        if frame.kind != Kind.WELCOME:
            raise Unreadable("protocolViolation", f"{frame.kind.name} instead of WELCOME")
        self.pid = (welcome := read(WELCOME, frame.payload))["pid"]
        versions = hello["oldest"], welcome["version"], hello["newest"]
        oldest, version, newest = ((each["major"], each["minor"]) for each in versions)
        if not oldest <= version <= newest:
            raise Unreadable("protocolViolation", f"version {version} was not offered")

    def send(self, frame: Frame) -> None:
        """Appends a frame to what is written; dropped when the connection is over."""
        self._writer.write(frame.encode())

    async def receive(self) -> Frame:
        """The next frame that is not about the connection itself; ``Unreadable`` if it is none."""
        while True:
            frame = await self._next_frame()
            if frame.kind == Kind.GOODBYE:
                raise refusal(frame, "shuttingDown")
            if frame.kind == Kind.PING:
                self.send(Frame(Kind.PONG, dumps(True), sequence=frame.sequence))
            elif frame.kind != Kind.PONG:  # nobody waits for one
                return frame

    async def _next_frame(self) -> Frame:
        while (frame := take_frame(self._buffer, self._limit)) is None:
            try:
                await self._writer.drain()  # who asks and does not read is not read from either
                data = await self._reader.read(1 << 16)
            except OSError as error:
                raise ConnectionFailure(f"the connection broke: {error}") from error
            if not data:
                where = ", in the middle of a frame" if self._buffer else ""
                raise ConnectionFailure(f"the other side closed the connection{where}")
            self._buffer += data
        return frame

    def end(self, kind: Kind, why: str) -> str:
        """Says why the connection ends because of the other side, and ends it."""
        text = why.encode()[:1024].decode(errors="ignore")
        self.send(Frame(kind, dumps({"code": "protocolViolation", "message": text})))
        self.close()
        return f"the other side broke the protocol: {text}"

    def close(self) -> None:
        """Closes when everything has been written, or the other side has not taken it in time."""
        self._writer.close()
        asyncio.get_running_loop().call_later(SECONDS_MAX, self._writer.transport.abort)


def refusal(frame: Frame, otherwise: str) -> Refused:
    """The error for a refusal or a goodbye; ``otherwise`` is the code of an unreadable one."""
    try:
        words = read(REFUSAL, frame.payload)
    except Unreadable as error:
        return Refused(otherwise, f"{frame.kind.name} in words that cannot be read: {error}")
    return Refused(**words)
