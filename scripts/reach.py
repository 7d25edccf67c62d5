#!/usr/bin/env python3
"""reach.py: three machines and a PostgreSQL with a standby, in network namespaces, and what breaks
them, as root.

Usage   reach.py PRODUCTS [--rounds N] [--seed N] [--sessions N] [--only WORD]
        PRODUCTS has napkind, napkin-client and LedgerWorker. Each round breaks one thing, as
        `Faults` lists them, while fronts on all machines add to the sessions of all machines.
        With a word, only the faults that have it in their names.
Exit    0 if nothing was lost, doubled, reordered, or seen and then gone; 1 otherwise; 69 without
        what it needs
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

MACHINES = ("r1", "r2", "r3")
NETWORK = "10.78.0."
DATABASES = {"db1": NETWORK + "10", "db2": NETWORK + "11"}
# Of libpq: whichever of both is no standby.
STRING = (
    f"host={','.join(DATABASES.values())} user=napkin dbname=postgres"
    " target_session_attrs=read-write"
)
FEATURE, METHOD = "tally.tally", "add(_:)"
SECONDS_MAX = 60.0  # how long a front may be without an answer
WITHOUT_DATABASE_MAX = 25.0  # the same, while its machine does not reach the database
PATIENCE = 30.0  # how long something may take to start


def run(*words: str, check: bool = True, **options) -> str:
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr or done.stdout}")
    return done.stdout


class Host:
    """A network namespace on the common bridge."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address, self.space = name, address, "reach-" + name
        run("ip", "netns", "add", self.space)
        ends = f"{self.space} type veth peer name eth0 netns {self.space}"
        run("ip", "link", "add", *ends.split())
        run("ip", "link", "set", self.space, "master", "reach", "up")
        self.within("ip", "addr", "add", address + "/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            self.within("ip", "link", "set", device, "up")

    def within(self, *words: str) -> str:
        return run("ip", "netns", "exec", self.space, *words)

    def command(self, user: str, *words: str) -> list[str]:
        become = f"setpriv --reuid {user} --regid {user} --clear-groups"
        return [*self.enter, *become.split(), *words]

    @property
    def enter(self) -> list[str]:
        return ["nsenter", "--net=/run/netns/" + self.space]

    def cut(self, is_cut: bool) -> None:
        run("ip", "link", "set", self.space, "down" if is_cut else "up")

    def lose(self, to: "Host", is_lost: bool) -> None:
        """What it sends to another host goes to a network card that nobody has."""
        nobody = "lladdr 02:00:00:00:00:01 nud permanent".split() if is_lost else []
        verb = "replace" if is_lost else "del"
        self.within("ip", "neigh", verb, to.address, *nobody, "dev", "eth0")


class Database:
    """A server; with a leader given, a standby of it, whose every commit waits for it."""

    def __init__(self, host: Host, directory: pathlib.Path, leader: "Database | None" = None):
        self.host, self.data, self.log = host, directory / "data", directory / "log"
        versions = sorted(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda p: int(p.name))
        self.programs = versions[-1] / "bin"
        directory.mkdir()
        shutil.chown(directory, "postgres", "postgres")
        if leader is not None:
            self.follow(leader)
            return
        made = "--auth trust -E UTF8 --locale C".split()
        self.program("initdb", "-D", str(self.data), "-U", "napkin", *made)
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all,replication napkin {NETWORK}0/24 trust\n")
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write("include_if_exists = 'standby.conf'\n")
        self.start()

    def program(self, name: str, *words: str, check: bool = True) -> str:
        command = self.host.command("postgres", str(self.programs / name), *words)
        return run(*command, cwd=self.data.parent, check=check)

    def control(self, *words: str, check: bool = True) -> None:
        self.program("pg_ctl", "-D", str(self.data), "-w", *words, check=check)

    def start(self) -> None:
        options = f"-k {self.data.parent} -h {self.host.address} -c cluster_name=standby"
        try:
            self.control("-l", str(self.log), "-o", options, "start")
        except RuntimeError as error:
            raise RuntimeError(f"{error}{''.join(self.log.open().readlines()[-5:])}") from error

    def stop(self) -> None:
        self.control("-m", "immediate", "stop", check=False)

    def follow(self, leader: "Database") -> None:
        """Begins anew as the standby of a server, which waits for it from then on."""
        shutil.rmtree(self.data, ignore_errors=True)
        source = f"host={leader.host.address} user=napkin"
        self.program("pg_basebackup", "-d", source, "-D", str(self.data), "-R", "-c", "fast")
        # A copy of the leader's would have it wait for itself, once it is promoted.
        (self.data / "standby.conf").unlink(missing_ok=True)
        (leader.data / "standby.conf").write_text("synchronous_standby_names = 'standby'\n")
        leader.control("reload")
        self.start()
        end = time.monotonic() + PATIENCE
        while leader.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state='sync'") != "1":
            if time.monotonic() > end:
                raise RuntimeError(f"the standby does not follow: {self.log}")
            time.sleep(0.05)

    def ask(self, text: str) -> str:
        where = f"host={self.data.parent} user=napkin dbname=postgres"
        command = self.host.command("postgres", "psql", where, "-Atc", text)
        return run(*command, cwd=self.data).strip()


class Machine:
    """A host with a napkind and an sshd."""

    def __init__(self, host: Host, place: "Place") -> None:
        self.host, self.place, self.name = host, place, host.name
        self.directory = place.directory / self.name
        for part in ("", "run", "state", "data"):
            (self.directory / part).mkdir(mode=0o700)
            shutil.chown(self.directory / part, place.user, place.user)
        self.socket = str(self.directory / "run" / "n.sock")
        self.environment = {
            "PATH": f"{place.bin}:{place.products}:/usr/bin:/bin:/usr/sbin",
            "HOME": str(place.home),
            "XDG_RUNTIME_DIR": str(self.directory / "run"),
            "XDG_STATE_HOME": str(self.directory / "state"),
            "XDG_DATA_HOME": str(self.directory / "data"),
            "XDG_DATA_DIRS": str(place.shared),
            "SWIFT_BACKTRACE": "enable=no",
        }
        # See reach.c.
        self.order = self.directory / "order"
        self.order.write_bytes(bytes(16))
        shutil.chown(self.order, place.user, place.user)
        self.environment["NAPKIN_REACH"] = str(self.order)
        configuration = self.directory / "sshd_config"
        configuration.write_text(
            f"ListenAddress {host.address}\nHostKey {place.keys / 'host'}\nPidFile none\n"
            f"AuthorizedKeysFile {place.keys / 'user.pub'}\nUsePAM no\nStrictModes no\n"
            "MaxStartups 1000\nSetEnv "
            + " ".join(f"{key}={value}" for key, value in self.environment.items())
            + "\n"
        )
        self.sshd = subprocess.Popen(
            [*host.enter, "/usr/sbin/sshd", "-D", "-e", "-f", str(configuration)],
            stderr=(self.directory / "sshd.log").open("w"),
        )
        self.start()

    def start(self) -> None:
        options = {
            "--ledger": "postgres:" + STRING,
            "--machine": self.name,
            "--address": f"ssh://{self.name}",
            "--socket": self.socket,
            "--state-dir": str(self.directory / "state" / "napkin"),
            "--ready-fd": "1",
        }
        words = [
            str(self.place.products / "napkind"),
            *(w for pair in options.items() for w in pair),
        ]
        self.napkind = subprocess.Popen(
            self.host.command(self.place.user, *words),
            env={**self.environment, "LD_PRELOAD": str(self.place.preloaded)},
            stdout=subprocess.PIPE,
            stderr=(self.directory / "napkind.log").open("a"),
        )
        assert self.napkind.stdout is not None
        line = self.napkind.stdout.readline()
        if not line.startswith(b"ready"):
            raise RuntimeError(f"{self.name}: napkind does not start: {self.directory}/napkind.log")

    def processes(self, *words: str) -> list[int]:
        """Those of this machine's napkind and workers, or those that mention the words, too."""
        state, found = str(self.directory / "state" / "napkin"), []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue  # it has ended
            if (
                state in command
                and "setpriv" not in command[0]
                and all(w in command for w in words)
            ):
                found.append(int(entry.name))
        return found

    def signal(self, number: int, *words: str) -> None:
        for process in self.processes(*words):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    @property
    def hours(self) -> int:
        """How much its wall clock is fast."""
        return struct.unpack("<q", self.order.read_bytes()[:8])[0] // 3600

    @hours.setter
    def hours(self, hours: int) -> None:
        with self.order.open("r+b") as order:
            order.write(struct.pack("<q", hours * 3600))

    def stop_at(self, call: int) -> int:
        """Stops the process that makes a certain call to the database, and returns it."""
        with self.order.open("r+b", buffering=0) as order:
            order.seek(8)
            order.write(struct.pack("<ii", call, 0))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            (process,) = struct.unpack("<i", self.order.read_bytes()[12:])
            if process > 0:
                return process
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} does not call its database {call} times")

    def die(self) -> None:
        # One of them may just be starting another one.
        while self.processes():
            self.signal(signal.SIGKILL)
        self.napkind.wait()
        # A machine that is gone has no connections either.
        run(*self.host.enter, "ss", "-K", "sport", "=", ":22", check=False)

    def client(self, *words: str, **options) -> subprocess.Popen:
        words = (str(self.place.products / "napkin-client"), *words, "--socket", self.socket)
        return subprocess.Popen(
            self.host.command(self.place.user, *words),
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )


