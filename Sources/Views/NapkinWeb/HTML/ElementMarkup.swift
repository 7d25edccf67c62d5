// ElementMarkup: the parts of a page that depend on one value alone: labels, lines, progress, keys,
// and frames, paddings and alignments as CSS, in a browser's units of a cell and a line.
//
// Ownership  `ElementNames` keeps an element's identity for as long as the element is on the page.
// Invariant  an id is never reused, so that a late event reaches no other element.
// Spec       UI Events KeyboardEvent key Values (W3C)
//
// The page sets the styles by script, since its policy allows none in the HTML.

import NapkinElements

/// The modifiers around an element that its HTML needs.
struct ElementLabels {
    var label: String?
    var name: String?
    var focus: Binding<Bool>?

    var attributes: [String: String] { label.map { ["aria-label": $0] } ?? [:] }

    /// A label of several elements makes them a group.
    var groupAttributes: [String: String] {
        label.map { ["aria-label": $0, "role": "group"] } ?? [:]
    }
}

extension StyledLine {
    /// The line as escaped text, with a span for each role.
    var markup: String {
        spans.map { span in
            let text = HTMLNode.escaped(span.text)
            return span.role == .plain ? text : "<span class=\"\(span.role)\">\(text)</span>"
        }
        .joined()
    }
}

extension ProgressElement {
    @MainActor func html(_ id: String, _ labels: ElementLabels) -> HTMLNode {
        var attributes = ["aria-label": labels.label ?? label]
        var words = HTMLNode.escaped(label)
        if let fraction = fraction.map({ min(1, max(0, $0)) }) {
            attributes["value"] = "\(fraction)"
            words += " \(Int((fraction * 100).rounded())) %"
        }
        return HTMLNode(
            "div", id, ["class": "row"],
            .nodes([
                HTMLNode("progress", "\(id).p", attributes),
                HTMLNode("span", "\(id).t", [:], .markup(words)),
            ]))
    }
}

extension Key {
    /// The attributes of a button that the key presses.
    var attributes: [String: String] {
        var attributes = ["data-key": domName, "aria-keyshortcuts": domName]
        if case .character(let character) = self { attributes["accesskey"] = String(character) }
        return attributes
    }

    /// Returns a button's text after its key. A screen reader gets the key as its shortcut.
    func markup(before words: String) -> String {
        "<kbd aria-hidden=\"true\">\(HTMLNode.escaped(label))</kbd> \(HTMLNode.escaped(words))"
    }
}

/// Stable ids for a page's elements.
@MainActor
final class ElementNames {
    private struct Entry {
        let owner: AnyObject
        let name: String
        var turn: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var count = 0
    private var turn = 0
    private var uses: [String: Int] = [:]

    /// Begins a page.
    func begin() {
        turn += 1
        uses = [:]
    }

    /// Ends a page: identities that it does not use are dropped.
    func end() { entries = entries.filter { $0.value.turn == turn } }

    /// Returns the id for an element's identity: its site, its text, its place in a list.
    func name(of owner: AnyObject) -> String {
        let key = ObjectIdentifier(owner)
        if entries[key] == nil {
            count += 1
            entries[key] = Entry(owner: owner, name: "e\(count)", turn: turn)
        }
        entries[key]?.turn = turn
        return unique(entries[key]?.name ?? "e")
    }

    func unique(_ name: String) -> String {
        let use = uses[name, default: 0] + 1
        uses[name] = use
        return use == 1 ? name : "\(name)_\(use)"
    }
}

/// Frames, paddings and alignments as CSS, in a browser's units of a cell and a line.
@MainActor
enum FrameStyle {
    static func css(_ frame: ElementFrame) -> String {
        func most(_ length: FrameLength?, _ unit: String) -> String? {
            guard case .length(let length) = length else { return nil }
            return "\(length)\(unit)"
        }
        let lengths: [(String, String?)] = [
            ("width", frame.width.map { "min(\($0)ch, 100%)" }),
            ("height", frame.height.map { "\($0)lh" }),
            ("min-width", frame.minWidth.map { "min(\($0)ch, 100%)" }),
            ("max-width", most(frame.maxWidth, "ch")),
            ("min-height", frame.minHeight.map { "\($0)lh" }),
            ("max-height", most(frame.maxHeight, "lh")),
        ]
        var rules = lengths.compactMap { name, value in value.map { "\(name): \($0)" } }
        for case .share(let parts) in [frame.maxWidth, frame.maxHeight] {
            rules.append("flex-grow: \(parts)")
        }
        // Without an explicit alignment, the content fills the frame.
        if frame.alignment != .topLeading {
            rules += [
                "display: grid", "justify-items: \(css(frame.alignment.horizontal))",
                "align-content: \(css(frame.alignment.vertical))",
            ]
        }
        return rules.joined(separator: "; ")
    }

    static func css(_ insets: Insets) -> String {
        "padding: \(insets.top)lh \(insets.trailing)ch \(insets.bottom)lh \(insets.leading)ch"
    }

    static func css(_ alignment: HorizontalAlignment) -> String {
        alignment == .leading ? "start" : alignment == .center ? "center" : "end"
    }

    static func css(_ alignment: VerticalAlignment) -> String {
        alignment == .top ? "start" : alignment == .center ? "center" : "end"
    }

    /// Returns the attributes of a stack: none for a column, a class for a row.
    static func attributes(_ style: StackStyle) -> [String: String] {
        switch style {
        case .vertical(let spacing, let alignment):
            var rules = spacing > 0 ? ["gap: \(spacing)lh"] : []
            if alignment != .leading { rules.append("align-items: \(css(alignment))") }
            return styled("column", rules)
        case .horizontal(let spacing, let least, let alignment):
            // A row's default alignment: the top, with texts beside controls on their line.
            let rules =
                ["column-gap: \(spacing)ch"]
                + (alignment == .top ? [] : ["align-items: \(css(alignment))"])
            return styled("row", rules).merging(least > 0 ? ["data-below": "\(least)"] : [:]) { $1 }
        case .flow(let spacing): return styled("row", ["column-gap: \(spacing)ch"])
        }
    }

    private static func styled(_ name: String, _ rules: [String]) -> [String: String] {
        var attributes = ["class": name]
        if !rules.isEmpty { attributes["data-css"] = rules.joined(separator: "; ") }
        return attributes
    }
}
