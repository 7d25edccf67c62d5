# mutant_program.py: the unit tests of the pure targets and the core, with all mutants in them.
#
# Compiled without SwiftPM, as scripts/fuzz.sh does: the sources of the targets from changed copies,
# those of the tests as they are.

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / ".build" / "mutants"

# In the order in which they are compiled, each with its suites.
TARGETS = {
    "NapkinCoding": "Protocol/NapkinCoding",
    "NapkinProtocol": "Protocol/NapkinProtocol",
    "NapkinCore": "Sources/Runtime/NapkinCore",
}
TESTS = {
    "TestSupport": "Tests/TestSupport",
    # The journal is all of the test kit that these tests use.
    "NapkinTesting": "Sources/Runtime/NapkinTesting/Recording/Journal.swift",
    "CodingTests": "Tests/ProtocolTests/Coding",
    "ProtocolTests": "Tests/ProtocolTests/Protocol",
    # The core calls places of its callers by their module.
    "RuntimeTests": "Tests/RuntimeTests/Core",
}
SUITES = {
    "NapkinCoding": "CodingTests",
    "NapkinProtocol": "ProtocolTests",
    "NapkinCore": "RuntimeTests",
}
# It takes minutes, and tests whole sequences: `make test` has a stage for it.
SKIPPED_SUITES = ["ResumeSearchTests"]
# Long sequences of random bytes, in which only a trap is a failure: most of the 31 seconds of
# processor time that their target's suites take. They run last, for mutants that have survived
# everything else.
LONG_TESTS = {
    "NapkinCoding": [
        "random bytes never trap",
        "messages with a few bytes changed never trap",
    ],
}

FEATURES = [
    "NonisolatedNonsendingByDefault",
    "ExistentialAny",
    "InternalImportsByDefault",
    "MemberImportVisibility",
]

SWITCH = """\
import Glibc

private let chosen = getenv("NAPKIN_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
private let mark = getenv("NAPKIN_MUTANT_MARK").map { open($0, O_CREAT | O_WRONLY, 0o600) }

/// Whether that mutant was chosen; leaves a mark when it was asked for.
public func isMutant(_ number: Int) -> Bool {
    guard number == chosen else { return false }
    _ = mark
    return true
}
"""

RUNNER = """\
import Testing

@main
struct Runner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
"""


def say(text):
    print(f"mutants: {text}", file=sys.stderr, flush=True)


class Failure(Exception):
    pass


class Program:
    """The tests of the three targets, with all mutants in them."""

    def __init__(self, swift):
        self.swiftc = str(pathlib.Path(shutil.which(swift) or swift).parent / "swiftc")
        for folder in ("modules", "objects", "cache", "sources", "marks"):
            (OUT / folder).mkdir(parents=True, exist_ok=True)
        for mark in (OUT / "marks").iterdir():
            mark.unlink()
        plugin = ROOT / ".build/debug/NapkinMacros-tool"
        if not plugin.exists():
            raise Failure("there are no macros: run `swift build --target NapkinCore` first")
        self.flags = [
            "-Onone",
            "-wmo",
            "-parse-as-library",
            "-swift-version",
            "6",
            "-package-name",
            "napkin",
            "-enable-testing",
            "-module-cache-path",
            str(OUT / "cache"),
            "-I",
            str(OUT / "modules"),
            "-suppress-warnings",
            "-Xfrontend",
            "-load-plugin-executable",
            "-Xfrontend",
            f"{plugin}#NapkinMacros",
            "-Xcc",
            f"-fmodule-map-file={OUT}/modules/width.modulemap",
        ]
        for feature in FEATURES:
            self.flags += ["-enable-upcoming-feature", feature]

    def swift(self, module, sources, *more):
        return subprocess.run(
            [
                self.swiftc,
                *self.flags,
                *more,
                "-module-name",
                module,
                "-emit-module",
                "-emit-module-path",
                str(OUT / "modules" / f"{module}.swiftmodule"),
                "-c",
                "-o",
                str(OUT / "objects" / f"{module}.o"),
                *map(str, sources),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )

    def must(self, outcome, what):
        if outcome.returncode:
            raise Failure(f"{what} cannot be built:\n{outcome.stderr[-4000:]}")

    def build(self, mutants):
        """Compiles everything; mutants that do not compile are left out and say so."""
        header = ROOT / "Tests/CTestWidth/include/width.h"
        (OUT / "modules/width.modulemap").write_text(
            f'module CTestWidth {{ header "{header}" export * }}\n'
        )
        self.must(
            subprocess.run(
                [
                    str(pathlib.Path(self.swiftc).parent / "clang"),
                    "-c",
                    "-I",
                    str(header.parent),
                    str(ROOT / "Tests/CTestWidth/width.c"),
                    "-o",
                    str(OUT / "objects/width.o"),
                ],
                capture_output=True,
                text=True,
            ),
            "CTestWidth",
        )
        switch, runner = OUT / "sources/MutantSwitch.swift", OUT / "sources/Runner.swift"
        switch.write_text(SWITCH)
        runner.write_text(RUNNER)
        self.must(self.swift("MutantSwitch", [switch]), "the switch")
        for target in TARGETS:
            self.build_target(target, [m for m in mutants if m.target == target])
        for module, folder in TESTS.items():
            say(f"compiling {module}")
            place = ROOT / folder
            sources = [place] if place.is_file() else sorted(place.rglob("*.swift"))
            self.must(self.swift(module, sources), module)
        self.must(self.swift("Runner", [runner]), "the runner")
        objects = sorted(map(str, (OUT / "objects").glob("*.o")))
        self.must(
            subprocess.run(
                [self.swiftc, *objects, "-o", str(OUT / "tests")], capture_output=True, text=True
            ),
            "the program",
        )

    def build_target(self, target, mutants):
        folder = OUT / "sources" / target
        for attempt in range(12):
            live = [m for m in mutants if not m.result]
            say(f"compiling {target} with {len(live)} mutants")
            shutil.rmtree(folder, ignore_errors=True)
            sources = []
            for path in sorted((ROOT / TARGETS[target]).rglob("*.swift")):
                name = str(path.relative_to(ROOT))
                lines = path.read_text().splitlines()
                own = [m for m in live if m.path == name]
                if own:
                    # Before the first comment: the lines keep their numbers.
                    lines[0] = f"public import MutantSwitch {lines[0]}"
                for mutant in own:
                    lines[mutant.line - 1] = mutant.text
                copy = folder / path.relative_to(ROOT / TARGETS[target])
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text("\n".join(lines) + "\n")
                sources.append(copy)
            outcome = self.swift(target, sources)
            if outcome.returncode == 0:
                return
            self.blame(outcome.stderr, folder, target, live)
        raise Failure(f"{target} does not compile after {attempt + 1} attempts")

    def blame(self, errors, folder, target, live):
        """Leaves out the mutants of the lines that the compiler complains of."""
        places = set(
            re.findall(rf"^{re.escape(str(folder))}/(\S+?):(\d+):\d+: error", errors, re.M)
        )
        blamed = 0
        for place, line in places:
            path = f"{TARGETS[target]}/{place}"
            near = [m for m in live if m.path == path and not m.result]
            exact = [m for m in near if m.line == int(line)]
            # A change may cause an error elsewhere, such as a value that is not set: the changes
            # before it in the file are left out.
            earlier = sorted((m for m in near if m.line < int(line)), key=lambda m: m.line)[-1:]
            for mutant in exact or earlier or near[:1]:
                mutant.result = "no build"
                blamed += 1
        if not blamed:
            raise Failure(f"{target} cannot be built:\n{errors[-4000:]}")
