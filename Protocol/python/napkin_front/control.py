"""The scriptable front: ``python3 -m napkin_front.control APP``; one JSON object a line, both ways.

The lines are those of ``napkin-client attach APP --control``: out come ``welcome``, ``mount``,
``unmount``, ``state``, ``effect``, ``gap``, ``item``, ``ask``, ``askEnded``, ``reply``,
``disconnected``, ``resumed``; in go::

    {"t":"event","id":1,"feature":"a.b","method":"didTapBack()","args":[]}
    {"t":"answer","id":7,"value":true}
    {"t":"detach"}

The end of the input detaches when the events before it have been answered.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from typing import Any

from . import program
from .contracts import method_names
from .errors import EventFault, NapkinError, Unreadable
from .front import Front
from .program import Arguments, first_of, give_up_after, input_bytes, run
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
    Unmounted,
)
from .tree import Node
from .values import Item


def write(kind: str, **members: Any) -> None:
    """Writes one line in ASCII, so without controls; bytes become base64 text."""
    line = {"t": kind} | members
    print(json.dumps(line, default=_base64), flush=True)


def _base64(value: Any) -> str:
    return base64.b64encode(value).decode()


def _value(name: str, item: Item) -> dict[str, Any]:
    """An item as a member; null for none, and for an unreadable one with what is wrong."""
    try:
        return {name: item.value}
    except Unreadable as error:
        return {name: None, "unreadable": str(error)}


class Control:
    """Writes what a session shows as lines, and sends what lines ask for."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self._tasks: set[asyncio.Task[None]] = set()
        front.listen(self._changed)

    def _key(self, node: Node, method: int) -> str:
        """The method's key, as the app's schema has it."""
        for schema in self.front.schema:
            if schema.feature == node.feature:
                names = method_names(method.key for method in schema.presents)
                return names.get(method, str(method))
        return str(method)

    def _changed(self, change: Change) -> None:
        match change:
            case Arrived(attached, is_return, lost):
                write(
                    "welcome",
                    app=attached["app"],
                    session=attached["session"],
                    front=attached["front"],
                    epoch=attached["epoch"],
                    readOnly=self.front.is_read_only,
                    resumed=is_return,
                )
                if is_return:
                    write("resumed", lost=lost)
            case Lost(reason):
                write("disconnected", reason=str(reason))
            case Mounted(node):
                parent = node.parent.number if node.parent else 0
                place = {"parent": parent, "slot": node.slot, "feature": node.feature}
                write("mount", node=node.number, **place, **_value("args", node.arguments))
                for method, state in node.states.items():
                    self._write_value("state", node, method, Item(state))
            case Unmounted(node):
                write("unmount", node=node.number)
            case Presented(node, method, item):
                self._write_value("state", node, method, item)
            case Effect(node, method, item):
                self._write_value("effect", node, method, item)
            case Appended(node, method, first, items, missing):
                place = {"node": node.number, "feature": node.feature}
                place["key"] = self._key(node, method)
                if missing:
                    kept = missing.stop - min(
                        missing.stop, max(missing.start, node.logs[method].oldest)
                    )
                    write("gap", **place, **{"from": missing.start}, to=missing.stop, kept=kept)
                for number, item in enumerate(items, first):
                    write("item", **place, number=number, **_value("value", item))
            case Asked(node, method, item, sequence):
                key = self._key(node, method)
                write("ask", id=sequence, node=node.number, key=key, **_value("value", item))
            case AskEnded(sequence, who):
                write("askEnded", id=sequence, **({"answeredBy": who} if who else {}))

    def _write_value(self, kind: str, node: Node, method: int, item: Item) -> None:
        key = self._key(node, method)
        write(kind, node=node.number, feature=node.feature, key=key, **_value("value", item))

    async def take_lines(self) -> int:
        """Does what lines say until the last one, then waits for what was sent."""
        rest = b""
        async for data in input_bytes():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if not self._take(line):
                    await self._finish()
                    return program.DONE
        if rest:
            self._take(rest)
        await self._finish()
        return program.DONE

    async def _finish(self) -> None:
        await asyncio.gather(*self._tasks)

    def _take(self, line: bytes) -> bool:
        """Whether there is to be another line."""
        if not line.strip():
            return True
        message: dict[str, Any] = {}
        try:
            message = json.loads(line)
            match message["t"]:
                case "event":
                    self._start(self._event(message))
                case "answer":
                    self._answer(message)
                case "detach":
                    return False
                case other:
                    raise ValueError(f"t is {other}; it must be event, answer or detach")
        except (ValueError, TypeError, KeyError, NapkinError) as error:
            what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
            is_object = isinstance(message, dict)
            identity = message.get("id") if is_object else None
            is_answer = is_object and message.get("t") == "answer"
            _write_failure("refused" if is_answer else "reply", identity, "malformed", what)
        return True

    def _start(self, event: Any) -> None:
        # Tasks start in the order in which they are made, so that events leave in that of lines.
        task = asyncio.create_task(event)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _event(self, message: dict[str, Any]) -> None:
        identity = message.get("id")
        try:
            target: Any = message.get("feature")
            if "node" in message:
                number = message["node"]
                target = self.front.tree.nodes.get(number) or f"node {number}"
            value = await self.front.event(target, message["method"], *message.get("args", []))
            write("reply", id=identity, ok=True, value=value)
        except EventFault as fault:
            more = {} if fault.receipt is None else {"receipt": fault.receipt}
            _write_failure("reply", identity, fault.code, fault.message, **more)
        except (TypeError, KeyError, NapkinError) as error:
            _write_failure("reply", identity, "malformed", str(error))

    def _answer(self, message: dict[str, Any]) -> None:
        if not self.front.answer(int(message["id"]), message["value"]):
            _write_failure("refused", message["id"], "gone", "there is no open question")


def _write_failure(kind: str, identity: Any, code: str, message: str, **more: int) -> None:
    error = {"code": code, "message": message} | more
    members = {"ok": False} if kind == "reply" else {}
    write(kind, id=identity, **members, error=error)


async def _main(app: str, options: Any) -> int:
    front = Front(
        app,
        session=options.session,
        socket=options.socket,
        is_read_only=options.read_only,
        answers_asks=not options.read_only,
        wants_schema=True,
        client="control.py 1.0",
        name=options.name,
    )
    control = Control(front)
    gave_up = give_up_after(front, options.patience)
    async with front:
        return int(await first_of(control.take_lines(), _ended(front), gave_up))


async def _ended(front: Front) -> None:
    """Raises when the front has ended by itself."""
    await front.until(lambda tree: False)


def main() -> int:
    """Run the program."""
    parser = Arguments("control", "A session as JSON lines, for scripts.")
    parser.add_argument("app")
    parser.add_argument("--read-only", action="store_true", help="send nothing, answer nothing")
    options = parser.parse_args()
    return run("control", lambda: _main(options.app, options))


if __name__ == "__main__":
    sys.exit(main())
