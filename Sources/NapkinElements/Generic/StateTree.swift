// StateTree: a node's states as lines: indented, folded if large, with recent changes marked.
//
// Layer      elements, generic front.
// Isolation  @MainActor.
// Ownership  kept by a generic view for as long as its node is shown; remembers each state's last
//            value to detect changes.

internal import NapkinCoding
internal import NapkinCore
internal import Observation

/// What a person has folded and unfolded, and what has changed recently.
@Observable
final class StateTree {
    /// A place in a state: the method, then keys and indices.
    typealias Path = [String]

    /// One line.
    struct Row {
        let path: Path
        let depth: Int
        let label: String
        /// A scalar, or a summary of a folded value.
        let text: String
        /// `nil` if the value contains nothing.
        let isFolded: Bool?
        let hasChanged: Bool
        /// The method that presents it, on the first line of a state.
        var key: String { path.count == 1 ? path[0] : "" }
    }

    /// One state as it was last read.
    private enum Reading {
        case datum(Datum)
        case unreadable(String)
    }

    /// Lines of a value that is shown unfolded. Chosen: a third of a small screen.
    static let unfoldedMax = 8
    /// Marked values; of more, those around them are marked. Chosen: far more than a screen shows.
    private static let changedMax = 1000

    private var payloads: [String: Payload] = [:]
    private var readings: [String: Reading] = [:]
    private var names: [String] = []
    private(set) var changed: Set<Path> = []
    /// The paths that a person has folded or unfolded against the rule.
    private var turned: Set<Path> = []

    /// Takes the newest states; returns whether a value has changed that was known before.
    func update(_ states: [(name: String, payload: Payload)]) -> Bool {
        var hasChanged = false
        names = states.map(\.name)
        for (name, payload) in states where payloads[name] != payload {
            let old = readings[name]
            let new = Self.read(payload)
            if let old {
                changed = changed.filter { $0.first != name }
                mark([name], old, new)
                hasChanged = true
            }
            payloads[name] = payload
            readings[name] = new
        }
        return hasChanged
    }

    /// Ends the marks on values that have *just* changed.
    func settle() { changed = [] }

    private static func read(_ payload: Payload) -> Reading {
        do {
            return .datum(try Datum(payload))
        } catch {
            return .unreadable("unreadable: \(error)")
        }
    }

    private func mark(_ path: Path, _ old: Reading, _ new: Reading) {
        if case .datum(let old) = old, case .datum(let new) = new {
            mark(path, old, new)
        } else {
            changed.insert(path)
        }
    }

    /// Marks the innermost values that differ.
    private func mark(_ path: Path, _ old: Datum, _ new: Datum) {
        guard old != new else { return }
        let before = old.parts
        let now = new.parts
        guard !before.isEmpty, !now.isEmpty else {
            changed.insert(path)
            return
        }
        if before.count > now.count { changed.insert(path) }
        let former = Dictionary(before.map { ($0.key, $0.value) }) { first, _ in first }
        for part in now {
            guard changed.count < Self.changedMax else {
                changed.insert(path)
                return
            }
            let place = path + [part.key]
            if let known = former[part.key] {
                mark(place, known, part.value)
            } else {
                changed.insert(place)
            }
        }
    }

    // MARK: - Folding

    func turn(_ path: Path) { turned.formSymmetricDifference([path]) }

    /// Folds or unfolds; returns false if the line already is, or cannot be.
    func fold(_ row: Row, _ isFolded: Bool) -> Bool {
        guard let now = row.isFolded, now != isFolded else { return false }
        turn(row.path)
        return true
    }

    private func isFolded(_ path: Path, _ datum: Datum) -> Bool {
        let isLarge = datum.lineCount - 1 > Self.unfoldedMax
        return isLarge != turned.contains(path)
    }

    // MARK: - Lines

    var rows: [Row] {
        var rows: [Row] = []
        for name in names {
            switch readings[name] {
            case .datum(let datum):
                append([name], MethodWords.title(of: name), datum, 0, &rows)
            case .unreadable(let text):
                rows.append(
                    Row(
                        path: [name], depth: 0, label: MethodWords.title(of: name), text: text,
                        isFolded: nil, hasChanged: changed.contains([name])))
            case nil: break
            }
        }
        return rows
    }

    private func append(
        _ path: Path, _ label: String, _ datum: Datum, _ depth: Int, _ rows: inout [Row]
    ) {
        let parts = datum.parts
        guard !parts.isEmpty else {
            rows.append(
                Row(
                    path: path, depth: depth, label: label, text: datum.text, isFolded: nil,
                    hasChanged: changed.contains(path)))
            return
        }
        let isFolded = isFolded(path, datum)
        let hasChangedInside = changed.contains { $0.starts(with: path) }
        rows.append(
            Row(
                path: path, depth: depth, label: label, text: Self.summary(datum),
                isFolded: isFolded,
                hasChanged: isFolded ? hasChangedInside : changed.contains(path)))
        guard !isFolded else { return }
        for part in parts { append(path + [part.key], part.key, part.value, depth + 1, &rows) }
    }

    private static func summary(_ datum: Datum) -> String {
        switch datum {
        case .array(let items): items.count == 1 ? "1 item" : "\(items.count) items"
        case .map(let entries): entries.count == 1 ? "1 field" : "\(entries.count) fields"
        default: ""
        }
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
        let value: TextRole = hasChanged ? .changed : isFolded == nil ? .plain : .secondary
        return StyledLine(
            spans: [
                TextSpan(String(repeating: "  ", count: depth) + mark, .secondary),
                TextSpan(label, .accent), TextSpan(isFolded == nil ? ": " : "  "),
                TextSpan(text, value),
            ])
    }
}
