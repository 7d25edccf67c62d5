"""Outcomes: how events and connections end, by the names that programs use for it.

Spec    Protocol/SPEC.md, section 10 (Errors)
"""

from __future__ import annotations

import enum
import os
import stat

from .errors import FINAL, ConnectionFailure, EventFault


class FaultCode(enum.StrEnum):
    """How an event failed. Codes of later versions count as ``failed``."""

    FAILED = "failed"
    GONE = "gone"
    OVERLOADED = "overloaded"
    NOT_EXECUTED = "notExecuted"
    UNKNOWN = "unknown"
    INTERRUPTED = "interrupted"
    QUARANTINED = "quarantined"
    UNIMPLEMENTED = "unimplemented"
    REFUSED = "refused"
    NO_FRONT = "noFront"
    CANCELLED = "cancelled"
    DEADLINE_EXCEEDED = "deadlineExceeded"

    @classmethod
    def _missing_(cls, value: object) -> FaultCode | None:
        return cls.FAILED if isinstance(value, str) else None

    @property
    def may_have_run(self) -> bool:
        """Whether the handler ran, or may have: sending again could do the thing twice."""
        return self in {
            FaultCode.FAILED,
            FaultCode.UNKNOWN,
            FaultCode.INTERRUPTED,
            FaultCode.CANCELLED,
            FaultCode.DEADLINE_EXCEEDED,
        }


class RefusalCode(enum.StrEnum):
    """Why a connection or a request was refused."""

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
    ELSEWHERE = "elsewhere"

    @property
    def is_final(self) -> bool:
        """Whether trying again cannot help: section 9 (Resume)."""
        return self in FINAL


class NotExecuted(EventFault):
    """The handler did not run: the connection was lost before the event was sent. Send it again."""


class OutcomeUnknown(EventFault):
    """The handler may have run: the connection was lost before the reply. Look at the new state."""


class Unreachable(ConnectionFailure):
    """Nothing that speaks the protocol listens at that path, or it cannot be reached."""


class Disconnected(ConnectionFailure):
    """The other side closed the connection, or it broke."""


def event_fault(fault: EventFault) -> EventFault:
    """The fault as the type that fits its code."""
    kinds = {FaultCode.NOT_EXECUTED: NotExecuted, FaultCode.UNKNOWN: OutcomeUnknown}
    code = FaultCode(fault.code)
    return kinds.get(code, EventFault)(code, fault.message, fault.error, fault.receipt)


def connection_failure(
    failure: ConnectionFailure, path: str, *, was_opening: bool = False
) -> ConnectionFailure:
    """The failure in words that say what to do, as the type that fits it."""
    cause = failure.__cause__
    if type(failure) is not ConnectionFailure:
        return failure
    if isinstance(cause, OSError) and str(failure).startswith(f"cannot connect to {path}:"):
        return Unreachable(_why(path, cause))
    ended = ("the other side closed", "the connection broke")
    if not str(failure).startswith(ended):
        return Disconnected(str(failure))
    advice = "try again if it is a napkind that was just ending, otherwise check the path"
    return Disconnected(f"{failure}, without a word: {advice}" if was_opening else str(failure))


def _why(path: str, error: OSError) -> str:
    start = f"start it with `napkind --socket {path}`"
    match error:
        case FileNotFoundError():
            return f"no napkind at {path}, which does not exist: {start}, or check the path"
        case ConnectionRefusedError() if os.path.exists(path) and not _is_socket(path):
            return f"{path} is not a socket: check the path"
        case ConnectionRefusedError():
            return f"no napkind at {path}, a socket left over from one that has ended: {start}"
        case PermissionError():
            return f"no permission to connect to {path}: start a napkind of your own"
    return f"cannot connect to {path}: {error.strerror or error}"


def _is_socket(path: str) -> bool:
    return stat.S_ISSOCK(os.stat(path).st_mode)
