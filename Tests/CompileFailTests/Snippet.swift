// Snippet: one file for the compiler, and what its comments expect of it.

import Foundation

/// What the compiler says about a line.
struct Remark: Hashable, Comparable, CustomStringConvertible {
    /// `error`, `warning` or `note`.
    var severity: String
    /// As the snippet's file counts them, from 1; 0 for what belongs to no line of it.
    var line: Int
    /// Expected: a part of the message.
    var message: String

    var description: String { "line \(line): \(severity): \(message)" }

    static func < (left: Remark, right: Remark) -> Bool {
        (left.line, left.severity, left.message) < (right.line, right.severity, right.message)
    }

    /// Whether this is what `expected` stands for.
    func fulfils(_ expected: Remark) -> Bool {
        line == expected.line && severity == expected.severity
            && message.contains(expected.message)
    }
}

/// A snippet that must not compile, or the corrected one of the same name that must.
struct Snippet {
    enum Kind: String {
        case fails = "Fails"
        case compiles = "Compiles"
    }

    /// Which of Package.swift's settings it is compiled with.
    enum Settings: String { case strict, front }

    let name: String
    let path: String
    let settings: Settings
    let expected: [Remark]

    /// Beside this file.
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snippets")

    init(_ name: String, _ kind: Kind) throws {
        let file = Self.directory.appendingPathComponent("\(kind.rawValue)/\(name).swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        self.init(name: name, path: file.path, text: text)
    }

    init(name: String, path: String, text: String) {
        self.name = name
        self.path = path
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        settings = lines.contains("// Settings   front") ? .front : .strict
        expected = zip(1..., lines).flatMap { Self.expectations(in: $1, number: $0) }
    }

    /// `// expected-error: text`, about this line; `// expected-error@+2: text`, two lines below.
    private static func expectations(in line: Substring, number: Int) -> [Remark] {
        let pattern = /\/\/ expected-(?<severity>error|note)(@\+(?<offset>\d+))?: (?<message>.+)/
        guard let found = line.firstMatch(of: pattern) else { return [] }
        let offset = found.output.offset.flatMap { Int($0) } ?? 0
        return [
            Remark(
                severity: String(found.output.severity), line: number + offset,
                message: String(found.output.message))
        ]
    }

    /// The names of all snippets of that kind, in order.
    static func names(_ kind: Kind) throws -> [String] {
        try FileManager.default
            .contentsOfDirectory(
                atPath: directory.appendingPathComponent(kind.rawValue).path
            )
            .filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(".swift".count)) }.sorted()
    }
}
