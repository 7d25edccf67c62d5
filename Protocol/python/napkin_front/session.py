"""Session: an attachment, which survives its connections (Protocol/SPEC.md, section 9 (Resume))."""

import asyncio
import random
import time
from collections import deque
from typing import Any

from cbor2 import dumps, loads

from .cbor import read
from .connection import (
    LENGTH_MAX,
    LENGTH_MAX_CONTROL,
    MACHINE,
    REFUSAL,
    Connection,
    Frame,
    Kind,
    refusal,
)
from .errors import ConnectionFailure, EventFault, Refused, Unreadable
from .tree import ANEW, MORE, U32, U64, Log, Node, Tree, items_of

RETRY_SECONDS = (0.0, 0.05, 0.2, 1.0)  # before each try to come back; the last for all others
STEADY_SECONDS = 1.0  # how long a connection lasts before the delays start over
ANSWERS_PER_CONFIRMATION = 32
READ_LOG = 0x862EACBF  # napkin:read(log:before:count:)
DEATHS_IN_ROW_MAX, DEATHS_APART_SECONDS = 3, 60.0
ONE = {"major": 1, "minor": 0}
REDIRECT = {"socket": str, "ticket": str, "app": str, "session": str, "death": (str,)}
REDIRECT |= {"receipt": (range(2**64),), "machines": ([MACHINE],)}
ATTACHED = {"app": str, "session": str, "front": range(2**64), "epoch": U32, "isResumed": bool}
ATTACHED |= {"window": range(-(2**63), 2**63), "durability": (str,), "takenBack": (range(2**64),)}
UNSENT = "notExecuted", "was not sent"
SUSPECT = "the worker died 3 times in a row while this event was under way: it is not sent again"
Answer = asyncio.Future[bytes | EventFault]


def read_fault(payload: bytes) -> EventFault:
    """The fault of an event, with the handler's error as it was encoded."""
    fault = read(REFUSAL | {"error": (bytes,), "receipt": (range(2**64),)}, payload)
    error = None if fault["error"] is None else loads(fault["error"])
    if not isinstance(error, bytes | None):
        raise Unreadable("typeMismatch", "an error is a byte string")
    return EventFault(fault["code"], fault["message"], error, fault["receipt"])


