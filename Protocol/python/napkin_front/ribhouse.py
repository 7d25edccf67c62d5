"""Rib House in a terminal, as text: ``python3 -m napkin_front.ribhouse``.

Prints the screen whenever it changes. Keys are those that the screen names, and ``q``; on a pipe
every letter of a line is a key. It is also the example of a whole front: a contract, values,
views, and what is done with a lost connection.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .contracts import read_contracts
from .errors import EventFault, Unreadable
from .front import Front
from .program import (
    DONE,
    Arguments,
    first_of,
    give_up_after,
    input_bytes,
    keys_at_once,
    printable,
    run,
)
from .screen import Arrived, Change, Lost, Retrying, ShownNode, ShownTree

# The contract: as the app's examples/RibHouse/Contract has it

LAUNCH = "rib-house.launch"
LOGGED_OUT = "rib-house.logged-out"
LOGGED_IN = "rib-house.logged-in"
PIT_BOARD = "rib-house.pit-board"

CONTRACTS = """\
app rib-house

feature rib-house.launch

feature rib-house.logged-in
  arguments                     LoggedIn.Arguments
  state present(banner:)
    banner                      String?
  state present(foods:)
    foods                       [String]
  state present(pitSummary:)
    pitSummary                  String
  event didTapLogout()
  event didTapPitBoard()

feature rib-house.logged-out
  event didTapLogin()

feature rib-house.pit-board
  state present(sections:)
    sections                    [PitSection]
  state present(specials:)
    specials                    [Special]
  event didTapBack()

struct LoggedIn.Arguments
  user                          User

struct PitItem
  id                            String
  name                          String
  stage                         PitItem.Stage

enum PitItem.Stage              String
  lighting                      "lighting"
  smoking                       "smoking"
  resting                       "resting"
  served                        "served"

struct PitSection
  stage                         PitItem.Stage
  items                         [PitItem]

struct Special
  id                            String
  name                          String

struct User
  name                          String
  foods                         [String]
"""
"""What this front was built with, as the app's schema.lock has it."""


class Stage(enum.Enum):
    """How far an item has come."""

    LIGHTING = "lighting"
    SMOKING = "smoking"
    RESTING = "resting"
    SERVED = "served"


@dataclass
class PitItem:
    """A piece of meat."""

    id: str
    name: str
    stage: Stage


@dataclass
class PitSection:
    """The items of one stage."""

    stage: Stage
    items: list[PitItem]


@dataclass
class Special:
    """A dish that is on for today."""

    id: str
    name: str


@dataclass
class User:
    """A guest."""

    name: str
    foods: list[str]


@dataclass
class LoggedInArguments:
    """Who sits at the table."""

    user: User


# The views: a node as lines, and its keys


