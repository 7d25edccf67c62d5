"""What only tools, napkind and workers say to one another, for the vectors of it.

Spec    Protocol/SPEC.md, section 6 (Messages)
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from napkin_front import values
from napkin_front.cbor import ARRAY
from napkin_front.connection import Kind
from napkin_front.contracts import AppSchema
from napkin_front.errors import Unreadable
from napkin_front.outcomes import RefusalCode
from napkin_front.values import Cases, Int32, UInt32, UInt64, ValueReader

from .messages import Attach, Hello, Open, check_session


class Query(Cases):
    """A question to napkind or to a worker."""


@dataclass
class QueryApps(Query, case="apps"):
    """Which apps are hosted."""


@dataclass
class QueryStatus(Query, case="status"):
    """How the daemon itself does."""


@dataclass
class QueryLogLevel(Query, case="logLevel"):
    """Changes what is logged."""

    level: str
    app: str | None = None


@dataclass
class QuerySessions(Query, case="sessions"):
    """Which sessions an app has."""

    app: str | None = None


@dataclass
class QueryTree(Query, case="tree"):
    """What runs in a session, or in all of an app."""

    app: str | None = None
    session: str | None = None


@dataclass
class QueryKill(Query, case="kill"):
    """Ends a session."""

    session: str
    force: bool | None = None


@dataclass
class QuerySchema(Query, case="schema"):
    """An app's contract."""

    app: str


@dataclass
class QueryDetach(Query, case="detach"):
    """Ends a front's attachment, or all of a session's."""

    session: str
    front: UInt64 | None = None


@dataclass
class QueryRename(Query, case="rename"):
    """Gives a session another name."""

    session: str
    to: str

    def check(self) -> None:
        """A name that may not be, and the session's own, are bad requests."""
        check_session(self.to)
        if self.to == self.session:
            raise Unreadable(RefusalCode.BAD_REQUEST, f"session {self.to} is called so")


@dataclass
class QueryWatch(Query, case="watch"):
    """The trees, when they are others."""

    app: str | None = None
    session: str | None = None
    digest: UInt64 | None = None
    milliseconds: UInt32 | None = None
    inventory: bool | None = None


@dataclass
class QueryTop(Query, case="top"):
    """What calls take."""

    app: str | None = None
    session: str | None = None


@dataclass
class QueryTrace(Query, case="trace"):
    """What has passed."""

    session: str
    tracer: UInt64 | None = None
    feature: str | None = None
    values: bool | None = None


@dataclass
class QueryCrashes(Query, case="crashes"):
    """How an app's workers have died."""

    app: str | None = None


@dataclass
class QueryRelease(Query, case="release"):
    """Lets what was set aside run again."""

    app: str
    receipt: UInt64 | None = None


@dataclass
class QueryCluster(Query, case="cluster"):
    """Asks for the machines that share a database."""

    sessions: bool
    named: str | None = None


class ControlAction(StrEnum):
    """What is to happen to an app."""

    START = "start"
    STOP = "stop"
    RESTART = "restart"
    UPGRADE = "upgrade"
    DRAIN = "drain"


@dataclass
class QueryControl(Query, case="control"):
    """Starts, stops, restarts or upgrades an app."""

    app: str
    action: ControlAction
    force: bool | None = None


class LedgerRequest(Cases):
    """What is to be done with what is stored."""


@dataclass
class LedgerJournals(LedgerRequest, case="journals"):
    """Which workers have left journals."""


@dataclass
class LedgerList(LedgerRequest, case="list"):
    """Which sessions are stored."""


@dataclass
class LedgerVerify(LedgerRequest, case="verify"):
    """Checks all of it."""


@dataclass
class LedgerShow(LedgerRequest, case="show"):
    """What is stored of a session."""


@dataclass
class LedgerExport(LedgerRequest, case="export"):
    """A session as a file."""


@dataclass
class LedgerCopy(LedgerRequest, case="copy"):
    """Copies a journal."""

    path: str


@dataclass
class LedgerLoad(LedgerRequest, case="load"):
    """A part of a session's file."""

    offset: UInt64
    bytes: builtins.bytes
    is_last: bool
    is_named: bool


@dataclass
class LedgerRewind(LedgerRequest, case="rewind"):
    """Takes a session back to a record."""

    record: UInt64
    is_meant: bool


@dataclass
class QueryLedger(Query, case="ledger"):
    """What is stored, or a change of it."""

    request: LedgerRequest
    app: str | None = None
    session: str | None = None


@dataclass
class QueryMore(Query, case="more"):
    """The next piece of an answer."""

    cursor: UInt32
    app: str | None = None
    session: str | None = None


