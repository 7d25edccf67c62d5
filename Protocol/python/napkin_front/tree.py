"""Tree: what a session shows (Protocol/SPEC.md, section 6.13 (transition))."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .cbor import read
from .errors import Unreadable

BATCH_BYTES_MAX = 256 * 1024 * 1024  # a transition in all its parts, with the states between them
LOG_TAIL_MAX = 1000  # items that a worker sends of a log when a front attaches
ANEW = 1  # the flag of a log that begins anew
SNAPSHOT, MORE = 1, 2  # the flags of a transition: it is the whole tree; another part follows
U32, U64, NUMBER, TEXT = range(2**32), range(2**64), (range(1, 2**32),), (str,)
MOUNT = {"mount": NUMBER, "parent": (U32,), "slot": TEXT, "presentation": TEXT, "feature": TEXT}
OPERATION = MOUNT | {"arguments": (bytes,), "states": ([[bytes]],), "unmount": NUMBER}


@dataclass(eq=False)
class Log:
    """What a front has of a log: its newest items, as payloads, numbered up to ``next``.

    ``new`` has the items that came last, ``missing`` the numbers before them that were not sent,
    ``oldest`` the number from which on the worker keeps items: ``Session.items`` reads those.
    """

    next: int = 0
    oldest: int = 0
    items: deque[bytes] = field(default_factory=lambda: deque(maxlen=LOG_TAIL_MAX))
    new: list[bytes] = field(default_factory=list)
    missing: range = range(0)

    def take(self, first: int, payload: bytes, begins_anew: bool = False) -> bool:
        """Takes a frame's items; whether any of them, or a gap before them, is new."""
        self.oldest, items = items_of(payload)
        if begins_anew:
            self.items.clear()
            self.next = self.oldest
        if self.oldest > first:
            raise Unreadable("outOfRange", f"items from {first} on, the oldest is {self.oldest}")
        self.new = items[max(0, self.next - first) :]
        self.missing = range(self.next, max(self.next, first))
        if self.missing:
            self.items.clear()
        self.items.extend(self.new)
        self.next = max(self.next, first + len(items))
        return bool(self.new or self.missing)


def items_of(payload: bytes) -> tuple[int, list[bytes]]:
    """A number, and the items after it."""
    if not (parts := read([bytes], payload)):
        raise Unreadable("typeMismatch", "items without their number")
    return read(U64, parts[0]), parts[1:]


@dataclass(eq=False)
class Node:
    """A feature on the screen. Read it; the tree changes it. Arguments and states are payloads."""

    number: int
    above: int
    feature: str
    slot: str
    presentation: str
    arguments: bytes
    states: dict[int, bytes]  # the newest by method number; in the order of the first ones
    parent: "Node | None" = None
    children: "list[Node]" = field(default_factory=list)
    logs: dict[int, Log] = field(default_factory=dict)  # by method number


class Tree:
    """The nodes of a session, from its root; empty before the first snapshot."""

    kind = Node

    def __init__(self) -> None:
        self.root: Node | None = None
        self.nodes: dict[int, Node] = {}
        self.keeps_logs = False  # whether the next snapshot is of the tree that is shown
        self.forget()

    def forget(self, is_due: bool | None = True) -> None:
        """Begins a transition, which is a snapshot on another connection; parts are forgotten."""
        self._batch: list[Node | int] = []
        self._new: dict[int, Node] = {}
        self._bytes, self._is_due, self._is_snapshot = 0, is_due, False

    def transition(self, payload: bytes, flags: int) -> list[tuple[str, Node]]:
        """Takes a transition, or a part; what changed, in order, once its last part is there."""
        if self._is_due not in (None, bool(flags & SNAPSHOT)):
            raise Unreadable("protocolViolation", "a snapshot is due, or comes within a transition")
        self._is_due, self._is_snapshot = False, self._is_snapshot or bool(flags & SNAPSHOT)
        self._count(payload)
        for step in operations(payload, self.kind):
            self._batch.append(step)
            if isinstance(step, Node):
                self._new.setdefault(step.number, step)
        if flags & MORE:
            return []
        former = self.nodes.copy() if self._is_snapshot and self.keeps_logs else {}
        changes = self._unmount(self.root.number) if self._is_snapshot and self.root else []
        for step in self._batch:
            changes += self._mount(step) if isinstance(step, Node) else self._unmount(step)
        for number, node in former.items():
            if number in self.nodes:  # what the front has of its logs is not sent again
                self.nodes[number].logs = node.logs
        self.forget(None)
        return changes

    def state(self, number: int, method: int, payload: bytes) -> bool:
        """Takes a state; whether a node shows it now. Between two parts it is for what is new."""
        node = self.nodes.get(number)
        if self._is_due is False:
            self._count(payload)
            node = self._new.get(number, None if self._is_snapshot else node)
        if node is not None:
            node.states[method] = payload
        return node is not None and node is self.nodes.get(number)

    def _count(self, payload: bytes) -> None:
        self._bytes += len(payload)
        if self._bytes > BATCH_BYTES_MAX:
            raise Unreadable("protocolViolation", f"a transition above {BATCH_BYTES_MAX} bytes")

    def _mount(self, node: Node) -> list[tuple[str, Node]]:
        node.parent = self.nodes.get(node.above)
        if node.number in self.nodes or (node.parent is None and (node.above or self.root)):
            return []  # what does not fit is left out, as at the worker
        self.nodes[node.number] = node
        if node.parent is None:
            self.root = node
        else:
            node.parent.children.append(node)
        return [("mounted", node)]

    def _unmount(self, number: int) -> list[tuple[str, Node]]:
        if (node := self.nodes.get(number)) is None:
            return []
        waiting = [node]
        while waiting:
            waiting += self.nodes.pop(waiting.pop().number).children
        if node.parent is None:
            self.root = None
        else:
            node.parent.children.remove(node)
        return [("unmounted", node)]


def operations(payload: bytes, node: type[Node] = Node) -> Iterator[Node | int]:
    """The steps of a transition: what is mounted, and the numbers of what is unmounted."""
    for step in read([OPERATION], payload):
        mount, unmount, states = step["mount"], step["unmount"], {}
        if mount and unmount:
            raise Unreadable("unknownCase", "an operation that mounts and unmounts")
        if not unmount and (not mount or step["feature"] is None):
            raise Unreadable("missingField", "an operation without mount and feature, or unmount")
        for state in step["states"] or []:
            if len(state) not in (1, 2):
                raise Unreadable("typeMismatch", f"a state of {len(state)} elements")
            states[read(U32, state[0])] = b"".join(state[1:])
        place = step["parent"] or 0, step["feature"], step["slot"] or ""
        kind = step["presentation"] or "embed"
        yield unmount or node(mount, *place, kind, step["arguments"] or b"", states)