@dataclass
class View:
    """How a feature is shown, and which key sends which event."""

    render: Callable[[ShownNode], list[str]]
    keys: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Label and method by key."""


def _logged_out(node: ShownNode) -> list[str]:
    return ["RIB HOUSE", "Low, slow and worth the wait. Your table is ready."]


def _logged_in(node: ShownNode) -> list[str]:
    lines = [node.arguments.read(LoggedInArguments).user.name]
    if summary := node.state("present(pitSummary:)", str):
        lines.append(f"LIVE FROM THE PIT · {summary}")
    if banner := node.state("present(banner:)", str | None):
        lines.append(banner)
    foods = node.state("present(foods:)", list[str]) or []
    return lines + [f"{number}. {food}" for number, food in enumerate(foods, 1)]


def _pit_board(node: ShownNode) -> list[str]:
    lines = ["Pit Board"]
    for section in node.state("present(sections:)", list[PitSection]) or []:
        lines.append(section.stage.value.title())
        lines += [f"  {item.name}" for item in section.items]
    specials = node.state("present(specials:)", list[Special]) or []
    if specials:
        lines.append("Specials")
    return lines + [f"  {special.name}" for special in specials]


VIEWS = {
    LOGGED_OUT: View(_logged_out, {"l": ("Login", "didTapLogin()")}),
    LOGGED_IN: View(
        _logged_in, {"p": ("Pit Board", "didTapPitBoard()"), "o": ("Logout", "didTapLogout()")}
    ),
    PIT_BOARD: View(_pit_board, {"b": ("Back", "didTapBack()")}),
}


def top(tree: ShownTree) -> tuple[ShownNode, View] | None:
    """What is on top: the deepest node that has a view."""
    shown = [(node, VIEWS[node.feature]) for node in tree if node.feature in VIEWS]
    return shown[-1] if shown else None


def text(tree: ShownTree, title: str) -> str:
    """The whole screen."""
    if (shown := top(tree)) is None:
        return ""
    node, view = shown
    try:
        lines = view.render(node)
    except Unreadable as error:
        lines = [f"({node.feature} sends what this front cannot read: {error})"]
    hints = "  ".join(f"[{key}] {label}" for key, (label, _) in view.keys.items())
    return "\n".join([f"—— {title} ——", *lines, hints]) + "\n"


# The program


class RibHouse:
    """A front of Rib House that prints and takes keys."""

    def __init__(self, socket: str, session: str | None, name: str | None) -> None:
        self.front = Front(
            "rib-house",
            session=session,
            socket=socket,
            contracts=read_contracts(CONTRACTS),
            client="ribhouse.py 1.0",
            name=name,
        )
        self._connection = "connecting"
        self._since = ""
        self._printed = ""
        self.front.listen(self._changed)

    def _changed(self, change: Change) -> None:
        match change:
            case Arrived():
                self._connection = "connected"
            case Lost(reason):
                self._since = time.strftime("%H:%M:%S")
                self._connection = f"disconnected since {self._since}, retrying ({reason})"
            case Retrying(reason):
                self._connection = f"disconnected since {self._since}, retrying ({reason})"

    async def show(self) -> None:
        """Prints the screen whenever it changes, for ever."""
        async for _ in self.front.screens():
            self._print()

    def _print(self) -> None:
        session = self.front.attached["session"] if self.front.attached else "?"
        level = self.front.attached.get("durability") if self.front.attached else None
        saved = " · saved" if level == "machine" else " · saved, except on power loss"
        saved = saved if level else ""
        title = f"rib-house · session {session} · {self._connection}{saved}"
        screen = text(self.front.tree, title)
        if screen and screen != self._printed:
            print("\n".join(map(printable, screen.split("\n"))), end="", flush=True)
            self._printed = screen

    async def press(self, key: str) -> ShownNode | None:
        """Sends what a key stands for on the present screen; the node whose handler took it.

        A key that is not there does nothing, and a fault is a line on standard error.
        """
        shown = top(self.front.tree)
        if shown is None or key not in shown[1].keys:
            return None
        node, view = shown
        try:
            await self.front.event(node, view.keys[key][1])
        except EventFault as fault:
            print(f"ribhouse: {view.keys[key][0]}: {printable(str(fault))}", file=sys.stderr)
            return None
        return node

    async def take_keys(self, keys: AsyncGenerator[str, None]) -> int:
        """Takes keys until ``q`` or their end."""
        async for key in keys:
            if key == "q":
                break
            await self.press(key)
        return DONE

    async def play(self, script: str) -> int:
        """Presses each key of a script once its button is there, then shows the last screen."""
        for key in script:
            if key == "q":
                break
            await self.front.until(partial(_has_key, key))
            if (pressed := await self.press(key)) is not None:
                # Every key leads to another screen.
                await self.front.until(partial(_leaves, pressed))
            self._print()
        return DONE


def _has_key(key: str, tree: ShownTree) -> bool:
    shown = top(tree)
    return shown is not None and key in shown[1].keys


def _leaves(node: ShownNode, tree: ShownTree) -> bool:
    shown = top(tree)
    return shown is not None and shown[0] is not node


async def typed_keys() -> AsyncGenerator[str, None]:
    """Letters from standard input."""
    async for data in input_bytes():
        for letter in data.decode(errors="replace"):
            if letter == "\x04":  # Ctrl-D, where keys come at once
                return
            if letter.isalpha():
                yield letter


async def _main(options: Any, script: str | None) -> int:
    house = RibHouse(options.socket, options.session, options.name)
    gave_up = give_up_after(house.front, options.patience)
    async with house.front:
        with keys_at_once():
            keys = house.take_keys(typed_keys()) if script is None else house.play(script)
            status = await first_of(keys, house.show(), gave_up)
    return int(status)


def main() -> int:
    """Run the program."""
    parser = Arguments("ribhouse", "Rib House in a terminal, as text.")
    known = sorted(key for view in VIEWS.values() for key in view.keys)
    parser.add_argument(
        "--script",
        metavar="KEYS",
        help=f"keys to press, each when it is on the screen, then end ({', '.join(known)})",
    )
    options = parser.parse_args()
    script = None if options.script is None else "".join(options.script.split())
    if strange := [key for key in script or "" if key not in [*known, "q"]]:
        parser.error(f"{strange[0]} in --script is no key; {', '.join(known)} are")
    return run("ribhouse", lambda: _main(options, script))


if __name__ == "__main__":
    sys.exit(main())