class Session:
    """Shows a session and sends its events, on one event loop. Payloads are bytes.

    ``asks`` has the nodes of open questions by sequence, ``lost`` counts events of which nobody
    knows whether they ran; ``reason`` says why the connection was lost, ``ended`` why for good.
    """

    def __init__(self, socket: str, opening: dict[str, Any], attaching: dict[str, Any]) -> None:
        """Prepare; the fields of ``open`` and ``attach`` are those of the specification."""
        self.hello = {"oldest": ONE, "newest": ONE, "role": "front", "client": "napkin-front 1.0"}
        self.opening = opening | {"creates": opening.get("creates", True)}
        self.attaching = {"isReadOnly": False, "contracts": {}, "wantsSchema": False} | attaching
        self.socket, self.tree, self.lost = socket, Tree(), 0
        self.asks: dict[int, Node] = {}
        self.reason: ConnectionFailure | None = None
        self.ended: ConnectionFailure | None = None
        self.attached: dict[str, Any] = {}
        self._runner: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._identity: dict[str, int] = {}
        self._window = self._numbered = self._answers = 0
        self._unanswered: dict[int, tuple[Frame, Answer]] = {}
        self._waiting: deque[tuple[Frame, Answer]] = deque()
        self._worker, self._fell_silent, self._attached_at = 0, False, 0.0
        self._deaths = [0] * DEATHS_IN_ROW_MAX  # the newest event at each of the last in a row

    def changed(self, what: str, node: Node | None = None, frame: Frame | None = None) -> None:
        """Called with all that happens, for a subclass to show it.

        Nodes are mounted, unmounted, presented, asked, appended to (``node.logs`` has the items),
        show an effect, or need no answer any more (askEnded); without a node the front is attached,
        lost, retrying or ended.
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
        self.give_up("the front was closed")
        self.changed("ended")

    async def _run(self, connection: Connection) -> None:
        """Takes frames, and comes back when the connection is lost."""
        tries, clock = 0, asyncio.get_running_loop().time
        attached_at: float | None = clock()
        while self.ended is None:
            try:
                if attached_at is None:
                    seconds = RETRY_SECONDS[min(tries, len(RETRY_SECONDS)) - 1]
                    await asyncio.sleep(seconds * (1 + random.random() / 2))
                    connection = await self._attach()
                    attached_at = clock()
                await self._take(connection)
            except ConnectionFailure as reason:
                self._disconnected(connection)
                self.reason = reason
                self.ended = reason if isinstance(reason, Refused) and reason.is_final else None
                if self.ended is None:
                    self.changed("retrying" if attached_at is None else "lost")
                was_steady = attached_at is not None and clock() - attached_at >= STEADY_SECONDS
                tries, attached_at = 1 if was_steady else tries + 1, None
            except Exception as error:
                self.ended = ConnectionFailure(f"a mistake of the front ended it: {error!r}")
        self.give_up(str(self.ended))
        self.changed("ended")

    async def ask(self, napkind: Connection) -> dict[str, Any]:
        """Asks where the session is; ``Refused`` may name another machine."""
        napkind.send(Frame(Kind.OPEN, dumps(self.opening), sequence=1))
        try:
            while (frame := await napkind.receive()).sequence != 1:
                pass  # an answer that nobody waits for
            if frame.kind == Kind.REFUSED:
                raise refusal(frame, "protocolViolation")
            if frame.kind != Kind.REDIRECT:
                raise Unreadable("protocolViolation", f"{frame.kind.name} answers no OPEN")
            return dict(read(REDIRECT, frame.payload))
        except Unreadable as error:
            raise ConnectionFailure(napkind.end(Kind.GOODBYE, str(error))) from error

    async def reach(self) -> Connection:
        """Finds the worker and shakes hands with it."""
        napkind = await Connection.open(self.socket, self.hello, LENGTH_MAX_CONTROL)
        try:
            redirect = await self.ask(napkind)
        finally:
            napkind.close()
        hello = self.hello | {"ticket": redirect["ticket"]}
        return await Connection.open(redirect["socket"], hello, LENGTH_MAX)

    async def _attach(self) -> Connection:
        connection = await self.reach()
        try:
            attaching = {"isReadOnly": False} | self._identity | self.attaching
            if self._identity:
                attaching["logs"] = self._log_positions()
            connection.send(Frame(Kind.ATTACH, dumps(attaching)))
            while not self._window:
                await self._take(connection)
        except BaseException:
            self._disconnected(connection)
            raise
        return connection

    def _log_positions(self) -> list[dict[str, int]]:
        return [
            {"node": node.number, "method": method, "next": log.next}
            for node in self.tree.nodes.values()
            for method, log in node.logs.items()
        ]

    def _was_lost(self, *, is_silent: bool) -> None:
        if self._connection is not None:  # else nothing was sent on it
            self._fell_silent = is_silent
            if time.monotonic() - self._attached_at >= DEATHS_APART_SECONDS:
                self._deaths = [0] * DEATHS_IN_ROW_MAX

    def _send_again(self, connection: Connection) -> None:
        """Sends what has no answer, but for events that were under way at too many deaths."""
        if self._fell_silent and connection.pid != self._worker:
            self._deaths = [*self._deaths[1:], self._numbered]
        self._worker, self._fell_silent, self._attached_at = connection.pid, False, time.monotonic()
        for sequence, (frame, answer) in list(self._unanswered.items()):
            if is_suspect := sequence <= self._deaths[0]:
                del self._unanswered[sequence]
                self.lost += not answer.cancelled()
                if not answer.done():
                    answer.set_result(EventFault("unknown", SUSPECT))
            connection.send(Frame(Kind.EVENT, sequence=sequence) if is_suspect else frame)

    def _disconnected(self, connection: Connection | None) -> None:
        if connection is not None:
            connection.close()
        self._connection, self._window = None, 0
        self.asks.clear()

    def give_up(self, why: str) -> None:
        """No connection goes on with the events, nor knows the front."""
        self._disconnected(self._connection)
        self._identity, self._numbered, self._deaths = {}, 0, [0] * DEATHS_IN_ROW_MAX
        self.lost += sum(not answer.cancelled() for _, answer in self._unanswered.values())
        for frame, answer in [*self._unanswered.values(), *self._waiting]:
            code, what = ("unknown", "has no answer") if frame.sequence else UNSENT
            if not answer.done():
                answer.set_result(EventFault(code, f"the event {what}: {why}"))
        self._unanswered, self._waiting = {}, deque()

    async def call(
        self, node: Node, method: int, payload: bytes, deadline: float | None = None
    ) -> bytes:
        """Sends an event; its result. A lost connection ends it only where no worker knows it.

        Cancelling the calling task cancels the handler in the worker, and so does the ``deadline``,
        in seconds from now; the handler may have run then.
        """
        if self.tree.nodes.get(node.number) is not node:
            raise EventFault("gone", f"{node.feature} ({node.number}) is not mounted any more")
        if not self._window:
            raise EventFault(UNSENT[0], f"the event {UNSENT[1]}: there is no connection")
        frame = Frame(Kind.EVENT, payload, node.number, self.attached["epoch"], 0, method)
        answer: Answer = asyncio.get_running_loop().create_future()
        self._waiting.append((frame, answer))
        self._serve()
        try:
            async with asyncio.timeout(deadline):
                outcome = await answer
        except TimeoutError:
            self._cancel(1, answer)  # the flag: too late
            what = f"the deadline of {deadline:g} s passed before there was an answer"
            raise EventFault("deadlineExceeded", what) from None
        except asyncio.CancelledError:
            self._cancel(0, answer)
            raise
        if isinstance(outcome, EventFault):
            raise outcome
        return outcome

    def _cancel(self, flags: int, only: Answer | None = None) -> None:
        """Cancels events that were sent, and for whose answers nobody waits."""
        for sequence, (_, answer) in self._unanswered.items():
            if self._connection and answer.cancelled() and only in (None, answer):
                frame = Frame(Kind.CANCEL_EVENT, flags=flags, sequence=sequence)
                self._connection.send(frame)

    async def items(
        self, node: Node, method: int, before: int, count: int
    ) -> tuple[int, int, list[bytes]]:
        """Reads kept items of a log: the number of the first, that of the oldest, the items."""
        answer = await self.call(node, READ_LOG, dumps([method, before, count]))
        first, rest = items_of(answer)
        if not rest:
            raise Unreadable("typeMismatch", "items without the number of the oldest")
        return first, read(U64, rest[0]), rest[1:]

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

    async def _take(self, connection: Connection) -> None:
        try:
            self.received(connection, await connection.receive())
        except ConnectionFailure as reason:
            self._was_lost(is_silent=not isinstance(reason, Refused))
            raise
        except Unreadable as error:
            self._was_lost(is_silent=False)
            raise ConnectionFailure(connection.end(Kind.GOODBYE, str(error))) from error

    def received(self, connection: Connection, frame: Frame) -> None:
        """Takes a frame; ``Unreadable`` for one that breaks the protocol."""
        if (self._connection is None) != (frame.kind == Kind.ATTACHED):
            raise Unreadable("protocolViolation", f"{frame.kind.name} where none is due")
        match frame.kind:
            case Kind.ATTACHED:
                self._was_attached(connection, read(ATTACHED, frame.payload))
            case Kind.REPLY | Kind.FAULT:
                self._was_answered(connection, frame)
            case Kind.TRANSITION | Kind.STATE | Kind.EFFECT | Kind.LOG | Kind.ASK:
                if frame.epoch == self.attached["epoch"]:  # else of another tree
                    self._show(frame)
            case Kind.ASK_ENDED:
                if (node := self.asks.pop(frame.sequence, None)) is not None:
                    self.changed("askEnded", node, frame)
            case Kind.RENAMED:
                name = read({"session": str}, frame.payload)["session"]
                self.attached["session"] = self.opening["session"] = name
            case Kind.MEASURE:  # this front measures nothing
                connection.send(frame._replace(kind=Kind.MEASURED, payload=dumps({"rows": []})))
            case Kind.SKIPPED:
                pass  # the newest of what was left out follows
            case _:
                raise Unreadable("protocolViolation", f"{frame.kind.name} from a worker")

    def _was_attached(self, connection: Connection, attached: dict[str, Any]) -> None:
        front, epoch = attached["front"], attached["epoch"]
        if not attached["isResumed"]:
            self.give_up("the worker does not know this front any more")
        elif self._identity.get("previousFront") != front:
            raise Unreadable("protocolViolation", f"front {front} is resumed, which this is not")
        self.tree.keeps_logs = self.attached.get("epoch") == epoch
        self._identity = {"previousFront": front, "previousEpoch": epoch}
        self.attached, self._connection, self._answers = attached, connection, 0
        self.opening["epoch"] = epoch
        self.tree.forget()
        self._send_again(connection)
        self._cancel(0)
        self.changed("attached")

    def _was_answered(self, connection: Connection, frame: Frame) -> None:
        fault = read_fault(frame.payload) if frame.kind == Kind.FAULT else None
        self._answers += 1
        if self._answers % ANSWERS_PER_CONFIRMATION == 0:
            connection.send(Frame(Kind.RECEIVED, sequence=self._answers))
        _, answer = self._unanswered.pop(frame.sequence, (frame, None))
        if answer and not answer.done():  # else it was cancelled, or nobody waits for it
            answer.set_result(fault or frame.payload)
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
        elif frame.kind == Kind.LOG:
            if node is not None and node.logs.setdefault(frame.method, Log()).take(
                frame.sequence, frame.payload, bool(frame.flags & ANEW)
            ):
                self.changed("appended", node, frame)
        elif node is not None:
            self.asks |= {frame.sequence: node} if frame.kind == Kind.ASK else {}
            self.changed("asked" if frame.kind == Kind.ASK else "effect", node, frame)