class AppState(StrEnum):
    """How an app's worker does."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    DEGRADED = "degraded"
    STOPPED = "stopped"
    BROKEN = "broken"


@dataclass
class WorkerEntry:
    """One of several workers in a line of the answer to ``apps``."""

    worker: str
    state: AppState
    sessions: int
    crashes: int
    pid: Int32 | None = None
    seconds: int | None = None
    bytes: int | None = None


@dataclass
class DaemonStatus:
    """The answer to ``status``."""

    state_directory: str
    log_level: str
    seconds: int | None = None
    bytes: int | None = None
    is_in_journal: bool | None = None
    unwatched: list[str] | None = None


@dataclass
class AppEntry:
    """A line of the answer to ``apps``."""

    app: str
    state: AppState
    sessions: int
    crashes: int
    pid: Int32 | None = None
    title: str | None = None
    version: str | None = None
    manifest: str | None = None
    front: list[str] | None = None
    error: str | None = None
    log: str | None = None
    death: str | None = None
    receipt: UInt64 | None = None
    workers: list[WorkerEntry] | None = None
    seconds: int | None = None
    bytes: int | None = None
    is_outdated: bool | None = None
    napkin: str | None = None
    lost: list[str] | None = None


class FlightKind(StrEnum):
    """What a session was to handle."""

    EVENT = "event"
    FIRING = "firing"
    JOB = "job"
    DEAD_JOB = "deadJob"
    LAUNCH = "launch"
    TASK = "task"


@dataclass
class FlightInput:
    """What ran when a worker died, or before."""

    kind: FlightKind
    session: str
    node: UInt32
    feature: UInt32
    method: UInt32
    front: UInt64
    sequence: UInt64
    hash: UInt64
    nanoseconds: UInt64
    has_changed: bool | None = None


class InputOutcome(StrEnum):
    """What has become of an input that ran at a death."""

    UNNAMED = "unnamed"
    SUSPECT = "suspect"
    SET_ASIDE = "setAside"
    RELEASED = "released"


@dataclass
class FlightFrame:
    """A return address, from the first byte of its module."""

    offset: UInt64
    module: str | None = None


@dataclass
class Receipt:
    """An element of the answer to ``crashes``."""

    number: UInt64
    app: str
    worker: str
    pid: Int32
    at: int
    cause: str
    program: str
    outcome: InputOutcome
    former: list[FlightInput]
    frames: list[FlightFrame]
    build: str | None = None
    signal: Int32 | None = None
    address: UInt64 | None = None
    bytes: UInt64 | None = None
    nanoseconds: UInt64 | None = None
    minute: list[UInt64] | None = None
    waiting: int | None = None
    state_at: int | None = None
    peak_bytes: UInt64 | None = None
    kept: str | None = None
    input: FlightInput | None = None


class ControlResult(StrEnum):
    """What has come of a ``control``."""

    DONE = "done"
    UNCHANGED = "unchanged"
    UNFORCED = "unforced"


@dataclass
class ControlOutcome:
    """The answer to ``control``."""

    result: ControlResult
    sessions: int
    pids: list[Int32]


@dataclass
class FrontEntry:
    """A front in a line of the answer to ``sessions``."""

    front: UInt64
    client: str
    pid: Int32
    uid: UInt32
    idle_seconds: int
    is_read_only: bool
    is_slow: bool | None = None


@dataclass
class SessionEntry:
    """A line of the answer to ``sessions``."""

    session: str
    app: str
    pid: Int32
    age_seconds: int
    nodes: int
    fronts: list[FrontEntry]
    away: list[FrontEntry]
    worker_bytes: int | None = None
    is_stored: bool | None = None
    durability: str | None = None
    defect: str | None = None
    is_damaged: bool | None = None
    silence: str | None = None
    taken_back: UInt64 | None = None


@dataclass
class Renaming:
    """What a session is called now."""

    session: str
    epoch: UInt32 | None = None


@dataclass
class WorkflowStep:
    """A step of a workflow has got somewhere."""

    step: int
    of: int
    name: str
    state: str
    message: str | None = None


class Outcome(StrEnum):
    """How a workflow has ended; one of a later version counts as failed."""

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    MALFORMED_URL = "malformedURL"
    UNKNOWN_URL = "unknownURL"
    OVERLOADED = "overloaded"
    REFUSED = "refused"

    @classmethod
    def _missing_(cls, value: object) -> Outcome | None:
        return cls.FAILED if isinstance(value, str) else None


@dataclass
class WorkflowEnded:
    """A workflow is over."""

    outcome: Outcome
    message: str | None = None


@dataclass
class OpenURL:
    """A front has a URL opened."""

    url: str


@dataclass
class WorkflowEntry:
    """A workflow that is under way."""

    url: str
    front: UInt64
    steps: list[WorkflowStep]


@dataclass
class TreeEntry:
    """A feature in the answer to ``tree``; one without a view has no node."""

    feature: str
    slot: str
    is_active: bool
    tasks: int
    calls: int
    states: int
    children: list[TreeEntry]
    node: UInt32 | None = None


@dataclass
class InventoryCount:
    """What a tree has created and released of one kind."""

    kind: str
    created: int
    released: int
    left: int


@dataclass
class InventoryRemnant:
    """Things alike that are left, and whose they were."""

    owner: str
    what: str
    count: int


@dataclass
class SessionInventory:
    """The inventory of a tree."""

    counts: list[InventoryCount]
    remnants: list[InventoryRemnant]


@dataclass
class FrontQueues:
    """What waits for a front."""

    front: UInt64
    is_away: bool
    events: int
    effects: int
    states: int
    ordered_bytes: int
    socket_bytes: int
    answers: int
    answer_bytes: int
    workflows: int
    merged_states: int
    dropped_effects: int
    refused_events: int


@dataclass
class TracerQueue:
    """What a tracer has not fetched."""

    tracer: UInt64
    messages: int
    bytes: int
    lost: UInt64


@dataclass
class QueueLimits:
    """The limits of what waits."""

    event_window: int
    effect_queue_max: int
    slow_front_bytes: int
    ordered_backlog_bytes_max: int
    answers_kept_max: int
    answers_kept_bytes_max: int
    workflows_max: int
    departed_fronts_max: int
    tickets_max: int
    control_requests_max: int
    tracers_max: int
    trace_messages_max: int
    trace_bytes_max: int


@dataclass
class Queues:
    """What waits in a session."""

    asks: int
    departed_fronts: int
    unseen_effects: int
    tickets: int
    control_requests: int
    fronts: list[FrontQueues]
    limits: QueueLimits
    tracers: list[TracerQueue] | None = None


@dataclass
class LedgerCount:
    """How handlers of a method have changed what is stored."""

    feature: str
    method: str
    records: UInt64
    bytes: UInt64
    begun: UInt64


class HeldState(StrEnum):
    """What has become of a held program."""

    RUNNING = "running"
    ENDED = "ended"
    LOST = "lost"


@dataclass
class HeldInfo:
    """A held program of a session."""

    key: str
    state: HeldState
    command: str
    pid: Int32 | None = None


@dataclass
class SessionTree:
    """A line of the answer to ``tree``."""

    session: str
    app: str
    epoch: UInt32
    root: TreeEntry | None = None
    workflows: list[WorkflowEntry] | None = None
    inventory: SessionInventory | None = None
    queues: Queues | None = None
    ledger: list[LedgerCount] | None = None
    programs: list[HeldInfo] | None = None


@dataclass
class LedgerEntry:
    """A line of the answer to ``ledger``, ``list``."""

    session: str
    app: str
    worker: str
    id: str
    bytes: int
    record: UInt64
    level: str
    is_running: bool
    taken_back: UInt64 | None = None


@dataclass
class LedgerRecord:
    """What one record has changed."""

    record: UInt64
    bytes: int
    changes: list[str]


@dataclass
class LedgerNode:
    """A stored router."""

    number: UInt32
    parent: UInt32
    slot: str
    feature: str
    arguments: builtins.bytes
    front: UInt64 | None = None
    state: builtins.bytes | None = None
    is_missing: bool | None = None


@dataclass
class LedgerFront:
    """What is stored of a front."""

    front: UInt64
    started: UInt64
    answers: int
    answer_bytes: int
    begun: list[UInt64]


@dataclass
class LedgerTimer:
    """A timer that has yet to fire, or was given up."""

    node: UInt32
    name: str
    due: int
    attempts: int
    interval: int | None = None
    failure: str | None = None


@dataclass
class LedgerJob:
    """A job that has not ended, or a dead letter."""

    node: UInt32
    key: str
    due: int
    attempts: int
    failure: str | None = None


@dataclass
class LedgerSession:
    """The answer to ``ledger``, ``show``."""

    entry: LedgerEntry
    epoch: UInt32
    oldest: UInt64
    nodes: list[LedgerNode]
    fronts: list[LedgerFront]
    records: list[LedgerRecord]
    timers: list[LedgerTimer] | None = None
    jobs: list[LedgerJob] | None = None


@dataclass
class LedgerReport:
    """The answer to ``ledger``, ``verify``."""

    worker: str
    sessions: int
    groups: int
    records: int
    bytes: int
    problems: list[str]


@dataclass
class LedgerRewound:
    """The answer to ``ledger``, ``rewind``."""

    session: str
    record: UInt64
    undone: list[LedgerRecord]
    count: int
    fronts: int
    is_done: bool


@dataclass
class TreeSample:
    """The answer to ``watch``."""

    digest: UInt64
    trees: list[SessionTree] | None = None


@dataclass
class Histogram:
    """How often which durations were measured."""

    buckets: list[UInt64]


@dataclass
class FrontFigures:
    """What fronts have measured of a method."""

    calls: UInt64
    queue: UInt64
    trip: UInt64
    durations: Histogram


@dataclass
class RecordedCall:
    """The newest call that has changed a durable session."""

    session: str
    record: UInt64
    nanoseconds: UInt64


@dataclass
class CrossingFigures:
    """What the calls of a method take."""

    feature: str
    method: str
    delivery: str
    calls: UInt64
    failures: UInt64
    queue: UInt64
    handler: UInt64
    reply: UInt64
    durations: Histogram
    fronts: FrontFigures | None = None
    recorded: RecordedCall | None = None


@dataclass
class Figures:
    """The answer to ``top``."""

    nanoseconds: UInt64
    crossings: list[CrossingFigures]
    omitted: int


@dataclass
class Traced:
    """A message that has passed."""

    time: UInt64
    is_from_front: bool
    kind: str
    front: UInt64 | None = None
    node: UInt32 | None = None
    feature: str | None = None
    method: str | None = None
    bytes: int | None = None
    outcome: str | None = None
    duration: UInt64 | None = None
    value: builtins.bytes | None = None
    record: UInt64 | None = None


@dataclass
class TraceBatch:
    """The answer to ``trace``."""

    tracer: UInt64
    lost: UInt64
    messages: list[Traced]


@dataclass
class Skipped:
    """What a slow front has missed."""

    states: int
    effects: int


@dataclass
class Measure:
    """A front is to measure for so long."""

    seconds: UInt32


@dataclass
class MeasuredRow:
    """The figures of a node's method."""

    node: UInt32
    method: UInt32
    figures: FrontFigures


