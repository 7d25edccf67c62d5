"""Calls: events that wait for credit or for their reply, and how each of them ends.

Spec    Protocol/SPEC.md, section 8 (Flow control) and section 11 (What a disconnect loses)
"""

from __future__ import annotations

import asyncio
from collections import deque

from .errors import EventFault, FaultCode, NotExecuted
from .messages import Fault
from .values import Item


class Calls:
    """The events of a front; each ends once: with a result, a fault, not executed, or unknown."""

    def __init__(self) -> None:
        self._credit = 0
        self._connection = 0  # counts, so that a credit of a lost connection is none of the next
        self._is_open = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._outstanding: dict[int, asyncio.Future[Item]] = {}

    @property
    def outstanding(self) -> int:
        """Events sent and not answered."""
        return len(self._outstanding)

    def opened(self, window: int) -> None:
        """A connection stands; the worker takes so many events at a time."""
        self._credit, self._is_open = window, True
        self._connection += 1

    async def credit(self) -> None:
        """Returns when an event may be sent, in the order of the calls. Send it at once.

        ``NotExecuted`` when there is no connection, or when it is lost before that.
        """
        if not self._is_open:
            raise _not_sent("there is no connection to the session")
        if self._credit:  # then nobody waits: a credit that comes back goes to who does
            self._credit -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        connection = self._connection
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:
                self._give(connection)
            raise
        if connection != self._connection or not self._is_open:
            raise _not_sent()

    def sent(self, sequence: int) -> asyncio.Future[Item]:
        """The event has been sent; the future has its result."""
        future: asyncio.Future[Item] = asyncio.get_running_loop().create_future()
        self._outstanding[sequence] = future
        return future

    def give_back(self) -> None:
        """The event was not sent after all."""
        self._give(self._connection)

    def replied(self, sequence: int, result: Item) -> None:
        """The handler returned."""
        future = self._outstanding.pop(sequence, None)
        if future is None:
            return
        if not future.done():
            future.set_result(result)
        self._give(self._connection)

    def faulted(self, sequence: int, fault: Fault) -> None:
        """The event failed."""
        future = self._outstanding.pop(sequence, None)
        if future is None:
            return
        if not future.done():
            future.set_exception(EventFault.of(fault.code, fault.message))
        self._give(self._connection)

    def lost(self) -> int:
        """The connection is gone; returns how many events are in doubt now."""
        self._is_open = False
        outstanding, self._outstanding = self._outstanding, {}
        waiting, self._waiting = self._waiting, deque()
        message = "the connection to the worker was lost before the event was answered"
        for future in outstanding.values():
            if not future.done():
                future.set_exception(EventFault.of(FaultCode.UNKNOWN, message))
        for turn in waiting:
            if not turn.done():
                turn.set_exception(_not_sent())
        return len(outstanding)

    def _give(self, connection: int) -> None:
        if connection != self._connection or not self._is_open:
            return
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._credit += 1


def _not_sent(why: str = "the connection to the worker was lost before") -> NotExecuted:
    return NotExecuted(FaultCode.NOT_EXECUTED, f"the event was not sent: {why}")
