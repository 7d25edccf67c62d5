#!/usr/bin/env python3
"""house.py: counts what the house has, so that it does not grow unseen.

Usage   house.py [--update]
        Compares the counts with scripts/house.txt; --update writes them there. Raising one is a commit
        of its own, which says what came for it; lowering one is part of the change.
Counts  lines shipped of each target (Swift and C, without benchmarks), lines of tests, targets of
        the manifest, public declarations, and their names that no example, template, client or
        generated code has, types that are in more than two files of their own name or of more than
        600 lines in all, and the files on each way of docs/ways.md
Exit    0; 1 if a count is above the file's
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_name("house.txt")
PUBLIC = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+"
    r"(?:(?:final|static|class|nonisolated|mutating|indirect|override|convenience|lazy)\s+)*"
    r"(?:func|var|let|init|struct|class|enum|actor|protocol|typealias|macro|subscript)\b"
    r"(?:\s+`?(\w+))?"
)
# Who uses what is public: apps, what they begin with, the client, and generated code.
USERS = re.compile(r"(?:examples|Sources/(?:NapkinClient|NapkinMacros|napkin-client)|daemon)/")
WAY = re.compile(r"^## (An? [\w ,]+): (\d+) files$", re.MULTILINE)
TARGET = re.compile(r"\.(?:target|executableTarget|testTarget|macro|systemLibrary)\(")
BENCHMARKS = "Tests/Proofs/Benchmarks/"


def files() -> list[str]:
    """The Swift and C files that git knows, and that are still there."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.swift", "*.c", "*.h"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [
        path for path in sorted(set(listed.stdout.split())) if (ROOT / path).is_file()
    ]


def target(path: str) -> str:
    """The target of a shipped file; empty for any other."""
    parts = path.split("/")
    if parts[0] == "daemon":
        return "napkind"
    shipped = parts[0] in ("Sources", "Protocol")
    return parts[1] if shipped and len(parts) > 2 else ""


def counts() -> dict[str, int]:
    """All counts, by name."""
    lines: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    public: list[str] = []
    words: set[str] = set()
    for path in files():
        text = (ROOT / path).read_text().splitlines()
        if USERS.match(path):
            words.update(re.findall(r"\w+", re.sub("//.*", "", "\n".join(text))))
        if path.startswith("Tests/") and not path.startswith(BENCHMARKS):
            lines["tests"] += len(text)
        if not (name := target(path)):
            continue
        lines[name] += len(text)
        public += [found.group(1) or "init" for line in text if (found := PUBLIC.match(line))]
        piece = f"{name}/{Path(path).stem.split('+')[0]}"
        pieces[piece] += 1
        sizes[piece] += len(text)
    tests = lines.pop("tests")
    result = {f"lines of {name}": count for name, count in sorted(lines.items())}
    result["lines shipped"] = sum(lines.values())
    result["lines of tests"] = tests
    result["targets"] = len(TARGET.findall((ROOT / "Package.swift").read_text()))
    result["public declarations"] = len(public)
    result["public names without a user"] = len(set(public) - words)
    result["types in more than two files"] = sum(
        1 for count in pieces.values() if count > 2
    )
    result["types of more than 600 lines"] = sum(
        1 for count in sizes.values() if count > 600
    )
    for way, number in WAY.findall((ROOT / "docs/ways.md").read_text()):
        result[f"files on the way of {way[0].lower()}{way[1:]}"] = int(number)
    return result


def main() -> int:
    """Counts, compares, prints."""
    if sys.argv[1:] not in ([], ["--update"]):
        sys.stderr.write("usage: house.py [--update]\n")
        return 64
    now = counts()
    if sys.argv[1:]:
        FILE.write_text("".join(f"{name}: {count}\n" for name, count in now.items()))
    entries = (line.rsplit(": ", 1) for line in FILE.read_text().splitlines())
    known = {name: int(count) for name, count in entries}
    above = [name for name in now if now[name] > known.get(name, 0)]
    for name in above:
        print(f"{name}: {now[name]}, where scripts/house.txt has {known.get(name, 0)}")
    if above:
        print(
            "house.py: `make house UPDATE=1` writes the counts; a commit of its own says why"
        )
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
