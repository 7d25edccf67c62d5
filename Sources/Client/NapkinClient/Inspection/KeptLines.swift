// KeptLines: keeps the newest lines, and shows those that pass a filter.
//
// Invariant  keeps at most `max` lines; the shown lines are some of them, in their order.

struct KeptLines {
    /// The number of lines. Chosen: more than somebody reads.
    private static let max = 5000
    /// The number of the first shown line.
    private(set) var first = 0
    private(set) var lines: [String] = []
    private var all: [(text: String, isShown: Bool)] = []
    private var admits: (String) -> Bool = { _ in true }

    var isEmpty: Bool { all.isEmpty }

    mutating func append(_ new: [String]) {
        let new = new.map { (text: $0, isShown: admits($0)) }
        all += new
        lines += new.lazy.filter(\.isShown).map(\.text)
        let excess = all.count - Self.max
        guard excess > 0 else { return }
        let hidden = all[..<excess].count { !$0.isShown }
        all.removeFirst(excess)
        lines.removeFirst(excess - hidden)
        first += excess - hidden
    }

    /// Shows only the admitted lines, including those still to come.
    mutating func show(_ admits: @escaping (String) -> Bool) {
        self.admits = admits
        for index in all.indices { all[index].isShown = admits(all[index].text) }
        // The numbers now belong to other lines.
        (first, lines) = (0, all.filter(\.isShown).map(\.text))
    }
}

/// A person's filter for the messages of a trace.
struct TraceFilter: Equatable, CustomStringConvertible {
    enum Direction: String, CaseIterable {
        case both = "both directions"
        case fromFronts = "from fronts"
        case toFronts = "to fronts"

        /// The direction mark before the message in a line.
        fileprivate var arrow: String {
            switch self {
            case .both: ""
            case .fromFronts: " → "
            case .toFronts: " ← "
            }
        }
    }

    /// Parts of features, methods, kinds or values; a line must contain all of them.
    var words = ""
    var direction = Direction.both

    var description: String {
        let words = words.isEmpty ? nil : "with \(words)"
        return [words, direction == .both ? nil : direction.rawValue].compactMap(\.self)
            .joined(separator: ", ")
    }

    func admits(_ line: String) -> Bool {
        // Lines about the trace itself are always shown.
        if line.hasPrefix("…") { return true }
        let text = line.lowercased()
        return line.contains(direction.arrow)
            && words.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}
