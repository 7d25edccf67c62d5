#!/usr/bin/env python3
# mutants.py: breaks one line of the pure targets and the core at a time, and checks which test notices.
#
# All mutants of a run are compiled into one program, and NAPKIN_MUTANT chooses one at its
# start: `a < b` becomes `(isMutant(7) ? (a <= b) : (a < b))`. Only copies are changed.

import argparse
import concurrent.futures
import dataclasses
import os
import random
import re
import signal
import subprocess
import sys
import time

from mutant_program import LONG_TESTS, OUT, ROOT, SKIPPED_SUITES, SUITES, TARGETS, Failure, Program, say
from mutations import variations

USAGE = """\
Breaks one line at a time of NapkinCoding, NapkinProtocol and NapkinCore, and runs the unit tests of
these targets each time: a mutant that passes them all is a line that no test sees.

  make mutants                    150 mutants, by a seed that is printed
  make mutants SEED=7 COUNT=300   others, repeatable while the sources are the same
  scripts/mutants.py --list       what could be changed, one line each; builds nothing
  scripts/mutants.py --only RouterCore --seed 7
                                  only in files whose path contains that

What is changed: a comparison (< to <=, == to !=, …), && and ||, + and -, a whole number by one,
true and false, a ! dropped, a condition negated or taken as true, a statement dropped. Comments,
signatures, texts and preconditions stay as they are. One mutant a line.

The long sequences of random bytes (LONG_TESTS in scripts/mutant_program.py) run last, and only for
a mutant that has survived everything else; ResumeSearchTests does not run at all.
"""

AFTERWARDS = """\
result: each mutant is one of
  killed      a test failed, the program ended, or nothing came within the limit of time
  survived    all tests passed: write the test, or remove what it does not need
  unreached   survived, and no test came to that line at all
  equivalent  survived, and scripts/mutants-equivalent.txt says why no test can see it; what it
              names is reported, too, when a test does see it
  no build    the changed line does not compile

exit status: 0 none survived · 1 some did · 64 usage · 70 the tests fail without a mutant, or
nothing could be built

The program is in .build/mutants; run one mutant again with
  NAPKIN_MUTANT=12 .build/mutants/tests --testing-library swift-testing
(numbers are those of the last run).
"""

# Chosen: the long tests of a target take some 30 s of one core, and others may use it, too.
LONG_SECONDS = 600


@dataclasses.dataclass
class Mutant:
    target: str
    path: str
    line: int
    change: str
    text: str
    number: int = 0
    result: str = ""

    def __str__(self):
        return f"{self.path}:{self.line}: {self.change}"


def candidates(only):
    """Returns every line that can be changed, with its possible changes."""
    found = []
    for target, folder in TARGETS.items():
        for path in sorted((ROOT / folder).rglob("*.swift")):
            name = str(path.relative_to(ROOT))
            if only and only not in name:
                continue
            lines = path.read_text().splitlines()
            in_text = False
            for index, line in enumerate(lines):
                if line.count('"""') % 2:
                    in_text = not in_text
                    continue
                if in_text:
                    continue
                before = lines[index - 1] if index else ""
                after = lines[index + 1] if index + 1 < len(lines) else ""
                ways = variations(line, before.split("//")[0], after)
                if ways:
                    found.append((target, name, index + 1, ways))
    return found


def choose(found, seed, count):
    """Draws lines without repetition, and one change of each."""
    draw = random.Random(seed)
    mutants = []
    for target, path, line, ways in draw.sample(found, min(count, len(found))):
        change, text = draw.choice(ways)
        mutants.append(Mutant(target, path, line, change, "", 0))
        mutants[-1].text = text
    mutants.sort(key=lambda m: (list(TARGETS).index(m.target), m.path, m.line))
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
        mutant.text = mutant.text(number)
    return mutants


def run_tests(number, limit, *arguments):
    """Returns the exit status, or `None` if there was none in time, and the text."""
    mark = OUT / "marks" / str(number)
    environment = dict(
        os.environ,
        NAPKIN_MUTANT=str(number),
        NAPKIN_MUTANT_MARK=str(mark),
        SWIFT_BACKTRACE="enable=no",
    )
    command = [str(OUT / "tests"), "--testing-library", "swift-testing", *arguments]
    for suite in SKIPPED_SUITES:
        command += ["--skip", suite]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        text, _ = process.communicate(timeout=limit)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        # Including the processes that it has started.
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()


def suites(target):
    return rf"^{SUITES[target]}\."


def without_long():
    return [part for names in LONG_TESTS.values() for name in names for part in ("--skip", name)]


def judge(mutant, limits):
    """Runs its own target's suites first: most mutants are killed there. Long tests come last."""
    own, everything = suites(mutant.target), sum(limits.values())
    stages = [
        (["--filter", own, *without_long()], limits[mutant.target]),
        (["--skip", own, *without_long()], everything),
    ]
    long = "|".join(LONG_TESTS.get(mutant.target, []))
    if long:
        stages.append((["--filter", long], everything + LONG_SECONDS))
    for filters, limit in stages:
        status, _ = run_tests(mutant.number, limit, *filters)
        if status is None:
            return "killed (time)"
        if status != 0:
            return "killed"
    return "survived" if (OUT / "marks" / str(mutant.number)).exists() else "unreached"