class Place:
    """Everything, which is removed at the end."""

    def __init__(self, products: pathlib.Path) -> None:
        self.products = products
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="reach-", dir="/tmp"))
        self.directory.chmod(0o755)
        self.user = "napkinreach"
        self.home = self.directory / "home"
        # No password, but not locked: sshd would refuse that.
        options = f"--no-create-home --home-dir {self.home} --shell /bin/sh --password *"
        run("useradd", *options.split(), self.user)
        self.machines: dict[str, Machine] = {}
        # The leader and its standby.
        self.databases: list[Database] = []

    def build(self) -> None:
        self.home.mkdir()
        shutil.chown(self.home, self.user, self.user)
        self.bin, self.keys = self.directory / "bin", self.directory / "keys"
        self.shared = self.directory / "shared"
        apps = self.shared / "napkin" / "apps"
        for each in (self.bin, self.keys, apps):
            each.mkdir(parents=True)
        self.preloaded = self.directory / "reach.so"
        source = str(pathlib.Path(__file__).with_suffix(".c"))
        run("cc", "-O1", "-shared", "-fPIC", "-o", str(self.preloaded), source)
        manifest = {
            "id": "tally",
            "worker": {
                "program": str(self.products / "LedgerWorker"),
                "environment": {"LD_PRELOAD": str(self.preloaded)},
            },
            "isolation": {"workers": len(MACHINES)},
        }
        (apps / "tally.json").write_text(json.dumps(manifest))
        for key in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.keys / key))
        shutil.chown(self.keys / "user", self.user, self.user)
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        run("ip", "link", "add", "reach", "type", "bridge")
        run("ip", "link", "set", "reach", "up")
        hosts = {name: Host(name, f"{NETWORK}{number}") for number, name in enumerate(MACHINES, 1)}
        lines = [f"Host {name}\n    HostName {host.address}\n" for name, host in hosts.items()]
        known = "* " + (self.keys / "host.pub").read_text()
        (self.keys / "known").write_text(known)
        (self.keys / "config").write_text(
            "".join(lines)
            + (
                f"Host *\n    User {self.user}\n    IdentityFile {self.keys / 'user'}\n"
                f"    UserKnownHostsFile {self.keys / 'known'}\n    StrictHostKeyChecking yes\n"
            )
        )
        ssh = self.bin / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {self.keys / "config"} "$@"\n')
        ssh.chmod(0o755)
        for name, address in DATABASES.items():
            host = Host(name, address)
            self.databases.append(Database(host, self.directory / name, *self.databases))
        client = str(self.products / "napkin-client")
        migrate = f"{client} ledger migrate --cluster reach --ledger".split()
        run(
            *hosts["r1"].command(self.user, *migrate, "postgres:" + STRING),
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)},
        )
        for name, host in hosts.items():
            self.machines[name] = Machine(host, self)
        # A front asks those of which it was told when it came: each has to know the others.
        for machine in self.machines.values():
            machine.client("machines").communicate()

    def remove(self) -> None:
        for machine in self.machines.values():
            machine.signal(signal.SIGCONT)
            machine.signal(signal.SIGKILL)
            machine.sshd.terminate()
        for database in self.databases:
            database.stop()
        for name in (*MACHINES, *DATABASES):
            for process in run("ip", "netns", "pids", "reach-" + name, check=False).split():
                try:
                    os.kill(int(process), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            run("ip", "netns", "del", "reach-" + name, check=False)
        run("ip", "link", "del", "reach", check=False)
        run("userdel", self.user, check=False)
        shutil.rmtree(self.directory, ignore_errors=True)


class Front:
    """One front of a session, which adds 1 again and again and notes what it is told."""

    def __init__(self, machine: Machine, session: str) -> None:
        self.name, self.session = f"{session} from {machine.name}", session
        # The answers of each history.
        self.histories: list[list[int]] = []
        self.epoch = -1
        self.times: list[float] = []
        # Of the newest history, how many events nobody knows of.
        self.unknown, self.sent, self.waits = 0, 0, 0
        self.problems: list[str] = []
        self.is_over, self.is_paused = False, False
        self.changed = threading.Condition()
        self.child = self.open(machine)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def open(self, machine: Machine) -> subprocess.Popen:
        return machine.client("attach", "tally", "--session", self.session, "--control")

    def send(self) -> None:
        self.sent += 1
        line = {"t": "event", "id": self.sent, "feature": FEATURE, "method": METHOD, "args": [1]}
        assert self.child.stdin is not None
        self.child.stdin.write(json.dumps(line) + "\n")
        self.child.stdin.flush()
        self.waits += 1

    def read(self) -> None:
        assert self.child.stdout is not None
        for text in self.child.stdout:
            line = json.loads(text)
            if line["t"] == "mount" and self.sent == 0:
                self.send()
            if line["t"] == "welcome" and line["epoch"] != self.epoch:
                with self.changed:
                    self.epoch, self.unknown = line["epoch"], 0
                    self.histories.append([])
                    self.changed.notify_all()
            if line["t"] != "reply":
                continue
            with self.changed:
                self.waits -= 1
                if line.get("ok"):
                    self.histories[-1].append(int(line["value"]))
                    self.times.append(time.monotonic())
                elif line["error"]["code"] in ("unknown", "interrupted"):
                    self.unknown += 1
                elif line["error"]["code"] not in ("notExecuted", "overloaded"):
                    self.problems.append(f"{self.name}: {line['error']}")
                self.changed.notify_all()
            time.sleep(0.02)
            self.go_on()
        if not self.is_over:
            errors = self.child.stderr.read() if self.child.stderr else ""
            self.problems.append(f"{self.name} ended: {errors}")

    def answered(self, after: float, count: int = 1) -> float | None:
        """When it had so many answers after a time; ``None`` if it has not in time."""

        def late() -> list[float]:
            return [each for each in self.times if each > after]

        with self.changed:
            self.changed.wait_for(lambda: len(late()) >= count or self.problems, SECONDS_MAX)
            return late()[count - 1] if len(late()) >= count else None

    def began(self, count: int) -> bool:
        """Whether it is told in time that there were so many histories."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.histories) >= count, SECONDS_MAX)

    def go_on(self) -> None:
        with self.changed:
            if not self.is_paused and self.waits == 0:
                self.send()

    def pause(self) -> None:
        with self.changed:
            self.is_paused = True
            if not self.changed.wait_for(lambda: self.waits == 0 or self.problems, SECONDS_MAX):
                self.problems.append(f"{self.name}: {self.waits} events have no answer")

    def settle(self) -> None:
        self.pause()
        self.is_over = True
        self.child.terminate()
        self.child.wait()


class Page(Front):
    """A page of a session to which nobody else adds, in a browser that knows its buttons."""

    HOST = "reach.test"

    def open(self, machine: Machine) -> subprocess.Popen:
        path, origin = str(machine.directory / "run" / self.session), f"https://{self.HOST}"
        words = f"web tally --session {self.session} --no-open --unix {path} --origin {origin}"
        child = machine.client(*words.split())
        assert child.stdout is not None
        address = child.stdout.readline().strip().removeprefix(origin)

        def get(place: str, *lines: str) -> socket.socket:
            line = socket.socket(socket.AF_UNIX)
            line.connect(path)
            lines = (f"GET {place} HTTP/1.1", f"Host: {self.HOST}", *lines, "", "")
            line.sendall("\r\n".join(lines).encode())
            return line

        with get(address) as line:
            answer = line.makefile().read()
        cookie, place = re.findall(r"(?:Set-Cookie: |Location: )([^;\n]+)", answer)
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", key)
        words = (f"Cookie: {cookie}", f"Origin: {origin}", *upgrade)
        self.stream = get(f"{place}socket?tab=&page=", *words).makefile("rwb")
        while self.stream.readline().strip():
            pass
        self.acts, self.shown, self.field = 0, -1, ""
        self.is_asked, self.is_refused = False, False
        self.histories = [[]]
        return child

    def act(self, kind: str, **details: str) -> None:
        self.acts += 1
        text = json.dumps({"type": kind, "number": self.acts, **details}).encode()
        # Short, and masked with zeros.
        self.stream.write(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)
        self.stream.flush()

    def send(self) -> None:
        self.sent, self.waits, self.is_asked = self.sent + 1, 1, True
        self.act("press", id="key-2", label="Add")

    def messages(self) -> Iterator[str]:
        while len(head := self.stream.read(2)) == 2:
            size = head[1]
            if size > 125:
                size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
            text = self.stream.read(size)
            if head[0] & 15 == 1:
                yield text.decode().replace('\\"', '"')

    def read(self) -> None:
        for text in self.messages():
            if '"beat"' in text:
                self.act("focus")
            field = re.search(r'<input id="(\w+)" aria-label="amount"', text)
            if field:
                self.field = field[1]
            if field and self.is_asked:
                self.is_asked = False
                self.act("text", id=self.field, text="1")
                self.act("submit", id=self.field)
            if "not connected to the session" in text:
                self.is_refused = True
            if self.is_refused and '"kind":"connected"' in text:
                # The form is still there.
                self.is_refused = False
                self.act("submit", id=self.field)
            shown = re.search(r'>0</span>: (?:<span class="changed">)?(\d+)', text)
            if not shown or int(shown[1]) == self.shown:
                continue
            with self.changed:
                if self.shown >= 0:
                    self.histories[-1].append(int(shown[1]))
                    self.times.append(time.monotonic())
                self.waits, self.shown = 0, int(shown[1])
                self.changed.notify_all()
            time.sleep(0.02)
            self.go_on()
        if not self.is_over:
            self.problems.append(f"{self.name}: the page's connection ended")


def check(
    fronts: list[Front], histories: int, bases: dict[str, int], sums: dict[str, int]
) -> list[str]:
    """The four zeros, from what fronts were told and what is stored at the end.

    There were so many histories, and the newest one of each session began with a base.
    """
    problems = [problem for front in fronts for problem in front.problems]
    for session, total in sums.items():
        own = [front for front in fronts if front.session == session]
        for front in own:
            if len(front.histories) != histories:
                problems.append(f"{front.name}: {len(front.histories)} histories of {histories}")
            if any(answers != sorted(answers) for answers in front.histories):
                problems.append(f"{front.name}: answers out of order")
        for answers in zip(*(front.histories for front in own)):
            told = [answer for each in answers for answer in each]
            if len(told) != len(set(told)):
                problems.append(f"{session}: an answer came twice: doubled, or another history")
        # Those of the newest one.
        if told and max(told) > total:
            problems.append(f"{session}: {max(told)} was seen, and {total} is there")
        unknown, added = sum(front.unknown for front in own), total - bases[session]
        if not len(told) <= added <= len(told) + unknown:
            problems.append(
                f"{session}: {len(told)} adds were done, up to {unknown} more; {added} are there"
            )
    return problems


class Faults:
    """What happens to machines, each undone when it returns."""

    def __init__(self, place: Place, chance: random.Random, fronts: list[Front]) -> None:
        self.place, self.chance, self.fronts = place, chance, fronts
        # The sums with which the newest histories began.
        self.bases = dict.fromkeys((front.session for front in fronts), 0)
        self.restores, self.pages = 0, 0

    def any(self) -> Machine:
        return self.chance.choice(list(self.place.machines.values()))

    @property
    def busy(self) -> list[Machine]:
        """Those with workers."""
        return [each for each in self.place.machines.values() if each.processes("--worker")]

    def stop_worker(self) -> str:
        machine, seconds = self.any(), self.chance.uniform(1, 12)
        machine.signal(signal.SIGSTOP, "--worker")
        time.sleep(seconds)
        machine.signal(signal.SIGCONT, "--worker")
        return f"{machine.name}'s workers stopped for {seconds:.1f} s"

    def overtake(self) -> str:
        """A machine's workers stay stopped until each front goes on, at another machine."""
        machine = self.chance.choice(self.busy)
        other = next(each for each in self.place.machines.values() if each is not machine)
        machine.signal(signal.SIGSTOP, "--worker")
        # Until their leases end, others go there.
        self.place.databases[0].ask(
            "SELECT pg_sleep(greatest(0, extract(epoch FROM max(expires) - now()))) "
            f"FROM napkin.owner WHERE address = '{machine.name}'"
        )
        for session in sorted({front.session for front in self.fronts}):
            child = other.client("send", session, FEATURE, "read()")
            _, errors = child.communicate()
            if child.returncode != 0:
                raise RuntimeError(f"{session} was not taken over: {errors}")
        begin = time.monotonic()
        late = [front.name for front in self.fronts if front.answered(begin) is None]
        machine.signal(signal.SIGCONT, "--worker")
        if late:
            raise RuntimeError(f"{machine.name}'s stopped workers hold {', '.join(late)}")
        # Tools follow, too.
        session = self.fronts[0].session
        for each in self.place.machines.values():
            child = each.client("tree", session, "--json")
            out, errors = child.communicate()
            if child.returncode != 0 or FEATURE not in out:
                raise RuntimeError(f"no tree of {session} from {each.name}: {errors}")
        return f"{machine.name}'s workers stopped and overtaken"

    def leave_stopped(self) -> str:
        """A machine's workers stay stopped until each front goes on, and nobody else asks."""
        machine = self.chance.choice(self.busy)
        machine.signal(signal.SIGSTOP, "--worker")
        begin = time.monotonic()
        # One answer may have been on its way.
        late = [front.name for front in self.fronts if front.answered(begin, 2) is None]
        machine.signal(signal.SIGCONT, "--worker")
        if late:
            raise RuntimeError(f"{machine.name}'s stopped workers hold {', '.join(late)}")
        return f"{machine.name}'s workers stopped for good"

    def stop_call(self) -> str:
        """One of a machine's processes stops before or after a call to the database."""
        machine, seconds = self.chance.choice(self.busy), self.chance.uniform(1, 12)
        call, is_first = self.chance.randint(1, 40), self.chance.random() < 0.5
        if is_first:
            machine.signal(signal.SIGKILL, "--worker")
        process = machine.stop_at(call)
        name = "worker" if process in machine.processes("--worker") else "napkind"
        time.sleep(seconds)
        machine.signal(signal.SIGCONT)
        after = " after a worker's death" if is_first else ""
        return f"{machine.name}'s {name} stopped at call {call}{after} for {seconds:.1f} s"

    def stop_machine(self) -> str:
        machine, seconds = self.any(), self.chance.uniform(1, 12)
        machine.signal(signal.SIGSTOP)
        time.sleep(seconds)
        machine.signal(signal.SIGCONT)
        return f"{machine.name} stopped for {seconds:.1f} s"

    def kill_machine(self) -> str:
        machine, seconds = self.any(), self.chance.uniform(0, 12)
        machine.die()
        time.sleep(seconds)
        machine.start()
        return f"{machine.name} dead for {seconds:.1f} s"

    def kill_beneath_page(self) -> str:
        """A page is opened elsewhere than its session is, and goes on when that machine dies."""
        self.pages += 1
        session = f"page{self.pages}"
        front = Front(self.any(), session)
        front.answered(0.0)
        front.settle()
        owner = self.place.machines[
            self.place.databases[0].ask(
                "SELECT address FROM napkin.owner JOIN (SELECT name, journal FROM napkin.names "
                "UNION SELECT name, journal FROM napkin.sessions) AS s USING (journal) "
                f"WHERE name = '{session}'"
            )
        ]
        others = [each for each in self.place.machines.values() if each is not owner]
        page, seconds = Page(self.chance.choice(others), session), self.chance.uniform(0, 12)
        is_shown = page.answered(0.0, 5) is not None
        owner.die()
        died = time.monotonic()
        time.sleep(seconds)
        answered, seconds = page.answered(died), time.monotonic() - died
        owner.start()
        page.settle()
        problems = check([front, page], 1, {session: 0}, {session: self.sum(session)})
        if problems or not is_shown or answered is None:
            raise RuntimeError(f"{page.name} does not go on: {problems}")
        return f"{owner.name} dead for {seconds:.1f} s beneath {page.name}"

    def restart_database(self) -> str:
        seconds = self.chance.uniform(0, 4)
        leader = self.place.databases[0]
        leader.stop()
        time.sleep(seconds)
        leader.start()
        return f"the database away for {seconds:.1f} s"

    def fail_over(self) -> str:
        seconds = self.chance.uniform(0, 4)
        leader, standby = self.place.databases
        leader.stop()
        time.sleep(seconds)
        standby.control("promote")
        self.place.databases = [standby, leader]
        leader.follow(standby)
        return f"the database dead for {seconds:.1f} s, and its standby promoted"

    def sum(self, session: str) -> int:
        """A session's sum, when its fronts are silent."""
        child = self.any().client("send", session, FEATURE, "read()")
        out, errors = child.communicate()
        if re.fullmatch(r"\d+\n?", out) is None:
            raise RuntimeError(f"{session} cannot be read: {errors}")
        return int(out)

    def sums(self) -> dict[str, int]:
        return {session: self.sum(session) for session in self.bases}

    def restore(self) -> str:
        """The database is as it was before some answers: each front is told, and starts anew."""
        leader, standby = self.place.databases
        for front in self.fronts:
            front.pause()
        self.bases = self.sums()
        (leader.data / "standby.conf").unlink()
        leader.control("reload")
        standby.stop()
        begin = time.monotonic()
        for front in self.fronts:
            front.is_paused = False
            front.go_on()
        late = [front.name for front in self.fronts if front.answered(begin, 5) is None]
        leader.stop()
        # Promoted, it has another timeline; otherwise it is a copy of the files.
        is_promoted = self.chance.random() < 0.5
        if not is_promoted:
            (standby.data / "standby.signal").unlink()
        standby.start()
        if is_promoted:
            standby.control("promote")
        self.place.databases = [standby, leader]
        self.restores += 1
        late += [front.name for front in self.fronts if not front.began(self.restores + 1)]
        if late:
            raise RuntimeError(f"not told of another history: {', '.join(late)}")
        leader.follow(standby)
        way = "its late standby promoted" if is_promoted else "a copy of its files there"
        return f"the database lost, and {way}: {len(self.fronts)} fronts start anew"

    def cut(self) -> str:
        machine, seconds = self.any(), self.chance.uniform(1, 12)
        machine.host.cut(True)
        time.sleep(seconds)
        machine.host.cut(False)
        return f"{machine.name} cut off for {seconds:.1f} s"

    def lose_one_way(self) -> str:
        """Of two machines, or one and the database, one is not heard by the other, or neither."""
        hosts = [machine.host for machine in self.place.machines.values()]
        database = self.place.databases[0].host
        one, other = self.chance.sample([*hosts, database], 2)
        ways = [(one, other), (other, one)][: 2 if self.chance.random() < 0.25 else 1]
        seconds = self.chance.uniform(1, 60)
        for source, target in ways:
            source.lose(target, True)
        time.sleep(seconds)
        waits = max(time.monotonic() - front.times[-1] for front in self.fronts)
        for source, target in ways:
            source.lose(target, False)
        if database in (one, other) and waits > WITHOUT_DATABASE_MAX:
            raise RuntimeError(f"{one.name} and {other.name}: a front has waited {waits:.1f} s")
        also = ", nor the other way," if len(ways) > 1 else ""
        return f"{one.name} not heard by {other.name}{also} for {seconds:.1f} s"

    @property
    def owners(self) -> str:
        """How often a machine became the owner of a journal."""
        return self.place.databases[0].ask("SELECT sum(epoch) FROM napkin.owner")

    def set_clock(self) -> str:
        """A machine's wall clock jumps, and stays wrong."""
        machine, before = self.any(), self.owners
        machine.hours = self.chance.choice([each for each in (-1, 0, 1) if each != machine.hours])
        # More than a lease, and the time between two reports.
        time.sleep(8)
        if self.owners != before:
            raise RuntimeError(f"{machine.name}'s clock jumped, and journals changed their owners")
        return f"{machine.name}'s clock {machine.hours:+} h from now on"

    def drain(self) -> str:
        machine = self.any()
        child = machine.client("drain")
        out, errors = child.communicate()
        machine.napkind.terminate()
        machine.napkind.wait()
        machine.start()
        return f"{machine.name} drained: {(out + errors).strip()}"

    @property
    def all(self) -> list:
        # CI takes the first four.
        return [
            self.stop_worker,
            self.overtake,
            self.kill_beneath_page,
            self.fail_over,
            self.kill_machine,
            self.stop_machine,
            self.restart_database,
            self.cut,
            self.drain,
            self.lose_one_way,
            self.set_clock,
            self.stop_call,
            self.leave_stopped,
            self.restore,
        ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("products", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    needed = ["cc", "ip", "nsenter", "setpriv", "useradd", "psql", "/usr/sbin/sshd"]
    missing = [program for program in needed if shutil.which(program) is None]
    if os.geteuid() != 0 or missing:
        print(f"reach: needs root and {', '.join(missing or needed)}", file=sys.stderr)
        return 69
    chance = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    place = Place(options.products.resolve())
    fronts: list[Front] = []
    try:
        place.build()
        names = [f"s{number}" for number in range(options.sessions)]
        machines = list(place.machines.values())
        for number, session in enumerate(names):
            # Each begins at another machine, and has a front at every one.
            for step in range(len(machines)):
                front = Front(machines[(number + step) % len(machines)], session)
                fronts.append(front)
                if front.answered(0.0) is None:
                    raise RuntimeError(f"{front.name}: no answer: {front.problems}")
        faults, waits = Faults(place, chance, fronts), []
        kinds = [fault for fault in faults.all if options.only in fault.__name__]
        for number in range(options.rounds):
            begin = time.monotonic()
            what = kinds[number % len(kinds)]()
            end = time.monotonic()
            late = [front.answered(end) for front in fronts]
            slow = max((each - end for each in late if each is not None), default=0.0)
            gaps = [
                after - before
                for front in fronts
                for before, after in zip(front.times, front.times[1:])
                if after > begin
            ]
            waits.append(max(gaps, default=0.0))
            print(
                f"{number + 1:3}  {what}; longest wait {waits[-1]:.1f} s, {slow:.1f} s after it",
                flush=True,
            )
            for front, at in zip(fronts, late):
                if at is None:
                    front.problems.append(
                        f"{front.name}: no answer within {SECONDS_MAX:.0f} s after: {what}"
                    )
            if any(front.problems for front in fronts):
                break
        for front in fronts:
            front.settle()
        sums = faults.sums()
        print(f"{faults.owners} times a machine became the owner of a journal")
        problems = check(fronts, faults.restores + 1, faults.bases, sums)
        told = sum(len(answers) for front in fronts for answers in front.histories)
        print(f"{told} answers, {sum(front.unknown for front in fronts)} unknown, sums {sums}")
        if waits:
            print(
                f"longest waits: median {statistics.median(waits):.1f} s, most {max(waits):.1f} s"
            )
        print(
            "lost, doubled, reordered, seen and then gone: 0"
            if not problems
            else "\n".join(problems[:20])
        )
        if problems:
            for machine in machines:
                log = (machine.directory / "napkind.log").read_text().splitlines()[-15:]
                print(f"-- {machine.name}", *log, sep="\n")
        return 1 if problems else 0
    finally:
        place.remove()


if __name__ == "__main__":
    sys.exit(main())
