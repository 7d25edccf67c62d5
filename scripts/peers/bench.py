#!/usr/bin/env python3
"""bench.py: measures napkin beside other systems, all on one core, in rounds.

Usage   bench.py NAPKIN-BENCH [--rounds N] [--seconds S] [--minutes M] [--cpu N] [--only NAME…]
        NAPKIN-BENCH is an optimised napkin-bench (`make bench-peers` builds one)
Output  two tables in Markdown: what was measured, and napkin as a multiple of each system;
        each run is a line of .build/peers/runs.jsonl
Exit    0 · 64 usage · 70 nothing could be measured

A round takes each measure in turn and runs every system once, in an order that is drawn anew. A run
during which other programs computed is repeated, and so are all runs of a measure during which the
floor was far from its median, as long as the minutes last.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import json
import os
import random
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent.parent / ".build" / "peers"
FLOOR, NAPKIN = "floor", "napkin"

# Chosen: a run takes its time, a fifth of that to warm up, and as much again to start and end.
TIME_LIMIT_SECONDS = 90
# Chosen: of one core, what others may use during a run before it is repeated.
FOREIGN_MAX = 0.1
TRIES = 3
# Chosen: how far from its median a floor may be before its measure is repeated.
FLOOR_MAX = 1.25
# Chosen: what napkin-bench does in about a second, ten times as many where it counts in tens.
COUNT_EACH_SECOND = 80_000
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)

# One scheduler, which sleeps as soon as it waits: both nodes share a core. Without epmd.
ERLANG = """
erl -noinput -start_epmd false -dist_listen false -sname caller@localhost
+S 1 +sbwt none +sbwtdcpu none +sbwtdio none -run erlang_peer main
"""


# Commands of sh, with NAME, HERE, OUT and LIBRARIES in the environment.
C = 'gcc -std=gnu17 -O2 -Wall -Wextra "$HERE/$NAME.c" -o "$OUT/$NAME"'
CC = 'g++ -std=c++17 -O2 -Wall -Wextra -I"$HERE" -I"$OUT" "$HERE/$NAME.cc" -o "$OUT/$NAME"'
FLAGS = "$(pkg-config --cflags --libs $LIBRARIES)"
MODVERSION = "pkg-config --modversion ${LIBRARIES%% *}"


@dataclasses.dataclass(frozen=True)
class System:
    """What a row is called, what it needs, and how it is built and asked for its version."""

    title: str
    libraries: str = ""
    programs: str = ""
    build: str = f"{C} {FLAGS}"
    version: str = MODVERSION


SYSTEMS = {
    FLOOR: System("raw epoll, batched writes", build=C, version="true"),
    NAPKIN: System("**napkin**", build="true", version="true"),
    "zeromq": System("ZeroMQ", "libzmq"),
    "nats": System(
        "NATS", "libnats", "nats-server", version="nats-server --version | sed 's/.*v//'"
    ),
    "sdbus": System("sd-bus", "libsystemd"),
    "capnproto": System(
        "Cap'n Proto",
        "capnp-rpc",
        "capnp",
        'capnp compile -oc++:"$OUT" --src-prefix="$HERE" "$HERE/$NAME.capnp" && '
        f'{CC} "$OUT/$NAME.capnp.c++" {FLAGS}',
    ),
    "grpc": System(
        "gRPC C++",
        "grpc++ protobuf",
        "protoc grpc_cpp_plugin",
        'protoc -I"$HERE" --cpp_out="$OUT" --grpc_out="$OUT" "$HERE/$NAME.proto" '
        '--plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" && '
        f'{CC} "$OUT/$NAME.pb.cc" "$OUT/$NAME.grpc.pb.cc" {FLAGS}',
    ),
    "erlang": System(
        "Erlang",
        programs="erl erlc",
        build='erlc -Wall -o "$OUT" "$HERE/erlang_peer.erl" && touch "$OUT/$NAME"',
        version="""erl -noinput -eval 'io:put_chars(erlang:system_info(otp_release)), halt().'""",
    ),
}


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column: what a peer's program is told, and which workload and field of ours it is."""

    title: str
    kind: str
    number: int
    workload: str
    field: str

    @property
    def is_time(self) -> bool:
        """Whether less is better."""
        return self.field == "p50_us"


MEASURES = (
    Measure("round trip p50", "calls", 1, "latency", "p50_us"),
    Measure("64 outstanding", "calls", 64, "throughput", "calls_per_s"),
    Measure("push, 200 B, one receiver", "push", 1, "effects", "deliveries_per_s"),
    Measure("to 50 receivers", "push", 50, "effects", "deliveries_per_s"),
)


def say(text: str) -> None:
    """Tells of the progress."""
    print(f"peers: {text}", file=sys.stderr, flush=True)


# Programs


