"""A front of Desk in Python: prints the runs whenever they change, or watches and approves.

    python desk_front.py
    python desk_front.py make test
    python desk_front.py --approve 'run the tests'

With a command, ends with the status of its run; with --approve, answers each question that has
these words with its first choice, until it is interrupted. The package is Protocol/python.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass

from napkin_front import Front, Node
from napkin_front.program import Arguments, printable, run


@dataclass
class Order:
    """Order of examples/Desk/Contract: what is left out here is optional there or has a default."""

    command: str
    directory: str | None = None
    hasPipes: bool = True  # noqa: N815  the contract's word


@dataclass
class Run:
    """Run of examples/Desk/Contract, as far as it is printed."""

    id: int
    order: Order
    state: str
    seconds: float
    status: int | None = None


@dataclass
class Answer:
    """Question.Answer of examples/Desk/Contract, as far as it is read here."""

    by: str


@dataclass
class Question:
    """Question of examples/Desk/Contract, as far as it is answered here."""

    id: int
    text: str
    choices: list[str]
    answer: Answer | None = None


async def watch(front: Front) -> int:
    """Prints all runs whenever they change, for ever."""
    printed = None
    async with front:
        async for tree in front.screens():
            page = tree.find("desk.list")
            runs = page.state("present(runs:)", list[Run]) if page else None
            if runs is None or runs == printed:
                continue
            for one in runs:
                words = f"{one.id:4} {one.state:9} {one.seconds:8.1f} s  {one.order.command}"
                print(printable(words))
            print(flush=True)
            printed = runs
    return 0


async def approve(front: Front, words: str) -> int:
    """Answers questions that have these words with their first choice, for ever."""
    answered: set[int] = set()
    async with front:
        async for tree in front.screens():
            desk = tree.find("desk.desk")
            questions = desk.state("present(questions:)", list[Question]) if desk else None
            for question in questions or []:
                if question.answer or question.id in answered or words not in question.text:
                    continue
                answered.add(question.id)
                await front.event("desk.desk", "answer(_:_:)", question.id, question.choices[0])
                print(printable(f"{question.text} {question.choices[0]}"), flush=True)
    return 0


async def follow(front: Front, words: list[str]) -> int:
    """Runs a command, prints its output, and returns its status."""

    @front.on_item("desk.run", "output(_:)")
    def output(_: Node, line: str) -> None:
        print(printable(line), flush=True)

    order = Order(words[0] if len(words) == 1 else shlex.join(words), directory=os.getcwd())
    async with front:
        environment = dict(os.environ)
        number = await front.event(
            "desk.desk", "run(_:environment:)", order, environment, result=int
        )
        await front.event("desk.list", "didSelect(_:)", number)
        end = await front.event("desk.desk", "end(of:)", str(number), result=Run)
    return 0 if end.state == "succeeded" else end.status or 1


def main() -> int:
    """Run the program."""
    parser = Arguments("desk_front", "Desk: all runs, the output of a new one, or approval.")
    parser.add_argument("--approve", metavar="WORDS", help="answer questions that have these")
    parser.add_argument("command", nargs="*", help="a command; without one all runs are shown")
    options, more = parser.parse_known_args()
    front = Front(
        "desk",
        session=options.session,
        socket=options.socket,
        client="desk_front 1.0",
        name=options.name,
    )
    words = options.command + more
    if options.approve is not None:
        return run("desk_front", lambda: approve(front, options.approve))
    return run("desk_front", lambda: follow(front, words) if words else watch(front))


if __name__ == "__main__":
    sys.exit(main())