@dataclass
class Measured:
    """What a front has measured."""

    rows: list[MeasuredRow]


@dataclass
class Register:
    """A worker's first frame to napkind."""

    app: str
    pid: Int32
    socket: str
    sessions: list[str]
    renamed: list[Renaming]
    continues: bool
    fronts: UInt32 | None = None
    stored: list[str] | None = None
    napkin: str | None = None
    log_level: str | None = None


@dataclass
class Admit:
    """Tells a worker of a ticket."""

    ticket: str
    session: str
    pid: Int32


@dataclass
class StateDelta:
    """How long the value before is, then splices: bytes to keep, to leave out, to put there."""

    before: int
    splices: list[tuple[int, int, bytes]]

    @staticmethod
    def read_from(reader: ValueReader) -> StateDelta:
        """Reads the array."""
        start = reader.at
        parts = [reader.item() for _ in reader.parts(ARRAY)]
        if len(parts) % 3 != 1:
            raise Unreadable("custom", f"a delta of {len(parts)} elements", start)
        before, *rest = parts
        splices = [
            (values.read(int, keep), values.read(int, drop), values.read(bytes, put))
            for keep, drop, put in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
        ]
        return StateDelta(values.read(int, before), splices)

    def apply(self, value: bytes) -> bytes:
        """The value that follows."""
        if self.before != len(value):
            raise Unreadable("custom", f"{len(value)} bytes, not {self.before}")
        after, at = b"", 0
        for keep, drop, put in self.splices:
            if keep < 0 or drop < 0 or at + keep + drop > len(value):
                raise Unreadable("custom", "a splice that does not fit")
            after += value[at : at + keep] + put
            at += keep + drop
        return after + value[at:]


