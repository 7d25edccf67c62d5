#!/usr/bin/env python3
"""slow-line.py: a TCP line that delays, stalls and cuts, for tests.

Usage   slow-line.py HOST PORT MILLISECONDS
        Listens on 127.0.0.1, says `ready PORT`, and carries what comes to HOST and PORT, each byte
        so many milliseconds later. Then it takes commands, one a line, and says when it is done:
        cut                     resets all connections
        stall                   nothing arrives any more on the connections that there are
        go                      it arrives again
        havoc CUTS SEED         so many cuts, each up to 3 s after there is a connection; some of
                                them after a stall
Exit    0 at the end of the input
"""

import asyncio
import random
import socket
import struct
import sys


class Connection:
    """One connection, with both of its ends."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.writers: list[asyncio.StreamWriter] = []
        self.flows = asyncio.Event()
        self.flows.set()

    def reset(self) -> None:
        for writer in self.writers:
            end = writer.get_extra_info("socket")
            if end is not None and end.fileno() >= 0:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)

        async def read() -> None:
            data = b"more"
            while data:
                data = await reader.read(65536)
                await queue.put((loop.time() + self.delay, data))

        async def deliver() -> None:
            while True:
                due, data = await queue.get()
                await asyncio.sleep(due - loop.time())
                await self.flows.wait()
                if not data:
                    return writer.write_eof()
                writer.write(data)
                await writer.drain()

        await asyncio.gather(read(), deliver())


class Line:
    """All connections."""

    def __init__(self, host: str, port: int, delay: float) -> None:
        self.host, self.port, self.delay = host, port, delay
        self.connections: set[Connection] = set()
        self.arrived = asyncio.Event()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(self.delay)
        connection.writers.append(writer)
        self.connections.add(connection)
        self.arrived.set()
        try:
            far_reader, far_writer = await asyncio.open_connection(self.host, self.port)
            connection.writers.append(far_writer)
            await asyncio.gather(
                connection.carry(reader, far_writer), connection.carry(far_reader, writer)
            )
        except OSError:
            pass  # One end has gone: so does the other.
        self.remove(connection)

    def remove(self, connection: Connection) -> None:
        self.connections.discard(connection)
        if not self.connections:
            self.arrived.clear()
        connection.reset()

    def cut(self) -> None:
        for connection in list(self.connections):
            self.remove(connection)

    def stall(self) -> None:
        for connection in self.connections:
            connection.flows.clear()

    def go(self) -> None:
        for connection in self.connections:
            connection.flows.set()

    async def havoc(self, cuts: int, seed: int) -> None:
        draws = random.Random(seed)
        while cuts > 0:
            await self.arrived.wait()
            pause = draws.uniform(0, 3)
            if draws.random() < 0.25:
                stalled = draws.uniform(0, pause)
                self.stall()
                await asyncio.sleep(stalled)
                self.go()
                pause -= stalled
            await asyncio.sleep(pause)
            if self.connections:
                self.cut()
                cuts -= 1


async def main() -> None:
    line = Line(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) / 1000)
    server = await asyncio.start_server(line.accept, "127.0.0.1", 0)
    print("ready", server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    while words := (await loop.run_in_executor(None, sys.stdin.readline)).split():
        if words[0] == "havoc":
            await line.havoc(int(words[1]), int(words[2]))
        else:
            {"cut": line.cut, "stall": line.stall, "go": line.go}[words[0]]()
        print("done", words[0], flush=True)


asyncio.run(main())
