// SpecificationTests: what the code names, the specification names, too, with the same numbers.

import Foundation
import Testing

/// A list in the sources, and where the specification has it as a table.
struct NamedList: Sendable, CustomTestStringConvertible {
    /// The file of the sources.
    let path: String
    /// The words after which the list begins, and before which it ends.
    let begins: String
    let ends: String
    /// The section of the specification whose tables have a row for each.
    let section: String
    /// How many there are at least: an empty list is one that was not found.
    let countMin: Int

    var testDescription: String { "\(begins) in \(path)" }

    static let all = [
        NamedList(
            path: "Protocol/NapkinProtocol/Framing/Frame.swift",
            begins: "enum FrameKind", ends: "struct FrameHeader", section: "6", countMin: 26),
        NamedList(
            path: "Protocol/NapkinProtocol/Framing/Frame.swift",
            begins: "enum FrameError", ends: "var description", section: "10", countMin: 4),
        NamedList(
            path: "Protocol/NapkinCoding/CBORError.swift",
            begins: "enum Code", ends: "var code", section: "10", countMin: 14),
        NamedList(
            path: "Protocol/NapkinProtocol/Handshake/HandshakeMessages.swift",
            begins: "enum Code", ends: "var code", section: "10", countMin: 13),
        NamedList(
            path: "Protocol/NapkinCoding/RemoteFault.swift",
            begins: "enum Code", ends: "var code", section: "10", countMin: 9),
        NamedList(
            path: "Protocol/NapkinCoding/Limits.swift",
            begins: "enum Limits", ends: "", section: "12", countMin: 10),
        NamedList(
            path: "Protocol/NapkinCoding/CBORReader.swift",
            begins: "public init(\n", ends: ") {", section: "12", countMin: 4),
    ]

    /// The names of the list, each with its number if it has one.
    func names(in text: String) -> [(name: String, number: Int?)] {
        guard let start = text.range(of: begins)?.upperBound else { return [] }
        let rest = text[start...]
        let list =
            ends.isEmpty ? rest : rest[..<(rest.range(of: ends)?.lowerBound ?? rest.endIndex)]
        return list.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap(Self.entry)
    }

    /// `case name`, `case name(…)`, `case name = 1`, `static let name = 2 * 3`, `name: Int = 4`.
    private static func entry(_ line: Substring) -> (name: String, number: Int?)? {
        var words = line.split(separator: " ")
        switch words.first {
        case "case": words.removeFirst()
        case "public" where words.count > 3 && words[1] == "static": words.removeFirst(3)
        default: guard words.count == 4, words[1] == "Int", words[2] == "=" else { return nil }
        }
        guard let name = words.first?.prefix(while: { $0.isLetter || $0.isNumber }), !name.isEmpty
        else { return nil }
        guard let sign = words.firstIndex(of: "=") else { return (String(name), nil) }
        let factors = words[(sign + 1)...].filter { $0 != "*" }.map {
            Int($0.filter { $0 != "_" })
        }
        return (String(name), factors.contains(nil) ? nil : factors.reduce(1) { $0 * ($1 ?? 1) })
    }
}

@Suite struct SpecificationTests {
    private func file(_ path: String) throws -> SourceFile {
        try #require(SourceTree.files.first { $0.path == path }, "\(path) is missing")
    }

    /// The cells of each row of the tables of a section, its subsections included.
    private func rows(ofSection number: String) throws -> [[String]] {
        let lines = String(decoding: try file(Rule.specification).bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("## \(number). ") })
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("| ") }.map { row in
            row.split(separator: "|").map { cell in
                cell.filter { $0 != "`" && $0 != " " }
            }
        }
    }

    @Test(arguments: NamedList.all) func `what the code names, a table has`(
        _ list: NamedList
    ) throws {
        let text = String(decoding: try file(list.path).code, as: UTF8.self)
        let names = list.names(in: text)
        #expect(names.count >= list.countMin, "found only \(names.map(\.name))")
        let rows = try rows(ofSection: list.section)
        for (name, number) in names {
            let row = rows.first { $0.prefix(2).contains(name) }
            #expect(row != nil, "section \(list.section) has no row for \(name)")
            guard let number, let row else { continue }
            let isThere = row.contains { $0 == "\(number)" || $0.hasPrefix("\(number)(") }
            #expect(isThere, "the row of \(name) has not its number, \(number)")
        }
    }

    @Test func `every message has a section of its own, which the table names`() throws {
        let text = String(decoding: try file(NamedList.all[0].path).code, as: UTF8.self)
        let sections = Specification(try file(Rule.specification)).sections
        let rows = try rows(ofSection: "6")
        for (kind, _) in NamedList.all[0].names(in: text) {
            let own = sections.first { $0.value == kind }
            let number = try #require(own?.key, "no section is called \(kind)")
            #expect(number.hasPrefix("6."))
            #expect(rows.contains { $0.first == kind && $0.last == number })
        }
    }

    @Test func `lists are read with their numbers`() {
        let list = NamedList(path: "", begins: "enum A", ends: "end", section: "", countMin: 0)
        let text = """
            case before
            enum A {
                case one = 1
                case two(bytes: Int)
                public static let three = 2 * 1_024
                four: Int = 5_000, five: Int = 6
                let six = 7
            end
                case after
            """
        let found = list.names(in: text)
        #expect(found.map(\.name) == ["one", "two", "three", "four", "five"])
        #expect(found.map(\.number) == [1, nil, 2048, 5000, 6])
    }
}
