// ProgramNames: replaces the project's own names in a text with the names of an app's programs.
//
// Help and errors are written with the names of the project's own client and its example app. An
// app's own client has other names, and no text may refer anybody to a program or an app that
// does not exist.

struct ProgramNames: Sendable {
    private let words: [(own: [UInt8], name: [UInt8])]

    /// - Parameter words: the names to replace, some with themselves; a longer name precedes its
    ///   own prefixes.
    init(_ words: [(own: String, name: String)]) {
        let isNeeded = words.contains { $0.own != $0.name }
        self.words = isNeeded ? words.map { (Array($0.own.utf8), Array($0.name.utf8)) } : []
    }

    /// Replaces whole words only, since a sentence may contain paths and other people's names.
    func inSentence(_ text: String) -> String { replaced(text, onlyWords: true) }

    /// Replaces the names wherever they occur, since the project wrote all of a help text. Remarks
    /// after examples stay in their column, even where the lines are in a JSON string.
    func inHelp(_ text: String) -> String {
        guard !words.isEmpty else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\\n", omittingEmptySubsequences: false).map(inLine)
                .joined(separator: "\\n")
        }.joined(separator: "\n")
    }

    private func inLine(_ line: Substring) -> String {
        guard let start = line.firstIndex(where: { $0 != " " }),
            let gap = line[start...].firstRange(of: "  ")?.lowerBound,
            let remark = line[gap...].firstIndex(where: { $0 != " " })
        else { return replaced(String(line), onlyWords: false) }
        let example = replaced(String(line[..<gap]), onlyWords: false)
        let column = line.distance(from: line.startIndex, to: remark)
        return example + String(repeating: " ", count: max(2, column - example.count))
            + replaced(String(line[remark...]), onlyWords: false)
    }

    private func replaced(_ text: String, onlyWords: Bool) -> String {
        guard !words.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let word = words.first { own, _ in
                bytes[index...].starts(with: own)
                    && (!onlyWords || Self.isWord(index..<index + own.count, in: bytes))
            }
            result += word?.name ?? [bytes[index]]
            index += word?.own.count ?? 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether the range is a whole word: not part of a path, a file's name or a longer word.
    private static func isWord(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        func joins(_ byte: UInt8) -> Bool {
            Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                || "/-_".utf8.contains(byte) || byte >= 0x80
        }
        let dot = UInt8(ascii: ".")
        if let before = bytes[..<range.lowerBound].last, joins(before) || before == dot {
            return false
        }
        guard let after = bytes[range.upperBound...].first else { return true }
        // A full stop ends a sentence; with a word after it, it is part of a file name.
        let next = bytes[range.upperBound...].dropFirst().first
        return !joins(after) && !(after == dot && next.map(joins) == true)
    }
}
