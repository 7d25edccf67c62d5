#!/usr/bin/env python3
"""ways.py: finds the files that an event, a state and an attach pass, by running them.

Usage   ways.py DIRECTORY [--update]   of the debug build's programs; needs valgrind, objcopy,
        llvm-symbolizer
        Compares the files with docs/ways.md, and their numbers with ARCHITECTURE.md; --update
        writes both. Run it on a quiet machine: where a step takes seconds, what happens in each
        second seems to belong to it.
Counts  by callgrind, which follows every call of all processes, with few steps and with many. A
        function is on a way if it is called once for each step more, or oftener; its file is the one
        that the debugging information names. Nothing is optimised away in such a build.
Exit    0; 1 if they differ; 64 for wrong usage
"""

import base64
import contextlib
import difflib
import http.client
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from ratchet import calls

ROOT = Path(__file__).resolve().parent.parent
PAGE, LIST = ROOT / "ARCHITECTURE.md", ROOT / "docs" / "ways.md"
BEGIN, END = (
    "<!-- The next lines are written by `make ways UPDATE=1`. -->\n",
    "<!-- End. -->\n",
)
HEAD = """# The ways

The files that each of these passes, found by `make ways`, which writes this page with `UPDATE=1`: those with a function that runs
for each step, in a debug build. The states are of a benchmark's feature, shown by the views for any feature. Targets and
files are in the order of their paths: calls are counted, and counts have no order. [steps.md](steps.md) has the main calls in order.
"""
# Steps of the short run and of the long one, of the benchmark and on a screen, and what of the
# difference makes a function belong to each step. Chosen: no timer runs so often.
STEPS, SHOWN, PART = (100, 200), (20, 60), 0.9
# Milliseconds between two states: each is painted before the next, at a fiftieth of the usual speed.
PACE = 200
SECONDS_MAX = 300
# The profile of napkind, which has no part in a session once a front is attached.
NAPKIND = re.compile(r"^cmd: .* serve ", re.MULTILINE)
PROGRAMS = ("napkin-bench", "napkin-client")
FEATURE = "bench.crowd"


