// PageRendering+Text: a page's texts, with roles as classes, and the labels of elements.

import NapkinElements

extension PageRendering {
    /// Returns a line as escaped text, with a span for each role.
    static func markup(_ line: StyledLine) -> String {
        line.spans.map { span in
            let text = HTMLNode.escaped(span.text)
            return span.role == .plain ? text : "<span class=\"\(span.role)\">\(text)</span>"
        }
        .joined()
    }

    static func labelled(_ said: Said) -> [String: String] {
        said.label.map { ["aria-label": $0] } ?? [:]
    }

    /// A label of several elements makes them a group.
    static func grouped(_ said: Said) -> [String: String] {
        said.label.map { ["aria-label": $0, "role": "group"] } ?? [:]
    }

    static func legend(_ title: StyledLine, _ id: String) -> HTMLNode {
        HTMLNode("legend", id, [:], .markup(markup(title)))
    }

    static func progress(_ progress: ProgressElement, _ id: String, _ said: Said) -> HTMLNode {
        var attributes = ["aria-label": said.label ?? progress.label]
        var words = HTMLNode.escaped(progress.label)
        if let fraction = progress.fraction {
            attributes["value"] = "\(min(1, max(0, fraction)))"
            words += " \(Int((min(1, max(0, fraction)) * 100).rounded())) %"
        }
        return HTMLNode(
            "div", "\(id)", ["class": "row"],
            .nodes([
                HTMLNode("progress", "\(id).p", attributes),
                HTMLNode("span", "\(id).t", [:], .markup(words)),
            ]))
    }
}

extension Key {
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