SHAPES: dict[Kind, Any] = {
    Kind.HELLO: Hello,
    Kind.OPEN: Open,
    Kind.ATTACH: Attach,
    Kind.QUERY: Query,
    Kind.REGISTER: Register,
    Kind.ADMIT: Admit,
    Kind.OPEN_URL: OpenURL,
    Kind.WORKFLOW_STEP: WorkflowStep,
    Kind.WORKFLOW_ENDED: WorkflowEnded,
    Kind.SKIPPED: Skipped,
    Kind.MEASURE: Measure,
    Kind.MEASURED: Measured,
}
"""Payloads that this front does not read."""

ANSWERS: dict[str, Any] = {
    "apps": list[AppEntry],
    "status": DaemonStatus,
    "logLevel": str,
    "sessions": list[SessionEntry],
    "tree": list[SessionTree],
    "kill": bool,
    "schema": AppSchema,
    "detach": int,
    "rename": Renaming,
    "watch": TreeSample,
    "top": Figures,
    "trace": TraceBatch,
    "control": ControlOutcome,
    "crashes": list[Receipt],
    "release": int,
    "ledgerList": list[LedgerEntry],
    "ledgerVerify": LedgerReport,
    "ledgerShow": LedgerSession,
    "ledgerRewind": LedgerRewound,
    "admit": bool,
}
"""What answers a query, or ``admit``."""
