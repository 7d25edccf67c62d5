// StateTree: a node's states as lines: indented, folded if large, structs of lists on one line
// each, with recent changes marked.
//
// Ownership  a generic view keeps it for as long as its node is shown; remembers each state's last
//            value to detect changes.

internal import NapkinCoding
internal import NapkinCore
internal import Observation

/// A person's folding of the lines, and the recent changes.
@Observable
final class StateTree {
    /// A place in a state: the method, then keys and indices.
    typealias Path = [String]

    /// One line.
    struct Row {
        let path: Path
        let depth: Int
        let label: String
        fileprivate let reading: Reading
        /// `nil` if the value has no members.
        let isFolded: Bool?
        let hasChanged: Bool
        /// The changes in a folded struct of a list; `nil` on other lines.
        fileprivate let changedFields: Set<String>?
        /// The method that presents it, on the first line of a state.
        var key: String { path.count == 1 ? path[0] : "" }
        /// A scalar, or a summary of a container. Created only for a visible line.
        var text: String {
            switch reading {
            case .datum(let datum):
                changedFields == nil ? datum.brief : fields.map(\.text).joined()
            case .words(let words): words
            }
        }
    }

    /// One state as it was last read.
    fileprivate enum Reading {
        case datum(Datum)
        case words(String)
    }

    /// Lines of a value that is shown unfolded. Chosen: a third of a small screen.
    static let unfoldedMax = 8
    /// Shown members of a container. Chosen: more than a person looks through.
    private static let partsMax = 10_000
    /// Fields of a struct on one line. Chosen: more than a line has room for.
    fileprivate static let fieldsMax = 16
    /// Marked values; of more, those around them are marked. Chosen: far more than a screen shows.
    private static let changedMax = 1000

    private var payloads: [String: Payload] = [:]
    private var readings: [String: Reading] = [:]
    private var names: [String] = []
    private(set) var rows: [Row] = []
    /// The states on one line each.
    private(set) var texts: [String: String] = [:]
    /// The number of the newest change.
    private(set) var change = 0
    /// The values that have just changed, with the number of their change.
    private var changed: [Path: Int] = [:]
    /// The paths that a person has folded or unfolded against the rule.
    private var turned: Set<Path> = []

    /// Adopts the newest states; returns whether a value has changed that was known before.
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

    /// Ends the marks on values that have *just* changed, up to a change.
    func settle(_ change: Int) {
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

    /// Folds or unfolds a line; returns false if it already is, or cannot be.
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

    /// The value in a struct: a text is shown without its quotes.
    fileprivate var words: String {
        if case .text(let text) = self, 1...PayloadText.shownMax ~= text.utf8.count { return text }
        return brief
    }

    /// The value, or the number of its members.
    fileprivate var brief: String {
        guard partCount > 0 else { return shown }
        let what = if case .array = self { "item" } else { "field" }
        return partCount == 1 ? "1 \(what)" : "\(partCount) \(what)s"
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

    /// A struct on one line: `name: Brisket, degrees: 203`. If nothing in it is marked but it is,
    /// all of it is new.
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
