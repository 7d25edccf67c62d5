"""Handlers: the functions of a program that show effects and answer questions."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from . import methods
from .changes import Asked, Effect
from .frames import Kind
from .values import Item

_logger = logging.getLogger("napkin_front")
Handler = TypeVar("Handler", bound=Callable[..., Any])


class Handlers:
    """Calls what was registered; an answer goes to ``answer``, a failure to the log."""

    def __init__(self, answer: Callable[[Asked, Any], bool]) -> None:
        self._answer = answer
        self._handlers: dict[tuple[Kind, str, int], tuple[str, Callable[..., Any]]] = {}
        self._answering: dict[int, asyncio.Task[None]] = {}

    def register(self, kind: Kind, feature: str, key: str) -> Callable[[Handler], Handler]:
        """The decorator for the handler of a method; the last one counts."""

        def register(handler: Handler) -> Handler:
            self._handlers[kind, feature, methods.method_number(key)] = (key, handler)
            return handler

        return register

    @property
    def answer_asks(self) -> bool:
        """Whether there is a handler for any question."""
        return any(kind == Kind.ASK for kind, _, _ in self._handlers)

    def effect(self, effect: Effect) -> None:
        """An effect has come."""
        if (found := self._find(Kind.EFFECT, effect)) is None:
            return
        key, handler = found
        try:
            handler(effect.node, *_arguments(key, effect.item))
        except Exception:
            _logger.exception("the handler of %s failed", key)

    def asked(self, ask: Asked) -> None:
        """A question has come."""
        if (found := self._find(Kind.ASK, ask)) is not None:
            task = asyncio.create_task(self._find_answer(ask, *found), name=found[0])
            self._answering[ask.sequence] = task

    def ask_ended(self, sequence: int) -> None:
        """Nobody needs the answer any more."""
        if (task := self._answering.pop(sequence, None)) is not None:
            task.cancel()

    def stop(self) -> None:
        """There is nobody to answer."""
        for sequence in list(self._answering):
            self.ask_ended(sequence)

    def _find(self, kind: Kind, change: Effect | Asked) -> tuple[str, Callable[..., Any]] | None:
        return self._handlers.get((kind, change.node.feature, change.method))

    async def _find_answer(self, ask: Asked, key: str, handler: Callable[..., Any]) -> None:
        try:
            value = handler(ask.node, *_arguments(key, ask.item))
            if inspect.isawaitable(value):
                value = await value
            self._answer(ask, value)
        except Exception:
            _logger.exception("the handler of %s failed; the question stays open", key)
        finally:
            if self._answering.get(ask.sequence) is asyncio.current_task():
                del self._answering[ask.sequence]


def _arguments(key: str, item: Item) -> list[Any]:
    """The arguments that a handler is called with."""
    match methods.argument_count(key):
        case 0:
            return []
        case 1:
            return [item.value]
        case _:
            return list(item.value)
