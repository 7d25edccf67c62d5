"""Front: one attachment to a session, which survives its connections.

Spec    Protocol/SPEC.md, section 4 (Connection set-up), section 7 (Delivery classes) and
        section 9 (Resume)
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from . import backoff, methods, values
from .calls import Calls, Confirmations, Identity
from .changes import Arrived, Asked, AskEnded, Effect, Lost, Presented, Retrying
from .connection import Connection, default_socket
from .contracts import contract_hash
from .errors import ConnectionFailure, Disconnected, EventFault, FaultCode, Refused
from .following import Following
from .frames import Frame, Kind
from .handlers import Handler, Handlers
from .messages import Attach, Attached, Open, Operation, Redirect, Renamed, Role
from .schema import FeatureSchema
from .tree import Assembly, Node
from .values import NOTHING, Item

_logger = logging.getLogger("napkin_front")


class Front(Following):
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

    def __init__(
        self,
        app: str,
        *,
        session: str | None = None,
        socket: str | None = None,
        creates: bool = True,
        is_read_only: bool = False,
        answers_asks: bool | None = None,
        contracts: Iterable[FeatureSchema] = (),
        wants_schema: bool = False,
        client: str = "napkin-front 1.0",
    ) -> None:
        """Prepare a front; nothing is connected yet.

        ``creates``: without it a session that does not exist is ``unknownSession``.
        ``answers_asks``: whether questions wait for this front; by default they do if there is
        a handler (``on_ask``) when it attaches.
        ``contracts``: what the front was built with, from ``read_contracts``; a worker whose
        contract does not fit refuses the front.
        """
        super().__init__()
        self.schema: list[FeatureSchema] = []
        """The contracts of the app's features, if ``wants_schema``."""
        self.attached: Attached | None = None
        """What the worker said last; also while the connection is lost."""
        self.asks: dict[int, Asked] = {}
        """The questions that are open, by their sequence."""
        self._socket = socket or default_socket()
        self._open = Open(app, session, creates=creates)
        self._client = client
        self._contracts = {schema.feature: schema for schema in contracts}
        hashes = {name: contract_hash(schema) for name, schema in self._contracts.items()}
        self._attach = Attach(is_read_only, hashes, wants_schema)
        self._answers_asks = answers_asks
        self._connection: Connection | None = None
        self._calls = Calls(self._send)
        self._confirmations = Confirmations(self._send)
        self._runner: asyncio.Task[None] | None = None
        self._has_tree = False
        self._assembly = Assembly()
        self._in_doubt_told = 0
        self._handlers = Handlers(self.answer)

    @property
    def is_connected(self) -> bool:
        """Whether events can be sent now."""
        return self._connection is not None

    @property
    def is_read_only(self) -> bool:
        """Whether it only looks: its events are refused, and it is asked nothing."""
        return self._attach.is_read_only

    @property
    def lost(self) -> int:
        """Events in doubt in all: sent, and nobody knows whether they ran."""
        return self._calls.in_doubt

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
        try:
            connection = await self._attach_once()
        except BaseException as error:
            self._calls.given_up(str(error))
            raise
        self._is_running = True
        self._runner = asyncio.create_task(self._run(connection), name="napkin front")

    async def close(self) -> None:
        """Leaves the session, which goes on. Events without a reply end as unknown."""
        if self._runner is not None:
            self._runner.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._runner
            self._runner = None
        self._is_running = False
        connection = self._connection
        self._disconnected()
        self._calls.given_up("the front was closed")
        if connection is not None:
            connection.send(Frame(Kind.DETACH, values.write(True)))
            await connection.close()
        self._bump()

    async def _attach_once(self) -> Connection:
        redirect = await self._redirect()
        connection = await Connection.open(
            redirect.socket, Role.FRONT, self._client, redirect.ticket
        )
        try:
            self._has_tree = False
            connection.send(Frame(Kind.ATTACH, values.write(self._introduction())))
            frame = await connection.receive()
            if frame.kind == Kind.CONTRACT_WANTED:
                self._describe(connection, frame)
                frame = await connection.receive()
            self._received(connection, frame)
            while not self._has_tree:
                self._received(connection, await connection.receive())
        except BaseException:
            self._disconnected()
            connection.abort()
            raise
        return connection

    def _introduction(self) -> Attach:
        answers = self._handlers.answer_asks if self._answers_asks is None else self._answers_asks
        self._attach.declines_asks = None if answers else True
        identity = self._calls.identity or (None, None)
        self._attach.previous_front, self._attach.previous_epoch = identity
        return self._attach

    def _describe(self, connection: Connection, frame: Frame) -> None:
        """Answers a worker whose contracts differ."""
        wanted: list[str] = connection.read(frame)
        strange = [feature for feature in wanted if feature not in self._contracts]
        if strange:
            raise connection.violated(f"the contract of {strange} is wanted, which was not named")
        schemas = [self._contracts[feature] for feature in wanted]
        connection.send(Frame(Kind.CONTRACT, values.write(schemas)))

    async def _redirect(self) -> Redirect:
        napkind = await Connection.open(self._socket, Role.FRONT, self._client)
        try:
            answer = await napkind.request(Kind.OPEN, self._open, Kind.REDIRECT)
        finally:
            await napkind.close()
        assert isinstance(answer, Redirect)
        return answer

    async def _run(self, connection: Connection) -> None:
        try:
            await self._stay(connection)
        except Exception as error:
            # Nobody waits for this task, but somebody may wait for a screen.
            _logger.exception("the front ends because of a mistake in it")
            self.ended = Disconnected(f"the front ended because of a mistake in it: {error!r}")
            self._disconnected()
            self._calls.given_up(str(self.ended))
            self._bump()

    async def _stay(self, connection: Connection) -> None:
        """Reads frames, and comes back when the connection is lost."""
        while True:
            try:
                while True:
                    self._received(connection, await connection.receive())
            except ConnectionFailure as reason:
                connection.abort()
                self._disconnected()
                if self._is_final(reason):
                    return
                self._emit(Lost(reason))
            came_back = await self._come_back()
            if came_back is None:
                return
            connection = came_back

    async def _come_back(self) -> Connection | None:
        for seconds in backoff.delays():
            await asyncio.sleep(seconds)
            try:
                return await self._attach_once()
            except ConnectionFailure as reason:
                if self._is_final(reason):
                    return None
                self._emit(Retrying(reason))
        return None

    def _is_final(self, reason: ConnectionFailure) -> bool:
        if not (isinstance(reason, Refused) and reason.code.is_final):
            return False
        self.ended = reason
        self._calls.given_up(str(reason))
        self._bump()
        return True

    def _disconnected(self) -> None:
        connection, self._connection = self._connection, None
        self._handlers.stop()
        self.asks.clear()
        if connection is not None:
            self._calls.lost()

    # Effects and questions

    def on_effect(self, feature: str, key: str) -> Callable[[Handler], Handler]:
        """Decorate a function that shows an effect: ``f(node, *arguments)``."""
        return self._handlers.register(Kind.EFFECT, feature, key)

    def on_ask(self, feature: str, key: str) -> Callable[[Handler], Handler]:
        """Decorate a function that answers a question: ``f(node, *arguments)`` gives the answer.

        ``None`` is an absent optional; for a method without result return ``Item()``.
        It may be a coroutine; it is cancelled when the question is over, and asked again after a
        lost connection. One that raises leaves the question to the other fronts.
        """
        return self._handlers.register(Kind.ASK, feature, key)

    def answer(self, ask: Asked | int, value: Any = NOTHING) -> bool:
        """Answers a question, without a value for a method without result; false if it is over."""
        sequence = ask.sequence if isinstance(ask, Asked) else ask
        frame = Frame(Kind.ASK_REPLY, values.write(value), sequence=sequence)
        if self.asks.pop(sequence, None) is None or self._connection is None:
            return False
        self._connection.send(frame)
        return True

    # Sending

    async def event(self, target: Node | str, key: str, *arguments: Any, result: Any = Any) -> Any:
        """Sends an event and waits for its handler; gives its result, read as ``result``.

        ``target`` is a node or a feature that is mounted; ``key`` the method's, such as
        ``didTapBack()``. ``NotExecuted`` (send it again), ``OutcomeUnknown`` (look at the new
        state) or another ``EventFault`` when it did not succeed; ``Unreadable`` when it did, with
        a result that is not what was asked for. After a lost connection the event goes on where
        the worker still knows this front.
        """
        if (count := methods.argument_count(key)) != len(arguments):
            raise TypeError(f"{key} takes {count} arguments, {len(arguments)} are given")
        payload = values.pack(arguments)
        node = self._shown(target)
        frame = Frame(
            Kind.EVENT,
            payload,
            node.number,
            epoch=self.attached.epoch if self.attached else 0,
            method=methods.method_number(key),
        )
        item = await self._calls.offer(frame)
        return item.value if result is Any else item.read(result)

    def _send(self, frame: Frame) -> None:
        if self._connection is not None:
            self._connection.send(frame)

    def _shown(self, target: Node | str) -> Node:
        if isinstance(target, str):
            if (node := self.tree.find(target)) is not None:
                return node
            shown = ", ".join(self.tree.features) or "nothing"
            raise EventFault(FaultCode.GONE, f"{target} is not mounted; {shown} is")
        if self.tree.node(target.number) is not target:
            message = f"{target.feature} (node {target.number}) is not mounted any more"
            raise EventFault(FaultCode.GONE, message)
        return target

    # Receiving

    def _received(self, connection: Connection, frame: Frame) -> None:
        if self._connection is None and frame.kind != Kind.ATTACHED:
            raise connection.violated(f"{frame.kind.name} before ATTACHED")
        match frame.kind:
            case Kind.ATTACHED:
                self._was_attached(connection, connection.read(frame))
            case Kind.SCHEMA:
                self.schema = connection.read(frame)
            case Kind.REPLY:
                self._calls.replied(frame.sequence, Item(frame.payload))
                self._confirmations.answer_arrived()
            case Kind.FAULT:
                self._calls.faulted(frame.sequence, connection.read(frame))
                self._confirmations.answer_arrived()
            case Kind.ASK_ENDED:
                self._ask_ended(frame.sequence)
            case Kind.TRANSITION:
                operations = connection.read(frame)
                if self._is_of_this_tree(frame):
                    self._apply(frame, operations)
            case Kind.STATE | Kind.EFFECT | Kind.ASK:
                if self._is_of_this_tree(frame):
                    # Read when it is wanted; unreadable arguments do not end a connection.
                    self._show(frame, Item(frame.payload))
            case Kind.RENAMED:
                self._was_renamed(connection.read(frame))
            case Kind.SKIPPED:
                pass  # the newest of what was left out follows
            case Kind.MEASURE:
                # This front measures nothing.
                rows = values.write({"rows": []})
                connection.send(Frame(Kind.MEASURED, rows, sequence=frame.sequence))
            case _:
                raise connection.violated(f"{frame.kind.name} from a worker")

    def _was_renamed(self, renamed: Renamed) -> None:
        if self.attached is not None:
            self.attached.session = self._open.session = renamed.session

    def _was_attached(self, connection: Connection, attached: Attached) -> None:
        if self._connection is not None:
            raise connection.violated("ATTACHED twice")
        if attached.is_resumed and (self._calls.identity or (None,))[0] != attached.front:
            raise connection.violated(f"front {attached.front} is resumed, which this one is not")
        is_return = self.attached is not None
        self.attached, self._connection = attached, connection
        self._assembly = Assembly()
        self._confirmations = Confirmations(self._send)
        identity = Identity(attached.front, attached.epoch)
        self._open.epoch = attached.epoch
        self._calls.attached(identity, is_resumed=attached.is_resumed)
        told, self._in_doubt_told = self._in_doubt_told, self._calls.in_doubt
        self._emit(Arrived(attached, is_return, self._calls.in_doubt - told))

    def _is_of_this_tree(self, frame: Frame) -> bool:
        return self.attached is not None and frame.epoch == self.attached.epoch

    def _apply(self, frame: Frame, part: list[Operation]) -> None:
        whole = self._assembly.part(
            part,
            is_snapshot=bool(frame.flags & Frame.SNAPSHOT),
            has_more=bool(frame.flags & Frame.MORE),
        )
        if whole is None:
            return
        operations, is_snapshot = whole
        for change in self.tree.apply(operations, is_snapshot=is_snapshot):
            self._emit(change)
        self._bump()
        # Not at ATTACHED: until now an event could have gone to a node of another tree.
        if is_snapshot and not self._has_tree and self.attached is not None:
            self._has_tree = True
            self._calls.opened(max(1, self.attached.window))

    def _show(self, frame: Frame, payload: Item) -> None:
        if frame.kind is Kind.STATE and self._assembly.state(frame.node, frame.method, payload):
            return
        node = self.tree.node(frame.node)
        if node is None:
            return
        match frame.kind:
            case Kind.STATE:
                self.tree.present(frame.node, frame.method, payload)
                self._emit(Presented(node, frame.method, payload))
            case Kind.EFFECT:
                effect = Effect(node, frame.method, payload)
                self._emit(effect)
                self._handlers.effect(effect)
            case _:
                ask = self.asks[frame.sequence] = Asked(node, frame.method, payload, frame.sequence)
                self._emit(ask)
                self._handlers.asked(ask)

    def _ask_ended(self, sequence: int) -> None:
        if self.asks.pop(sequence, None) is not None:
            self._handlers.ask_ended(sequence)
            self._emit(AskEnded(sequence))
