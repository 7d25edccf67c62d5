// Suggestion: what somebody may have meant who has mistyped a name.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  none of its own.

/// Finds the known name that a mistyped one is nearest to.
public enum Suggestion {
    /// Bytes of a name that is looked at; what is longer is no slip of the fingers.
    static let bytesMax = Limits.nameBytesMax

    /// The nearest of `known` that differs by few letters, or that begins with what was typed;
    /// `nil` when there is none. Case does not count.
    public static func nearest(to text: String, among known: [String]) -> String? {
        let typed = Array(text.lowercased())
        guard !typed.isEmpty, text.utf8.count <= bytesMax else { return nil }
        let slipsMax = max(1, typed.count / 3)
        let near = known.filter { $0.utf8.count <= bytesMax }
            .map { (name: $0, slips: slips(typed, Array($0.lowercased()))) }
            .filter { $0.slips <= slipsMax }
            .min { $0.slips < $1.slips }
        if let near { return near.name }
        let longer = known.filter { $0.lowercased().hasPrefix(text.lowercased()) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// ` (did you mean 'lunch'?)`, or nothing.
    public static func hint(for text: String, among known: [String]) -> String {
        nearest(to: text, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    }

    /// Letters to insert, to leave out, to replace, or to swap with their neighbours.
    private static func slips(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, against) in other.enumerated() {
                var least = min(
                    last[column + 1] + 1, next[column] + 1,
                    last[column] + (letter == against ? 0 : 1)
                )
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == against {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[other.count]
    }
}