def shell(name: str, command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command for a system."""
    libraries = SYSTEMS[name].libraries
    words = {"NAME": name, "HERE": str(HERE), "OUT": str(OUT), "LIBRARIES": libraries}
    return subprocess.run(
        ["sh", "-c", command],
        env=os.environ | words,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )


def build(name: str) -> bool:
    """Builds a system's program, if its sources are newer; False if that cannot be done."""
    system, target = SYSTEMS[name], OUT / name
    missing = [program for program in system.programs.split() if not shutil.which(program)]
    for library in system.libraries.split():
        if shell(name, f"pkg-config --exists {library}").returncode != 0:
            missing.append(f"library {library}")
    if missing:
        say(f"{name} is left out: there is no {' and no '.join(missing)}; scripts/setup.sh --peers")
        return False
    sources = [path for path in HERE.iterdir() if path.suffix not in (".py", ".md")]
    newest = max(path.stat().st_mtime for path in sources)
    if name == NAPKIN or (target.exists() and target.stat().st_mtime > newest):
        return True
    say(f"building {name}")
    target.unlink(missing_ok=True)
    if shell(name, system.build).returncode == 0:
        return True
    say(f"{name} is left out: it cannot be built, see above")
    return False


# Runs


def free_port() -> str:
    """Returns a port of this machine that nobody has."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        return str(holder.getsockname()[1])


def busy_seconds() -> float:
    """Returns for how long all processors have run processes, or were taken from this machine."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, steal = (int(fields[index]) for index in (0, 1, 2, 7))
    return (user + nice + system + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Returns for how long processes have run that this one started, and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    """What was asked for, and what was measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.started = time.monotonic()
        self.repeated = 0
        self.log = (OUT / "runs.jsonl").open("w")
        # Processes whose parents have ended become children of this one, which counts their time.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def command(self, name: str, measure: Measure) -> list[str]:
        """Returns how a system is measured."""
        options = self.options
        run = [measure.kind, str(measure.number), str(options.seconds)]
        prefix = ["taskset", "-c", str(options.cpu)]
        if name == NAPKIN:
            count = int(COUNT_EACH_SECOND * options.seconds)
            ours = f"{measure.workload} --pin {options.cpu} --count {count}"
            return [*prefix, options.bench, *ours.split()]
        if name == "erlang":
            port = free_port()
            code = ["-pa", str(OUT), "-erl_epmd_port", port]
            return [*prefix, *ERLANG.split(), *run, port, str(OUT), *code]
        return [*prefix, str(OUT / name), *run]

    def attempt(self, name: str, measure: Measure) -> tuple[float | None, float]:
        """Runs a system once; returns what it measured, and the share of a core others used."""
        start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        with tempfile.TemporaryDirectory(prefix="napkin-peers.") as directory:
            process = subprocess.Popen(
                self.command(name, measure),
                cwd=directory,
                # Where Erlang keeps the secret of its nodes.
                env=dict(os.environ, HOME=directory),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            try:
                text, _ = process.communicate(timeout=TIME_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                text = ""
            # What it has left behind, if anything.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.waitpid(-1, 0)
        others = busy_seconds() - busy - (own_seconds() - own)
        share = others / (time.monotonic() - start)
        value = None
        lines = text.splitlines() if process.returncode == 0 else []
        for report in (json.loads(line) for line in lines if line.startswith("{")):
            if report.get("fronts", measure.number) == measure.number:
                value = report.get(measure.field, report.get("per_s"))
        note = {"system": name, "measure": measure.title, "value": value, "others": round(share, 3)}
        self.log.write(json.dumps(note) + "\n")
        self.log.flush()
        return value, share

    def run(self, name: str, measure: Measure, until: float) -> float | None:
        """Runs a system, several times if others were not quiet; returns the quietest value."""
        best: tuple[float | None, float] = (None, float("inf"))
        for tries in range(TRIES):
            self.repeated += tries > 0
            value, share = self.attempt(name, measure)
            if value is not None and share < best[1]:
                best = (value, share)
            if best[1] <= FOREIGN_MAX or time.monotonic() > until:
                break
        if best[0] is None:
            say(f"{name} has failed: {' '.join(self.command(name, measure))}")
        return best[0]

    def row(self, systems: list[str], measure: Measure, until: float) -> dict[str, float]:
        """Runs every system once, in any order."""
        values = {
            name: self.run(name, measure, until) for name in random.sample(systems, len(systems))
        }
        found = {name: value for name, value in values.items() if value is not None}
        parts = [f"{name} {shown(found[name], measure)}" for name in systems if name in found]
        say(f"{measure.title}: {', '.join(parts)}")
        return found

    def rounds(self, systems: list[str]) -> dict[Measure, list[dict[str, float]]]:
        """Returns, for each measure, what the systems measured in each round."""
        rows: dict[Measure, list[dict[str, float]]] = {measure: [] for measure in MEASURES}
        share = self.options.minutes * 60 / self.options.rounds
        for number in range(self.options.rounds):
            say(f"round {number + 1} of {self.options.rounds}")
            for measure in MEASURES:
                # Each round may use its share of the time to repeat runs.
                until = self.started + (number + 1) * share
                rows[measure].append(self.row(systems, measure, until))
        end = self.started + self.options.minutes * 60
        while time.monotonic() < end and (disturbed := self.disturbed(rows)):
            measure, index = disturbed[0]
            say("the floor was disturbed; again:")
            self.repeated += 1
            del rows[measure][index]
            rows[measure].append(self.row(systems, measure, end))
        return rows

    @staticmethod
    def disturbed(rows: dict[Measure, list[dict[str, float]]]) -> list[tuple[Measure, int]]:
        """Returns the measures and rounds whose floor was worse than its median says."""
        found = []
        for measure, all_rounds in rows.items():
            floors = [row.get(FLOOR, 0.0) for row in all_rounds]
            middle = statistics.median(floors)
            for index, floor in enumerate(floors if middle > 0 else []):
                worse = floor / middle if measure.is_time else middle / max(floor, 1.0)
                if worse > FLOOR_MAX:
                    found.append((measure, index))
        return found


# Tables


def shown(value: float, measure: Measure) -> str:
    """Returns a value with its unit."""
    if measure.is_time:
        return f"{value:.1f} µs"
    if value >= 999_500:
        return f"{value / 1e6:.2f} M/s"
    return f"{value / 1e3:.0f} k/s"


def ratios(rows: list[dict[str, float]], name: str, other: str) -> list[float]:
    """Returns one system's values as multiples of another's in the same round."""
    return [row[name] / row[other] for row in rows if name in row and other in row]


def table(head: list[str], lines: list[list[str]]) -> str:
    """Returns a table in Markdown."""
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *lines])


def spread(values: list[float], form: Callable[[float], str]) -> str:
    """Returns the median, the least and the greatest."""
    if not values:
        return "–"
    middle, least, greatest = map(form, (statistics.median(values), min(values), max(values)))
    _, separator, unit = middle.partition(" ")
    if least.endswith(separator + unit) and greatest.endswith(separator + unit):
        least = least.removesuffix(separator + unit)
        greatest = greatest.removesuffix(separator + unit)
    return f"{middle} ({least} to {greatest})"


def cell(rows: list[dict[str, float]], measure: Measure, name: str) -> str:
    """Returns what a system measured, and its multiple of the floor."""
    text = spread([row[name] for row in rows if name in row], lambda value: shown(value, measure))
    to_floor = ratios(rows, name, FLOOR)
    if name == FLOOR or not to_floor:
        return text
    return f"{text}: {statistics.median(to_floor):.2g} ×"


def lead(rows: list[dict[str, float]], measure: Measure, name: str) -> str:
    """Returns how many times as good as a system napkin is."""
    pair = (name, NAPKIN) if measure.is_time else (NAPKIN, name)
    return spread(ratios(rows, *pair), lambda value: f"{value:.2f}")


def tables(
    systems: list[str], titles: dict[str, str], rows: dict[Measure, list[dict[str, float]]]
) -> str:
    """Returns both tables: medians, least and greatest, and ratios within a round."""
    columns = [measure.title for measure in MEASURES]
    measured = [
        [titles[name], *(cell(rows[measure], measure, name) for measure in MEASURES)]
        for name in systems
    ]
    beside = [
        [titles[name], *(lead(rows[measure], measure, name) for measure in MEASURES)]
        for name in systems
        if name != NAPKIN
    ]
    first = table(["multiples are of the floor", *columns], measured)
    return first + "\n\n" + table(["napkin is so many times as good as", *columns], beside)


def main() -> int:
    """Builds, measures, and prints."""
    parser = argparse.ArgumentParser(
        description="Measures napkin beside other systems, all on one core.",
        epilog=f"NAME is one of: {', '.join(SYSTEMS)}",
    )
    parser.add_argument("bench", metavar="NAPKIN-BENCH", help="an optimised napkin-bench")
    parser.add_argument("--rounds", type=int, default=7, help="default: 7")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a run; default: 1")
    parser.add_argument("--minutes", type=float, default=12, help="for repetitions; default: 12")
    parser.add_argument("--cpu", type=int, default=0, help="the processor of all; default: 0")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=SYSTEMS, default=list(SYSTEMS))
    options = parser.parse_args()
    if not os.access(options.bench, os.X_OK) or options.rounds < 1 or options.seconds <= 0:
        parser.error("it needs an optimised napkin-bench, one round and some time at least")
    options.bench = os.path.abspath(options.bench)
    OUT.mkdir(parents=True, exist_ok=True)
    systems = [name for name in SYSTEMS if name in options.only and build(name)]
    titles = {
        name: f"{SYSTEMS[name].title} {shell(name, SYSTEMS[name].version).stdout}".strip()
        for name in systems
    }
    bench = Bench(options)
    rows = bench.rounds(systems)
    if not any(row for measured in rows.values() for row in measured):
        return 70
    still = len(bench.disturbed(rows))
    print(tables(systems, titles, rows))
    print(
        f"\nMedians, least and greatest; runs of {options.seconds:g} s, rounds: {options.rounds}, "
        f"repetitions: {bench.repeated}, floors still far from their median: {still}."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
