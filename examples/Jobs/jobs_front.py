"""A front of Jobs in Python: prints the list whenever it changes, or submits and follows a job.

    python jobs_front.py
    python jobs_front.py make test

Ends with the status of the job. The package is Protocol/python.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field

from napkin_front import Front, Node
from napkin_front.program import Arguments, printable, run

SIGNS = {
    "queued": "·",
    "running": "▸",
    "succeeded": "✓",
    "failed": "✗",
    "cancelled": "⊘",
    "skipped": "↷",
}


@dataclass
class Order:
    """JobOrder of examples/Jobs/Contract."""

    command: str
    queue: str = "main"
    after: list[int] = field(default_factory=list)
    directory: str | None = None


@dataclass
class Job:
    """Job of examples/Jobs/Contract."""

    id: int
    order: Order
    state: str
    seconds: float
    status: int | None = None
    progress: float | None = None


async def watch(front: Front) -> int:
    """Prints all jobs whenever they change, for ever."""
    printed = None
    async with front:
        async for tree in front.screens():
            page = tree.find("jobs.list")
            jobs = page.state("present(jobs:)", list[Job]) if page else None
            if jobs is None or jobs == printed:
                continue
            for job in jobs:
                words = f"{job.id:4} {job.seconds:8.1f} s  {job.order.command}"
                print(SIGNS.get(job.state, "!"), printable(words))
            print(flush=True)
            printed = jobs
    return 0


async def submit(front: Front, words: list[str]) -> int:
    """Submits a command, prints its output, and returns its status."""

    @front.on_item("jobs.detail", "output(_:)")
    def output(_: Node, line: str) -> None:
        print(printable(line), flush=True)

    order = Order(words[0] if len(words) == 1 else shlex.join(words), directory=os.getcwd())
    async with front:
        number = await front.event("jobs.jobs", "submit(_:)", order, result=int)
        await front.event("jobs.list", "didSelect(_:)", number)
        job = await front.event("jobs.jobs", "end(of:)", number, result=Job)
    return 0 if job.state == "succeeded" else job.status or 1


def main() -> int:
    """Run the program."""
    parser = Arguments("jobs_front", "Jobs: all of them, or the output of a new one.")
    parser.add_argument("command", nargs="*", help="a command; without one all jobs are shown")
    options, more = parser.parse_known_args()
    front = Front("jobs", session=options.session, socket=options.socket, client="jobs_front 1.0")
    words = options.command + more
    return run("jobs_front", lambda: submit(front, words) if words else watch(front))


if __name__ == "__main__":
    sys.exit(main())
