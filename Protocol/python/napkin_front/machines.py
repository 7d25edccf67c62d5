"""Machines: the way to a session on another one (SPEC.md, section 4 (Connection set-up))."""

import asyncio
import re
import shlex
import socket
import time
from typing import Any

from .connection import LENGTH_MAX, LENGTH_MAX_CONTROL, Connection
from .errors import ConnectionFailure, Refused
from .session import Session

HOST = re.compile(r"ssh://((?:[\w.+][\w.+-]*@)?[\w.][\w.-]*)(?::([0-9]{1,5}))?", re.ASCII)
OPTIONS = ["-T", "-x", "-oBatchMode=yes", "-oConnectTimeout=5", "-oClearAllForwardings=yes"]
GREETING = b"napkin relay 1\n"
SECONDS_SSH = 30.0  # how long ssh may take
SECONDS_MOVING, SECONDS_PAUSE = 12.0, 0.3  # how long a session may be between two machines
REDIRECTS_MAX = 4


class FollowingSession(Session):
    """A session that is followed to other machines by ssh. It comes back to the first napkind."""

    async def reach(self) -> Connection:
        """Finds the worker, if need be on another machine, and shakes hands with it."""
        redirects, end = 0, time.monotonic() + SECONDS_MOVING
        machine: dict[str, str | None] | None = None
        while True:
            try:
                if machine is None:
                    return await super().reach()
                return await self._reach_through_ssh(machine)
            except ConnectionFailure as error:
                named = error.machine if isinstance(error, Refused) else None
                if named is not None and redirects < REDIRECTS_MAX:
                    machine, redirects = named, redirects + 1
                    continue
                if machine is None or time.monotonic() > end:
                    raise
                # The session is about to move, and the first napkind will know where it is.
                machine, redirects = None, 0
                await asyncio.sleep(SECONDS_PAUSE)

    async def _reach_through_ssh(self, machine: dict[str, str | None]) -> Connection:
        host = str(machine["host"])
        connection = await stream(machine)
        try:
            await connection.begin(host, self.hello, LENGTH_MAX_CONTROL)
            redirect = await self.ask(connection)
            # The same stream leads to the worker now.
            hello = self.hello | {"ticket": redirect["ticket"]}
            await connection.begin(host, hello, LENGTH_MAX)
        except BaseException:
            connection.close()
            raise
        return connection


async def stream(machine: dict[str, Any]) -> Connection:
    """Starts an ssh, and returns its stream when the relay at the other end has greeted."""
    host = str(machine["host"])
    if (match := HOST.fullmatch(host)) is None:
        raise ConnectionFailure(f"napkind names a machine that ssh cannot reach: {host[:64]!r}")
    words = ["napkin-client", "relay", "--no-spawn"]
    words += ["--socket", machine["socket"]] if machine["socket"] else []
    port = ["-p", match[2]] if match[2] else []
    near, far = socket.socketpair()
    try:
        with far:
            await asyncio.create_subprocess_exec(
                *["ssh", *OPTIONS, *port, "--", match[1], shlex.join(words)],
                stdin=far.fileno(),
                stdout=far.fileno(),
            )
        reader, writer = await asyncio.open_unix_connection(sock=near)
    except OSError as error:
        near.close()
        raise ConnectionFailure(f"ssh cannot be started: {error}") from error
    try:
        async with asyncio.timeout(SECONDS_SSH):
            said = await reader.readexactly(len(GREETING))
    except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
        writer.close()
        raise ConnectionFailure(f"cannot reach {host}: ssh says why") from error
    if said != GREETING:
        writer.close()
        raise ConnectionFailure(f"{host} says {said!r} before it runs a command")
    return Connection(reader, writer)
