"""Tree: what a front shows: nodes, each with its newest states.

Spec    Protocol/SPEC.md, section 6 (Messages) and section 9 (Resume)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .messages import Operation, State
from .methods import method_number
from .values import NOTHING, Item


@dataclass(eq=False)
class Node:
    """A feature on the screen. Read it; the tree changes it."""

    number: int
    feature: str
    slot: str = ""
    presentation: str = "embed"
    arguments: Item = NOTHING
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    states: dict[int, Item] = field(default_factory=dict)
    """The newest payload by method number, in the order in which each was first presented."""

    def state(self, key: str, shape: Any = Any) -> Any:
        """The newest state of a method, ``None`` before the first.

        A method with several arguments has a list. ``shape`` is a type of ``values``; without
        one it is plain data.
        """
        item = self.states.get(method_number(key))
        return None if not item else item.read(shape)

    def walk(self) -> Iterator[Node]:
        """The node and everything below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Mounted:
    """A node is there, with its first states."""

    node: Node


@dataclass(frozen=True)
class Unmounted:
    """A node is gone, and everything below it."""

    node: Node


class Tree:
    """The nodes of a session, from its root; empty before the first snapshot."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._nodes: dict[int, Node] = {}

    def __iter__(self) -> Iterator[Node]:
        """All nodes, parents first, children in the order of their mounts."""
        return iter(()) if self.root is None else self.root.walk()

    def node(self, number: int) -> Node | None:
        """The node with that number."""
        return self._nodes.get(number)

    def find(self, feature: str) -> Node | None:
        """The last node of that feature that is mounted, so the topmost one on a screen."""
        return next((node for node in reversed(list(self)) if node.feature == feature), None)

    @property
    def features(self) -> list[str]:
        """The features of all nodes, parents first."""
        return [node.feature for node in self]

    def apply(
        self, operations: Iterable[Operation], *, is_snapshot: bool = False
    ) -> list[Mounted | Unmounted]:
        """Applies a transition that has been read whole; says what changed, in order.

        What does not fit (a parent that is not there, a number that is taken, a second root) is
        left out: the worker and this front would otherwise disagree for good.
        """
        changes: list[Mounted | Unmounted] = []
        if is_snapshot and self.root is not None:
            changes += self._unmount(self.root.number)
        for operation in operations:
            if operation.unmount is not None:
                changes += self._unmount(operation.unmount)
            else:
                changes += self._mount(operation)
        return changes

    def present(self, number: int, method: int, payload: Item) -> Node | None:
        """Takes a state; the node, or ``None`` when it is gone."""
        node = self._nodes.get(number)
        if node is not None:
            node.states[method] = payload
        return node

    def _mount(self, operation: Operation) -> list[Mounted | Unmounted]:
        assert operation.mount is not None and operation.feature is not None
        parent = self._nodes.get(operation.parent)
        is_root = operation.parent == 0
        if operation.mount in self._nodes or (self.root if is_root else not parent):
            return []
        node = Node(
            operation.mount,
            operation.feature,
            operation.slot,
            operation.presentation,
            operation.arguments,
            parent,
            states={state.method: state.value for state in operation.states},
        )
        self._nodes[node.number] = node
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        return [Mounted(node)]

    def _unmount(self, number: int) -> list[Mounted | Unmounted]:
        node = self._nodes.get(number)
        if node is None:
            return []
        for gone in node.walk():
            del self._nodes[gone.number]
        if node.parent is None:
            self.root = None
        else:
            node.parent.children.remove(node)
        return [Unmounted(node)]


class Assembly:
    """Puts a transition together that comes in parts; nothing of it is shown before the last."""

    def __init__(self) -> None:
        self._operations: list[Operation] = []
        self._is_snapshot = False
        self._is_under_way = False

    def part(
        self, operations: list[Operation], *, is_snapshot: bool, has_more: bool
    ) -> tuple[list[Operation], bool] | None:
        """Takes a part; the whole, and whether it is a snapshot, when it was the last one."""
        whole, is_snapshot = self._operations + operations, self._is_snapshot or is_snapshot
        if not has_more:
            self._operations, self._is_snapshot, self._is_under_way = [], False, False
            return whole, is_snapshot
        self._operations, self._is_snapshot, self._is_under_way = whole, is_snapshot, True
        return None

    def state(self, number: int, method: int, payload: Item) -> bool:
        """Takes a state that has come between two parts; whether it belongs to what is new."""
        for operation in self._operations if self._is_under_way else ():
            if operation.mount == number:
                operation.states.append(State(method, payload))
                return True
        return self._is_snapshot
