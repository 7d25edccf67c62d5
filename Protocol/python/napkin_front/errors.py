"""Errors: one type for each thing that a caller can do (Protocol/SPEC.md, section 10 (Errors))."""

from typing import Any

AGAIN = ["workerUnavailable", "protocolViolation", "badTicket", "overloaded", "shuttingDown"]
AGAIN += ["elsewhere"]
FINAL = ["version", "notPermitted", "unknownApp", "unknownSession", "sessionOfAnotherApp"]
FINAL += ["contractMismatch", "sessionEnded", "detached", "badRequest"]


class NapkinError(Exception):
    """The base of every error of this package."""


class Unreadable(NapkinError):
    """Bytes that break the rules; ``name`` is the rule's normative name, ``offset`` the place."""

    def __init__(self, name: str, message: str, offset: int | None = None) -> None:
        place = "" if offset is None else f", at byte {offset}"
        super().__init__(f"{message} ({name}{place})")
        self.name = name


class EventFault(NapkinError):
    """An event that did not succeed; a code of a later version counts as ``failed``.

    ``error`` has the handler's error, encoded, if the method's contract names its type:
    ``values.read(CartError, fault.error)``. ``receipt`` is the number in ``quarantined``.
    """

    def __init__(
        self, code: str, message: str, error: bytes | None = None, receipt: int | None = None
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.code, self.message, self.error, self.receipt = code, message, error, receipt


class ConnectionFailure(NapkinError):
    """There is no connection (any more). The text says why and what to do."""


class Refused(ConnectionFailure):
    """The other side said no, or goodbye, in words; a code of a later version may pass.

    ``machine`` is the one where the session is, for ``elsewhere``.
    """

    def __init__(self, code: str, message: str, machine: Any = None) -> None:
        self.machine: dict[str, str | None] | None = machine
        self.code = code if code in AGAIN + FINAL else AGAIN[0]
        self.is_final, self.message = self.code in FINAL, message
        super().__init__(f"{message} ({self.code})")
