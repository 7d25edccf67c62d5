"""Changes: what a front tells its listeners, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ConnectionFailure
from .messages import Attached
from .tree import Mounted, Node, Unmounted
from .values import Item


@dataclass(frozen=True)
class Arrived:
    """Attached, for the first time or again; the whole tree follows as mounts."""

    attached: Attached
    is_return: bool
    lost: int
    """Events in doubt since the last time."""


@dataclass(frozen=True)
class Presented:
    """A state that a node has now; ``item`` has no bytes for a method without arguments."""

    node: Node
    method: int
    item: Item


@dataclass(frozen=True)
class Effect:
    """Something to show once."""

    node: Node
    method: int
    item: Item


@dataclass(frozen=True)
class Asked:
    """A question; ``Front.answer`` takes its ``sequence``."""

    node: Node
    method: int
    item: Item
    sequence: int


@dataclass(frozen=True)
class AskEnded:
    """A question is over: another front answered, or nobody needs to know any more."""

    sequence: int


@dataclass(frozen=True)
class Lost:
    """The connection is gone; the front tries to come back."""

    reason: ConnectionFailure


@dataclass(frozen=True)
class Retrying:
    """It did not come back yet, and will try again."""

    reason: ConnectionFailure


Change = Arrived | Mounted | Unmounted | Presented | Effect | Asked | AskEnded | Lost | Retrying