class Ways:
    """Runs programs below callgrind, in a directory of its own."""

    def __init__(self, programs: Path, directory: Path) -> None:
        self.programs, self.directory = programs, directory
        for name in PROGRAMS:
            # Valgrind does not read debugging information of this size.
            command = ["objcopy", "--strip-debug", programs / name, directory / name]
            subprocess.run(command, check=True)
        self.environment = os.environ | {
            "SWIFT_DETERMINISTIC_HASHING": "1",
            "TERM": "xterm",
        }

    def followed(self, name: str, *arguments: str) -> list[str]:
        """The command line of a program that callgrind follows, with those that it starts."""
        options = ["-q", "--tool=callgrind", "--trace-children=yes"]
        profiles = f"--callgrind-out-file={self.directory}/profile.%p"
        return ["valgrind", *options, profiles, str(self.directory / name), *arguments]

    def calls(
        self, run: Callable[[int], None], steps: int, follows_napkind: bool
    ) -> Counter[str]:
        """How often each function is called by that many steps, in all processes."""
        for old in self.directory.glob("profile.*"):
            old.unlink()
        run(steps)
        found: Counter[str] = Counter()
        for profile in self.directory.glob("profile.*"):
            if follows_napkind or not NAPKIND.search(profile.read_text()):
                for _, callee, count, _ in calls(profile):
                    found[callee] += count
        return found

    def files(
        self,
        run: Callable[[int], None],
        steps: tuple[int, int] = STEPS,
        *,
        follows_napkind: bool = False,
    ) -> list[str]:
        """The files of this tree that each step of a run passes."""
        few, many = (self.calls(run, count, follows_napkind) for count in steps)
        least = PART * (steps[1] - steps[0])
        names = {name for name, count in many.items() if count - few[name] >= least}
        found: set[str] = set()
        for program in PROGRAMS:
            found |= sources(self.programs / program, names)
        return sorted(found)

    # Runs.

    def bench(self, step: str) -> Callable[[int], None]:
        """`napkin-bench steps`: front, napkind and worker."""
        return lambda count: self.run(
            self.followed(
                "napkin-bench", "steps", "--step", step, "--count", str(count)
            )
        )

    def run(self, command: list[str]) -> None:
        """Runs a command to its end."""
        subprocess.run(
            command, env=self.environment, check=True, timeout=SECONDS_MAX,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def client(self, *arguments: str) -> None:
        """Runs the client, which nobody follows."""
        self.run(
            [str(self.programs / "napkin-client"), *arguments, "--socket", self.socket]
        )

    @property
    def socket(self) -> str:
        """Where napkind listens."""
        return f"{self.directory}/napkind.sock"

    @contextlib.contextmanager
    def daemon(self) -> Iterator[None]:
        """A napkind with the benchmark's app, and its worker."""
        apps = self.directory / "apps"
        apps.mkdir(mode=0o700, exist_ok=True)
        worker = {"program": str(self.directory / "napkin-bench")}
        (apps / "crowd.json").write_text(json.dumps({"id": "crowd", "worker": worker}))
        (apps / "crowd.json").chmod(0o600)
        places = ["--socket", self.socket, "--state-dir", f"{self.directory}/state"]
        read, write = os.pipe()
        command = ["serve", *places, "--apps", str(apps), "--ready-fd", str(write)]
        process = subprocess.Popen(
            self.followed("napkin-bench", *command),
            env=self.environment,
            pass_fds=[write],
        )
        os.close(write)
        try:
            if not os.read(read, 1):
                sys.exit("ways.py: napkind did not start")
            yield
        finally:
            os.close(read)
            process.terminate()
            process.wait(SECONDS_MAX)

    def show_states(self, count: int) -> None:
        """Has the worker present states one after another, to every front of the session."""
        self.client(
            "send",
            "one",
            FEATURE,
            "storm(_:milliseconds:)",
            str(count),
            str(count * PACE),
        )

    def terminal(self, count: int) -> None:
        """States that `napkin-client attach` shows on a terminal."""
        with self.daemon():
            place = ["--session", "one", "--socket", self.socket]
            pid, terminal = pty.fork()
            if pid == 0:
                command = self.followed("napkin-client", "attach", "crowd", *place)
                os.execvpe(command[0], command, self.environment)
            reading = drained(terminal)
            self.await_front()
            self.show_states(count)
            os.write(terminal, b"q")
            os.waitpid(pid, 0)
            reading.wait(SECONDS_MAX)
            os.close(terminal)

    def page(self, count: int) -> None:
        """States that `napkin-client web` shows on a page."""
        with self.daemon():
            place = ["--session", "one", "--socket", self.socket, "--no-open"]
            web = subprocess.Popen(
                self.followed("napkin-client", "web", "crowd", *place),
                env=self.environment, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert web.stdout
            try:
                address = re.compile(r"http://(\S+)/\?token=(\S+)")
                found = next(filter(None, map(address.search, web.stdout)))
                tab = Tab(*found.groups())
                self.await_front()
                self.show_states(count)
                tab.close()
            finally:
                # Callgrind writes what it has found at the end.
                web.terminate()
                web.wait(SECONDS_MAX)

    def await_front(self) -> None:
        """Returns when the session has a front that shows it."""
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            command = [
                str(self.programs / "napkin-client"),
                "ls",
                "--json",
                "--socket",
                self.socket,
            ]
            listed = subprocess.run(
                command, capture_output=True, text=True, check=False
            ).stdout
            if any(session.get("fronts") for session in json.loads(listed or "[]")):
                return
            time.sleep(0.2)
        sys.exit("ways.py: no front has attached")


class Tab:
    """A page's WebSocket, which is read to its end."""

    def __init__(self, host: str, token: str) -> None:
        # Whatever its name, it is on this machine.
        address = ("127.0.0.1", int(host.rsplit(":", 1)[1]))
        plain = http.client.HTTPConnection(*address)
        plain.request("GET", f"/?token={token}", headers={"Host": host})
        answer = plain.getresponse()
        cookie = answer.getheader("Set-Cookie", "").split(";")[0]
        path = answer.getheader("Location", "/")
        plain.close()
        self.socket = socket.create_connection(address)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path}socket?tab=&page= HTTP/1.1", f"Host: {host}", f"Cookie: {cookie}",
            f"Origin: http://{host}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
        ]  # fmt: skip
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.reading = drained(self.socket.fileno())

    def close(self) -> None:
        """Closes the page."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.reading.wait(SECONDS_MAX)
        self.socket.close()


def drained(descriptor: int) -> subprocess.Popen[bytes]:
    """Reads a descriptor to its end, beside this program."""
    return subprocess.Popen(
        ["cat"], stdin=descriptor, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def sources(program: Path, names: set[str]) -> set[str]:
    """The shipped files of these functions, as far as the program has them."""
    table = subprocess.run(
        ["nm", program], capture_output=True, text=True, check=True
    ).stdout
    symbols = (line.split() for line in table.splitlines())
    addresses = {words[2]: words[0] for words in symbols if len(words) == 3}
    wanted = "".join(
        f"0x{addresses[name]}\n" for name in sorted(names) if name in addresses
    )
    command = [symbolizer(), f"--obj={program}", "--no-inlines", "--functions=none"]
    told = subprocess.run(
        command, input=wanted, capture_output=True, text=True, check=True
    )
    found: set[str] = set()
    for line in told.stdout.splitlines():
        path = line.rsplit(":", 2)[0]
        if path.startswith(f"{ROOT}/"):
            name = path.removeprefix(f"{ROOT}/")
            if re.match(r"(?:Sources/\w+|Protocol)/Napkin", name) and (ROOT / name).is_file():
                found.add(name)
    return found


def symbolizer() -> str:
    """Swift's llvm-symbolizer, or the system's; empty if there is none."""
    own = (
        Path(shutil.which(os.environ.get("SWIFT", "swift")) or "")
        .resolve()
        .with_name("llvm-symbolizer")
    )
    return str(own) if own.is_file() else shutil.which("llvm-symbolizer") or ""


def target_of(path: str) -> str:
    """A file's target: Sources/GROUP/TARGET/… or Protocol/TARGET/…"""
    parts = path.split("/")
    return parts[2] if parts[0] == "Sources" else parts[1]


