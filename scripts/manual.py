#!/usr/bin/env python3
"""manual.py: writes a program's page for man(1), from the program's description of itself.

Usage   PROGRAM --experimental-dump-help | manual.py VERSION FILE
        FILE, such as manual/napkind.8, has what a description lacks: exit statuses, signals, files.
        A heading there follows `# `, a term begins a line, and its text is indented.
Output  the page, in the language of man(7): a section for each command
Exit    0; 64 if the command line or the description is wrong
"""

import json
import re
import sys
from pathlib import Path

# When the content of the pages was last changed.
DATE = "2026-11-28"
# Of a filled line, in bytes: `mandoc -T lint`.
LINE_MAX = 80
ESCAPES = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti"}


def escaped(text: str) -> str:
    """Text in which nothing is read as a request or an escape."""
    escapes = (ESCAPES.get(c, c if c.isascii() else f"\\[u{ord(c):04X}]") for c in text)
    return re.sub(r"^\.", r"\\&.", "".join(escapes))


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def filled(text: str) -> list[str]:
    """The lines of a text that is filled."""
    lines: list[str] = []
    # Each word as at the beginning of a line; elsewhere that does no harm.
    for word in map(escaped, text.split()):
        if lines and len(lines[-1]) + 1 + len(word) <= LINE_MAX:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def paragraphs(text: str) -> list[str]:
    """Paragraphs, which empty lines separate; indented lines stay as they are."""
    lines: list[str] = []
    for part in re.split(r"\n{2,}", text.strip("\n")):
        lines += [".PP"] if lines else []
        for fixed, block in re.findall(r"((?:^  .*\n?)+)|((?:^(?!  ).*\n?)+)", part, re.MULTILINE):
            if fixed:
                rows = [escaped(row[2:]) for row in fixed.splitlines()]
                lines += [".RS 4", ".nf", *rows, ".fi", ".RE"]
            else:
                lines += filled(block)
    return lines


def commands(tool: dict) -> list[dict]:
    """The commands that people are told of; one with commands is replaced by these."""
    found = []
    for command in tool.get("subcommands", []):
        if command["shouldDisplay"] and command["commandName"] != "help":
            for inner in commands(command):
                inner["commandName"] = f"{command['commandName']} {inner['commandName']}"
                found.append(inner)
            found += [] if command.get("subcommands") else [command]
    return found


def arguments(command: dict) -> list[dict]:
    return [each for each in command.get("arguments", []) if each["shouldDisplay"]]


def names(argument: dict) -> list[str]:
    return [
        bold(("--" if name["kind"] == "long" else "-") + name["name"])
        for name in argument.get("names", [])
    ]


def value(argument: dict) -> str:
    return f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"


def usage(path: list[str], shown: list[dict]) -> str:
    words = [bold(name) for name in path]
    for argument in shown:
        dots = "..." if argument["isRepeating"] else ""
        text = value(argument) + dots
        if argument["kind"] != "positional":
            text = names(argument)[0] + (f" {text}" if argument["kind"] == "option" else "")
        words.append(f"[{text}]" if argument["isOptional"] else text)
    return " ".join(words)


def entry(argument: dict) -> list[str]:
    parts = [", ".join(names(argument))] if argument["kind"] != "positional" else []
    parts += [value(argument)] if argument["kind"] != "flag" else []
    about = [argument.get("abstract", ""), argument.get("discussion", "")]
    return [".TP", " ".join(parts), *filled(" ".join(about))]


def table(text: str) -> list[str]:
    """The sections of a file."""
    lines = []
    for heading, term, about in re.findall(r"^# (.*)|^([^#\s].*)|^((?: +.*\n)+)", text, re.MULTILINE):
        lines += [f".SH {heading}"] if heading else [".TP", bold(term)] if term else filled(about)
    return lines


def page(tool: dict, version: str, file: Path) -> list[str]:
    name, all_commands = tool["commandName"], commands(tool)
    # What most commands have is described once.
    common = [
        each
        for each in (arguments(all_commands[0]) if all_commands else [])
        if each["kind"] != "positional"
        and sum(each in arguments(other) for other in all_commands) * 2 > len(all_commands)
    ]
    own = [[each for each in arguments(command) if each not in common] for command in all_commands]
    usages = [
        usage([name, command["commandName"]], shown)
        for command, shown in zip(all_commands, own, strict=True)
    ] or [usage([name], arguments(tool))]
    summary = tool["abstract"].removesuffix(".")
    lines = [
        '.\\" Made by scripts/manual.py from the program\'s own description.',
        f'.TH "{escaped(name.upper())}" {file.suffix[1:]} {DATE} "napkin {escaped(version)}"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        *"\n.br\n".join(usages).splitlines(),
        ".SH DESCRIPTION",
        *paragraphs(tool.get("discussion", "")),
        ".SH OPTIONS",
    ]
    lines += [line for argument in arguments(tool) for line in entry(argument)]
    lines += [".SH COMMANDS"] if all_commands else []
    for command, shown in zip(all_commands, own, strict=True):
        lines += [f'.SS "{escaped(name)} {escaped(command["commandName"])}"']
        lines += [*filled(command.get("abstract", "")), ".PP"]
        lines += paragraphs(command.get("discussion", ""))
        lines += [line for argument in shown for line in entry(argument)]
    lines += [".SH OPTIONS OF THE COMMANDS THAT ASK A DAEMON"] if common else []
    lines += [line for argument in common for line in entry(argument)]
    return lines + table(file.read_text())


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        tool = json.load(sys.stdin)["command"]
    except (ValueError, KeyError, TypeError) as error:
        print(f"manual: standard input is no program's description: {error!r}", file=sys.stderr)
        sys.exit(64)
    print("\n".join(page(tool, sys.argv[1], Path(sys.argv[2]))))


if __name__ == "__main__":
    main()
