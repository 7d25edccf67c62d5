"""Program: what the programs of this package share: standard input, and how they end.

They end with the statuses of sysexits(3).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import os
import signal
import sys
import termios
import threading
import tty
import unicodedata
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import Any, NoReturn

from .errors import ConnectionFailure, EventFault, Refused
from .front import Front, default_socket
from .outcomes import RefusalCode, Unreachable
from .screen import Arrived, Change, Lost

DONE = 0
"""Also when told to end: by a key, the end of the input, SIGINT, SIGTERM or SIGHUP."""
USAGE = 64
DATA_ERROR = 65
NO_INPUT = 66
UNAVAILABLE = 69
SOFTWARE = 70
IO_ERROR = 74
TRY_AGAIN = 75
PROTOCOL = 76
NO_PERMISSION = 77

HELP = (
    "exit status, as in sysexits(3): 0 done or interrupted, 64 usage, 65 the session is another "
    "app's, 66 no such app or session, 69 no napkind or no worker, 74 connection lost, "
    "75 try again, 76 versions or contracts differ, 77 not permitted"
)

_REFUSALS: dict[str, int] = {
    RefusalCode.VERSION: PROTOCOL,
    RefusalCode.CONTRACT_MISMATCH: PROTOCOL,
    RefusalCode.PROTOCOL_VIOLATION: PROTOCOL,
    RefusalCode.NOT_PERMITTED: NO_PERMISSION,
    RefusalCode.UNKNOWN_APP: NO_INPUT,
    RefusalCode.UNKNOWN_SESSION: NO_INPUT,
    RefusalCode.SESSION_OF_ANOTHER_APP: DATA_ERROR,
    RefusalCode.BAD_REQUEST: DATA_ERROR,
    RefusalCode.WORKER_UNAVAILABLE: UNAVAILABLE,
    RefusalCode.SESSION_ENDED: UNAVAILABLE,
    RefusalCode.DETACHED: UNAVAILABLE,
    RefusalCode.BAD_TICKET: TRY_AGAIN,
    RefusalCode.OVERLOADED: TRY_AGAIN,
    RefusalCode.SHUTTING_DOWN: TRY_AGAIN,
}


def status_of(error: BaseException) -> int:
    """The status for an error."""
    match error:
        case Refused():
            return _REFUSALS[error.code]
        case Unreachable():
            return UNAVAILABLE
        case ConnectionFailure() | EventFault():
            return IO_ERROR
    return SOFTWARE


_READ_BYTES = 64 * 1024
_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""What turns text around: Unicode's property Bidi_Control."""


class Arguments(argparse.ArgumentParser):
    """Options that every program has; a mistake ends with 64, as sysexits(3) has it."""

    def __init__(self, program: str, description: str) -> None:
        super().__init__(prog=program, description=description, epilog=HELP)
        default = default_socket()
        self.add_argument("--socket", default=default, help=f"napkind's socket ({default})")
        self.add_argument("--session", help="the session's name (the app's)")
        self.add_argument("--as", dest="name", help="a name for whoever is here, for the features")
        self.add_argument(
            "--patience",
            type=float,
            default=10.0,
            metavar="SECONDS",
            help="how long to try to come back when the connection is lost (10); 0 for ever",
        )

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how it is meant."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def printable(text: str) -> str:
    """A line of anybody's as it may be printed: each control in it is an escape."""
    return "".join(
        repr(character)[1:-1]
        if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Zl", "Zp")
        else character
        for character in text
    )


def run(name: str, main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Runs a program to its end; a failure is one line on standard error.

    SIGINT (Ctrl-C), SIGTERM and SIGHUP detach, which is no failure. Output is UTF-8 everywhere.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    try:
        return asyncio.run(_interruptible(main()))
    except (ConnectionFailure, EventFault) as error:
        print(f"{name}: {printable(str(error))}", file=sys.stderr)
        return status_of(error)
    except asyncio.CancelledError:
        return DONE
    except BrokenPipeError:
        # Nobody reads any more, which the interpreter would complain about at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return IO_ERROR


async def _interruptible(main: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(main)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task


def give_up_after(front: Front, seconds: float) -> asyncio.Future[NoReturn]:
    """A future that fails when the front has been without a connection for so long."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[NoReturn] = loop.create_future()
    timer: asyncio.TimerHandle | None = None

    def over(reason: ConnectionFailure) -> None:
        if not future.done():
            message = f"{reason}; no way back within {seconds:g} s"
            future.set_exception(Unreachable(message))

    def changed(change: Change) -> None:
        nonlocal timer
        match change:
            case Lost(reason) if seconds > 0:
                timer = loop.call_later(seconds, over, reason)
            case Arrived() if timer is not None:
                timer.cancel()

    front.listen(changed)
    return future


async def first_of(*awaitables: asyncio.Future[Any] | Coroutine[Any, Any, Any]) -> Any:
    """The result of whichever ends first; the others are cancelled."""
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task in done).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def input_bytes() -> AsyncGenerator[bytes, None]:
    """Standard input as it comes, whatever it is: a terminal, a pipe, a file."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue(maxsize=16)

    def read() -> None:
        # A thread, because a file cannot be waited for; os.read, because a buffer's lock would
        # keep the interpreter from ending.
        data = b"?"
        while data:
            try:
                data = os.read(0, _READ_BYTES)
            except OSError:
                data = b""
            with contextlib.suppress(RuntimeError):  # the loop has ended before the input
                asyncio.run_coroutine_threadsafe(queue.put(data), loop).result()

    threading.Thread(target=read, name="standard input", daemon=True).start()
    while data := await queue.get():
        yield data


@contextlib.contextmanager
def keys_at_once() -> Iterator[None]:
    """On a terminal, has every key come at once, without an echo; undone at the end."""
    if not os.isatty(0):
        yield
        return
    before = termios.tcgetattr(0)
    tty.setcbreak(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
