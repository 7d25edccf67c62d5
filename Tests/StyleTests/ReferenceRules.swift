// ReferenceRules: what a file points to exists, and exists for everyone.

import Foundation

extension Rule {
    static let specification = "Protocol/SPEC.md"
    /// The documents whose sections are cited by number.
    static let numberedDocuments = [specification, "Protocol/TOOLS.md", "Protocol/MANIFEST.md"]

    /// Spelled in pieces, so that this file does not name one.
    static let personalDirectories = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }

    static let referenceRules = [
        Rule(
            name: "no path of anyone's own machine",
            examples: [
                Example("README.md", "$HOME/work/a, ~/home/b, tmp/root/c\n"),
                Example("README.md", "\nsee " + personalDirectories[0] + "main\n", broken: [2]),
                Example("Makefile", "A=" + personalDirectories[2] + "me/a\n", broken: [1]),
            ],
            check: { file in
                personalDirectories.flatMap { directory -> [Violation] in
                    occurrences(of: directory, in: file.bytes).compactMap { offset in
                        // Inside of a longer path it is just a name.
                        if offset > 0 {
                            let before = file.bytes[offset - 1]
                            if before.isWord || "~.-})*".utf8.contains(before) { return nil }
                        }
                        let what = "\(directory)… is a path of someone's own machine"
                        let advice = "use one relative to the repository"
                        return file.violation(file.line(at: offset), what, do: advice)
                    }
                }
            }),
        Rule(
            name: "a document's link leads to something",
            examples: [
                Example("README.md", "[a](Makefile), [b](https://example.org/c), [d](#d)\n"),
                Example("examples/Cart/README.md", "[a](../../daemon), [b](README.md#c)\n"),
                Example("README.md", "\n[a](Makefile) and [b](Nowhere.md)\n", broken: [2]),
                Example("examples/Cart/README.md", "![a](daemon)\n", broken: [1]),
            ],
            check: { file in
                // DocC has its own rules for links, and checks them.
                guard file.path.hasSuffix(".md"), !file.path.contains(".docc/") else { return [] }
                return (1...file.lineCount).flatMap { number in
                    links(in: file.text(ofLine: number)).filter { !leads($0, from: file.path) }
                        .map { file.violation(number, "\($0) is not there", do: "mend the link") }
                }
            }),
        Rule(
            name: "a file on a way is there",
            examples: [
                Example("docs/ways.md", "| target | files |\n| NapkinCore | Gate, Feature |\n"),
                Example("docs/ways.md", "\n| NapkinCore | Gate, Fence |\n", broken: [2]),
            ],
            check: { file in
                guard file.path == "docs/ways.md" else { return [] }
                return (1...file.lineCount).flatMap { number -> [Violation] in
                    let cells = file.text(ofLine: number).split(separator: "|").map {
                        $0.split(whereSeparator: { ", ".contains($0) })
                    }
                    guard cells.count == 2, let target = cells[0].first, target.hasPrefix("Napkin")
                    else { return [] }
                    let there = SourceTree.files.filter { $0.path.contains("/\(target)/") }
                    return cells[1].filter { name in
                        !there.contains { $0.path.hasSuffix("/\(name).swift") }
                    }.map { file.violation(number, "\($0) is not there", do: "run `make ways`") }
                }
            }),
        Rule(
            name: "a step of a way is there",
            examples: [
                Example("docs/steps.md", "1. `FrontSession.begin`: one\n`File.function`\n"),
                Example(
                    "docs/steps.md", "1. `FrontSession.boil`: one\n`Kettle.boil`\n",
                    broken: [1, 2]),
            ],
            check: { file in
                guard file.path == "docs/steps.md" else { return [] }
                return (1...file.lineCount).flatMap { number -> [Violation] in
                    file.text(ofLine: number).matches(of: /`([A-Z][\w+]*)\.(\w+)`/).filter { step in
                        let (name, function) = (step.output.1, "func \(step.output.2)")
                        let there = SourceTree.swiftFiles.filter {
                            $0.path.hasSuffix("/\(name).swift")
                        }
                        return name != "File"
                            && !there.contains { !occurrences(of: function, in: $0.code).isEmpty }
                    }.map {
                        file.violation(number, "\($0.output.0) is not there", do: "follow the way")
                    }
                }
            }),
        Rule(
            name: "a cited section of ARCHITECTURE.md is there",
            examples: [
                Example("// A: a.\n// Spec       ARCHITECTURE.md (the loop); libuv (its own)\n"),
                Example("CONTRIBUTING.md", "See ARCHITECTURE.md (the command line).\n"),
                Example("// A: a.\n// Spec       ARCHITECTURE.md (the kettle)\n", broken: [2]),
            ],
            check: { file in
                let citation = "ARCHITECTURE.md ("
                let view = file.isSwift ? file.comments : file.bytes
                return occurrences(of: citation, in: view).compactMap { offset in
                    let rest = file.bytes[(offset + citation.utf8.count)...]
                    let name = rest.prefix { $0 != UInt8(ascii: ")") && $0 != .newline }
                    let title = String(decoding: name, as: UTF8.self).lowercased()
                    guard !architecture.contains(title) else { return nil }
                    return file.violation(
                        file.line(at: offset), "ARCHITECTURE.md has no section \(title)",
                        do: "cite one that exists, or write it")
                }
            }),
    ]

    /// The titles of its sections, in lower case.
    private static let architecture: Set<String> = {
        guard let file = SourceTree.files.first(where: { $0.path == "ARCHITECTURE.md" }) else {
            return []
        }
        let lines = (1...file.lineCount).map(file.text(ofLine:))
        return Set(lines.filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3).lowercased() })
    }()

    /// The places within the repository that a line of a document links to.
    private static func links(in line: String) -> [String] {
        line.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap {
            let target = $0.prefix { $0 != ")" && $0 != "#" }
            return target.isEmpty || target.contains("://") ? nil : String(target)
        }
    }

    private static func leads(_ link: String, from document: String) -> Bool {
        guard let root = SourceTree.root else { return false }
        let place = root.appendingPathComponent(document).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: place.appendingPathComponent(link).path)
    }
}

