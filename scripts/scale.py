#!/usr/bin/python3
"""scale.py: measures napkin at 1 to 10,000 fronts and sessions, and at payloads of 64 B to 8 MiB.

Usage   scale.py NAPKIN-BENCH PICTURE.svg [--rounds N] [--most N]
        NAPKIN-BENCH is an optimised napkin-bench (`make scale` builds one)
Output  a table in Markdown, and the picture; each run is a line of .build/scale.jsonl
Exit    0; 1 if a cost grows faster than what it is for; 64 for wrong usage; 70 if a run fails

A cost grows faster than linearly if a front, a session or a byte costs more than GROWTH times at
the greatest number what it costs at the cheapest of the numbers before: costs that are there once
make few of them dear.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOG = HERE.parent / ".build" / "scale.jsonl"
NUMBERS = [1, 10, 100, 1000, 10_000]
# Chosen: caches of a larger size are slower by less than that; a list that is searched is not.
GROWTH = 3.0
# All processes on one core: whether another one has to be waked is the kernel's choice, takes 30 µs,
# and has nothing to do with how many there are.
PINNED = ["--pin", "0"]
Series = dict[int, float]


def measured(program: str, arguments: list[str]) -> list[dict[str, float]]:
    """Runs a workload; returns its reports."""
    print(f"scale: {' '.join(arguments)}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode != 0:
        sys.stderr.write(
            f"scale.py: {' '.join(arguments)} has failed: {done.stderr[-500:]}\n"
        )
        sys.exit(70)
    with LOG.open("a") as log:
        log.write(done.stdout)
    return [
        json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")
    ]


def medians(rounds: list[Series]) -> Series:
    """The median of each number."""
    return {
        number: statistics.median(one[number] for one in rounds) for number in rounds[0]
    }


def crowd(program: str, numbers: list[int], rounds: int) -> dict[str, Series]:
    """Everything that there are many of: in all, by how many."""
    found: dict[str, list[Series]] = {}
    for _ in range(rounds):
        one: dict[str, Series] = {}
        for number in numbers:
            fronts = measured(program, ["fanout", "--fronts", str(number), *PINNED])[0]
            sessions = measured(
                program, ["footprint", "--sessions", str(number), *PINNED]
            )[0]
            values = {
                "a state to all fronts of a session, µs": number
                / fronts["deliveries_per_s"]
                * 1e6,
                "a state to the one front of a session, µs": sessions["push_p50_us"]
                * number,
                "attaching fronts to one session, µs": fronts["attach_all_ms"] * 1000,
                "opening sessions with a front, µs": sessions["attach_all_ms"] * 1000,
                "worker's memory for fronts, KiB": fronts["worker_kib_each"] * number,
                "worker's memory for sessions, KiB": sessions["worker_kib_each"]
                * number,
            }
            for name, value in values.items():
                # The first front is there before anything is counted.
                if number > 1 or name.startswith("a state"):
                    one.setdefault(name, {})[number] = value
        for name, series in one.items():
            found.setdefault(name, []).append(series)
    return {name: medians(each) for name, each in found.items()}


def payloads(program: str, rounds: int) -> Series:
    """Microseconds of an event and its reply, by bytes each way."""
    return medians(
        [
            {
                int(report["payload_bytes"]): report["p50_us"]
                for report in measured(program, ["payloads", *PINNED])
            }
            for _ in range(rounds)
        ]
    )


def growth(series: Series) -> float:
    """What one of the greatest number costs, as a multiple of the cheapest of the others."""
    *others, last = sorted(series)
    return (series[last] / last) / min(series[number] / number for number in others)


def shown(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def size(count: int) -> str:
    """Bytes, in the unit that fits."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count // factor} {unit}"
    return f"{count} B"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Returns a table in Markdown."""
    return "\n".join(
        f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]
    )


def picture(path: str, crowds: dict[str, Series], bytes_each: Series) -> None:
    """Draws both, on logarithmic scales, where a straight line at 45 degrees is linear."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "napkin", "font.size": 9}
    )
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(10, 4.2), layout="constrained"
    )
    for (name, series), mark in zip(crowds.items(), "os^vDx", strict=True):
        left.loglog(
            list(series), list(series.values()), marker=mark, markersize=4, label=name
        )
    left.set_xlabel("fronts or sessions")
    left.legend(fontsize=7)
    right.loglog(list(bytes_each), list(bytes_each.values()), marker="o", markersize=4)
    right.set_xlabel("bytes there, and as many back")
    right.set_ylabel("round trip p50, µs")
    for axes in (left, right):
        axes.grid(visible=True, linewidth=0.3)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> int:
    """Measures, prints, draws."""
    parser = argparse.ArgumentParser(
        description="Measures how costs grow, and draws it."
    )
    parser.add_argument("bench", metavar="NAPKIN-BENCH")
    parser.add_argument("picture", metavar="PICTURE.svg")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument(
        "--most", type=int, default=NUMBERS[-1], help="fronts; default: 10000"
    )
    options = parser.parse_args()
    if (
        not os.access(options.bench, os.X_OK)
        or options.rounds < 1
        or options.most < 100
    ):
        sys.stderr.write(
            "scale.py: it needs a napkin-bench, a round and 100 fronts at least\n"
        )
        return 64
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text("")
    numbers = [number for number in NUMBERS if number <= options.most]
    crowds = crowd(options.bench, numbers, options.rounds)
    by_bytes = payloads(options.bench, options.rounds)
    rows = [
        [name, *(shown(series[n]) if n in series else "–" for n in numbers)]
        + [f"{growth(series):.2f} ×"]
        for name, series in crowds.items()
    ]
    print(
        table(
            ["for all of", *map(str, numbers), "one of the most, of the cheapest"], rows
        )
    )
    print()
    head = [
        "payload each way",
        *map(size, by_bytes),
        "a byte of the longest, of the cheapest",
    ]
    print(
        table(
            head,
            [["µs, p50", *map(shown, by_bytes.values()), f"{growth(by_bytes):.2f} ×"]],
        )
    )
    picture(options.picture, crowds, by_bytes)
    grown = [name for name, series in crowds.items() if growth(series) > GROWTH]
    if growth(by_bytes) > GROWTH:
        grown.append("payload")
    for name in grown:
        print(f"scale.py: grows faster than linearly: {name}", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
