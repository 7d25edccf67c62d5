// Log: lines that grow at their end, with their colours and a search.
//
// Invariant  reads a bounded part of each visible or searched line, and no other lines.

internal import NapkinCore

/// Lines that grow at their end, which stays in sight until a person scrolls up.
///
/// `/` searches, ignoring case; `n` and `N` go to the next and the previous match. Colours and
/// weights in a line (SGR) become the nearest roles; other escape sequences are removed and have no
/// effect. The first 4 KiB of a line are shown and searched.
///
/// It is not in SwiftUI.
public struct Log<Lines: RandomAccessCollection>: View where Lines.Element: StringProtocol {
    private enum Part: Hashable { case lines, search }

    private let lines: Lines
    private let first: Int
    private let follows: Binding<Bool>?
    private let earlier: (count: UInt64, read: () -> Void)?
    @State private var selected: Int?
    @State private var words = ""
    /// The words of the last search.
    @State private var found = ""
    @State private var isSearching = false
    @State private var note: String?
    @FocusState private var focus: Part?

    /// - Parameters:
    ///   - lines: the lines, the newest last.
    ///   - first: the number of the first line. If you drop old lines, add their count here: the
    ///     selection and the scroll position then stay at their lines.
    ///   - follows: whether the end stays in sight: set it to hold the lines, or to go to the end.
    ///     It becomes false when a person moves up, and true at the end.
    public init(_ lines: Lines, from first: Int = 0, follows: Binding<Bool>? = nil) {
        self.lines = lines
        self.first = first
        self.follows = follows
        earlier = nil
    }

    public var body: some View {
        VStack {
            if let earlier {
                Button("\(earlier.count) earlier lines", action: earlier.read)
                    .keyboardShortcut("e")
            }
            List(first..<first + lines.count, id: \.self, selection: $selected) {
                Text(TerminalText.line(line($0 - first)).marking(FoundWords(found)))
            }
            .followsEnd(follows).onKeyPress { key, _ in press(key) }
            .focused($focus, equals: .lines)
            .keyBindings([KeyBinding("/", "Search") { search() }])
            if isSearching {
                TextField("search", text: $words)
                    .focused($focus, equals: .search)
                    .onSubmit {
                        end()
                        find(1)
                    }
                    .keyBindings([KeyBinding(.escape, "Stop", role: .cancel) { end() }])
            } else if let note {
                Text(note).foregroundStyle(.secondary).lineLimit(1)
            }
        }
    }

    private func line(_ index: Int) -> Lines.Element {
        lines[lines.index(lines.startIndex, offsetBy: index)]
    }

    private func search() {
        isSearching = true
        focus = .search
    }

    private func end() {
        isSearching = false
        focus = .lines
    }

    private func press(_ key: Key) -> Bool {
        guard !words.isEmpty, key == "n" || key == "N" else { return false }
        find(key == "n" ? 1 : -1)
        return true
    }

    private func find(_ step: Int) {
        note = nil
        found = words
        guard !words.isEmpty, !lines.isEmpty else { return }
        let search = LogSearch(words)
        let start = selected.map { $0 - first } ?? lines.count - 1
        switch search.find(from: start, by: step, of: lines.count, { line($0).utf8 }) {
        case .found(let index): selected = first + index
        case .nowhere: note = "\(words) is nowhere in \(lines.count) lines."
        case .notYet(let index):
            (selected, note) = (first + index, "Not found up to here; n searches on.")
        }
    }
}

extension Log where Lines == LogLines {
    /// Shows the lines, and a button with the key `e` while there are earlier ones.
    ///
    /// - Parameters:
    ///   - lines: the lines.
    ///   - follows: as in ``init(_:from:follows:)``.
    ///   - readEarlier: reads items of `lines.earlier`, and adds them with `prepend`.
    public init(
        _ lines: LogLines, follows: Binding<Bool>? = nil, readEarlier: @escaping () -> Void
    ) {
        self.lines = lines
        self.follows = follows
        first = lines.first
        earlier = lines.earlier.map { ($0.readable, readEarlier) }
    }
}

/// Looks for words in lines.
nonisolated struct LogSearch {
    /// Bytes that one search reads. Chosen: it takes less time than a person notices.
    static let bytesMax = 16 << 20

    enum Result: Equatable {
        case found(Int)
        case nowhere
        /// The search has read its bytes, and continues after this line.
        case notYet(Int)
    }

    private let words: [UInt8]

    init(_ words: String) { self.words = words.utf8.map(Self.folded) }

    /// Searches line by line, wrapping around at the ends, until it is back where it began.
    func find<Bytes: Collection<UInt8>>(
        from start: Int, by step: Int, of count: Int, _ line: (Int) -> Bytes
    ) -> Result {
        var bytes = 0
        var index = start
        for _ in 0..<count {
            // The selected line may have been dropped.
            index = ((index + step) % count + count) % count
            let read = line(index).prefix(TerminalText.bytesMax).map(Self.folded)
            if read.contains(words) { return .found(index) }
            // A line costs something even if it is empty.
            bytes += read.count + 64
            if bytes >= Self.bytesMax { return .notYet(index) }
        }
        return .nowhere
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }
}
