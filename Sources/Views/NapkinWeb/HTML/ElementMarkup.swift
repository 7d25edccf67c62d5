// ElementMarkup: the parts of a page that depend on one value alone: labels, lines, progress, keys.
//
// Spec       UI Events KeyboardEvent key Values (W3C)

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

    /// The key's browser name, as in `KeyboardEvent.key`.
    var domName: String {
        switch self {
        case .character(" "): " "
        case .character(let character): String(character)
        case .control(let letter): "Control+\(letter)"
        case .alt(let letter): "Alt+\(letter)"
        case .enter: "Enter"
        case .escape: "Escape"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .tab: "Tab"
        case .backTab: "Shift+Tab"
        case .up: "ArrowUp"
        case .down: "ArrowDown"
        case .left: "ArrowLeft"
        case .right: "ArrowRight"
        case .pageUp: "PageUp"
        case .pageDown: "PageDown"
        case .home: "Home"
        case .end: "End"
        case .function(let number): "F\(number)"
        }
    }

    private static let named: [Key] = [
        .enter, .escape, .backspace, .delete, .tab, .backTab, .up, .down, .left, .right, .pageUp,
        .pageDown, .home, .end,
    ]

    /// Reads a key's browser name; `nil` if views cannot use the key.
    init?(dom name: String) {
        if let known = Self.named.first(where: { $0.domName == name }) {
            self = known
        } else if name.count == 1, let character = name.first {
            self = .character(character)
        } else if name.hasPrefix("F"), let number = Int(name.dropFirst()), (1...63).contains(number)
        {
            self = .function(number)
        } else {
            return nil
        }
    }
}
