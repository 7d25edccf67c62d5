#!/usr/bin/env python3
"""bench-pairs.py: measures two builds of napkin-bench in turn, so that both see the same machine.

Usage   bench-pairs.py NAPKIN-BENCH OTHER-NAPKIN-BENCH [--rounds N] [--cpu N]
        both optimised; the other one is what the first is compared with: a former build, or one
        without the line whose price is asked for
Output  a table in Markdown: medians of both, and the median, least and greatest of the differences
        within each round, of which each runs both builds once, in an order that is drawn anew
Exit    0 · 2 usage · 70 a run has failed
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

# Workload, figure, its title, what it is divided by or divides, and whether it counts per second.
MEASURES = [
    ("latency", "p50_us", "round trip p50, ns", 0.001, False),
    ("throughput", "calls_per_s", "64 outstanding, ns an event", 1e9, True),
    ("throughput", "cpu_us_per_call", "64 outstanding, processor time, ns an event", 0.001, False),
]
# Chosen: about a second and a half each.
COUNTS = {"latency": 60_000, "throughput": 120_000}


def run(program: Path, workload: str, cpu: int) -> dict[str, float]:
    """Runs one workload; returns its figures."""
    command = [program, workload, "--pin", str(cpu), "--count", str(COUNTS[workload])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        sys.stderr.write(f"bench-pairs.py: {program} {workload} has failed:\n{done.stderr[-2000:]}")
        sys.exit(70)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", nargs=2, type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    options = parser.parse_args()
    for program in options.programs:
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program")
    values: dict[str, list[tuple[float, float]]] = {title: [] for _, _, title, _, _ in MEASURES}
    for number in range(options.rounds):
        order = random.sample([0, 1], 2)
        for workload in COUNTS:
            figures = {
                index: run(options.programs[index].resolve(), workload, options.cpu)
                for index in order
            }
            for name, key, title, factor, rate in MEASURES:
                if name == workload:
                    one, other = (
                        factor / figures[index][key] if rate else figures[index][key] / factor
                        for index in (0, 1)
                    )
                    values[title].append((one, other))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print("| | first | other | difference | least | greatest | first / other |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for title, pairs in values.items():
        one, other = (statistics.median(pair[index] for pair in pairs) for index in (0, 1))
        moved = [a - b for a, b in pairs]
        print(
            f"| {title} | {one:,.0f} | {other:,.0f} | {statistics.median(moved):+,.0f} "
            f"| {min(moved):+,.0f} | {max(moved):+,.0f} "
            f"| {statistics.median(a / b for a, b in pairs):.3f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
