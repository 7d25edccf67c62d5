"""Messages: the payloads of frames, as types.

A front sends ``Hello``, ``Open``, ``Attach`` and reads ``Welcome``, ``Refusal``, ``Redirect``,
``Attached``, transitions and ``Fault``; contracts are in ``schema``. What only tools, napkind and
workers say to one another is not here.

Spec    Protocol/SPEC.md, section 6 (Messages)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from . import cbor, values
from .errors import FaultCode, RefusalCode, Unreadable
from .frames import Kind
from .reader import Range, Reader
from .schema import FeatureSchema
from .values import NOTHING, Int32, Item, UInt16, UInt32, UInt64

NAME_BYTES_MAX = 128
_NOT_LETTERS = "0123456789-_.+@"
NodeNumber = Annotated[int, Range(1, 2**32 - 1)]


def _check_name(name: str, what: str, refusal: RefusalCode, least: int = 0) -> None:
    if not least <= len(name.encode()) <= NAME_BYTES_MAX:
        message = f"{what} has {least} to {NAME_BYTES_MAX} bytes, not {len(name.encode())}"
        raise Unreadable(refusal, message)


def _check_session(name: str) -> None:
    _check_name(name, "session", RefusalCode.BAD_REQUEST, least=1)
    if any(not (letter.isalpha() or letter in _NOT_LETTERS) for letter in name):
        message = f"session {name!r}: letters, digits and -_.+@ make a name"
        raise Unreadable(RefusalCode.BAD_REQUEST, message)


@dataclass(frozen=True, order=True)
class Version:
    """A version of the protocol."""

    major: UInt16
    minor: UInt16

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


OLDEST = Version(1, 0)
CURRENT = Version(1, 0)
"""What this package speaks, with all versions between."""


class Role(StrEnum):
    """What a side that connects is."""

    FRONT = "front"
    TOOL = "tool"
    WORKER = "worker"


@dataclass
class Hello:
    """The first frame of a connection."""

    oldest: Version
    newest: Version
    role: Role
    client: str
    ticket: str | None = None

    def check(self) -> None:
        """A longer name is a violation."""
        _check_name(self.client, "client", RefusalCode.PROTOCOL_VIOLATION)


@dataclass
class Welcome:
    """The answer to it: the version that both use from here on."""

    version: Version
    server: str
    pid: Int32


@dataclass
class Refusal:
    """The payload of ``refused`` and of ``goodbye``."""

    code: RefusalCode
    message: str


@dataclass
class Open:
    """Asks napkind for a session; without a name it has the app's."""

    app: str
    session: str | None = None
    creates: bool = dataclasses.field(kw_only=True)
    epoch: UInt32 | None = None

    def check(self) -> None:
        """A name that may not be is a bad request."""
        _check_name(self.app, "app", RefusalCode.BAD_REQUEST, least=1)
        if self.session is not None:
            _check_session(self.session)


@dataclass
class Redirect:
    """Where the session's worker listens, and the right to go there once."""

    socket: str
    ticket: str
    app: str
    session: str


@dataclass
class Attach:
    """The first frame to a worker after the handshake."""

    is_read_only: bool
    contracts: dict[str, UInt64]
    wants_schema: bool
    previous_front: UInt64 | None = None
    previous_epoch: UInt32 | None = None
    declines_asks: bool | None = None
    takes_over: bool | None = None
    takes_deltas: bool | None = None
    counts_fronts: bool | None = None


@dataclass
class Attached:
    """The answer to it; the whole tree follows."""

    app: str
    session: str
    front: UInt64
    epoch: UInt32
    window: int
    is_resumed: bool


@dataclass
class Renamed:
    """The session has another name."""

    session: str

    def check(self) -> None:
        """A name that may not be is a bad request."""
        _check_session(self.session)


@dataclass
class Fault:
    """How an event failed."""

    code: FaultCode
    message: str


@dataclass
class State:
    """A state in a mount: ``[method]`` or ``[method, value]``."""

    method: UInt32
    value: Item = NOTHING

    @staticmethod
    def read_from(reader: Reader) -> State:
        """Reads the array."""
        start, count = reader.at, reader.enter("[method, value]", cbor.ARRAY)
        if count not in (1, 2):
            raise Unreadable("typeMismatch", f"a state of {count} elements", start)
        method = values.read_next(UInt32, reader)
        value = Item(reader.item()) if count == 2 else NOTHING
        reader.depth -= 1
        return State(method, value)


@dataclass
class Operation:
    """A step of a transition: ``mount`` or ``unmount`` is there, not both."""

    mount: NodeNumber | None = None
    unmount: NodeNumber | None = None
    parent: UInt32 = 0
    slot: str = ""
    presentation: str = "embed"
    feature: str | None = None
    arguments: Item = NOTHING
    states: list[State] = field(default_factory=list)

    def check(self) -> None:
        """Refuses what is neither or both."""
        if self.mount is not None and self.unmount is not None:
            raise Unreadable("unknownCase", "an operation that mounts and unmounts")
        if self.mount is None and self.unmount is None:
            raise Unreadable("missingField", "an operation without mount or unmount")
        if self.mount is not None and self.feature is None:
            raise Unreadable("missingField", "a mount without feature")


_SHAPES: dict[Kind, Any] = {
    Kind.HELLO: Hello,
    Kind.WELCOME: Welcome,
    Kind.REFUSED: Refusal,
    Kind.GOODBYE: Refusal,
    Kind.OPEN: Open,
    Kind.REDIRECT: Redirect,
    Kind.ATTACH: Attach,
    Kind.ATTACHED: Attached,
    Kind.TRANSITION: list[Operation],
    Kind.FAULT: Fault,
    Kind.SCHEMA: list[FeatureSchema],
    Kind.CONTRACT_WANTED: list[str],
    Kind.CONTRACT: list[FeatureSchema],
    Kind.RENAMED: Renamed,
}
_CONTRACTS = (Kind.STATE, Kind.EFFECT, Kind.EVENT, Kind.REPLY, Kind.ASK, Kind.ASK_REPLY)


def read(kind: Kind, payload: bytes) -> Any:
    """A payload as its receiver reads it; ``None`` for kinds whose payload a front does not."""
    if kind in _CONTRACTS:
        return values.unpack(payload)
    shape = _SHAPES.get(kind)
    return None if shape is None else values.read(shape, payload)
