// ConsoleMarkup: a program's terminal on a page: rows of text, a field for typing, and keys that a
// phone lacks.
//
// Invariant  a row's element changes only if the row does, or the cursor comes or goes.

import NapkinCore
import NapkinElements
import NapkinTransport

extension PageRendering {
    /// The keys beside the field, which a browser or a phone cannot send otherwise.
    private static let keys = [
        ("Escape", "Esc"), ("Tab", "Tab"), ("Control+c", "^C"), ("ArrowLeft", "←"),
        ("ArrowDown", "↓"), ("ArrowUp", "↑"), ("ArrowRight", "→"),
    ]

    /// Returns the console, whose field has its id.
    mutating func console(_ console: ConsoleElement, _ labels: ElementLabels) -> HTMLNode {
        let id = names.name(of: console.memory)
        var field = control(id, .console(console), isEnabled: console.isEnabled, labels)
        let label = labels.label ?? console.label
        field["class"] = "typing"
        field["aria-label"] = "Type into \(label)"
        for name in ["autocomplete", "autocapitalize", "autocorrect"] { field[name] = "off" }
        field["spellcheck"] = "false"
        field["rows"] = "1"
        var keys = Self.keys.map { name, text in
            HTMLNode(
                "button", "\(id).\(name)", ["type": "button", "data-sends": name],
                .markup(text))
        }
        keys.insert(
            HTMLNode(
                "button", "\(id).ctrl",
                ["type": "button", "data-sends": "Control", "aria-pressed": "false"],
                .markup("Ctrl")), at: 2)
        let screen = console.screen
        let rows = screen.rows.enumerated().map { index, row in
            let cursor = screen.cursor.flatMap { $0.row == index ? $0 : nil }
            return HTMLNode("div", "\(id).\(index)", [:], .markup(row.markup(cursor)))
        }
        let cells = [
            "class": "cells", "data-columns": "\(screen.columns)",
            "data-mouse": screen.takesMouse ? "1" : "0", "role": "region", "aria-label": label,
        ]
        return HTMLNode(
            "div", "\(id).w", ["class": "console", "data-do": "console"],
            .nodes([
                HTMLNode("div", "\(id).c", cells, .nodes(rows)),
                HTMLNode("textarea", id, field, .markup("")),
                HTMLNode("div", "\(id).k", ["class": "keys"], .nodes(keys)),
            ]))
    }
}

@MainActor
extension ConsoleElement {
    /// Bytes of a text or a paste. Chosen: as many as a field accepts.
    private static let textBytesMax = FieldMemory.bytesMax

    /// Performs a person's action on a page.
    func take(_ event: PageEvent) {
        let text = event.text ?? ""
        guard isEnabled, text.utf8.count <= Self.textBytesMax else { return }
        let (row, column) = (event.row ?? 0, event.column ?? 0)
        switch event.act {
        case "key": if let key = event.key { send(.key(key)) }
        case "text": send(.text(text))
        case "paste": send(.paste(text))
        case "click": send(.click(row: row, column: column))
        case "wheel": send(.wheel(row: row, column: column, lines: Int(text) ?? 0))
        case "size": memory.fit(rows: row, columns: column)
        default: break
        }
    }
}

extension ConsoleRow {
    /// The row as escaped text, with a span for each style and for the cursor.
    func markup(_ cursor: ConsoleCursor?) -> String {
        guard let cursor else { return runs.map { $0.markup() }.joined() }
        var (markup, column) = ("", 0)
        for run in runs {
            let place = cursor.column - column
            column += run.cells
            guard place >= 0, place < run.cells else {
                markup += run.markup()
                continue
            }
            let letters = Array(run.text)
            let each = max(1, run.cells / max(1, letters.count))
            let index = min(place / each, max(0, letters.count - 1))
            func part(_ range: Range<Int>, _ cursor: ConsoleCursor?) -> String {
                guard !range.isEmpty else { return "" }
                let run = ConsoleRun(
                    String(letters[range]), cells: range.count * each, style: run.style)
                return run.markup(cursor)
            }
            markup +=
                part(0..<index, nil) + part(index..<min(index + 1, letters.count), cursor)
                + part(min(index + 1, letters.count)..<letters.count, nil)
        }
        if cursor.column >= column {
            let gap = cursor.column - column
            markup +=
                String(repeating: " ", count: min(gap, ConsoleScreen.columnsMax))
                + ConsoleRun(" ", cells: 1).markup(cursor)
        }
        return markup
    }
}

extension ConsoleRun {
    fileprivate func markup(_ cursor: ConsoleCursor? = nil) -> String {
        // A character that no screen shows has a substitute.
        let text = HTMLNode.escaped(TextSpan(text).text)
        var rules = style?.css ?? []
        // The characters may be wider or narrower in the page's font.
        if cells != text.utf8.count, self.text.utf8.contains(where: { $0 >= 0x80 }) {
            rules.append("display:inline-block;width:\(min(cells, ConsoleScreen.columnsMax))ch")
        }
        if rules.isEmpty, cursor == nil { return text }
        let name = cursor.map { " class=\"cursor \($0.shape.rawValue)\"" } ?? ""
        let css = rules.isEmpty ? "" : " data-css=\"\(rules.joined(separator: ";"))\""
        return "<span\(name)\(css)>\(text)</span>"
    }
}

extension ConsoleStyle {
    fileprivate var css: [String] {
        var (front, back) = (foreground.map(\.css), background.map(\.css))
        if attributes.contains(.reverse) {
            (front, back) = (back ?? "var(--cells)", front ?? "var(--letters)")
        }
        var rules = [front.map { "color:\($0)" }, back.map { "background:\($0)" }].compactMap(
            \.self)
        if attributes.contains(.bold) { rules.append("font-weight:bold") }
        if attributes.contains(.faint) { rules.append("opacity:.6") }
        if attributes.contains(.italic) { rules.append("font-style:italic") }
        let lines = [
            attributes.contains(.underline) ? "underline" : nil,
            attributes.contains(.strike) ? "line-through" : nil,
        ].compactMap(\.self)
        if !lines.isEmpty { rules.append("text-decoration:\(lines.joined(separator: " "))") }
        return rules
    }
}

extension ConsoleColour {
    fileprivate var css: String { "#" + rgb.digits(6, radix: 16) }
}