def equivalents():
    """Reads the known equivalent mutants: `path | the line | the change | why`, line by line."""
    known = set()
    path = ROOT / "scripts/mutants-equivalent.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            known.add(tuple(part.strip() for part in line.split(" | ")[:3]))
    return known


def source_line(mutant):
    return (ROOT / mutant.path).read_text().splitlines()[mutant.line - 1].strip()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/mutants.py",
        description=USAGE,
        epilog=AFTERWARDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="what the mutants are drawn from; printed"
    )
    parser.add_argument("--count", type=int, default=150, metavar="N", help="how many (150)")
    parser.add_argument("--only", metavar="TEXT", help="only files whose path contains TEXT")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), metavar="N", help="at a time (one a core)"
    )
    parser.add_argument("--list", action="store_true", help="print what could be changed")
    parser.add_argument(
        "--no-build",
        action="store_true",
        help="take the macros that `swift build` has left, and do not ask it for newer ones",
    )
    parser.add_argument(
        "--again", action="store_true", help="run the program of the last run; builds nothing"
    )
    parser.exit_on_error = False
    try:
        options = parser.parse_args()
    except (argparse.ArgumentError, SystemExit) as error:
        if isinstance(error, SystemExit) and error.code in (0, None):
            return 0
        print(
            f"usage: {error}" if isinstance(error, argparse.ArgumentError) else "", file=sys.stderr
        )
        return 64

    found = candidates(options.only)
    if options.list:
        for _, path, line, ways in found:
            for change, _ in ways:
                print(f"{path}:{line}: {change}")
        return 0
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    mutants = choose(found, seed, options.count)
    say(f"seed {seed}: {len(mutants)} of {len(found)} lines")
    if not mutants:
        print("mutants: no line can be changed there", file=sys.stderr)
        return 64

    swift = os.environ.get("SWIFT", "swift")
    began = time.monotonic()
    try:
        if options.again:
            built = set()
            for path in (OUT / "sources").rglob("*.swift"):
                built.update(map(int, re.findall(r"isMutant\((\d+)\)", path.read_text())))
            for mutant in mutants:
                mutant.result = "" if mutant.number in built else "no build"
        elif not options.no_build:
            say("building the macros")
            subprocess.run(
                [swift, "build", "--target", "NapkinCore"],
                cwd=ROOT,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        if not options.again:
            Program(swift).build(mutants)
        limits = {}
        for target in TARGETS:
            start = time.monotonic()
            status, text = run_tests(0, 600, "--filter", suites(target), *without_long())
            if status != 0:
                raise Failure(f"{target}'s tests fail without a mutant:\n{text[-4000:]}")
            # Chosen: a test that is slower by far than this does not end. With 30 s and a factor
            # of 4, other work on the machine made mutants that survive look endless.
            limits[target] = max(240, 10 * options.jobs * (time.monotonic() - start))
    except (Failure, subprocess.CalledProcessError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 70
    say(
        f"built and tried after {time.monotonic() - began:.0f} s; seconds for a mutant: "
        + ", ".join(f"{target} {limit:.0f}" for target, limit in limits.items())
    )
    run(mutants, limits, options.jobs)
    return report(mutants, seed, time.monotonic() - began)


def run(mutants, limits, jobs):
    """Judges each mutant; an interrupt ends that, and the mutants that were not run say so."""
    live = [m for m in mutants if not m.result]
    known = equivalents()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(judge, mutant, limits): mutant for mutant in live}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                mutant = futures[future]
                mutant.result = future.result()
                if (mutant.path, source_line(mutant), mutant.change) in known:
                    mutant.result = "equivalent" if is_left(mutant) else "wrongly equivalent"
                if not mutant.result.startswith("killed"):
                    say(f"{count} of {len(live)}: {mutant.result}: {mutant}")
        except KeyboardInterrupt:
            say("interrupted: waiting for those that run")
            pool.shutdown(cancel_futures=True)
            for mutant in live:
                mutant.result = mutant.result or "not run"


def is_left(mutant):
    return mutant.result in ("survived", "unreached")


def report(mutants, seed, seconds):
    print(f"\nseed {seed}: {len(mutants)} mutants in {seconds:.0f} s")
    for target in TARGETS:
        own = [m.result for m in mutants if m.target == target]
        counts = {r: own.count(r) for r in sorted(set(own))}
        print(f"  {target:15} " + ", ".join(f"{n} {result}" for result, n in counts.items()))
    left = [m for m in mutants if is_left(m) or m.result == "wrongly equivalent"]
    for mutant in left:
        print(f"{mutant}\n    {mutant.result} ({mutant.number}): {source_line(mutant)}")
    print("none survived" if not left else f"{len(left)} survived")
    return 1 if left else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        # Nothing has been run yet: there is nothing to report.
        sys.exit(130)
