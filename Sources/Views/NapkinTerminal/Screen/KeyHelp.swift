// KeyHelp: a box over the screen that explains its keys.
//
// Invariant  names each key once: as the screen has bound it, otherwise with its common meaning.

import NapkinElements

struct KeyHelp {
    /// A line of the box: keys and what they do.
    private typealias Row = (keys: [Key], words: String)

    let rows: [StyledLine]

    init(_ keys: [KeyBinding], canFilter: Bool) {
        var bound: [KeyBinding] = []
        for key in keys where !bound.contains(where: { $0.key == key.key }) { bound.append(key) }
        let taken = Set(bound.map(\.key))
        let own: [Row] = bound.map { ([$0.key], $0.label) }
        let common = Self.common(canFilter).compactMap { row -> Row? in
            let free = row.keys.filter { !taken.contains($0) }
            return free.isEmpty ? nil : (free, row.words)
        }
        let names = (own + common).map { row in
            row.keys.map(\.label).joined(separator: " ")
        }
        let width = names.map(CellWidth.cells).max() ?? 0
        let lines = zip(names, own + common).map { name, row in
            StyledLine(name, .key).padded(to: width + 2) + StyledLine(row.words)
        }
        let gap = own.isEmpty ? [] : [StyledLine()]
        rows = Array(lines.prefix(own.count)) + gap + Array(lines.dropFirst(own.count))
    }

    /// The keys that work everywhere, unless a screen has bound them.
    private static func common(_ canFilter: Bool) -> [Row] {
        var rows: [Row] = [
            ([.up, .down, "k", "j"], "Move"), ([.pageUp, .pageDown], "Move by a page"),
            ([.control("u"), .control("d")], "Move by half a page"),
            ([.home, .end, "g", "G"], "To the first or last"),
            ([.tab, .backTab], "To the next or previous element"), ([.enter], "Choose"),
        ]
        if canFilter { rows += [(["/"], "Filter"), (["n", "N"], "Next, previous match")] }
        return rows + [
            ([":"], "Find a command"), (["?", .function(1)], "These keys"),
            ([.control("c")], "Quit"),
        ]
    }
}
