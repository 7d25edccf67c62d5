// Insertion: lines that an existing file needs, and where they belong.
//
// Invariant  a place that is not certain is left to a person: the file is then not changed.

/// Lines for a file that a person may have changed.
struct Insertion: Equatable {
    /// Where the lines go. A line that is named must occur exactly once.
    enum Anchor: Equatable {
        /// Before a whole line.
        case before(String)
        /// After the first line of a declaration, whose beginning is given.
        case top(of: String)
        /// Before the last line of a declaration, whose first line's beginning is given.
        case bottom(of: String)
        /// After the last element of a list, whose first line has this.
        case last(of: String)
        /// After everything else.
        case end
        /// In place of these lines.
        case replacing([String])
        /// Left to a person in any case.
        case person
    }

    let file: String
    let lines: [String]
    let anchor: Anchor
    /// The place for a person.
    let place: String

    /// Returns the text with the lines inserted; `nil` if the place does not occur exactly once.
    func applied(to text: String) -> String? {
        var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch anchor {
        case .before(let line):
            guard let place = rows.only({ $0 == line }) else { return nil }
            insert(into: &rows, before: place)
        case .top(let head):
            guard let place = Self.opened(head, &rows)?.lowerBound else { return nil }
            rows.insert(contentsOf: lines, at: place + 1)
        case .bottom(let head):
            guard let end = Self.opened(head, &rows)?.upperBound else { return nil }
            insert(into: &rows, before: end)
        case .last(let head):
            guard let first = rows.only({ $0.contains(head) }), rows[first].hasSuffix("["),
                let end = rows[first...].firstIndex(of: rows[first].prefix { $0 == " " } + "]")
            else { return nil }
            insert(into: &rows, before: end)
        case .end:
            guard rows.contains(where: { !$0.isEmpty }) else { return nil }
            while rows.last?.isEmpty == true { rows.removeLast() }
            rows += lines + [""]
        case .replacing(let old):
            let places = rows.indices.filter { rows[$0...].starts(with: old) }
            guard let place = places.first, places.count == 1, !old.isEmpty else { return nil }
            rows.replaceSubrange(place..<place + old.count, with: lines)
        case .person: return nil
        }
        return rows.joined(separator: "\n")
    }

    /// Another element of a list gets a comma before it.
    private func insert(into rows: inout [String], before place: Int) {
        if place > 0, lines.last?.hasSuffix(",") == true,
            !",[".contains(rows[place - 1].last ?? ",")
        {
            rows[place - 1] += ","
        }
        rows.insert(contentsOf: lines, at: place)
    }

    /// Returns the first and the last line of the declaration that begins so, with its braces on
    /// lines of their own.
    ///
    /// The last line is the first one that is only a brace, as deep as the beginning: that is so in
    /// formatted code, except within a text over several lines, a comment or a condition.
    private static func opened(
        _ head: String, _ rows: inout [String]
    ) -> ClosedRange<Int>? {
        guard var first = rows.only({ $0.hasPrefix(head) }) else { return nil }
        // The head of a class may take more than a line.
        while !rows[first].hasSuffix("{"), !rows[first].hasSuffix("{}") {
            first += 1
            guard first < rows.count, !rows[first].hasSuffix("}") else { return nil }
        }
        let indentation = head.prefix { $0 == " " }
        if rows[first].hasSuffix("{}") {
            rows[first].removeLast()
            rows.insert(indentation + "}", at: first + 1)
        }
        let last = rows[first...].firstIndex { $0 == indentation + "}" }
        guard let last else { return nil }
        let isPlain = rows[first...last].allSatisfy { row in
            !["\"\"\"", "/*", "#if"].contains { row.contains($0) }
        }
        return isPlain ? first...last : nil
    }
}

extension [String] {
    /// The index of the only line for which this holds; `nil` if there are more, or none.
    fileprivate func only(_ isMeant: (String) -> Bool) -> Int? {
        let found = indices.filter { isMeant(self[$0]) }
        return found.count == 1 ? found[0] : nil
    }
}
