"""Screen: what a front shows, and the changes that its listeners are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import ConnectionFailure
from .tree import Node, Tree
from .values import Item, method_number


@dataclass(eq=False)
class ShownNode(Node):
    """A node whose arguments and states can be read as Python's types."""

    def __post_init__(self) -> None:
        self.arguments: Item = Item(self.arguments)

    def state(self, key: str, shape: Any = Any) -> Any:
        """The newest state of a method, ``None`` before the first.

        A method with several arguments has a list. ``shape`` is a type of ``values``; without
        one it is plain data.
        """
        item = self.states.get(method_number(key))
        return Item(item).read(shape) if item else None

    def walk(self) -> Iterator[ShownNode]:
        """The node and everything below it, parents first."""
        waiting: list[Any] = [self]
        while waiting:
            yield (node := waiting.pop())
            waiting += reversed(node.children)


class ShownTree(Tree):
    """The tree of a front."""

    kind = ShownNode
    root: ShownNode | None

    def __iter__(self) -> Iterator[ShownNode]:
        """All nodes, parents first, children in the order of their mounts."""
        return iter(()) if self.root is None else self.root.walk()

    def node(self, number: int) -> Node | None:
        """The node with that number."""
        return self.nodes.get(number)

    def find(self, feature: str) -> ShownNode | None:
        """The last node of that feature that is mounted, so the topmost one on a screen."""
        return next((node for node in reversed(list(self)) if node.feature == feature), None)

    @property
    def features(self) -> list[str]:
        """The features of all nodes, parents first."""
        return [node.feature for node in self]


@dataclass(frozen=True)
class Mounted:
    """A node is there, with its first states."""

    node: ShownNode


@dataclass(frozen=True)
class Unmounted:
    """A node is gone, and everything below it."""

    node: ShownNode


@dataclass(frozen=True)
class Presented:
    """A state that a node has now; ``item`` has no bytes for a method without arguments."""

    node: ShownNode
    method: int
    item: Item


@dataclass(frozen=True)
class Effect:
    """Something to show once."""

    node: ShownNode
    method: int
    item: Item


@dataclass(frozen=True)
class Appended:
    """Items of a log, in order; ``missing`` has the numbers before them that were not sent."""

    node: ShownNode
    method: int
    first: int
    items: list[Item]
    missing: range


@dataclass(frozen=True)
class Asked:
    """A question; ``Front.answer`` takes its ``sequence``."""

    node: ShownNode
    method: int
    item: Item
    sequence: int


@dataclass(frozen=True)
class AskEnded:
    """A question is over: another front answered, or nobody needs to know any more."""

    sequence: int
    answered_by: str | None = None


@dataclass(frozen=True)
class Arrived:
    """Attached, for the first time or again; the whole tree follows as mounts."""

    attached: dict[str, Any]
    is_return: bool
    lost: int
    """Events in doubt since the last time."""


@dataclass(frozen=True)
class Lost:
    """The connection is gone; the front tries to come back."""

    reason: ConnectionFailure


@dataclass(frozen=True)
class Retrying:
    """It did not come back yet, and will try again."""

    reason: ConnectionFailure


Change = (
    Arrived
    | Mounted
    | Unmounted
    | Presented
    | Effect
    | Appended
    | Asked
    | AskEnded
    | Lost
    | Retrying
)