/// The headings of a document, and what cites them: `Protocol/SPEC.md, section N (Name)`,
/// or `sections N (Name) and N (Name)`; in the document itself without its name.
struct Specification: Sendable {
    /// The document's path.
    let path: String
    /// A section's number to its title.
    private(set) var sections: [String: String] = [:]

    init(_ file: SourceFile) {
        path = file.path
        for number in 1...file.lineCount {
            let line = file.text(ofLine: number)
            guard line.hasPrefix("#") else { continue }
            var words = line.split(separator: " ").dropFirst()
            if words.first?.lowercased() == "section" { words = words.dropFirst() }
            guard let first = words.first, first.first?.isNumber == true else { continue }
            let key = first.trimmingCharacters(in: CharacterSet(charactersIn: ".:"))
            sections[key] = words.dropFirst().joined(separator: " ")
        }
    }

    func violations(in file: SourceFile) -> [Violation] {
        let view = file.isSwift ? file.comments : file.bytes
        return ["section ", "sections "].flatMap { citation in
            occurrences(of: citation, in: view).flatMap { offset -> [Violation] in
                guard cites(file, before: offset) else { return [] }
                let rest = file.bytes[(offset + citation.utf8.count)...].prefix { $0 != .newline }
                return references(in: String(decoding: rest, as: UTF8.self)).compactMap {
                    violation(of: $0, on: file.line(at: offset), in: file)
                }
            }
        }
    }

    /// Whether what stands at `offset` is about this document: after its name or a link to it, in
    /// itself also without, where a number follows.
    private func cites(_ file: SourceFile, before offset: Int) -> Bool {
        let before = String(decoding: file.bytes[max(0, offset - 40)..<offset], as: UTF8.self)
        let document = path.split(separator: "/").last.map(String.init) ?? path
        let words = String(before.map { $0 == "\n" ? " " : $0 }.filter { !")`".contains($0) })
        if words.hasSuffix(document + ", ") { return true }
        guard file.path == path, !words.hasSuffix(".md, ") else { return false }
        let after = file.bytes[offset...].drop { $0 != UInt8(ascii: " ") }.dropFirst().first
        return after.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
    }

    /// `2 (Framing)` and what follows it as ` and 3 (Identifiers)` or `, 3 (Identifiers)`.
    private func references(in text: String) -> [Substring] {
        var found = [text[...]]
        while let end = found.last?.firstIndex(of: ")") {
            let rest = text[text.index(after: end)...]
            guard let joint = [" and ", ", "].first(where: rest.hasPrefix),
                rest.dropFirst(joint.count).first?.isNumber == true
            else { break }
            found.append(rest.dropFirst(joint.count))
        }
        return found
    }

    private func violation(
        of text: Substring, on line: Int, in file: SourceFile
    ) -> Violation? {
        var number = String(text.prefix { $0.isNumber || $0 == "." })
        while number.hasSuffix(".") { number.removeLast() }
        // The form itself, "section N", cites nothing.
        if text.hasPrefix("N"), text.dropFirst().first?.isLetter != true { return nil }
        guard !number.isEmpty else {
            let what = "a section is cited without its number"
            return file.violation(line, what, do: "cite it as `section 2 (Framing)`")
        }
        guard let title = sections[number] else {
            let what = "\(path) has no section \(number)"
            return file.violation(line, what, do: "cite one that exists, or write it")
        }
        let after = text.drop { $0.isNumber || $0 == "." }
        guard after.hasPrefix(" ("), let end = after.firstIndex(of: ")") else { return nil }
        let cited = after[..<end].dropFirst(2)
        if title.range(of: cited, options: .caseInsensitive) != nil { return nil }
        let what = "section \(number) of \(path) is \"\(title)\", not \"\(cited)\""
        return file.violation(line, what, do: "cite number and title as they are")
    }
}
