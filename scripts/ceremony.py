#!/usr/bin/env python3
# ceremony.py: counts how much of an app's code only names, keeps, passes on and puts together.

import argparse
import pathlib
import re
import sys

USAGE = """\
Counts the lines of each example's contract, feature and front, and those that are ceremony: what
an author has to write before, and around, what the app does.

  scripts/ceremony.py                 the examples of this checkout
  scripts/ceremony.py DIRECTORY       those of another one, such as an earlier commit's worktree

A line counts unless it is blank, a comment, or nothing but brackets. Ceremony is
  import      imports
  attribute   a line that is only an attribute: @MainActor, @Crossing
  identity    a Feature's own lines, except its Arguments; an App's; the registration of views
  build       builders, components, and the protocols …Buildable, …Dependency
  protocol    the protocols …Listener and …Routing inside the worker (crossings are none)
  store       lifecycle, presenter, listener, router, component, and builders as properties
  init        initialisers that only store what they are given; wire(router:)
"""

PARTS = ("Contract", "Feature", "Front")
STORED = re.compile(
    r"(nonisolated |private |weak |unowned |final )*(let|var) "
    r"(lifecycle|presenter|listener|router|component|dependency|redraw|\w*Builder)\b"
)
# What begins a declaration of which each line is ceremony, by its kind.
WHOLE = (
    (
        "build",
        re.compile(
            r"\b(class|struct|protocol) \w+(Builder|Component|Buildable|Dependency)\b"
        ),
    ),
    ("build", re.compile(r"^\s*extension EmptyComponent\b")),
    ("identity", re.compile(r"\benum \w+: (Feature|App)\b")),
    ("identity", re.compile(r"\benum \w+Views\b")),
    ("protocol", re.compile(r"\bprotocol \w+(?<!Presentable)(Listener|Routing)\b")),
    ("init", re.compile(r"\bfunc wire\(router\b")),
)
ASSIGNMENT = re.compile(r"^(self\.)?\w+ = [\w.]+$|^super\.init\(|^[\w.:, ]+\)$")


def is_code(line: str) -> bool:
    """Whether a line counts."""
    text = line.strip()
    return (
        bool(text)
        and not text.startswith("//")
        and not re.fullmatch(r"[\[\](){},]+", text)
    )


def end_of(lines: list[str], start: int) -> int:
    """Returns the line of a declaration's last bracket; its own line, if it has no body."""
    depth = 0
    for number in range(start, len(lines)):
        code = lines[number].split("//")[0]
        depth += sum(code.count(c) for c in "{([") - sum(code.count(c) for c in "})]")
        opened = "{" in "".join(lines[start : number + 1])
        if depth <= 0 and (
            opened or number + 1 == len(lines) or "protocol" not in lines[start]
        ):
            return number
    return len(lines) - 1


def kinds(lines: list[str]) -> list[str | None]:
    """Returns each line's kind of ceremony, or None for what the app does."""
    found: list[str | None] = [None] * len(lines)
    for start, line in enumerate(lines):
        if found[start]:
            continue
        text = line.strip()
        for kind, pattern in WHOLE:
            if pattern.search(line) and not text.startswith("//"):
                for number in range(start, end_of(lines, start) + 1):
                    found[number] = kind
                if kind == "identity":
                    keep_arguments(lines, found, start)
        if found[start]:
            continue
        if re.match(r"(public |internal |package |@testable )*import ", text):
            found[start] = "import"
        elif re.fullmatch(r"@\w+(\(.*\))?( @\w+)*", text):
            found[start] = "attribute"
        elif STORED.match(text.removeprefix("public ")):
            found[start] = "store"
        elif re.match(r"(public |private |convenience )*init\(", text):
            last = end_of(lines, start)
            text = " ".join(lines[n].strip() for n in range(start, last + 1))
            head = (
                n for n in range(start, last + 1) if lines[n].rstrip().endswith("{")
            )
            first = next(head, None)
            body = (
                [text[text.rindex("{") + 1 :].strip(" }")]
                if first is None
                else [lines[n].strip() for n in range(first + 1, last)]
            )
            if all(not is_code(one) or ASSIGNMENT.match(one) for one in body):
                for number in range(start, last + 1):
                    found[number] = "init"
    return found


def keep_arguments(lines: list[str], found: list[str | None], start: int) -> None:
    """A feature's arguments are what its view is about: no ceremony."""
    for number in range(start, end_of(lines, start) + 1):
        if re.search(r"\bstruct Arguments\b", lines[number]):
            for inner in range(number, end_of(lines, number) + 1):
                found[inner] = None


def count(example: pathlib.Path) -> tuple[int, int, dict[str, int]]:
    """Returns an example's files, its lines, and its ceremony by kind."""
    files, total = 0, 0
    ceremony: dict[str, int] = {}
    for part in PARTS:
        for path in sorted((example / part).rglob("*.swift")):
            files += 1
            lines = path.read_text().splitlines()
            for line, kind in zip(lines, kinds(lines), strict=True):
                if not is_code(line):
                    continue
                total += 1
                if kind:
                    ceremony[kind] = ceremony.get(kind, 0) + 1
    return files, total, ceremony


def main() -> int:
    parser = argparse.ArgumentParser(
        description=USAGE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("directory", nargs="?", type=pathlib.Path, default=here)
    directory = parser.parse_args().directory / "examples"
    examples = sorted(path.parent for path in directory.glob("*/Contract"))
    if not examples:
        print(f"ceremony: no example has a Contract in {directory}", file=sys.stderr)
        return 66
    names = ("import", "attribute", "identity", "build", "protocol", "store", "init")
    print(
        f"{'':14}{'files':>6}{'lines':>7}"
        + "".join(f"{n:>10}" for n in names)
        + "  ceremony"
    )
    for example in examples:
        files, total, ceremony = count(example)
        share = 100 * sum(ceremony.values()) / total
        row = "".join(f"{ceremony.get(name, 0):>10}" for name in names)
        print(f"{example.name:14}{files:>6}{total:>7}{row}{share:>8.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
