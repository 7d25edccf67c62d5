"""Errors: what can go wrong, one type for each thing that a caller can do about it.

Spec    Protocol/SPEC.md, section 10 (Errors)
"""

from __future__ import annotations

import enum


class NapkinError(Exception):
    """The base of every error of this package."""


class Unreadable(NapkinError):
    """Bytes that break the rules; ``name`` is the rule's normative name, ``offset`` the place."""

    def __init__(self, name: str, message: str, offset: int | None = None) -> None:
        place = "" if offset is None else f", at byte {offset}"
        super().__init__(f"{message} ({name}{place})")
        self.name = name
        self.message = message
        self.offset = offset


class Unsendable(NapkinError, ValueError):
    """A value that the protocol has no form for; the text says what to send instead."""


class FaultCode(enum.StrEnum):
    """How an event failed. Codes of later versions count as ``failed``."""

    FAILED = "failed"
    GONE = "gone"
    OVERLOADED = "overloaded"
    NOT_EXECUTED = "notExecuted"
    UNKNOWN = "unknown"
    UNIMPLEMENTED = "unimplemented"
    REFUSED = "refused"
    NO_FRONT = "noFront"
    CANCELLED = "cancelled"

    @classmethod
    def _missing_(cls, value: object) -> FaultCode | None:
        return cls.FAILED if isinstance(value, str) else None

    @property
    def may_have_run(self) -> bool:
        """Whether the handler ran, or may have: sending again could do the thing twice."""
        return self in (FaultCode.FAILED, FaultCode.UNKNOWN, FaultCode.CANCELLED)


class EventFault(NapkinError):
    """An event that did not succeed. ``except NotExecuted`` and ``OutcomeUnknown`` come first."""

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message

    @staticmethod
    def of(code: FaultCode, message: str) -> EventFault:
        """The error of the type that fits the code."""
        kinds = {FaultCode.NOT_EXECUTED: NotExecuted, FaultCode.UNKNOWN: OutcomeUnknown}
        return kinds.get(code, EventFault)(code, message)


class NotExecuted(EventFault):
    """The handler did not run: the connection was lost before the event was sent. Send it again."""


class OutcomeUnknown(EventFault):
    """The handler may have run: the connection was lost before the reply. Look at the new state."""


class RefusalCode(enum.StrEnum):
    """Why a connection or a request was refused. Codes of later versions are temporary."""

    VERSION = "version"
    PROTOCOL_VIOLATION = "protocolViolation"
    NOT_PERMITTED = "notPermitted"
    BAD_TICKET = "badTicket"
    UNKNOWN_APP = "unknownApp"
    UNKNOWN_SESSION = "unknownSession"
    SESSION_OF_ANOTHER_APP = "sessionOfAnotherApp"
    CONTRACT_MISMATCH = "contractMismatch"
    WORKER_UNAVAILABLE = "workerUnavailable"
    OVERLOADED = "overloaded"
    SHUTTING_DOWN = "shuttingDown"
    SESSION_ENDED = "sessionEnded"
    DETACHED = "detached"
    BAD_REQUEST = "badRequest"

    @classmethod
    def _missing_(cls, value: object) -> RefusalCode | None:
        return cls.WORKER_UNAVAILABLE if isinstance(value, str) else None

    @property
    def is_final(self) -> bool:
        """Whether trying again cannot help: section 9 (Resume)."""
        return self in _FINAL


_FINAL = frozenset(
    {
        RefusalCode.VERSION,
        RefusalCode.NOT_PERMITTED,
        RefusalCode.UNKNOWN_APP,
        RefusalCode.UNKNOWN_SESSION,
        RefusalCode.SESSION_OF_ANOTHER_APP,
        RefusalCode.CONTRACT_MISMATCH,
        RefusalCode.SESSION_ENDED,
        RefusalCode.DETACHED,
        RefusalCode.BAD_REQUEST,
    }
)


class ConnectionFailure(NapkinError):
    """There is no connection (any more). The text says why and what to do."""


class Unreachable(ConnectionFailure):
    """Nothing that speaks the protocol listens at that path, or it cannot be reached."""


class Disconnected(ConnectionFailure):
    """The other side closed the connection, or it broke."""


class Refused(ConnectionFailure):
    """The other side said no, or goodbye, in words."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
