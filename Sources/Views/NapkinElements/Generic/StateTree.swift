// StateTree: a node's states as indented lines: large values folded, structs in lists on one
// line each, recent changes marked.
//
// Ownership  kept by a generic view while its node is shown; keeps each state's last value to
//            detect changes.

internal import NapkinCoding
internal import NapkinCore
internal import NapkinTransport
internal import Observation

@Observable
final class StateTree {
    /// A place in a state: the method's name, then keys and indices.
    typealias Path = [String]

    struct Row {
        let path: Path
        let depth: Int
        let label: String
        fileprivate let reading: Reading
        /// `nil` if the value has no members.
        let isFolded: Bool?
        let hasChanged: Bool
        /// The changed fields of a folded struct in a list; `nil` on other lines.
        fileprivate let changedFields: Set<String>?
        /// The method that presents the state, on its first line; empty on others.
        var key: String { path.count == 1 ? path[0] : "" }
        /// A scalar, or a container's summary. Computed only for a visible line.
        var text: String {
            switch reading {
            case .datum(let datum): changedFields == nil ? datum.brief : fields.map(\.text).joined()
            case .words(let words): words
            }
        }
    }

    /// A state as last decoded.
    fileprivate enum Reading {
        case datum(Datum)
        case words(String)
    }

    /// The most lines of a value that starts unfolded. Chosen: a third of a small screen.
    static let unfoldedMax = 8
    /// The most members shown of a container. Chosen: more than a person looks through.
    private static let partsMax = 10_000
    /// The most fields shown of a struct on one line. Chosen: more than fit on a line.
    fileprivate static let fieldsMax = 16
    /// The most marked values; beyond, their containers are marked. Chosen: far more than a screen.
    private static let changedMax = 1000

    private var payloads: [String: Payload] = [:]
    private var readings: [String: Reading] = [:]
    private var names: [String] = []
    private(set) var rows: [Row] = []
    /// Each state on one line, by name.
    private(set) var texts: [String: String] = [:]
    /// The number of the newest change.
    private(set) var change = 0
    /// The recently changed values, with their change's number.
    private var changed: [Path: Int] = [:]
    /// The paths that a person has folded or unfolded against the default.
    private var turned: Set<Path> = []

    /// Reads the newest states; returns whether a known state has changed.
    func update(_ states: [(name: String, payload: Payload)]) -> Bool {
        var hasChanged = false
        var isSame = names == states.map(\.name)
        names = states.map(\.name)
        for (name, payload) in states where payloads[name] != payload {
            let new = Self.read(payload)
            if let old = readings[name] {
                if !hasChanged { change += 1 }
                hasChanged = true
                changed = changed.filter { $0.key.first != name }
                mark([name], old, new)
            }
            isSame = false
            payloads[name] = payload
            readings[name] = new
            texts[name] = PayloadText.shown(of: payload)
        }
        if !isSame { makeRows() }
        return hasChanged
    }

    /// Ends the marks of recent changes up to the given one.
    func clearMarks(upTo change: Int) {
        changed = changed.filter { $0.value > change }
        makeRows()
    }

    private static func read(_ payload: Payload) -> Reading {
        do {
            return .datum(try Datum(payload))
        } catch {
            return .words("unreadable: \(error)")
        }
    }

    private func mark(_ path: Path, _ old: Reading, _ new: Reading) {
        if case .datum(let old) = old, case .datum(let new) = new {
            mark(path, old, new)
        } else {
            changed[path] = change
        }
    }

    /// Marks the innermost values that differ.
    private func mark(_ path: Path, _ old: Datum, _ new: Datum) {
        guard old != new else { return }
        let before = old.parts()
        let now = new.parts()
        guard !before.isEmpty, !now.isEmpty else {
            changed[path] = change
            return
        }
        if before.count > now.count { changed[path] = change }
        let former = Dictionary(before.map { ($0.key, $0.value) }) { first, _ in first }
        for part in now {
            guard changed.count < Self.changedMax else {
                changed[path] = change
                return
            }
            let place = path + [part.key]
            if let known = former[part.key] {
                mark(place, known, part.value)
            } else {
                changed[place] = change
            }
        }
    }

    // MARK: - Folding

    func turn(_ path: Path) {
        turned.formSymmetricDifference([path])
        makeRows()
    }

