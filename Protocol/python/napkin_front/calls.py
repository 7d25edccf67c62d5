"""Calls: a front's events over all of its connections, and how each of them ends.

Whoever has the connection says what happened (``attached``, ``opened``, ``replied``, ``lost``, …)
and sends what this hands to ``send``; no socket is touched here.

Spec    Protocol/SPEC.md, section 8 (Flow control) and section 9 (Resume)
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from .errors import EventFault, FaultCode, NotExecuted, Unsendable
from .frames import Frame, Kind
from .messages import Fault
from .values import Item

AWAY_SECONDS = 60.0
"""How long a worker remembers a front that is away; its events end then."""
ANSWERS_PER_CONFIRMATION = 32
"""After so many answers a worker is told that they have arrived."""


class Identity(NamedTuple):
    """Who a front is to its session: the worker knows it by this."""

    front: int
    epoch: int


@dataclasses.dataclass
class _Event:
    """An event; its frame has a sequence once it has been sent."""

    frame: Frame
    answer: asyncio.Future[Item]


class Calls:
    """Numbers events, keeps what is not answered, and ends each event once.

    An event ends with a result, a fault, as not executed, or as unknown.
    """

    def __init__(self, send: Callable[[Frame], None]) -> None:
        self._send = send
        self.identity: Identity | None = None
        """Who the front is, or was when the connection was lost; ``None`` if nobody any more."""
        self.in_doubt = 0
        """Events that have ended as unknown."""
        self._sent = 0
        """The number of the newest event."""
        self._window = 0
        self._is_open = False
        self._unanswered: dict[int, _Event] = {}
        """In the order of their numbers, which is that in which they were sent."""
        self._waiting: deque[_Event] = deque()
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def outstanding(self) -> int:
        """Events sent and not answered."""
        return len(self._unanswered)

    # Connections

    def attached(self, identity: Identity, *, is_resumed: bool) -> None:
        """The worker has attached the front; one that knows it is sent again what it may lack."""
        self._stay()
        self.identity = identity
        if not is_resumed:
            self._end("the connection was lost, and the worker does not know this front any more")
            self._sent = 0
        for event in self._unanswered.values():
            self._send(event.frame)

    def opened(self, window: int) -> None:
        """The tree is there: events may be sent, so many at a time."""
        self._window, self._is_open = window, True
        self._serve()

    def lost(self) -> None:
        """The connection is gone; another one may go on with the events."""
        self._is_open = False
        loop = asyncio.get_running_loop()
        why = f"the connection was lost, and there was none for {AWAY_SECONDS:g} s"
        self._expiry = loop.call_later(AWAY_SECONDS, self.given_up, why)

    def given_up(self, why: str) -> None:
        """No connection goes on with the events, nor knows the front."""
        self._stay()
        self._is_open = False
        self.identity = None
        self._end(why)

    def _stay(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    def _end(self, why: str) -> None:
        unanswered, self._unanswered = self._unanswered, {}
        waiting, self._waiting = self._waiting, deque()
        self.in_doubt += len(unanswered)
        for event in unanswered.values():
            message = f"the event was sent and has no answer: {why}"
            _fail(event, EventFault.of(FaultCode.UNKNOWN, message))
        for event in waiting:
            _fail(event, _not_sent(why))

    # Events

    def offer(self, frame: Frame) -> asyncio.Future[Item]:
        """Sends an event at once, or when it has credit; the future has its result.

        ``NotExecuted`` when there is no connection.
        """
        if not self._is_open:
            raise _not_sent("there is no connection to the session")
        event = _Event(frame, asyncio.get_running_loop().create_future())
        self._waiting.append(event)
        self._serve()
        return event.answer

    def _serve(self) -> None:
        """Sends what waits, in the order of the calls, while there is credit."""
        while self._is_open and self._waiting and self.outstanding < self._window:
            event = self._waiting.popleft()
            if event.answer.done():
                continue  # cancelled meanwhile; it has no number
            event.frame = dataclasses.replace(event.frame, sequence=self._sent + 1)
            try:
                self._send(event.frame)
            except Unsendable as error:
                event.answer.set_exception(error)
                continue
            self._sent += 1
            self._unanswered[self._sent] = event

    def replied(self, sequence: int, result: Item) -> None:
        """The handler returned."""
        if (event := self._unanswered.pop(sequence, None)) is None:
            return
        if not event.answer.done():
            event.answer.set_result(result)
        self._serve()

    def faulted(self, sequence: int, fault: Fault) -> None:
        """The event failed."""
        if (event := self._unanswered.pop(sequence, None)) is None:
            return
        _fail(event, EventFault.of(fault.code, fault.message))
        self._serve()


class Confirmations:
    """Counts the answers of one connection, and tells the worker, so that it need not keep them."""

    def __init__(self, send: Callable[[Frame], None]) -> None:
        self._send = send
        self._arrived = 0

    def answer_arrived(self) -> None:
        """A reply or a fault has arrived, whosever it is."""
        self._arrived += 1
        if self._arrived % ANSWERS_PER_CONFIRMATION == 0:
            self._send(Frame(Kind.RECEIVED, sequence=self._arrived))


def _fail(event: _Event, error: EventFault) -> None:
    if not event.answer.done():
        event.answer.set_exception(error)


def _not_sent(why: str) -> NotExecuted:
    return NotExecuted(FaultCode.NOT_EXECUTED, f"the event was not sent: {why}")
