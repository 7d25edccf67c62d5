#!/usr/bin/env python3
"""ratchet.py: counts the instructions of an event, an effect, an attachment and of decoding.

Usage   ratchet.py NAPKIN-BENCH [--update]   with an optimised napkin-bench; needs valgrind, objcopy
        Compares the counts with scripts/ratchet.txt; --update writes them there.
Counts  by callgrind, which counts each instruction that the processes execute, whatever else the
        machine does, and needs neither a privilege nor counters of the processor: `perf stat` has
        none in most virtual machines and containers. Counted is what front, worker and napkind do
        because of what they read, and writing what they send (WORK): timers run more often on a
        slow machine, and the loop waits more often on a busy one. All run on one processor, so that
        they take turns as they always do, and with hashing that is the same each time. Each
        workload runs with few steps and with many: the difference is the steps', without start and
        end. Decoding is counted inside one process: the calls of the generated code, without the
        value's destruction.
Exit    0; 1 if a count is more than LIMIT above the file's; 64 for wrong usage
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).with_name("ratchet.txt")
# Chosen. Two counts of one program differ by at most 0.1 %, those of an attachment by 1 % (measured,
# also beside a compiler on the same two processors).
LIMIT = 0.02
# The functions, by parts of their mangled names, that are counted with all that they call: the
# callback of each read, and the flush of a link.
WORK = re.compile(
    r"NapkinTransport14takeReadBuffer.*To$|NapkinRuntime4Link.*9Flushable.*5flush.*TW$"
)
# What `steps` of napkin-bench repeats, few times and many, and of how many runs the least counts:
# what is sent while a front attaches arrives in one read or in two.
STEPS = {"event": (1000, 11000, 1), "effect": (1000, 11000, 1), "attach": (100, 300, 3)}
DECODERS = {"decode message": "8CartItemV4from", "decode state": "10BenchStateV4from"}


def callgrind(program: Path, arguments: list[str], directory: Path) -> list[Path]:
    """Runs the program and the processes that it starts; returns a profile of each."""
    for old in directory.glob("profile.*"):
        old.unlink()
    command = ["valgrind", "--tool=callgrind", "--trace-children=yes"]
    command += [
        f"--callgrind-out-file={directory}/profile.%p",
        str(program),
        *arguments,
    ]
    environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, env=environment
    )
    if done.returncode != 0:
        sys.exit(f"ratchet.py: {' '.join(arguments)} has failed:\n{done.stderr[-2000:]}")
    return list(directory.glob("profile.*"))


def instructions(profiles: list[Path]) -> int:
    """What all processes have executed in the functions of WORK."""
    return sum(
        count
        for profile in profiles
        for _, callee, _, count in calls(profile)
        if WORK.search(callee)
    )


def steps(program: Path, directory: Path, name: str) -> float:
    """The instructions of one step."""
    few, many, runs = STEPS[name]
    processor = str(min(os.sched_getaffinity(0)))
    workload = ["steps", "--step", name, "--pin", processor, "--count"]
    counts = [
        min(
            instructions(callgrind(program, [*workload, str(count)], directory))
            for _ in range(runs)
        )
        for count in (few, many)
    ]
    return (counts[1] - counts[0]) / (many - few)


def calls(profile: Path) -> Iterator[tuple[str, str, int, int]]:
    """Caller, callee, how many calls, and the instructions of all of them, callees' included."""
    names: dict[str, str] = {}
    caller = callee = ""
    pending = 0
    for line in profile.read_text().splitlines():
        if found := re.match(r"(c?fn)=(\(\d+\))(?: (.*))?", line):
            kind, number, name = found.groups()
            if name:
                # Callgrind numbers the levels of a recursion.
                names[number] = re.sub(r"'\d+$", "", name)
            if kind == "fn":
                caller = names[number]
            else:
                callee = names[number]
        elif line.startswith("calls="):
            pending = int(line.split("=")[1].split()[0])
        elif pending:
            yield caller, callee, pending, int(line.split()[1])
            pending = 0


def inclusive(profile: Path, part: str) -> float:
    """The instructions of one call of the decoder whose mangled name has `part` in it."""
    # A function that calls another of the same decoder has its instructions already.
    found = [
        (count, total)
        for caller, callee, count, total in calls(profile)
        if part in callee and "CBORReader" in callee and part not in caller
    ]
    if not found:
        sys.exit(f"ratchet.py: nothing has called {part}")
    return sum(total for _, total in found) / sum(count for count, _ in found)


def main() -> int:
    """Counts, compares, prints."""
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        sys.stderr.write("usage: ratchet.py NAPKIN-BENCH [--update]\n")
        return 64
    for tool in ("valgrind", "objcopy"):
        if not shutil.which(tool):
            sys.stderr.write(f"ratchet.py: {tool} is missing: install valgrind and binutils\n")
            return 64
    counts: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="napkin-ratchet.") as name:
        directory = Path(name)
        # Valgrind does not read debugging information of this size.
        program = directory / "napkin-bench"
        subprocess.run(["objcopy", "--strip-debug", arguments[0], str(program)], check=True)
        for step in STEPS:
            counts[step] = steps(program, directory, step)
        profile = callgrind(program, ["codec", "--count", "1500"], directory)[0]
        for decoder, part in DECODERS.items():
            counts[decoder] = inclusive(profile, part)

    if "--update" in sys.argv:
        FILE.write_text("".join(f"{name}: {round(count)}\n" for name, count in counts.items()))
    known = dict(line.split(": ") for line in FILE.read_text().splitlines())
    worse = False
    print(f"{'instructions':16}{'now':>10}{'file':>10}{'change':>10}")
    for name, count in counts.items():
        before = int(known.get(name, 0))
        change = count / before - 1 if before else 0
        worse = worse or change > LIMIT
        note = "  more than 2 % more" if change > LIMIT else ""
        print(f"{name:16}{count:10.0f}{before:10}{change:+10.1%}{note}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
