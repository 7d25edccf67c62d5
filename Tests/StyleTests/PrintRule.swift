// PrintRule: whatever is printed goes through one door, where controls of others become visible.

extension Rule {
    /// Files that print by other ways, each with its reason.
    static let printers: [String: String] = [
        "Sources/Runtime/NapkinTransport/Output/StandardStream.swift": "the door",
        "Sources/Views/NapkinTerminal/Ncurses/Curses.swift":
            "ncurses, which has texts of TextSpan only",
        "Sources/Runtime/NapkinSystem/RunProgram.swift": "reads a program's standard output",
        "examples/Characters/Server/Service.swift": "knows nothing of ours, and prints its port",
        "examples/Desk/Client/Output.swift":
            "shows controls as well, and writes a program's own output as it is",
    ]

    /// Swift's own ways, C's, Foundation's, swift-log's, and a write to a descriptor by its number.
    private static let ways = [
        "print(", "debugPrint(", "dump(", "printf(", "fprintf(", "vprintf(", "vfprintf(", "puts(",
        "fputs(", "putchar(", "fputc(", "putc(", "fwrite(", "perror(", "psignal(", "syslog(",
        "addstr(", "addwstr(", "addnstr(", "printw(", "write(STDOUT_FILENO", "write(STDERR_FILENO",
        "write(1", "write(2", ".standardOutput", ".standardError", "fdopen(",
    ]

    static let printing = Rule(
        name: "what is printed is printed by StandardStream",
        examples: [
            Example("try StandardStream.error.write(PrintableText(line: a))\n\"print(a)\"\n"),
            Example("blueprint(a)\nfile.write(10)\n// print(a)\n"),
            Example(
                "print(a)\nGlibc.fputs(a, stderr)\nfwrite(a, 1, 1, stdout)\n", broken: [1, 2, 3]),
            Example(
                "_ = write(STDERR_FILENO, line, line.count)\nwrite(1, a, 1)\n", broken: [1, 2]),
            Example(
                "FileHandle.standardOutput.write(a)\nStreamLogHandler.standardError(label: a)\n",
                broken: [1, 2]),
            Example("Tests/ATests/A.swift", "print(a)\n"),
            Example(
                "Sources/Runtime/NapkinTransport/Output/StandardStream.swift", "write(1, a, 1)\n"),
        ],
        check: { file in
            guard file.isSwift, !file.isTest, !file.isPackage,
                printers[file.path] == nil
            else { return [] }
            return ways.flatMap { way in
                occurrences(of: way, in: file.code).map { offset in
                    file.violation(
                        file.line(at: offset), "`\(way)` prints what others may have written",
                        do: "hand a PrintableText to StandardStream, or to StandardOutput")
                }
            }
        })
}
