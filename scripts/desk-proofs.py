#!/usr/bin/env python3
"""desk-proofs.py: runs of Desk outlive what happens around them, seen from outside.

Usage   desk-proofs.py PRODUCTS PROOF [--count N] [--runs N] [--seconds N] [--seed N]
        PRODUCTS has napkind, napkin-client, napkin-keeper, desk and desk-worker. Python is the one
        that scripts/setup.sh --python makes: it has the front of Protocol/python. PROOF is one of
        kills     --count (1000) times, worker, napkind, both or a keeper is killed under runs that
                  count: no line is lost or doubled, and each run's end is known
        upgrades  the worker's program is replaced --count (10) times under --runs (20) that count
        flood     a run prints 10 MB/s for --seconds (60) while somebody types into another one
        crowd     --runs (100) at once: their memory, and who wakes up while they wait
        asks      --count (1000) questions, each answered by two fronts at the same time
        Each has a napkind and a directory, and leaves nothing behind.
Exit    0 it holds; 1 it does not; 64 usage
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any, NoReturn

from napkin_front import ConnectionFailure, EventFault, Front
from napkin_front.screen import Change, Presented

PROGRAMS = ("napkind", "napkin-client", "napkin-keeper", "desk", "desk-worker")
MANIFEST = Path(__file__).parent.parent / "examples/Desk/desk.json"
USAGE = 64
PATIENCE = 60.0  # seconds that something may take on a busy machine
STATUS = 7  # with which runs end when the gate opens
GROWTH_MAX = 64.0  # MiB, of the worker under a flood; chosen: several screens and histories
GOAL = 10.0  # milliseconds from a key to its screen, p99
# Counts, a line each time, until there is a gate.
COUNTER = f"""import os, sys, time
number = 0
while not os.path.exists(sys.argv[1]):
    number += 1
    print(number, flush=True)
    time.sleep(0.01)
print("end", flush=True)
sys.exit({STATUS})
"""
# Prints 100,000 lines of 100 bytes a second, 1,000 at a time; a terminal makes a newline two bytes.
FLOOD = """import sys, time
begin, number = time.monotonic(), 0
while time.monotonic() < begin + float(sys.argv[1]):
    lines = (b"%010d %s" % (number + each, b"x" * 87) for each in range(1000))
    sys.stdout.buffer.write(b"\\n".join(lines) + b"\\n")
    sys.stdout.buffer.flush()
    number += 1000
    time.sleep(max(0, begin + number / 100_000 - time.monotonic()))
"""


@dataclass
class Run:
    """Run of examples/Desk/Contract, as far as it is looked at here."""

    id: int
    state: str
    attempt: int
    status: int | None = None
    seconds: float = field(default=0, compare=False)


def facts(process: int | str, name: str = "status") -> dict[str, int]:
    """What a file of /proc says of a process, its numbers; memory in kB."""
    lines = Path(f"/proc/{process}/{name}").read_text().splitlines()
    words = [line.replace(":", " ").split() for line in lines]
    return {each[0]: int(each[1]) for each in words if len(each) > 1 and each[1].isdigit()}


def processor(pid: int) -> float:
    """The seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def private(pid: int) -> float:
    """The MiB that a process has for itself."""
    memory = facts(pid, "smaps_rollup")
    return (memory["Private_Clean"] + memory["Private_Dirty"]) / 1024


def waits(pids: list[int]) -> Counter[str]:
    """How often each thread of some processes has waited so far, and so was woken."""
    tasks = [f"{pid}/task/{task}" for pid in pids for task in os.listdir(f"/proc/{pid}/task")]
    return Counter({task: facts(task)["voluntary_ctxt_switches"] for task in tasks})


