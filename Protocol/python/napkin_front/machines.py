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
MACHINES_MAX = 8  # as many as napkind tells

Machine = dict[str, str | None]


class FollowingSession(Session):
    """A session that is followed to other machines by ssh, also when its first napkind is gone."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._machines: list[Machine] = []  # that napkinds have named, the newest first

    async def reach(self) -> Connection:
        """Finds the worker, if need be on another machine, and shakes hands with it."""
        redirects, end = 0, time.monotonic() + SECONDS_MOVING
        machine: Machine | None = None  # None is the first napkind
        guide: Machine | None = None  # who has sent the front away
        untried = list(self._machines)
        while True:
            try:
                if machine is None:
                    return await super().reach()
                return await self._reach_through_ssh(machine)
            except ConnectionFailure as error:
                is_refused = isinstance(error, Refused)
                named = error.machine if isinstance(error, Refused) else None
                if named is not None and redirects < REDIRECTS_MAX:
                    self._remember([named])
                    guide = guide if redirects else machine
                    machine, redirects = named, redirects + 1
                    continue
                if time.monotonic() > end:
                    raise
                untried = [each for each in untried if each != machine]
                if redirects:
                    # The session is about to move, and whoever sent the front will know where.
                    machine, redirects = guide, 0
                    await asyncio.sleep(SECONDS_PAUSE)
                elif untried and not is_refused:
                    machine = untried.pop(0)
                else:
                    raise

    async def ask(self, napkind: Connection) -> dict[str, Any]:
        """Asks where the session is, and remembers where else it could be."""
        redirect = await super().ask(napkind)
        self._remember(redirect.get("machines") or [])
        return redirect

    def _remember(self, news: list[Machine]) -> None:
        older = [machine for machine in self._machines if machine not in news]
        self._machines = [*news, *older][:MACHINES_MAX]

    async def _reach_through_ssh(self, machine: Machine) -> Connection:
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


async def stream(machine: Machine) -> Connection:
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
