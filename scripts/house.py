#!/usr/bin/env python3
"""house.py: counts what the house has, so that it does not grow unseen.

Usage   house.py [--update]
        Compares the counts with scripts/house.txt; --update writes them there. Raising one is a commit
        of its own, which says what came for it; lowering one is part of the change.
Counts  lines shipped of each target (Swift and C, without benchmarks), lines of tests, targets of
        the manifest, public declarations (of all but NapkinCoding and NapkinProtocol), types that are
        in more than two files of their own name or of more than 600 lines in all, and the files on
        each way of docs/ways.md
Users   a public name needs one: an example, a template, the client, generated code, or the
        signature of a public declaration that has one. scripts/kept.txt lists those that are kept
        without, one in a line with a word why: `ribs` (for who comes from RIBs), `desk` (the next
        example needs it), `apps` (an app would miss it beside what is used), `ours` (Swift wants
        what another target overrides or conforms to to be public)
Exit    0; 1 if a count is above the file's, a public name has no user and is not on the list, or a
        name on the list needs not be there
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_name("house.txt")
KEPT = Path(__file__).with_name("kept.txt")
PUBLIC = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+"
    r"(?:(?:final|static|class|nonisolated|mutating|indirect|override|convenience|lazy"
    r"|weak|(?:private|internal|package)\(set\))\s+)*"
    r"(func|var|let|init|struct|class|enum|actor|protocol|typealias|macro|subscript)\b"
    r"(?:\s+`?(\w+))?"
)
# What is written for apps, and not called by them.
COPIES = re.compile(r"Sources/(?:Napkin/|Client/NapkinClient/Templates/)")
# Who uses what is public: apps, what they begin with, the client, and generated code; not the list
# of names that no app may have.
USERS = re.compile(
    r"(?:examples|Sources/(?:Client/NapkinClient(?!/Scaffold/ScaffoldName)|Runtime/NapkinMacros))/"
)
# The compiler calls these by their names.
LANGUAGE = re.compile(
    r"build\w+|wrappedValue|projectedValue|callAsFunction|unownedExecutor|enqueue"
    r"|Body|Element|Iterator"
)
WAY = re.compile(r"^## (An? [\w ,]+): (\d+) files$", re.MULTILINE)
TARGET = re.compile(
    r'(?:target|executableTarget|testTarget|macro|systemLibrary)\(\s*(?:name: )?"'
)
# They are no products, and Swift inlines and specializes across modules only public code: with the
# machines and the coder as `package`, an event took 71 % more instructions.
INNER = ("NapkinCoding", "NapkinProtocol")
# Folders of targets.
GROUPS = ("Runtime", "Views", "Client")
BENCHMARKS = "Tests/Proofs/Benchmarks/"
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}


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
    if parts[0] == "Sources" and parts[1] in GROUPS:
        del parts[1]
    shipped = parts[0] in ("Sources", "Protocol")
    return parts[1] if shipped and len(parts) > 2 else ""


def signature(lines: list[str], kind: str) -> str:
    """A declaration's head, which begins the lines; a protocol and an enum as a whole."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    is_whole = kind in ("protocol", "enum")
    text = ""
    for line in lines:
        text += re.sub("//.*", "", line) + " "
        if is_whole and (line == indent + "}" or text.rstrip().endswith("{}")):
            break
        is_open = text.count("(") != text.count(")") or text.rstrip().endswith((",", "->"))
        if not is_whole and not is_open:
            break
    return text if is_whole else text.split("{")[0]


def unused(declared: list[tuple[str, str, str, str]], words: set[str]) -> list[str]:
    """Says of each public name without a user where it is, and of each needless line of the list."""
    kept = dict(line.split() for line in KEPT.read_text().splitlines())
    names = {name for name, *_ in declared}
    called = {name for name in names if name in words or LANGUAGE.fullmatch(name)}
    needless = sorted(name for name in kept if name in called or name not in names)
    types = {name for name, kind, _, _ in declared if kind in TYPES}
    used: set[str] = set()
    found = called | set(kept)
    while found - used:
        used |= found
        heads = " ".join(head for name, _, _, head in declared if name in used)
        found = types & set(re.findall(r"\w+", heads))
    return [
        f"{place}: {name} is public and has no user"
        for name, _, place, _ in declared if name not in used
    ] + [f"scripts/kept.txt: {name} has a user, or is not public" for name in needless]  # fmt: skip


def counts() -> tuple[dict[str, int], list[str]]:
    """All counts, by name, and the public names that are wrong."""
    lines: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    public: list[tuple[str, str, str, str]] = []
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
        piece = f"{name}/{Path(path).stem.split('+')[0]}"
        pieces[piece] += 1
        sizes[piece] += len(text)
        for number, line in enumerate([] if name in INNER or COPIES.match(path) else text):
            if found := PUBLIC.match(line):
                kind, word = found.groups()
                public.append(
                    (word or "init", kind, f"{path}:{number + 1}", signature(text[number:], kind))
                )
    tests = lines.pop("tests")
    result = {f"lines of {name}": count for name, count in sorted(lines.items())}
    result["lines shipped"] = sum(lines.values())
    result["lines of tests"] = tests
    result["targets"] = len(TARGET.findall((ROOT / "Package.swift").read_text()))
    result["public declarations"] = len(public)
    wrong = unused(public, words | {"init"})
    result["public names without a user"] = len(wrong)
    result["types in more than two files"] = sum(
        1 for count in pieces.values() if count > 2
    )
    result["types of more than 600 lines"] = sum(
        1 for count in sizes.values() if count > 600
    )
    for way, number in WAY.findall((ROOT / "docs/ways.md").read_text()):
        result[f"files on the way of {way[0].lower()}{way[1:]}"] = int(number)
    return result, wrong


def main() -> int:
    """Counts, compares, prints."""
    if sys.argv[1:] not in ([], ["--update"]):
        sys.stderr.write("usage: house.py [--update]\n")
        return 64
    now, wrong = counts()
    if sys.argv[1:]:
        FILE.write_text("".join(f"{name}: {count}\n" for name, count in now.items()))
    entries = (line.rsplit(": ", 1) for line in FILE.read_text().splitlines())
    known = {name: int(count) for name, count in entries}
    above = [name for name in now if now[name] > known.get(name, 0)]
    for line in wrong:
        print(line)
    for name in above:
        print(f"{name}: {now[name]}, where scripts/house.txt has {known.get(name, 0)}")
    if above:
        print(
            "house.py: `make house UPDATE=1` writes the counts; a commit of its own says why"
        )
    return 1 if above or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