def kill(pid: int) -> None:
    """Ends a process, which may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Desk(Front):
    """A front of Desk."""

    async def __call__(self, key: str, *words: Any, result: Any = Any) -> Any:
        """Sends an event to the root."""
        return await self.event("desk.desk", key, *words, result=result)

    async def log(self, run: int) -> bytes:
        """All that Desk keeps of a run's output."""
        text, place = b"", {"attempt": 0, "offset": 0, "bytes": b"", "isEnd": False}
        while True:
            place = await self("output(of:from:waits:)", str(run), place, False)
            if place["isEnd"] or not place["bytes"]:
                return text
            text += place["bytes"]
            place |= {"offset": place["offset"] + len(place["bytes"]), "bytes": b""}

    async def until_printed(self, run: int, word: bytes) -> None:
        """Waits until a run's output ends with a word."""
        while not (await self.log(run)).rstrip().endswith(word):  # noqa: ASYNC110
            await asyncio.sleep(0.5)

    async def question(self, text: str) -> int:
        """The number of a question, as soon as it is shown."""
        shown: list[Any] = []
        while not (found := [each["id"] for each in shown if each["text"] == text]):
            await asyncio.sleep(0.01)
            desk = self.tree.find("desk.desk")
            shown = (desk and desk.state("present(questions:)")) or []
        return int(found[0])


class Place:
    """A directory with a napkind, in which Desk is installed, and what went wrong there."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.chance = options, random.Random(options.seed)
        self.directory = Path(tempfile.mkdtemp(prefix="desk-proof-", dir="/tmp"))
        self.socket, self.gate = str(self.directory / "n.sock"), self.directory / "gate"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.directory)}
        for name in ("CACHE_HOME", "CONFIG_HOME", "DATA_HOME", "DATA_DIRS", "STATE_HOME"):
            self.environment["XDG_" + name] = f"{self.directory}/{name.lower()}"
        for name in PROGRAMS:
            (self.directory / name).symlink_to(options.products.resolve() / name)
        for name, text in (("count.py", COUNTER), ("flood.py", FLOOD)):
            (self.directory / name).write_text(text)
        self.problems: list[str] = []
        self.starts = 0
        self.napkind: asyncio.subprocess.Process

    async def spawn(
        self, name: str, *words: str, errors: int = asyncio.subprocess.PIPE
    ) -> asyncio.subprocess.Process:
        """Starts a program."""
        pipe, path = asyncio.subprocess.PIPE, self.directory / name
        return await asyncio.create_subprocess_exec(
            path, *words, env=self.environment, stdout=pipe, stderr=errors
        )

    async def start(self) -> None:
        """Starts napkind, which has done so when this returns."""
        words = ["--socket", self.socket, "--state-dir", str(self.directory / "s")]
        if self.options.proof in ("kills", "upgrades"):  # where all output is looked at
            words += ["--set", f"desk.output-bytes={16 << 20}"]
        nowhere = asyncio.subprocess.DEVNULL
        self.napkind = await self.spawn("napkind", *words, "--ready-fd", "1", errors=nowhere)
        assert self.napkind.stdout is not None
        if not await asyncio.wait_for(self.napkind.stdout.readline(), PATIENCE):
            raise RuntimeError(f"napkind ended with {await self.napkind.wait()}")

    async def call(self, name: str, *words: str) -> str:
        """What a program prints that is told this napkind's socket; an error if it fails."""
        child = await self.spawn(name, *words, "--socket", self.socket)
        out, errors = await asyncio.wait_for(child.communicate(), PATIENCE)
        if child.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(words)}: {errors.decode().strip()}")
        return out.decode()

    async def install(self) -> None:
        """Installs Desk, anew if it is installed."""
        words = ["install", str(MANIFEST), "--bin", str(self.directory)]
        await (await self.spawn("napkin-client", *words)).communicate()

    async def app(self) -> dict[str, Any]:
        """What napkind says of Desk."""
        apps: list[dict[str, Any]] = json.loads(await self.call("napkin-client", "apps", "--json"))
        return apps[0]

    async def programs(self) -> dict[int, int]:
        """The processes of runs, each a child of its keeper."""
        child = await self.spawn("napkin-client", "status", "--json", "--socket", self.socket)
        programs = json.loads((await child.communicate())[0])["programs"]
        return {int(each["key"].split("-")[0]): each["pid"] for each in programs if "pid" in each}

    def is_counting(self, pid: int) -> bool:
        """Whether the program of a run goes on."""
        with contextlib.suppress(OSError):
            return os.fsencode(self.gate) in Path(f"/proc/{pid}/cmdline").read_bytes()
        return False

    @contextlib.asynccontextmanager
    async def front(self, client: str = "desk-proofs") -> AsyncIterator[Desk]:
        """A front, as soon as somebody serves the session."""
        async with asyncio.timeout(PATIENCE):
            while True:
                front = Desk("desk", socket=self.socket, client=client)
                with contextlib.suppress(ConnectionFailure):
                    await front.attach()
                    break
                await asyncio.sleep(0.02)
                with contextlib.suppress(RuntimeError):
                    if (await self.app())["state"] == "degraded":
                        # It died more often than its manifest allows: somebody must want it.
                        self.starts += 1
                        await self.call("napkin-client", "start", "desk")
        try:
            yield front
        finally:
            await front.close()

    async def run(self, front: Desk, command: str, *, on_pipes: bool) -> int:
        """Orders a run; its number."""
        order = {"command": command, "hasPipes": on_pipes, "after": [], "rows": 24, "columns": 80}
        order |= {"retries": 0, "backoff": "1s..5m", "directory": str(self.directory)}
        return int(await front("run(_:environment:)", order, self.environment))

    async def count(self, front: Desk, number: int = 1) -> list[int]:
        """Orders runs that count until the gate opens, some on pipes, some on terminals."""
        command = f"exec '{sys.executable}' count.py '{self.gate}'"
        kinds = [self.chance.random() < 0.5 for _ in range(number)]
        return [await self.run(front, command, on_pipes=on_pipes) for on_pipes in kinds]

    async def settle(self, front: Desk, **wanted: Iterable[int]) -> None:
        """Waits until runs are in these states, each in its first attempt."""
        states = {number: state for state, numbers in wanted.items() for number in numbers}
        end, wrong = time.monotonic() + PATIENCE, ["nothing"]
        while wrong and time.monotonic() < end:
            runs = {run.id: run for run in await front("runs(_:)", "", result=list[Run])}
            wrong = [
                f"a run should be {state}: {runs.get(number)}"
                for number, state in states.items()
                if runs.get(number) != Run(number, state, 1, STATUS if state == "failed" else None)
            ]
            await asyncio.sleep(0.02 if wrong else 0)
        self.problems += wrong

    def check(self, run: int, text: bytes, *, is_whole: bool = True) -> int:
        """How many lines a run has counted. What a killed keeper had not written yet is missing."""
        *lines, rest = text.replace(b"\r\n", b"\n").split(b"\n")
        if is_whole and (rest or not lines or lines.pop() != b"end"):
            self.problems.append(f"run {run}: its last line is missing")
        pairs = enumerate(lines, 1)
        if wrong := [(number, line) for number, line in pairs if line != b"%d" % number]:
            self.problems.append(f"run {run}: line {wrong[0][0]} is {wrong[0][1]!r}")
        return len(lines)

    def remove(self) -> None:
        """Ends everything, and removes the directory."""
        mark, others = f"HOME={self.directory}\0".encode(), [0]
        while others:
            others = []
            for entry in Path("/proc").glob("[0-9]*"):
                # One that has ended meanwhile, or is another user's, is none of these.
                with contextlib.suppress(OSError):
                    if mark in (entry / "environ").read_bytes():
                        others.append(int(entry.name))
            for pid in others:
                kill(pid)
        shutil.rmtree(self.directory, ignore_errors=True)


