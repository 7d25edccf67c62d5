// DocumentCode: the Swift of the documents is Swift that is compiled.

import Foundation
import Testing

/// A block of Swift in a document, and where it begins.
struct DocumentBlock: Sendable, CustomTestStringConvertible {
    let path: String
    let line: Int
    /// Without what stands before them on their lines: a document indents as it likes.
    let lines: [String]

    var testDescription: String { "\(path):\(line)" }

    /// The blocks of a document, between a line "```swift" and the next "```".
    static func blocks(of file: SourceFile) -> [DocumentBlock] {
        var found: [DocumentBlock] = []
        var start: Int?
        for number in 1...max(1, file.lineCount) {
            let text = file.text(ofLine: number).trimmingCharacters(in: .whitespaces)
            if let first = start {
                guard text == "```" else { continue }
                found.append(DocumentBlock(file, first + 1, number))
                start = nil
            } else if text == "```swift" {
                start = number
            }
        }
        return found
    }

    private init(_ file: SourceFile, _ first: Int, _ end: Int) {
        path = file.path
        line = first
        lines = (first..<end).map { Self.trimmed(file.text(ofLine: $0)) }
    }

    private static func trimmed(_ line: String) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }

    /// Whether the block stands in `file`, line for line.
    func isExcerpt(of file: SourceFile) -> Bool {
        guard let first = lines.first, lines.count <= file.lineCount else { return false }
        let theirs = (1...file.lineCount).map { Self.trimmed(file.text(ofLine: $0)) }
        return theirs.indices.dropLast(lines.count - 1).contains { start in
            theirs[start] == first && theirs[start..<(start + lines.count)].elementsEqual(lines)
        }
    }
}

@Suite struct DocumentCodeTests {
    /// What the compiler sees: sources, tests, and the steps of the tutorial, which CI builds.
    private static let compiled = SourceTree.files.filter { file in
        file.isSwift && !file.path.contains("/Snippets/")
    }

    private static let documents = SourceTree.files.filter { $0.path.hasSuffix(".md") }

    @Test(arguments: documents.flatMap(DocumentBlock.blocks))
    func `a block of Swift is an excerpt of a file that is compiled`(_ block: DocumentBlock) {
        let home = Self.compiled.first { block.isExcerpt(of: $0) }
        #expect(home != nil, "no source, test or step of the tutorial has these lines")
    }

    @Test func `a block that differs in a line is found`() throws {
        let source = SourceFile(path: "A.swift", text: "struct A {\n    let a = 1\n}\n")
        func isExcerpt(_ block: String) throws -> Bool {
            let document = SourceFile(path: "A.md", text: "\n```swift\n\(block)\n```\n")
            let block = try #require(DocumentBlock.blocks(of: document).first)
            #expect(block.line == 3)
            return block.isExcerpt(of: source)
        }
        #expect(try isExcerpt("let a = 1"))
        #expect(try isExcerpt("struct A {\n    let a = 1\n}"))
        #expect(try !isExcerpt("let a = 2"))
        #expect(try !isExcerpt("struct A {\n}"))
        #expect(try !isExcerpt("let a = 1\n}\n}"))
    }
}
