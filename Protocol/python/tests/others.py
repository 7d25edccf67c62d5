"""What only tools, napkind and workers say to one another, for the vectors of it.

Spec    Protocol/SPEC.md, section 6 (Messages)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from napkin_front.schema import AppSchema
from napkin_front.values import Cases, Int32, UInt32, UInt64


class Query(Cases):
    """A question to napkind or to a worker."""


@dataclass
class QueryApps(Query, case="apps"):
    """Which apps are hosted."""


@dataclass
class QuerySessions(Query, case="sessions"):
    """Which sessions there are."""


@dataclass
class QueryTree(Query, case="tree"):
    """What runs in a session, or in all."""

    session: str | None = None


@dataclass
class QueryKill(Query, case="kill"):
    """Ends a session."""

    session: str


@dataclass
class QuerySchema(Query, case="schema"):
    """An app's contract."""

    app: str


class AppState(StrEnum):
    """How an app's worker does."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    DEGRADED = "degraded"


@dataclass
class AppEntry:
    """A line of the answer to ``apps``."""

    app: str
    state: AppState
    sessions: int
    crashes: int
    pid: Int32 | None = None


@dataclass
class FrontEntry:
    """A front in a line of the answer to ``sessions``."""

    front: UInt64
    client: str
    pid: Int32
    uid: UInt32


@dataclass
class SessionEntry:
    """A line of the answer to ``sessions``."""

    session: str
    app: str
    pid: Int32
    age_seconds: int
    nodes: int
    fronts: list[FrontEntry]


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
class LedgerCount:
    """What a tree has created and released of one kind."""

    kind: str
    created: int
    released: int
    left: int


@dataclass
class LedgerRemnant:
    """Things alike that are left, and whose they were."""

    owner: str
    what: str
    count: int


@dataclass
class SessionLedger:
    """The leak ledger of a tree."""

    counts: list[LedgerCount]
    remnants: list[LedgerRemnant]


@dataclass
class SessionTree:
    """A line of the answer to ``tree``."""

    session: str
    app: str
    root: TreeEntry | None = None
    ledger: SessionLedger | None = None


@dataclass
class Register:
    """A worker's first frame to napkind."""

    app: str
    pid: Int32
    socket: str
    sessions: list[str]


@dataclass
class Admit:
    """Tells a worker of a ticket."""

    ticket: str
    session: str


ANSWERS: dict[str, Any] = {
    "apps": list[AppEntry],
    "sessions": list[SessionEntry],
    "tree": list[SessionTree],
    "kill": bool,
    "schema": AppSchema,
    "admit": bool,
}
"""What answers a query, or ``admit``."""