async def kills(place: Place) -> str:
    """Kills what keeps runs; what counts, counts on."""
    chance, killed, lost, times = place.chance, Counter[str](), dict[int, int](), list[float]()
    async with place.front() as front:
        alive = await place.count(front, 3)
        await place.settle(front, running=alive)
    # The first one counts through everything, and is followed.
    first = alive[0]
    follower = await place.spawn("desk", "log", "--follow", str(first), "--socket", place.socket)
    assert follower.stdout is not None
    begun = await asyncio.wait_for(follower.stdout.readline(), PATIENCE)
    follows = asyncio.create_task(follower.communicate())
    while killed.total() < place.options.count and not place.problems:
        victims = [["worker"], ["napkind"], ["worker", "napkind"], ["keeper"]]
        victim = [*victims, ["keeper", "worker", "napkind"]]
        chosen = chance.choices(victim, (6, 6, 6, 2, 1))[0]
        pids = {"napkind": place.napkind.pid, "worker": (await place.app())["pid"]}
        if "keeper" in chosen:
            run = alive.pop(chance.randrange(1, 3))
            lost[run] = (await place.programs())[run]
            pids["keeper"] = facts(lost[run])["PPid"]
        for name in chance.sample(chosen, len(chosen)):
            kill(pids[name])
            killed[name] += 1
            await asyncio.sleep(chance.choice((0, 0, chance.uniform(0, 0.1))))
        begin = time.monotonic()
        if "napkind" in chosen:
            await place.napkind.wait()
            await place.start()
        async with place.front() as front:
            times.append((time.monotonic() - begin) * 1e3)
            await place.settle(front, running=alive, lost=lost)
            if len(alive) < 3:
                alive += await place.count(front)
                await place.settle(front, running=alive)
        await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.2))))
    if orphans := [run for run, pid in lost.items() if place.is_counting(pid)]:
        place.problems.append(f"the programs of runs {orphans} have outlived their keepers")
    place.gate.touch()
    async with place.front() as front:
        await place.settle(front, failed=alive, lost=lost)
        logs = {run: await front.log(run) for run in [*alive, *lost]}
    lines = [place.check(run, text, is_whole=run in alive) for run, text in logs.items()]
    followed, errors = await asyncio.wait_for(follows, PATIENCE)
    if begun + followed != logs[first]:
        place.problems.append(f"desk log --follow: {len(followed)} bytes; {errors.decode()}")
    who = ", ".join(f"{name} {number}" for name, number in killed.items())
    return (
        f"{killed.total()} kills ({who}) under {len(logs)} runs with {sum(lines)} lines, "
        f"{lines[0]} of them in the longest, which was followed; served again after "
        f"{median(times):.0f} ms (median), at most {max(times):.0f}; told to start {place.starts} "
        "times"
    )


