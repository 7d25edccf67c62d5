"""Messages that a front sends, and the other side's part of the handshake.

Spec    Protocol/SPEC.md, section 4 (Connection set-up) and section 6 (Messages)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from napkin_front import cbor, values
from napkin_front.connection import REFUSAL, Frame, Kind
from napkin_front.errors import Unreadable
from napkin_front.front import is_name
from napkin_front.outcomes import RefusalCode
from napkin_front.values import UInt16, UInt32, UInt64

NAME_BYTES_MAX = 128


def check_name(name: str, what: str, refusal: RefusalCode, least: int = 0) -> None:
    if not least <= len(name.encode()) <= NAME_BYTES_MAX:
        message = f"{what} has {least} to {NAME_BYTES_MAX} bytes, not {len(name.encode())}"
        raise Unreadable(refusal, message)


def check_session(name: str) -> None:
    check_name(name, "session", RefusalCode.BAD_REQUEST, least=1)
    if not is_name(name):
        message = f"session {name!r}: letters, digits and -_.+@ make a name"
        raise Unreadable(RefusalCode.BAD_REQUEST, message)


@dataclass(frozen=True, order=True)
class Version:
    """A version of the protocol."""

    major: UInt16
    minor: UInt16


ONE = Version(1, 0)


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
        check_name(self.client, "client", RefusalCode.PROTOCOL_VIOLATION)


@dataclass
class Open:
    """Asks napkind for a session."""

    app: str
    session: str | None = None
    creates: bool = field(kw_only=True)
    epoch: UInt32 | None = None

    def check(self) -> None:
        """A name that may not be is a bad request."""
        check_name(self.app, "app", RefusalCode.BAD_REQUEST, least=1)
        if self.session is not None:
            check_session(self.session)


@dataclass
class LogPosition:
    """The next item of a log that a front wants."""

    node: UInt32
    method: UInt32
    next: UInt64


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
    mirrors: UInt64 | None = None
    logs: list[LogPosition] | None = None
    name: str | None = None
    traceparent: str | None = None


class Acceptor:
    """The side that accepts: answers a hello, as a list of what is to be done."""

    def __init__(self, oldest: Version = ONE, newest: Version = ONE, *, pid: int = 1) -> None:
        self.oldest, self.newest, self.pid = oldest, newest, pid
        self.hello: Hello | None = None
        self.version: Version | None = None
        self.code: str | None = None

    def received(self, frame: Frame) -> list[Frame | str]:
        """What to send, and whether the handshake is ``established`` or one closes (``close``)."""
        if frame.kind == Kind.REFUSED:
            try:
                self.code = RefusalCode(cbor.read(REFUSAL, frame.payload)["code"])
            except Unreadable:
                self.code = RefusalCode.PROTOCOL_VIOLATION
            except ValueError:
                self.code = RefusalCode.WORKER_UNAVAILABLE
            return ["close"]
        if frame.kind != Kind.HELLO:
            return self._refuse(RefusalCode.PROTOCOL_VIOLATION)
        try:
            self.hello = hello = values.read(Hello, frame.payload)
        except Unreadable:
            return self._refuse(RefusalCode.PROTOCOL_VIOLATION)
        version = min(hello.newest, self.newest)
        if version < max(hello.oldest, self.oldest):
            return self._refuse(RefusalCode.VERSION)
        self.version = version
        welcome = {"version": version, "server": "test", "pid": self.pid}
        return [Frame(Kind.WELCOME, values.write(welcome)), "established"]

    def _refuse(self, code: RefusalCode) -> list[Frame | str]:
        self.code = code
        return [Frame(Kind.REFUSED, values.write({"code": code, "message": "m"})), "close"]


def goodbye(code: Any) -> bytes:
    """The payload of a refusal or a goodbye."""
    return values.write({"code": str(code), "message": "that is why"})
