"""Frames: the unit on the byte stream. Bytes go in, frames come out; no socket is touched.

========  =====  ==================================================
offset    size   field (little-endian)
========  =====  ==================================================
0         4      length: bytes after this field, 24 + payload
4         1      kind
5         1      flags
6         2      reserved, 0
8         4      node
12        4      epoch
16        8      sequence
24        4      method
28        --     payload
========  =====  ==================================================

Spec    Protocol/SPEC.md, section 5 (Framing) and section 12 (Limits)
"""

from __future__ import annotations

import dataclasses
import enum
import struct

from .errors import Unreadable, Unsendable

FRAME_LENGTH_MIN = 24
"""Bytes of the header after the length field."""
FRAME_LENGTH_MAX = 16 * 1024 * 1024
"""The largest value of the length field once the handshake is done."""
FRAME_LENGTH_MAX_HANDSHAKE = 4096
"""The same before."""

_HEADER = struct.Struct("<IBBHIIQI")
_LENGTH = struct.Struct("<I")


class Kind(enum.IntEnum):
    """What a frame is: section 6 (Messages)."""

    HELLO = 1
    WELCOME = 2
    REFUSED = 3
    PING = 4
    PONG = 5
    GOODBYE = 6
    QUERY = 7
    ANSWER = 8
    OPEN = 16
    REDIRECT = 17
    ATTACH = 32
    ATTACHED = 33
    TRANSITION = 34
    STATE = 35
    EFFECT = 36
    EVENT = 37
    REPLY = 38
    FAULT = 39
    ASK = 40
    ASK_REPLY = 41
    ASK_ENDED = 42
    DETACH = 43
    SCHEMA = 44
    CONTRACT_WANTED = 45
    CONTRACT = 46
    RECEIVED = 47
    OPEN_URL = 48
    WORKFLOW_STEP = 49
    WORKFLOW_ENDED = 50
    CANCEL_WORKFLOW = 51
    STATE_DELTA = 52
    SKIPPED = 53
    RENAMED = 54
    MEASURE = 55
    MEASURED = 56
    REGISTER = 64
    ADMIT = 65
    DRAIN = 66


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """One frame. Fields that its kind does not use stay 0."""

    SNAPSHOT = 1
    """The flag of a transition that is the whole tree."""
    MORE = 2
    """The flag of a transition of which another part follows."""

    kind: Kind
    payload: bytes = b""
    node: int = 0
    epoch: int = 0
    sequence: int = 0
    method: int = 0
    flags: int = 0

    def encode(self) -> bytes:
        """The frame's bytes; ``Unsendable`` for what no receiver would take."""
        length = FRAME_LENGTH_MIN + len(self.payload)
        if length > FRAME_LENGTH_MAX:
            raise Unsendable(
                f"a frame of {length} bytes; {FRAME_LENGTH_MAX} may be: send it in parts"
            )
        return (
            _HEADER.pack(
                length,
                self.kind,
                self.flags,
                0,
                self.node,
                self.epoch,
                self.sequence,
                self.method,
            )
            + self.payload
        )


class FrameDecoder:
    """Turns a byte stream into frames.

    ``feed`` it whatever came, then take frames until ``next_frame`` has none. The first broken
    rule raises ``Unreadable`` (tooShort, tooLong, unknownKind, reservedBitsSet), now and on every
    later call: close the connection. Keeps at most one incomplete frame plus what was fed.
    """

    def __init__(self, limit: int = FRAME_LENGTH_MAX) -> None:
        self.limit = limit
        """The largest length that is accepted; raised when the handshake is done."""
        self._buffer = bytearray()
        self._read = 0
        self._broken: Unreadable | None = None

    @property
    def rest(self) -> int:
        """How many bytes wait for more."""
        return len(self._buffer) - self._read

    def feed(self, data: bytes) -> None:
        """Appends bytes as they came from the stream."""
        if self._read:
            del self._buffer[: self._read]
            self._read = 0
        self._buffer += data

    def next_frame(self) -> Frame | None:
        """The next frame, or ``None`` when it is not all there yet."""
        if self._broken is not None:
            raise self._broken
        try:
            return self._next()
        except Unreadable as error:
            self._broken = error
            raise

    def _next(self) -> Frame | None:
        if self.rest < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer, self._read)
        # Before the rest is there: a length that is wrong is not worth waiting for.
        if length < FRAME_LENGTH_MIN:
            raise Unreadable("tooShort", f"a frame of {length} bytes; {FRAME_LENGTH_MIN} are least")
        if length > self.limit:
            raise Unreadable("tooLong", f"a frame of {length} bytes; {self.limit} may be")
        if self.rest < _HEADER.size:
            return None
        fields = _HEADER.unpack_from(self._buffer, self._read)
        _, number, flags, reserved, node, epoch, sequence, method = fields
        try:
            kind = Kind(number)
        except ValueError:
            raise Unreadable("unknownKind", f"{number} is no kind of frame") from None
        if reserved:
            raise Unreadable("reservedBitsSet", f"the reserved bytes are {reserved:#06x}, not 0")
        if self.rest < _LENGTH.size + length:
            return None
        start, end = self._read + _HEADER.size, self._read + _LENGTH.size + length
        self._read = end
        return Frame(kind, bytes(self._buffer[start:end]), node, epoch, sequence, method, flags)
