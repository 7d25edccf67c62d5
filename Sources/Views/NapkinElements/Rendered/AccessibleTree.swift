// AccessibleTree: a screen's perceptible elements as an outline, and a search in it.
//
// Invariant  contains no element that only arranges others, and none that is covered.

extension RenderedElement {
    /// The perceptible elements inside, in order: elements that only arrange others are replaced by
    /// their content, and everything below a dialog is left out. The keys that the screen names for
    /// a view are buttons after its elements.
    package var perceived: [RenderedElement] {
        switch self {
        case .overlay(_, _, _, let content): content.perceived
        case .modified(.keys(let keys), let element):
            [element].perceived + keys.filter(\.isNamed).map(RenderedElement.init)
        case .modified(_, let element):
            element.role == nil ? [element].perceived : element.perceived
        default: children.perceived
        }
    }

    private init(_ key: KeyBinding) {
        let button = ButtonElement(
            label: key.label, key: key.key, role: key.role, isEnabled: true, action: key.action)
        self = .button(button)
    }
}

extension [RenderedElement] {
    /// The perceptible elements: those that only arrange others are replaced by their content.
    package var perceived: [RenderedElement] {
        flatMap { $0.role == nil ? $0.perceived : [$0] }
    }

    /// Returns the elements with their content as an indented outline, for assertions.
    ///
    /// ```
    /// heading "Pit Board"
    /// group "Smoking"
    ///   text "Brisket"
    /// list 3 items, "Ribs" selected
    /// field "for whom" = "Joe"
    /// button "Back" [b]
    /// ```
    package func tree() -> String {
        perceived.flatMap { $0.outline(by: 0) }.joined(separator: "\n")
    }

    /// Returns the elements of a role, and with a label if one is given, outermost first.
    package func elements(
        role: AccessibleRole, label: String? = nil
    ) -> [RenderedElement] {
        perceived.flatMap { element in
            (element.role == role && (label == nil || element.label == label) ? [element] : [])
                + element.perceived.elements(role: role, label: label)
        }
    }
}

extension RenderedElement {
    fileprivate func outline(by depth: Int) -> [String] {
        [String(repeating: "  ", count: depth) + words.joined(separator: " ")]
            + perceived.flatMap { $0.outline(by: depth + 1) }
    }

    /// Its line in the outline, word by word.
    private var words: [String] {
        var words = [role?.rawValue ?? ""]
        if !label.isEmpty { words.append("\"\(label)\"") }
        if let counted {
            words.append(counted)
        } else if let value, role != .textField || !value.isEmpty {
            words.append("= \"\(value)\"")
        }
        words += details
        if !isEnabled { words.append("disabled") }
        return words
    }

    private var counted: String? {
        switch self {
        case .list(let list): Self.counted(list.count, "item", value)
        case .table(let table): Self.counted(table.rows.count, "row", value)
        case .tabs(let names, _, _):
            names.map { "\"\($0)\"" }.joined(separator: ", ")
                + (value.map { ", \"\($0)\" selected" } ?? "")
        case .modified(_, let element): element.counted
        default: nil
        }
    }

    private static func counted(_ count: Int, _ what: String, _ selected: String?) -> String {
        "\(count) \(what)\(count == 1 ? "" : "s")"
            + (selected.map { ", \"\($0)\" selected" } ?? "")
    }

    private var details: [String] {
        switch self {
        case .button(let button): button.key.map { ["[\($0.label)]"] } ?? []
        case .field(let field): field.problem.map { ["problem \"\($0)\""] } ?? []
        case .modified(_, let element): element.details
        default: []
        }
    }
}
