"""Confirmations: tells a worker how many answers have arrived, so that it need not keep them.

Spec    Protocol/SPEC.md, section 9 (Resume)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .frames import Frame, Kind

ANSWERS = 32
"""After so many answers at the latest,"""
SECONDS = 1.0
"""and so long after an answer."""


class Confirmations:
    """Counts the answers of one connection."""

    def __init__(self, send: Callable[[Frame], None]) -> None:
        self._send = send
        self._arrived = 0
        self._confirmed = 0
        self._timer: asyncio.TimerHandle | None = None

    def answer_arrived(self) -> None:
        """A reply or a fault has arrived, whosever it is."""
        self._arrived += 1
        if self._arrived - self._confirmed >= ANSWERS:
            self._confirm()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._confirm)

    def stop(self) -> None:
        """The connection is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _confirm(self) -> None:
        self.stop()
        self._confirmed = self._arrived
        self._send(Frame(Kind.RECEIVED, sequence=self._arrived))
