// Insertion: lines that a file needs, and the line before which they belong.
//
// Layer      executable, scaffold.
// Isolation  value.

/// Lines for a composition root.
struct Insertion: Equatable {
    let file: String
    let lines: [String]
    /// The whole line before which they go.
    let before: String
    /// The place of that line, for a person.
    let place: String

    /// Returns the text with the lines inserted; `nil` if the line does not occur exactly once, so
    /// that a file that a person has changed is left to that person.
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
