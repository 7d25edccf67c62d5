// Insertion: lines that a file needs, and the line that they belong before.
//
// Layer      executable, scaffold.
// Isolation  value.

/// Lines for a composition root.
struct Insertion: Equatable {
    let file: String
    let lines: [String]
    /// The whole line that they go before.
    let before: String
    /// Where that is, for a person.
    let place: String

    /// The text with the lines in it; `nil` where the line is not there exactly once, so that a
    /// file that somebody has changed is left to somebody.
    func applied(to text: String) -> String? {
        var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let places = rows.indices.filter { rows[$0] == before }
        guard let place = places.first, places.count == 1 else { return nil }
        // Another element of a list.
        if place > 0, lines.allSatisfy({ $0.hasSuffix(",") }),
            !",[".contains(rows[place - 1].last ?? ",")
        {
            rows[place - 1] += ","
        }
        rows.insert(contentsOf: lines, at: place)
        return rows.joined(separator: "\n")
    }
}
