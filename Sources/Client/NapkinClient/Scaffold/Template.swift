// Template: a file of an app or a feature, with placeholders for its names.
//
// Templates are valid Swift, of an app called Sample with the features Detail and Errand; only
// these names are replaced. They are compiled in, not searched for as files, so a client may
// be moved.

struct Template {
    private let text: String

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    private init(text: String) { self.text = text }

    /// Fills the template's blanks, which are lines such as `//@init@`. Removes a blank that gets
    /// no lines, and unless `hasToggle`, the lines from `//@toggle@` to `//@end toggle@`.
    func filled(with blanks: [String: [String]], hasToggle: Bool) -> Template {
        var lines: [String] = []
        var isLeftOut = false
        func add(_ line: String) {
            let isFirst = lines.last?.hasSuffix(" {") == true
            if isFirst, line.isEmpty { return }
            if isFirst, line.allSatisfy({ " }".contains($0) }) {
                lines[lines.count - 1] += "}"
            } else {
                lines.append(line)
            }
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indentation = line.prefix { $0 == " " }
            let word = line.dropFirst(indentation.count)
            guard word.hasPrefix("//@"), word.hasSuffix("@") else {
                if !isLeftOut { add(String(line)) }
                continue
            }
            let blank = String(word.dropFirst(3).dropLast())
            if blank.hasSuffix("toggle") { isLeftOut = blank == "toggle" && !hasToggle }
            guard !isLeftOut else { continue }
            for line in blanks[blank] ?? [] { add(line.isEmpty ? "" : indentation + line) }
        }
        return Template(text: lines.joined(separator: "\n"))
    }

    func text(
        app: ScaffoldName, feature: ScaffoldName? = nil, _ more: [(String, String)] = []
    ) -> String {
        var words = [("Sample", app.type), ("sample", app.id)] + more
        if let feature {
            words += ["Detail", "Errand"].flatMap {
                [($0, feature.type), ($0.lowercased(), feature.id)]
            }
        }
        // Two steps, since a new name may contain another word to replace.
        var text = text
        for (index, (word, _)) in words.enumerated() {
            text = text.replacing(word, with: "\u{0}\(index)\u{0}")
        }
        for (index, (_, value)) in words.enumerated() {
            text = text.replacing("\u{0}\(index)\u{0}", with: value)
        }
        return Self.sortingImports(text)
    }

    /// Sorts the imports again, since the new names change their order.
    static func sortingImports(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var index = 0
        while index < lines.count {
            let end = lines[index...].firstIndex { module(of: $0) == nil } ?? lines.count
            if end > index {
                lines[index..<end].sort { (module(of: $0) ?? "") < (module(of: $1) ?? "") }
            }
            index = max(end, index + 1)
        }
        return lines.joined(separator: "\n")
    }

    private static func module(of line: Substring) -> Substring? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place + 2 == words.count,
            words[..<place].allSatisfy({ $0 == "public" || $0 == "@testable" })
        else { return nil }
        return words[place + 1]
    }
}
