// Suggestion: finds the name that a mistyped one was meant to be.

/// Finds the known name nearest to a mistyped one.
public enum Suggestion {
    /// The most bytes of a name that is compared; a longer one is no typing error.
    static let bytesMax = Limits.nameBytesMax

    /// Returns the name in `known` that differs least and by few letters, or else the only one that
    /// begins with `text`; `nil` if there is none. Ignores case, and looks at only some of many
    /// names.
    public static func nearest(to text: String, among known: some Sequence<String>) -> String? {
        let typed = Array(text.lowercased().unicodeScalars)
        guard !typed.isEmpty, text.utf8.count <= bytesMax else { return nil }
        let slipsMax = max(1, typed.count / 3)
        let names = known.prefix(Limits.suggestionsMax)
            .filter { $0.utf8.count <= bytesMax && $0 != text }
            .map { (name: $0, letters: Array($0.lowercased().unicodeScalars)) }
        let near = names.filter { abs($0.letters.count - typed.count) <= slipsMax }
            .map { (name: $0.name, slips: slips(typed, $0.letters)) }
            .filter { $0.slips <= slipsMax }
            .min { ($0.slips, $0.name) < ($1.slips, $1.name) }
        if let near { return near.name }
        let longer = names.filter { $0.letters.starts(with: typed) }
        return longer.count == 1 ? longer[0].name : nil
    }

    /// Returns ` (did you mean 'lunch'?)`, or an empty text.
    public static func hint(for text: String, among known: some Sequence<String>) -> String {
        nearest(to: text, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    }

    /// Returns the number of letters to insert, omit, replace, or swap with their neighbours.
    private static func slips(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before = [Int](repeating: 0, count: other.count + 1)
        var last = Array(0...other.count)
        var next = before
        for (row, letter) in one.enumerated() {
            next[0] = row + 1
            for (column, against) in other.enumerated() {
                var least = min(
                    last[column + 1] + 1, next[column] + 1,
                    last[column] + (letter == against ? 0 : 1)
                )
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == against {
                    least = min(least, before[column - 1] + 1)
                }
                next[column + 1] = least
            }
            (before, last, next) = (last, next, before)
        }
        return last[other.count]
    }
}
