"""Handshake: what is said before any other frame may pass. Frames go in, actions come out.

Spec    Protocol/SPEC.md, section 4 (Connection set-up)
"""

from __future__ import annotations

from dataclasses import dataclass

from . import messages, values
from .errors import RefusalCode, Unreadable
from .frames import Frame, Kind
from .messages import Hello, Refusal, Version, Welcome

SECONDS_MAX = 5.0
"""How long a side waits for the other."""


@dataclass(frozen=True)
class Send:
    """Send this frame."""

    frame: Frame


@dataclass(frozen=True)
class Established:
    """Frames may pass, under the larger limit."""

    version: Version


@dataclass(frozen=True)
class Close:
    """Close the connection when all has been sent."""


Action = Send | Established | Close


class Handshake:
    """One side of a handshake; the initiator's when it has a ``hello``.

    ``connected`` once, then ``received`` for each frame until it has established or closed.
    """

    def __init__(
        self,
        hello: Hello | None = None,
        *,
        oldest: Version = messages.OLDEST,
        newest: Version = messages.CURRENT,
        server: str = "",
        pid: int = 0,
    ) -> None:
        self._hello = hello
        self._oldest, self._newest = oldest, newest
        self._server, self._pid = server, pid
        self.version: Version | None = None
        """The version agreed upon."""
        self.refusal: Refusal | None = None
        """The refusal that was sent or received."""
        self.peer: Hello | Welcome | None = None
        """What the other side said of itself."""

    def connected(self) -> list[Action]:
        """The stream is there."""
        if self._hello is None:
            return []
        return [Send(Frame(Kind.HELLO, values.write(self._hello)))]

    def received(self, frame: Frame) -> list[Action]:
        """A frame came."""
        if frame.kind == Kind.REFUSED:
            return self._was_refused(frame)
        try:
            if self._hello is None and frame.kind == Kind.HELLO:
                return self._heard(messages.read(frame.kind, frame.payload))
            if self._hello is not None and frame.kind == Kind.WELCOME:
                return self._was_welcomed(messages.read(frame.kind, frame.payload), self._hello)
        except Unreadable as error:
            return self.refuse(RefusalCode.PROTOCOL_VIOLATION, f"{frame.kind.name}: {error}")
        wanted = Kind.HELLO if self._hello is None else Kind.WELCOME
        message = f"{wanted.name} comes first, not {frame.kind.name}"
        return self.refuse(RefusalCode.PROTOCOL_VIOLATION, message)

    def refuse(self, code: RefusalCode, message: str) -> list[Action]:
        """Says no; also for bytes that are no frame."""
        self.refusal = Refusal(code, message)
        return [Send(Frame(Kind.REFUSED, values.write(self.refusal))), Close()]

    def _heard(self, hello: Hello) -> list[Action]:
        self.peer = hello
        version = common_version(hello.oldest, hello.newest, self._oldest, self._newest)
        if version is None:
            message = (
                f"here {self._oldest} to {self._newest} are spoken, {hello.client} speaks "
                f"{hello.oldest} to {hello.newest}; update the older of the two"
            )
            return self.refuse(RefusalCode.VERSION, message)
        self.version = version
        welcome = Welcome(version, self._server, self._pid)
        return [Send(Frame(Kind.WELCOME, values.write(welcome))), Established(version)]

    def _was_welcomed(self, welcome: Welcome, hello: Hello) -> list[Action]:
        if common_version(hello.oldest, hello.newest, welcome.version, welcome.version) is None:
            message = f"version {welcome.version} was not offered"
            return self.refuse(RefusalCode.PROTOCOL_VIOLATION, message)
        self.peer, self.version = welcome, welcome.version
        return [Established(welcome.version)]

    def _was_refused(self, frame: Frame) -> list[Action]:
        try:
            self.refusal = messages.read(frame.kind, frame.payload)
        except Unreadable as error:
            message = f"refused in words that cannot be read: {error}"
            self.refusal = Refusal(RefusalCode.PROTOCOL_VIOLATION, message)
        return [Close()]


def common_version(
    oldest: Version, newest: Version, our_oldest: Version, our_newest: Version
) -> Version | None:
    """The smaller of the two newest, if that is in both ranges."""
    version = min(newest, our_newest)
    return version if version >= max(oldest, our_oldest) else None
