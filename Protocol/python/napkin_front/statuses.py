"""Statuses: with which number a program of this package ends, for each way to fail: sysexits(3)."""

from __future__ import annotations

from .errors import ConnectionFailure, EventFault, RefusalCode, Refused, Unreachable

DONE = 0
"""Also when told to end: by a key, the end of the input, SIGINT, SIGTERM or SIGHUP."""
USAGE = 64
DATA_ERROR = 65
NO_INPUT = 66
UNAVAILABLE = 69
SOFTWARE = 70
IO_ERROR = 74
TRY_AGAIN = 75
PROTOCOL = 76
NO_PERMISSION = 77

HELP = (
    "exit status, as in sysexits(3): 0 done or interrupted, 64 usage, 65 the session is another "
    "app's, 66 no such app or session, 69 no napkind or no worker, 74 connection lost, "
    "75 try again, 76 versions or contracts differ, 77 not permitted"
)

_REFUSALS = {
    RefusalCode.VERSION: PROTOCOL,
    RefusalCode.CONTRACT_MISMATCH: PROTOCOL,
    RefusalCode.PROTOCOL_VIOLATION: PROTOCOL,
    RefusalCode.NOT_PERMITTED: NO_PERMISSION,
    RefusalCode.UNKNOWN_APP: NO_INPUT,
    RefusalCode.UNKNOWN_SESSION: NO_INPUT,
    RefusalCode.SESSION_OF_ANOTHER_APP: DATA_ERROR,
    RefusalCode.BAD_REQUEST: DATA_ERROR,
    RefusalCode.WORKER_UNAVAILABLE: UNAVAILABLE,
    RefusalCode.SESSION_ENDED: UNAVAILABLE,
    RefusalCode.DETACHED: UNAVAILABLE,
    RefusalCode.BAD_TICKET: TRY_AGAIN,
    RefusalCode.OVERLOADED: TRY_AGAIN,
    RefusalCode.SHUTTING_DOWN: TRY_AGAIN,
}


def status_of(error: BaseException) -> int:
    """The status for an error."""
    match error:
        case Refused():
            return _REFUSALS[error.code]
        case Unreachable():
            return UNAVAILABLE
        case ConnectionFailure() | EventFault():
            return IO_ERROR
    return SOFTWARE