async def upgrades(place: Place) -> str:
    """Replaces the worker's program; runs go on."""
    times: list[float] = []
    program, new = place.directory / "desk-worker", place.directory / "new"
    async with place.front() as front:
        alive = await place.count(front, place.options.runs)
        await place.settle(front, running=alive)
        while len(times) < place.options.count and not place.problems:
            former = (await place.app())["pid"]
            new.write_bytes(program.read_bytes() + b"\n")
            new.chmod(0o755)
            new.rename(program)
            await place.install()
            begin = time.monotonic()
            await place.call("napkin-client", "upgrade", "desk")
            await front.until(lambda tree: front.is_connected)
            times.append((time.monotonic() - begin) * 1e3)
            worker = (await place.app())["pid"]
            if worker == former or os.readlink(f"/proc/{worker}/exe") != str(program):
                place.problems.append(f"process {worker} is not the new program")
            await place.settle(front, running=alive)
        place.gate.touch()
        await place.settle(front, failed=alive)
        lines = [place.check(run, await front.log(run)) for run in alive]
    return (
        f"{len(times)} upgrades under {len(alive)} runs with {sum(lines)} lines, each in "
        f"{median(times):.0f} ms (median), at most {max(times):.0f}"
    )


async def flood(place: Place) -> str:
    """Floods a terminal while somebody types into another one."""
    chance, typed, shown, times = place.chance, "", asyncio.Event(), list[float]()

    def look(change: Change) -> None:
        if isinstance(change, Presented) and change.node.feature == "desk.run":
            screen = change.node.state("present(screen:)") or {"rows": []}
            text = "".join(run["text"] for row in screen["rows"] for run in row["runs"])
            if typed and text.endswith(typed[-16:]):
                shown.set()

    async def press() -> None:
        nonlocal typed
        typed += (key := chance.choice("abcdefghijklmnopqrstuvwxyz"))
        shown.clear()
        begin = time.perf_counter()
        sent = front.event("desk.run", "didInput(_:)", {"text": {"_0": key}})
        await asyncio.wait_for(asyncio.gather(sent, shown.wait()), PATIENCE)
        times.append((time.perf_counter() - begin) * 1e3)
        await asyncio.sleep(chance.uniform(0.03, 0.12))

    async with place.front() as front:
        echo = await place.run(front, "stty raw -echo; exec cat", on_pipes=False)
        await place.settle(front, running=[echo])
        await front.event("desk.list", "didSelect(_:)", echo)
        await front.until(lambda tree: tree.find("desk.run"))
        front.listen(look)
        await press()
        times.clear()
        worker = (await place.app())["pid"]
        sizes, used, kept = [facts(worker)["VmRSS"] / 1024], processor(worker), 0.0
        command = f"exec '{sys.executable}' flood.py {place.options.seconds}"
        run = await place.run(front, command, on_pipes=False)
        await place.settle(front, running=[run])
        keeper = facts((await place.programs())[run])["PPid"]
        ending = asyncio.create_task(front("end(of:)", str(run), result=Run))
        while not ending.done():
            await press()
            sizes.append(facts(worker)["VmRSS"] / 1024)
            with contextlib.suppress(OSError):
                kept = processor(keeper)
        used, end = processor(worker) - used, await ending
        numbers = [int(line[:10]) for line in (await front.log(run)).split(b"\r\n")[1:-1]]
    total = numbers[-1] + 1
    if end.state != "succeeded" or numbers != list(range(numbers[0], total)):
        place.problems.append(f"{end}: the lines that are kept do not follow one another")
    if max(sizes) > sizes[0] + GROWTH_MAX:
        place.problems.append(f"the worker grew to {max(sizes):.0f} MiB")
    times.sort()
    p99 = times[int(len(times) * 0.99)]
    return (
        f"{total} lines in {end.seconds:.1f} s, {total / end.seconds / 1e4:.1f} MB/s; {len(times)} "
        f"keys, key to screen p50 {median(times):.1f} ms, p99 {p99:.1f} ms (goal {GOAL:.0f} ms"
        f"{', **missed**' if p99 > GOAL else ''}), longest {times[-1]:.1f} ms; worker "
        f"{sizes[0]:.0f} MiB, at most {max(sizes):.0f}, at the end {sizes[-1]:.0f}; processor "
        f"time: worker {used:.1f} s, keeper {kept:.1f} s"
    )


