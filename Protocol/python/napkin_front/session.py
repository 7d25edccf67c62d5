"""Session: a front's attachment, which survives its connections (Protocol/SPEC.md).

Section 4 (Connection set-up), 7 (Delivery classes), 8 (Flow control) and 9 (Resume).
"""

import asyncio
import random
from collections import deque
from typing import Any

from cbor2 import dumps

from .cbor import read
from .connection import LENGTH_MAX, LENGTH_MAX_CONTROL, REFUSAL, Connection, Frame, Kind, refusal
from .errors import ConnectionFailure, EventFault, Unreadable
from .tree import MORE, U32, Node, Tree

RETRY_SECONDS = (0.0, 0.05, 0.2, 1.0)  # before each try to come back; the last for all others
ANSWERS_PER_CONFIRMATION = 32
ONE = {"major": 1, "minor": 0}
REDIRECT = {"socket": str, "ticket": str, "app": str, "session": str}
ATTACHED = {"app": str, "session": str, "front": range(2**64), "epoch": U32, "isResumed": bool}
ATTACHED["window"] = range(-(2**63), 2**63)


class Session:
    """Shows a session and sends its events, on one event loop. Payloads are bytes.

    ``attached`` is what the worker said last, ``asks`` the nodes of open questions by sequence,
    ``lost`` counts events of which nobody knows whether they ran, ``reason`` says why the
    connection was lost, ``ended`` why the front ended by itself.
    """

    def __init__(self, socket: str, opening: dict[str, Any], attaching: dict[str, Any]) -> None:
        """Prepare; the fields of ``open`` and ``attach`` are those of the specification."""
        self.hello = {"oldest": ONE, "newest": ONE, "role": "front", "client": "napkin-front 1.0"}
        self.opening = {"creates": True} | opening
        self.attaching = {"isReadOnly": False, "contracts": {}, "wantsSchema": False} | attaching
        self.tree, self.lost = Tree(), 0
        self.asks: dict[int, Node] = {}
        self.reason: ConnectionFailure | None = None
        self.ended: ConnectionFailure | None = None
        self.attached: dict[str, Any] = {}
        self._socket = socket
        self._runner: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._identity: dict[str, int] = {}
        self._window = self._numbered = self._answers = 0
        self._unanswered: dict[int, tuple[Frame, asyncio.Future[bytes | EventFault]]] = {}
        self._waiting: deque[tuple[Frame, asyncio.Future[bytes | EventFault]]] = deque()

    def changed(self, what: str, node: Node | None = None, frame: Frame | None = None) -> None:
        """Called with all that happens, for a subclass to show it.

        Nodes are mounted, unmounted, presented, asked, show an effect, or need no answer any more
        (askEnded); without a node the front is attached, lost, retrying or ended.
        """

    async def attach(self) -> None:
        """Attaches; returns when the first tree is there. ``ConnectionFailure`` says why not."""
        connection = await self._attach()
        self._runner = asyncio.create_task(self._run(connection), name="napkin front")

    async def close(self) -> None:
        """Leaves the session, which goes on. Events without a reply end as unknown."""
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.wait([self._runner])
        if self._connection is not None:
            self._connection.send(Frame(Kind.DETACH, dumps(True)))
        self._end("the front was closed")

    async def _run(self, connection: Connection) -> None:
        """Takes frames, and comes back when the connection is lost."""
        tries = 0
        while self.ended is None:
            try:
                if tries:
                    seconds = RETRY_SECONDS[min(tries, len(RETRY_SECONDS)) - 1]
                    await asyncio.sleep(seconds * (1 + random.random() / 2))
                    connection = await self._attach()
                    tries = 0
                self._take(connection, await connection.receive())
            except ConnectionFailure as reason:
                self._disconnected(connection)
                self.reason = reason
                if reason.is_final:
                    self.ended = reason
                else:
                    self.changed("retrying" if tries else "lost")
                tries += 1
            except Exception as error:
                self.ended = ConnectionFailure(f"a mistake of the front ended it: {error!r}")
        self._end(str(self.ended))

    async def _attach(self) -> Connection:
        napkind = await Connection.open(self._socket, self.hello, LENGTH_MAX_CONTROL)
        try:
            napkind.send(Frame(Kind.OPEN, dumps(self.opening), sequence=1))
            while (frame := await napkind.receive()).sequence != 1:
                pass  # an answer that nobody waits for
            if frame.kind == Kind.REFUSED:
                raise refusal(frame, "protocolViolation")
            if frame.kind != Kind.REDIRECT:
                raise Unreadable("protocolViolation", "it is no answer to OPEN")
            redirect = read(REDIRECT, frame.payload)
        except Unreadable as error:
            raise napkind.violated(f"{frame.kind.name}: {error}") from error
        finally:
            napkind.close()
        hello = self.hello | {"ticket": redirect["ticket"]}
        connection = await Connection.open(redirect["socket"], hello, LENGTH_MAX)
        try:
            connection.send(Frame(Kind.ATTACH, dumps(self.attaching | self._identity)))
            while not self._window:
                self._take(connection, await connection.receive())
        except BaseException:
            self._disconnected(connection)
            raise
        return connection

    def _disconnected(self, connection: Connection | None) -> None:
        if connection is not None:
            connection.close()
        self._connection, self._window = None, 0
        self.asks.clear()

    def _end(self, why: str) -> None:
        self._disconnected(self._connection)
        self.give_up(why)
        self.changed("ended")

    def give_up(self, why: str) -> None:
        """No connection goes on with the events, nor knows the front."""
        self._identity, self._numbered = {}, 0
        self.lost += len(self._unanswered)
        unknown = EventFault("unknown", f"the event was sent and has no answer: {why}")
        for _, answer in self._unanswered.values():
            _settle(answer, unknown)
        for _, answer in self._waiting:
            _settle(answer, EventFault("notExecuted", f"the event was not sent: {why}"))
        self._unanswered.clear()
        self._waiting.clear()

    async def call(self, node: Node, method: int, payload: bytes) -> bytes:
        """Sends an event; its result. A lost connection ends it only where no worker knows it."""
        if self.tree.nodes.get(node.number) is not node:
            raise EventFault("gone", f"{node.feature} ({node.number}) is not mounted any more")
        if not self._window:
            raise EventFault("notExecuted", "the event was not sent: there is no connection")
        frame = Frame(Kind.EVENT, payload, node.number, self.attached["epoch"], 0, method)
        answer: asyncio.Future[bytes | EventFault] = asyncio.get_running_loop().create_future()
        self._waiting.append((frame, answer))
        self._serve()
        if isinstance(outcome := await answer, EventFault):
            raise outcome
        return outcome

    def _serve(self) -> None:
        """Sends what waits, in the order of the calls, while there is credit."""
        while self._connection and self._waiting and len(self._unanswered) < self._window:
            frame, answer = self._waiting.popleft()
            if not answer.done():  # one that was cancelled meanwhile has no number
                self._numbered += 1
                frame = frame._replace(sequence=self._numbered)
                self._unanswered[self._numbered] = frame, answer
                self._connection.send(frame)

    def reply(self, sequence: int, payload: bytes) -> bool:
        """Answers a question; false if it is over."""
        if self._connection is None or self.asks.pop(sequence, None) is None:
            return False
        self._connection.send(Frame(Kind.ASK_REPLY, payload, sequence=sequence))
        return True

    def _take(self, connection: Connection, frame: Frame) -> None:
        try:
            self.received(connection, frame)
        except Unreadable as error:
            raise connection.violated(f"{frame.kind.name}: {error}") from error

    def received(self, connection: Connection, frame: Frame) -> None:
        """Takes a frame; ``Unreadable`` for one that breaks the protocol."""
        if (self._connection is None) != (frame.kind == Kind.ATTACHED):
            raise Unreadable("protocolViolation", "it comes where none is due")
        match frame.kind:
            case Kind.ATTACHED:
                self._was_attached(connection, read(ATTACHED, frame.payload))
            case Kind.REPLY | Kind.FAULT:
                self._was_answered(connection, frame)
            case Kind.TRANSITION | Kind.STATE | Kind.EFFECT | Kind.ASK:
                if frame.epoch == self.attached["epoch"]:  # else of another tree
                    self._show(frame)
            case Kind.ASK_ENDED:
                if (node := self.asks.pop(frame.sequence, None)) is not None:
                    self.changed("askEnded", node, frame)
            case Kind.RENAMED:
                name = read({"session": str}, frame.payload)["session"]
                self.attached["session"] = self.opening["session"] = name
            case Kind.MEASURE:  # this front measures nothing
                rows = dumps({"rows": []})
                connection.send(Frame(Kind.MEASURED, rows, sequence=frame.sequence))
            case Kind.SKIPPED:
                pass  # the newest of what was left out follows
            case _:
                raise Unreadable("protocolViolation", "no worker sends it")

    def _was_attached(self, connection: Connection, attached: dict[str, Any]) -> None:
        front, epoch = attached["front"], attached["epoch"]
        if not attached["isResumed"]:
            self.give_up("the worker does not know this front any more")
        elif self._identity.get("previousFront") != front:
            text = f"front {front} is resumed, which this one is not"
            raise Unreadable("protocolViolation", text)
        self._identity = {"previousFront": front, "previousEpoch": epoch}
        self.attached, self._connection, self._answers = attached, connection, 0
        self.opening["epoch"] = epoch
        self.tree.forget_parts()
        for frame, _ in self._unanswered.values():
            connection.send(frame)
        self.changed("attached")

    def _was_answered(self, connection: Connection, frame: Frame) -> None:
        fault = read(REFUSAL, frame.payload) if frame.kind == Kind.FAULT else None
        self._answers += 1
        if self._answers % ANSWERS_PER_CONFIRMATION == 0:
            connection.send(Frame(Kind.RECEIVED, sequence=self._answers))
        if event := self._unanswered.pop(frame.sequence, None):
            _settle(event[1], EventFault(**fault) if fault else frame.payload)
        self._serve()

    def _show(self, frame: Frame) -> None:
        node = self.tree.nodes.get(frame.node)
        if frame.kind == Kind.TRANSITION:
            for what, node in self.tree.transition(frame.payload, frame.flags):
                self.changed(what, node)
            # Not at ATTACHED: until now an event could have gone to a node of another tree.
            if not self._window and not frame.flags & MORE:
                self._window = max(1, self.attached["window"])
                self._serve()
        elif frame.kind == Kind.STATE:
            if self.tree.state(frame.node, frame.method, frame.payload):
                self.changed("presented", node, frame)
        elif node is not None:
            if frame.kind == Kind.ASK:
                self.asks[frame.sequence] = node
            self.changed("asked" if frame.kind == Kind.ASK else "effect", node, frame)


def _settle(answer: "asyncio.Future[bytes | EventFault]", outcome: bytes | EventFault) -> None:
    if not answer.done():  # else it was cancelled
        answer.set_result(outcome)
