"""Front: a session with Python's types, handlers and screens: what programs use.

``session`` does what the protocol says; this module makes it convenient.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import unicodedata
from collections.abc import AsyncGenerator, Callable, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar

from . import cbor, values
from .connection import LENGTH_MAX, LENGTH_MIN, Connection, Frame, Kind
from .contracts import FeatureSchema, contract_hash
from .errors import ConnectionFailure, EventFault, Unreadable
from .machines import FollowingSession
from .outcomes import Disconnected, FaultCode, connection_failure, event_fault
from .screen import (
    Appended,
    Arrived,
    Asked,
    AskEnded,
    Change,
    Effect,
    Lost,
    Mounted,
    Presented,
    Retrying,
    ShownNode,
    ShownTree,
    Unmounted,
)
from .tree import Node
from .values import NOTHING, Item, Unsendable, method_number

_logger = logging.getLogger("napkin_front")
AWAY_SECONDS = 60.0
"""How long a worker remembers a front that is away; its events end then."""
NAME_BYTES_MAX = 128
PATH_BYTES_MAX = 107
"""What the kernel takes for a Unix socket's path."""
Handler = TypeVar("Handler", bound=Callable[..., Any])


def default_socket() -> str:
    """Where napkind listens unless it is told otherwise."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime}/napkin/napkind.sock"
    return f"/tmp/napkin-{os.getuid()}/napkind.sock"


def answered_by(payload: bytes) -> str | None:
    """Who has answered a question that is over, if its payload says it."""
    try:
        who: str | None = cbor.read({"answeredBy": (str,)}, payload)["answeredBy"]
    except Unreadable:  # the question is over all the same
        return None
    return who


class Front(FollowingSession):
    """Shows a session and sends its events.

    ::

        async with Front("rib-house") as front:
            await front.event("rib-house.logged-out", "didTapLogin()")
            await front.until(lambda tree: tree.find("rib-house.logged-in") is not None)

    Entering attaches and returns when the first tree is there, or raises. A lost connection is
    made again until the front is closed or refused for good; ``ended`` says so then. Events that
    were sent and not answered go on where the worker still knows the front. Everything happens on
    one event loop; nothing here may be called from another thread.
    """

    tree: ShownTree

    def __init__(
        self,
        app: str,
        *,
        session: str | None = None,
        socket: str | None = None,
        creates: bool = True,
        is_read_only: bool = False,
        mirrors: int | None = None,
        answers_asks: bool | None = None,
        contracts: Iterable[FeatureSchema] = (),
        wants_schema: bool = False,
        client: str = "napkin-front 1.0",
        name: str | None = None,
        traceparent: str | None = None,
    ) -> None:
        """Prepare a front; nothing is connected yet.

        ``mirrors``: the number of another front, whose pages are shown in place of own ones; this
        front is then read-only, and ends with the other.
        ``creates``: without it, or if this front is read-only, a session that does not exist is
        ``unknownSession``.
        ``answers_asks``: whether questions wait for this front; by default they do if there is
        a handler (``on_ask``) when it attaches.
        ``contracts``: what the front was built with, from ``read_contracts``; a worker whose
        contract does not fit refuses the front.
        ``name``: one for the person or device here, at most 128 bytes; features may keep what is
        that person's under it.
        ``traceparent``: the context of W3C's Trace Context in which this front acts, to which the
        spans of its events belong; one that is not valid is ignored.
        """
        self._contracts = {schema.feature: schema for schema in contracts}
        hashes = {name: contract_hash(schema) for name, schema in self._contracts.items()}
        is_read_only = is_read_only or mirrors is not None
        creates = creates and not is_read_only
        opening = {"app": app} | ({"session": session} if session else {}) | {"creates": creates}
        attaching = {"isReadOnly": is_read_only, "contracts": hashes, "wantsSchema": wants_schema}
        if mirrors is not None:
            attaching["mirrors"] = mirrors
        if name is not None:
            attaching["name"] = name
        if traceparent is not None:
            attaching["traceparent"] = traceparent
        super().__init__(socket or default_socket(), opening, attaching)
        self.hello["client"] = client
        self.tree = ShownTree()
        self.schema: list[FeatureSchema] = []
        """The contracts of the app's features, if ``wants_schema``."""
        self._path = socket or default_socket()
        self._answers_asks = answers_asks
        self._described: Connection | None = None
        self._told: int | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._listeners: list[Callable[[Change], None]] = []
        self._version, self._news = 0, asyncio.Event()
        self._is_running = self._has_begun = False
        self._handlers: dict[tuple[str, str, int], tuple[str, Callable[..., Any]]] = {}
        self._answering: dict[int, asyncio.Task[None]] = {}

    @property
    def is_connected(self) -> bool:
        """Whether events can be sent now."""
        return self._connection is not None

    @property
    def is_read_only(self) -> bool:
        """Whether it only looks: its events are refused, and it is asked nothing."""
        return bool(self.attaching["isReadOnly"])

    # Attaching and leaving

    async def __aenter__(self) -> Self:
        await self.attach()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def attach(self) -> None:
        """Attaches; returns when the first tree is there. ``ConnectionFailure`` says why not."""
        self._has_begun = True
        try:
            await super().attach()
        except BaseException as error:
            self.give_up(str(error))
            if isinstance(error, ConnectionFailure):
                raise connection_failure(error, self._path, was_opening=True) from error
            raise

    async def _attach(self) -> Connection:
        if len(os.fsencode(self._path)) > PATH_BYTES_MAX:
            raise ConnectionFailure(
                f"cannot connect to {self._path}: a path has at most {PATH_BYTES_MAX} bytes"
            ) from OSError(f"a path has at most {PATH_BYTES_MAX} bytes")
        has_handler = any(kind == "asked" for kind, _, _ in self._handlers)
        self.attaching.pop("declinesAsks", None)
        if not (has_handler if self._answers_asks is None else self._answers_asks):
            self.attaching["declinesAsks"] = True
        return await super()._attach()

    def received(self, connection: Connection, frame: Frame) -> None:
        """Takes a frame; also what the worker says of contracts."""
        is_first = self._connection is None and self._described is not connection
        if frame.kind == Kind.CONTRACT_WANTED and is_first:
            wanted = cbor.read([str], frame.payload)
            if strange := [feature for feature in wanted if feature not in self._contracts]:
                what = f"the contract of {strange[0][:64]!r} was not named"
                raise Unreadable("protocolViolation", what)
            schemas = [self._contracts[feature] for feature in wanted]
            connection.send(Frame(Kind.CONTRACT, values.write(schemas)))
            self._described = connection
        elif frame.kind == Kind.RENAMED:
            read_renamed(frame.payload)
            super().received(connection, frame)
        elif frame.kind == Kind.SCHEMA and self._connection is not None:
            self.schema = values.read(list[FeatureSchema], frame.payload)
        else:
            super().received(connection, frame)

    # Following

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Has ``listener`` called with every change, in order, at once. It must not block."""
        self._listeners.append(listener)

    async def screens(self) -> AsyncGenerator[ShownTree, None]:
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
                await self._news.wait()

    async def until(self, fits: Callable[[ShownTree], object]) -> ShownTree:
        """Waits until the tree fits; give it a limit with ``asyncio.timeout``."""
        async with contextlib.aclosing(self.screens()) as screens:
            async for tree in screens:
                if fits(tree):
                    return tree
        raise Disconnected("the front was closed before the tree fitted")

    def changed(self, what: str, node: Any = None, frame: Frame | None = None) -> None:
        """Tells the listeners and the handlers."""
        change = self._change(what, node, frame)
        self._is_running = what != "ended" and (self._is_running or what == "attached")
        self._expire(what)
        for listener in self._listeners if change else ():
            try:
                listener(change)
            except Exception:
                _logger.exception("a listener failed")
        self._handle(what, change)
        self._version += 1
        self._news.set()
        self._news = asyncio.Event()

    def _change(self, what: str, node: Any, frame: Frame | None) -> Any:
        method, sequence = (frame.method, frame.sequence) if frame else (0, 0)
        item = Item(frame.payload) if frame else NOTHING
        reason = self.reason and connection_failure(self.reason, self._path)
        match what:
            case "mounted" | "unmounted":
                return (Mounted if what == "mounted" else Unmounted)(node)
            case "presented" | "effect":
                return (Presented if what == "presented" else Effect)(node, method, item)
            case "appended":
                log = node.logs[method]
                items = [Item(payload) for payload in log.new]
                return Appended(node, method, log.next - len(items), items, log.missing)
            case "asked":
                return Asked(node, method, item, sequence)
            case "askEnded":
                return AskEnded(sequence, answered_by(item))
            case "lost" | "retrying":
                assert reason is not None
                return (Lost if what == "lost" else Retrying)(reason)
            case "attached":
                told, self._told = self._told, self.lost
                return Arrived(self.attached, told is not None, self.lost - (told or 0))
        return None

    def _expire(self, what: str) -> None:
        """Gives the events up when no worker can know this front any more."""
        if what in ("lost", "retrying") and self._expiry is None:
            why = f"the connection was lost, and there was none for {AWAY_SECONDS:g} s"
            loop = asyncio.get_running_loop()
            self._expiry = loop.call_later(AWAY_SECONDS, self.give_up, why)
        elif what in ("attached", "ended") and self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    # Effects and questions

    def on_effect(self, feature: str, key: str) -> Callable[[Handler], Handler]:
        """Decorate a function that shows an effect: ``f(node, *arguments)``.

        Before the front attaches: effects are never repeated, so a later function might have
        missed some, and ``RuntimeError`` says so.
        """
        return self._register("effect", feature, key)

    def on_item(self, feature: str, key: str) -> Callable[[Handler], Handler]:
        """Decorate a function that takes an item of a log: ``f(node, *arguments)``, in order."""
        return self._register("appended", feature, key)

    async def history(
        self, node: ShownNode, key: str, before: int | None = None, count: int = 100
    ) -> tuple[int, list[Item]]:
        """Reads the newest items of a log before a number, or before those that the front has.

        The number of the first, and the items: at most 1000 with 256 KiB, none where the worker
        keeps none of them. A read-only front may read. Raises as ``event`` does.
        """
        method = method_number(key)
        if before is None:
            log = node.logs.get(method)
            before = log.next - len(log.items) if log else 0
        try:
            first, _, items = await self.items(node, method, before, count)
        except EventFault as fault:
            raise event_fault(fault) from None
        return first, [Item(payload) for payload in items]

    def on_ask(self, feature: str, key: str) -> Callable[[Handler], Handler]:
        """Decorate a function that answers a question: ``f(node, *arguments)`` gives the answer.

        ``None`` is an absent optional; for a method without result return ``Item()``.
        It may be a coroutine; it is cancelled when the question is over, and asked again after a
        lost connection. One that raises leaves the question to the other fronts.

        Before the front attaches, when it says whether it answers; ``RuntimeError`` afterwards.
        """
        return self._register("asked", feature, key)

    def answer(self, ask: Asked | int, value: Any = NOTHING) -> bool:
        """Answers a question, without a value for a method without result; false if it is over."""
        sequence = ask.sequence if isinstance(ask, Asked) else ask
        return self.reply(sequence, _sendable(values.write(value)))

    def _register(self, what: str, feature: str, key: str) -> Callable[[Handler], Handler]:
        if self._has_begun:
            name, missed = {
                "effect": ("on_effect", "effects may have been missed"),
                "asked": (
                    "on_ask",
                    "questions may have been missed, and the worker may know it"
                    " as one that answers none",
                ),
            }[what]
            raise RuntimeError(
                f"{name}({feature!r}, {key!r}) after the front has attached: {missed}; register it"
                " before `async with front` or `front.attach()`"
            )

        def register(handler: Handler) -> Handler:
            self._handlers[what, feature, method_number(key)] = (key, handler)
            return handler

        return register

    def _handle(self, what: str, change: Any) -> None:
        match what, change:
            case "askEnded", AskEnded(sequence):
                self._stop_answering(sequence)
            case (("lost" | "retrying" | "ended"), _):
                for sequence in list(self._answering):
                    self._stop_answering(sequence)
            case "appended", Appended(node, method, _, items):
                if found := self._handlers.get((what, node.feature, method)):
                    for item in items:
                        self._hand(node, item, *found)
            case (("effect" | "asked"), _):
                found = self._handlers.get((what, change.node.feature, change.method))
                if found and what == "effect":
                    self._hand(change.node, change.item, *found)
                elif found:
                    task = asyncio.create_task(self._find_answer(change, *found), name=found[0])
                    self._answering[change.sequence] = task

    def _stop_answering(self, sequence: int) -> None:
        if (task := self._answering.pop(sequence, None)) is not None:
            task.cancel()

    def _hand(self, node: Node, item: Item, key: str, handler: Callable[..., Any]) -> None:
        try:
            handler(node, *_arguments(key, item))
        except Exception:
            _logger.exception("the handler of %s failed", key)

    async def _find_answer(self, ask: Asked, key: str, handler: Callable[..., Any]) -> None:
        try:
            value = handler(ask.node, *_arguments(key, ask.item))
            if inspect.isawaitable(value):
                value = await value
            self.answer(ask, value)
        except Exception:
            _logger.exception("the handler of %s failed; the question stays open", key)
        finally:
            if self._answering.get(ask.sequence) is asyncio.current_task():
                del self._answering[ask.sequence]

    # Sending

    async def event(
        self,
        target: Node | str,
        key: str,
        *arguments: Any,
        result: Any = Any,
        deadline: float | None = None,
    ) -> Any:
        """Sends an event and waits for its handler; gives its result, read as ``result``.

        ``target`` is a node or a feature that is mounted; ``key`` the method's, such as
        ``didTapBack()``. ``NotExecuted`` (send it again), ``OutcomeUnknown`` (look at the new
        state) or another ``EventFault`` when it did not succeed; ``Unreadable`` when it did, with
        a result that is not what was asked for. After a lost connection the event goes on where
        the worker still knows this front. Cancelling the task, or the ``deadline`` in seconds
        (``EventFault``, ``deadlineExceeded``), ends the call and cancels its handler, which may
        have run.
        """
        if (count := values.argument_count(key)) != len(arguments):
            raise TypeError(f"{key} takes {count} arguments, {len(arguments)} are given")
        payload = _sendable(values.pack(arguments))
        node = self.tree.find(target) if isinstance(target, str) else target
        if node is None:
            shown = ", ".join(self.tree.features) or "nothing"
            raise EventFault(FaultCode.GONE, f"{target} is not mounted; {shown} is")
        try:
            item = Item(await self.call(node, method_number(key), payload, deadline))
        except EventFault as fault:
            raise event_fault(fault) from None
        return item.value if result is Any else item.read(result)


def is_name(text: str) -> bool:
    """Whether a session may have that name: section 3 (Identifiers), by this Python's Unicode.

    Its tables do not have *Alphabetic*: all marks pass, and letters that it does not know (``Cn``).
    """
    kinds = [unicodedata.category(sign) for sign in text if sign not in "0123456789-_.+@"]
    has_signs = all(kind[0] in "LM" or kind in {"Nl", "Cn"} for kind in kinds)
    is_composed = unicodedata.is_normalized("NFC", text)
    return has_signs and is_composed and 1 <= len(text.encode()) <= NAME_BYTES_MAX


def read_renamed(payload: bytes) -> str:
    """The session's new name; ``Unreadable`` for a text that is none: section 3 (Identifiers)."""
    name: str = cbor.read({"session": str}, payload)["session"]
    if not is_name(name):
        raise Unreadable("badRequest", f"{name[:64]!r} is no name")
    return name


def _sendable(payload: bytes) -> bytes:
    if (length := LENGTH_MIN + len(payload)) > LENGTH_MAX:
        raise Unsendable(f"a frame of {length} bytes; {LENGTH_MAX} may be: send it in parts")
    return payload


def _arguments(key: str, item: Item) -> list[Any]:
    """The arguments that a handler is called with."""
    match values.argument_count(key):
        case 0:
            return []
        case 1:
            return [item.value]
        case _:
            return list(item.value)