    /// Folds or unfolds a line; returns false if it already is, or has no members.
    func fold(_ row: Row, _ isFolded: Bool) -> Bool {
        guard let now = row.isFolded, now != isFolded else { return false }
        turn(row.path)
        return true
    }

    private func isFolded(_ path: Path, _ datum: Datum, _ isStruct: Bool) -> Bool {
        let isFolded = isStruct || datum.left(of: Self.unfoldedMax + 1) < 0
        return isFolded != turned.contains(path)
    }

    // MARK: - Lines

    private func makeRows() {
        let inside = Set(changed.keys.flatMap { path in path.indices.map { Array(path[...$0]) } })
        var rows: [Row] = []
        for name in names {
            guard let reading = readings[name] else { continue }
            append([name], MethodWords.title(of: name), reading, inside, &rows)
        }
        self.rows = rows
    }

    private func append(
        _ path: Path, _ label: String, _ reading: Reading, isStruct: Bool = false,
        _ inside: Set<Path>, _ rows: inout [Row]
    ) {
        var isFolded: Bool?
        if case .datum(let datum) = reading, datum.partCount > 0 {
            isFolded = self.isFolded(path, datum, isStruct)
        }
        let hasChanged = isFolded == true ? inside.contains(path) : changed[path] != nil
        var changedFields: Set<String>?
        if isStruct, isFolded == true, case .datum(let datum) = reading {
            let parts = hasChanged ? datum.parts(atMost: Self.fieldsMax) : []
            changedFields = Set(parts.map(\.key).filter { inside.contains(path + [$0]) })
        }
        rows.append(
            Row(
                path: path, depth: path.count - 1, label: label, reading: reading,
                isFolded: isFolded, hasChanged: hasChanged, changedFields: changedFields))
        guard isFolded == false, case .datum(let datum) = reading else { return }
        for part in datum.parts(atMost: Self.partsMax) {
            append(
                path + [part.key], part.key, .datum(part.value),
                isStruct: datum.isStruct(part.value), inside, &rows)
        }
        guard datum.partCount > Self.partsMax else { return }
        rows.append(
            Row(
                path: path + ["…"], depth: path.count,
                label: "… \(datum.partCount - Self.partsMax) more", reading: .words(""),
                isFolded: nil, hasChanged: false, changedFields: nil))
    }
}

extension Datum {
    /// The value on one line, or its beginning.
    fileprivate var shown: String { PayloadText.shown(of: payload) }

    /// The value inside a struct's line, where a text has no quotes.
    fileprivate var words: String {
        if case .text(let text) = self, 1...PayloadText.shownMax ~= text.utf8.count { return text }
        return brief
    }

    /// The value, or its number of members.
    fileprivate var brief: String {
        guard partCount > 0 else { return shown }
        let what = if case .array = self { "item" } else { "field" }
        return partCount.counted(what)
    }
}

extension StateTree.Row {
    /// The line on the screen: `▾ sections  4 items`.
    var line: StyledLine {
        let mark =
            switch isFolded {
            case true?: "▸ "
            case false?: "▾ "
            case nil: "  "
            }
        let text = text
        let gap = text.isEmpty ? "" : isFolded == nil ? ": " : "  "
        let value: TextRole = hasChanged ? .changed : isFolded == nil ? .plain : .secondary
        let spans = changedFields == nil ? [TextSpan(text, value)] : fields
        return StyledLine(
            spans: [
                TextSpan(String(repeating: "  ", count: depth) + mark, .secondary),
                TextSpan(label, .accent), TextSpan(gap),
            ] + spans)
    }

    /// A struct on one line: `name: Brisket, degrees: 203`. If it is marked but none of its fields
    /// is, the whole struct is new.
    fileprivate var fields: [TextSpan] {
        guard case .datum(let datum) = reading, let changedFields else { return [] }
        let parts = datum.parts(atMost: StateTree.fieldsMax)
        let isNew = hasChanged && changedFields.isEmpty
        var spans = parts.enumerated().flatMap { index, part in
            let isMarked = isNew || changedFields.contains(part.key)
            return [
                TextSpan("\(index > 0 ? ", " : "")\(part.key): ", .secondary),
                TextSpan(part.value.words, isMarked ? .changed : .plain),
            ]
        }
        if parts.count < datum.partCount { spans.append(TextSpan(", …", .secondary)) }
        return spans
    }
}