async def crowd(place: Place) -> str:
    """Has many runs at once, and looks at what they cost."""
    os.mkfifo(place.gate)
    command = "for i in $(seq 20); do echo $i; sleep 0.5; done; echo end; "
    command += f"read x <'{place.gate}'; exit {STATUS}"
    async with place.front() as front, asyncio.timeout(2 * PATIENCE):
        numbers = range(place.options.runs)
        alive = [await place.run(front, command, on_pipes=each % 2 == 0) for each in numbers]
        await place.settle(front, running=alive)
        await asyncio.gather(*(front.until_printed(run, b"end") for run in alive))
    programs, worker = await place.programs(), (await place.app())["pid"]
    keepers = [facts(pid)["PPid"] for pid in programs.values()]
    if len(keepers) != len(alive):
        place.problems.append(f"{len(keepers)} keepers hold {len(alive)} runs")
    sizes = [private(pid) * 1024 for pid in keepers]
    memory = f"worker {private(worker):.1f} MiB, napkind {private(place.napkind.pid):.1f} MiB"
    groups = {"worker": [worker], "napkind": [place.napkind.pid], "keepers": keepers}

    async def rest() -> str:
        await asyncio.sleep(1)
        before = {name: waits(pids) for name, pids in groups.items()}
        await asyncio.sleep(5)
        woken = {name: (waits(pids) - before[name]).total() for name, pids in groups.items()}
        if woken.get("keepers"):
            place.problems.append(f"keepers woke up {woken['keepers']} times")
        return ", ".join(f"{name} {number}" for name, number in woken.items())

    waiting = await rest()
    os.close(os.open(place.gate, os.O_WRONLY))
    async with place.front() as front:
        await place.settle(front, failed=alive)
        for run in alive:
            place.check(run, await front.log(run))
    del groups["keepers"]
    return (
        f"{len(alive)} runs, half of them on terminals; private memory: {memory}, keepers "
        f"{mean(sizes):.0f} KiB each, at most {max(sizes):.0f}; woken in 5 s while all wait: "
        f"{waiting}; after their ends: {await rest()}"
    )


