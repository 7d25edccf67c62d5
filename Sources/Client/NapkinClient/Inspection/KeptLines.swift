// KeptLines: the newest lines of many, and those of them that a person wants to see.
//
// Invariant  at most `max` lines are kept; those that are shown are some of them, in their order.

/// The newest lines of many.
struct KeptLines {
    /// Chosen: more than somebody reads.
    private static let max = 5000
    /// The number of the first line that is shown.
    private(set) var first = 0
    /// The lines that are shown.
    private(set) var lines: [String] = []
    /// All that are kept, with whether they are shown.
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

    /// Shows the lines that are admitted, those that are still to come included.
    mutating func show(_ admits: @escaping (String) -> Bool) {
        self.admits = admits
        for index in all.indices { all[index].isShown = admits(all[index].text) }
        // Their numbers mean other lines now.
        (first, lines) = (0, all.filter(\.isShown).map(\.text))
    }
}

/// Which messages of a trace a person wants to see.
struct TraceFilter: Equatable, CustomStringConvertible {
    enum Direction: String, CaseIterable {
        case both = "both directions"
        case fromFronts = "from fronts"
        case toFronts = "to fronts"

        /// What a line has in front of the message.
        fileprivate var arrow: String {
            switch self {
            case .both: ""
            case .fromFronts: " → "
            case .toFronts: " ← "
            }
        }
    }

    /// Parts of features, methods, kinds or values, all of which a line has.
    var words = ""
    var direction = Direction.both

    var description: String {
        let words = words.isEmpty ? nil : "with \(words)"
        return [words, direction == .both ? nil : direction.rawValue].compactMap(\.self)
            .joined(separator: ", ")
    }

    func admits(_ line: String) -> Bool {
        // What is said of the trace itself is always seen.
        if line.hasPrefix("…") { return true }
        let text = line.lowercased()
        return line.contains(direction.arrow)
            && words.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}
