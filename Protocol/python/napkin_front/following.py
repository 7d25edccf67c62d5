"""Following: who is told of what a front shows, and when."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable

from .changes import Change
from .errors import ConnectionFailure, Disconnected
from .tree import Tree

_logger = logging.getLogger("napkin_front")


class Following:
    """A tree that changes, with listeners for each change and readers of the newest."""

    def __init__(self) -> None:
        self.tree = Tree()
        """What the session shows."""
        self.ended: ConnectionFailure | None = None
        """Why the front ended by itself."""
        self._is_running = False
        self._listeners: list[Callable[[Change], None]] = []
        self._version = 0
        self._changed = asyncio.Event()

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Has ``listener`` called with every change, in order, at once. It must not block."""
        self._listeners.append(listener)

    async def screens(self) -> AsyncGenerator[Tree, None]:
        """The tree, now and whenever something changed since it was looked at last.

        Changes that come meanwhile are one. Ends when the front is closed; raises ``ended``.
        """
        seen = -1
        while True:
            if self.ended is not None:
                raise self.ended
            if self._version != seen:
                seen = self._version
                yield self.tree
            elif not self._is_running:
                return
            else:
                await self._changed.wait()

    async def until(self, fits: Callable[[Tree], object]) -> Tree:
        """Waits until the tree fits; give it a limit with ``asyncio.timeout``."""
        async with contextlib.aclosing(self.screens()) as screens:
            async for tree in screens:
                if fits(tree):
                    return tree
        raise Disconnected("the front was closed before the tree fitted")

    def _emit(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                _logger.exception("a listener failed")
        self._bump()

    def _bump(self) -> None:
        self._version += 1
        self._changed.set()
        self._changed = asyncio.Event()