async def asks(place: Place) -> str:
    """Has two fronts answer each question at the same time."""
    wins, times = Counter[str](), list[float]()

    async def answer(front: Desk, number: int, choice: str) -> str | None:
        """What a front is told: nothing if its answer counts, or who was faster."""
        try:
            await front("answer(_:_:)", number, choice)
        except EventFault as fault:
            return str(fault)
        return None

    async with place.front("one") as one, place.front("two") as two, place.front() as asker:
        while len(times) < place.options.count and not place.problems:
            text, child = f"{len(times)}?", None
            if len(times) % 20 == 0:
                words = ["ask", text, "--choices", "one,two", "--socket", place.socket]
                child = await place.spawn("desk", *words)
                number = await asyncio.wait_for(asker.question(text), PATIENCE)
            else:
                asked = {"id": 0, "text": text, "choices": ["one", "two"], "asked": 0.0}
                number = await asker("ask(_:)", asked)
            begin, turns = time.perf_counter(), [(one, "one"), (two, "two")]
            place.chance.shuffle(turns)
            answers = [answer(front, number, choice) for front, choice in turns]
            told = dict(
                zip([choice for _, choice in turns], await asyncio.gather(*answers), strict=True)
            )
            end = (await asker("answered(_:)", number))["answer"]
            times.append((time.perf_counter() - begin) * 1e3)
            choice = (await child.communicate())[0].decode().strip() if child else end["choice"]
            wins[choice] += 1
            said = f"question {number} was answered {choice} by {choice}, front "
            others = [words for words in told.values() if words and said in words]
            if told.get(choice, "") is not None or len(others) != 1 or choice != end["choice"]:
                place.problems.append(f"question {number}: {end}; fronts were told {told}")
    words = ["ask", "Late?", "--within", "8s", "--default", "no", "--socket", place.socket]
    child = await place.spawn("desk", *words)
    async with place.front() as front:
        await asyncio.wait_for(front.question("Late?"), PATIENCE)
    for pid in (place.napkind.pid, (await place.app())["pid"]):
        kill(pid)
    await place.napkind.wait()
    await asyncio.sleep(1)
    await place.start()
    out, _ = await asyncio.wait_for(child.communicate(), PATIENCE)
    async with place.front() as front:
        last = (await front("questions()"))[-1]
    late = (last["answer"]["at"] - last["until"]) * 1e3
    if (out, child.returncode) != (b"no\n", 1) or not 0 <= late < 2000:
        place.problems.append(f"the late question ended with {out!r}, {late:.0f} ms late: {last}")
    return (
        f"{len(times)} questions, each answered once ({dict(wins)}), and both fronts told, in "
        f"{median(times):.1f} ms (median), at most {max(times):.1f}; over kill -9 of worker and "
        f"napkind, one of 8 s ended {late:.0f} ms late"
    )


PROOFS = {"kills": kills, "upgrades": upgrades, "flood": flood, "crowd": crowd, "asks": asks}


class Arguments(argparse.ArgumentParser):
    """A mistake ends with 64, as sysexits(3) has it."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong."""
        self.exit(USAGE, f"desk-proofs: {message}; --help says more\n")


async def prove(options: argparse.Namespace) -> int:
    """Runs a proof and prints its result."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    place, begin, figures = Place(options), time.monotonic(), ""
    try:
        await place.install()
        await place.start()
        figures = await PROOFS[options.proof](place)
    except (Exception, asyncio.CancelledError) as error:
        place.problems.append(f"{type(error).__name__}: {error}")
    finally:
        place.remove()
    for problem in place.problems[:20]:
        print(f"desk-proofs: {problem}", file=sys.stderr)
    verdict, took = "fails" if place.problems else "holds", time.monotonic() - begin
    print(f"{options.proof} {verdict} in {took:.0f} s, seed {options.seed}: {figures}", flush=True)
    return 1 if place.problems else 0


def main() -> int:
    """Run the program."""
    form = argparse.RawDescriptionHelpFormatter
    parser = Arguments("desk-proofs", description=__doc__, formatter_class=form)
    parser.add_argument("products", type=Path)
    parser.add_argument("proof", choices=PROOFS)
    for name in ("--count", "--runs", "--seconds"):
        parser.add_argument(name, type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    options.count = options.count or (10 if options.proof == "upgrades" else 1000)
    options.runs = options.runs or (20 if options.proof == "upgrades" else 100)
    options.seconds = options.seconds or 60
    if missing := [name for name in PROGRAMS if not (options.products / name).is_file()]:
        parser.error(f"{options.products} has no {', '.join(missing)}")
    return asyncio.run(prove(options))


if __name__ == "__main__":
    sys.exit(main())
