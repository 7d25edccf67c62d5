"""Plays a golden conversation with the front: its bytes must be those of the vector.

The vector's other side, napkind and the worker, sends its bytes as they stand.
"""

from __future__ import annotations

import asyncio
import pathlib
import tempfile
from typing import Any
from unittest import mock

from napkin_front import EventFault, Front
from napkin_front.tree import Node

from .worker import SECONDS_MAX

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def check_conversation(vector: dict[str, Any]) -> None:
    """Runs a front that does what the vector's front does."""
    accepted: asyncio.Queue[Streams] = asyncio.Queue()
    connect = asyncio.open_unix_connection
    with tempfile.TemporaryDirectory(prefix="nk", dir="/tmp") as directory:
        path = str(pathlib.Path(directory) / "n.sock")

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await accepted.put((reader, writer))

        async def connect_here(_: str) -> Streams:
            # The vector's sockets are elsewhere.
            return await connect(path)

        async with asyncio.timeout(SECONDS_MAX):
            server = await asyncio.start_unix_server(accept, path)
            with mock.patch("asyncio.open_unix_connection", connect_here):
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(play(vector["steps"], accepted))
                    tasks.create_task(check_front(vector["means"], path))
            server.close()


async def play(steps: list[dict[str, Any]], accepted: asyncio.Queue[Streams]) -> None:
    """Everything that is not the front."""
    connections: dict[int, Streams] = {}
    for number, step in enumerate(steps, 1):
        if step["connection"] not in connections:
            connections[step["connection"]] = await accepted.get()
        reader, writer = connections[step["connection"]]
        sent = bytes.fromhex(step.get("frame", ""))
        if step.get("from") == "front":
            found = await reader.readexactly(len(sent))
            assert found == sent, f"step {number}: {found.hex()}, not {sent.hex()}"
        elif sent:
            writer.write(sent)
        else:
            if step["ends"] != "nobody":
                assert await reader.read() == b"", f"step {number}: the front sent more"
            writer.close()


async def check_front(means: dict[str, Any], path: str) -> None:
    front = Front("house", socket=path, client="golden")

    @front.on_ask("room", "confirm(_:)")
    def confirm(node: Node, question: str) -> bool:
        return (node.feature, question) == ("room", "sure?")

    async with front:
        answers = [await front.event("room", "act(_:)", name) for name in ("ask", "wait")]
        assert answers == means["answers"], answers
        try:
            raise AssertionError(await front.event("room", "act(_:)", "fly"))
        except EventFault as fault:
            assert fault.code == means["fault"], fault
        identity = {key: front.attached[key] for key in ("front", "epoch")}
        assert identity.items() <= means.items(), identity