def names_table(title: str, files: list[str]) -> str:
    """A way as docs/ways.md has it: a row for each target."""
    rows: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        rows[target_of(path)].append(Path(path).stem)
    lines = [
        f"## {title}: {len(files)} files",
        "",
        "| target | files |",
        "| --- | --- |",
    ]
    lines += [
        f"| {target} | {', '.join(names)} |" for target, names in sorted(rows.items())
    ]
    return "\n".join(lines) + "\n"


def apart(ways: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same ways, with what the two of a state have in common on a way of its own."""
    shown = [title for title in ways if title.startswith("A state")]
    common = [path for path in ways[shown[0]] if path in ways[shown[1]]]
    found: dict[str, list[str]] = {}
    for title, files in ways.items():
        if title == shown[0]:
            found["A state to a terminal or a page"] = common
        besides = title in shown
        found[f"{title}, besides" if besides else title] = [
            path for path in files if not besides or path not in common
        ]
    return found


def numbers_table(ways: dict[str, list[str]]) -> str:
    """The ways as ARCHITECTURE.md has them: a column for each, a row for each target."""
    targets = sorted({target_of(path) for files in ways.values() for path in files})
    rows = [["files", *ways], ["---"] * (len(ways) + 1)]
    for target in targets:
        numbers = [
            sum(1 for path in files if target_of(path) == target)
            for files in ways.values()
        ]
        rows.append([target, *(str(number or "") for number in numbers)])
    rows.append(["**in all**", *(f"**{len(files)}**" for files in ways.values())])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> int:
    """Runs, compares, prints."""
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("usage: ways.py DIRECTORY [--update]\n")
        return 64
    missing = [tool for tool in ("valgrind", "objcopy", "nm") if not shutil.which(tool)]
    if missing or not symbolizer():
        missing += [] if symbolizer() else ["llvm-symbolizer"]
        sys.stderr.write(f"ways.py: install what is missing: {', '.join(missing)}\n")
        return 64
    with tempfile.TemporaryDirectory(prefix="napkin-ways.") as name:
        ways = Ways(Path(arguments[0]), Path(name))
        event = ways.files(ways.bench("event"))
        durable = [f for f in ways.files(ways.bench("durable")) if f not in event]
        found = {
            "An event": event,
            "A durable event, besides": durable,
            "A state to a terminal": ways.files(ways.terminal, SHOWN),
            "A state to a page": ways.files(ways.page, SHOWN),
            "An attach": ways.files(ways.bench("attach"), follows_napkind=True),
        }
    names = "\n".join(
        [HEAD, *(names_table(title, files) for title, files in apart(found).items())]
    )
    numbers = numbers_table(found)
    head, _, rest = PAGE.read_text().partition(BEGIN)
    known, _, tail = rest.partition(END)
    print(numbers)
    if "--update" in sys.argv:
        PAGE.write_text(head + BEGIN + "\n" + numbers + "\n" + END + tail)
        LIST.write_text(names)
        return 0
    before = LIST.read_text()
    if known.strip() == numbers.strip() and before == names:
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(before.splitlines(True), names.splitlines(True), n=0)
    )
    sys.stderr.write(
        "ways.py: docs/ways.md has others; `make ways UPDATE=1` writes these\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
