// SourceFile: one text file of the repository, and what a rule asks of it.

import Glibc

struct SourceFile: Sendable {
    /// Relative to the repository, with `/`.
    let path: String
    let bytes: [UInt8]
    /// Empty unless it is a Swift file.
    let code: [UInt8]
    let comments: [UInt8]
    /// The offset of each line's first byte.
    private let starts: [Int]

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        let views = path.hasSuffix(".swift") ? SwiftScanner.views(of: bytes) : nil
        code = views?.code ?? []
        comments = views?.comments ?? []
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where byte == .newline {
            starts.append(offset + 1)
        }
        if starts.last == bytes.count, starts.count > 1 { starts.removeLast() }
        self.starts = starts
    }

    init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isPackage: Bool { path.hasSuffix("Package.swift") }
    var isTest: Bool {
        path.hasPrefix("Tests/") || path.hasPrefix("examples/") && path.contains("/Tests/")
    }
    var lineCount: Int { starts.count }

    /// The file's name without its directories and `.swift`.
    var baseName: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return isSwift ? String(name.dropLast(".swift".count)) : name
    }

    /// The line, counted from 1, that an offset lies in.
    func line(at offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// A line's bytes, without the line break, in one of the three views of this file.
    func line(_ number: Int, of view: [UInt8]) -> ArraySlice<UInt8> {
        guard (1...starts.count).contains(number), !view.isEmpty else { return [] }
        let end = number < starts.count ? starts[number] - 1 : view.count
        let slice = view[starts[number - 1]..<end]
        return slice.last == .newline ? slice.dropLast() : slice
    }

    func text(ofLine number: Int) -> String {
        String(decoding: line(number, of: bytes), as: UTF8.self)
    }

    func isBlank(_ number: Int, in view: [UInt8]) -> Bool {
        line(number, of: view).allSatisfy { $0 == .space }
    }

    /// Whether a line holds a comment and nothing else.
    func isCommentOnly(_ number: Int) -> Bool {
        isBlank(number, in: code) && !isBlank(number, in: comments)
    }

    func violation(_ line: Int, _ what: String, do advice: String) -> Violation {
        Violation(path: path, line: line, what: what, advice: advice)
    }
}

struct Violation: Hashable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String
    let advice: String

    var description: String { "\(path):\(line): \(what); \(advice)" }
}

/// Where a token begins in a view. A name that only contains the token does not count.
func occurrences(of token: String, in view: [UInt8]) -> [Int] {
    let needle = Array(token.utf8)
    guard let first = needle.first, let last = needle.last else { return [] }
    var found: [Int] = []
    view.withUnsafeBytes { hay in
        guard let base = hay.baseAddress else { return }
        var from = 0
        while from + needle.count <= hay.count,
            let hit = memchr(base + from, Int32(first), hay.count - needle.count + 1 - from)
        {
            let start = UnsafeRawPointer(hit) - base
            from = start + 1
            guard memcmp(hit, needle, needle.count) == 0 else { continue }
            let end = start + needle.count
            let joinsBefore = first.isWord && start > 0 && hay[start - 1].isWord
            let joinsAfter = last.isWord && end < hay.count && hay[end].isWord
            if !joinsBefore && !joinsAfter { found.append(start) }
        }
    }
    return found
}
