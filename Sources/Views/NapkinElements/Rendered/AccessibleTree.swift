// AccessibleTree: a screen's perceptible elements as an outline, with their roles and labels, and a
// search of the outline.
//
// Invariant  contains no element that only arranges others, and none that is covered.
// Spec       WAI-ARIA 1.2, section 5.4 (Definition of Roles)

internal import NapkinCore
internal import NapkinTransport

extension RenderedElement {
    /// The perceptible elements inside, in order: elements that only arrange others are replaced by
    /// their content, and everything below a dialog is left out. The keys that the screen names for
    /// a view are buttons after its elements.
    package var perceived: [RenderedElement] {
        switch self {
        case .overlay(let over, _): over.elements.perceived
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
    package var perceived: [RenderedElement] { flatMap { $0.role == nil ? $0.perceived : [$0] } }

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
    package func elements(role: AccessibleRole, label: String? = nil) -> [RenderedElement] {
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
        // The text of a screen has many lines.
        case .console(let console): "\(console.screen.rows.count) × \(console.screen.columns)"
        case .modified(_, let element): element.counted
        default: nil
        }
    }

    private static func counted(_ count: Int, _ what: String, _ selected: String?) -> String {
        count.counted(what) + (selected.map { ", \"\($0)\" selected" } ?? "")
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

/// An element's role for people who do not see it. The raw value is its word in
/// `[RenderedElement].tree()`.
public nonisolated enum AccessibleRole: String, Hashable, Sendable, CaseIterable {
    case text
    /// A view's title, or a text in bold.
    case heading
    case button
    /// A switch: its value is `on` or `off`.
    case toggle
    case picker
    case textField = "field"
    case list
    case table
    case progress
    /// A program's terminal: its value is the text of its screen.
    case console
    case tabs
    /// Elements in a border, or with a label for all of them.
    case group
    /// Custom lines drawn by a closure.
    case image
    case separator
    /// A line that must not be missed.
    case alert
    /// A dialog over everything else.
    case dialog
}

extension RenderedElement {
    /// The element's role; `nil` if it only arranges others.
    package var role: AccessibleRole? {
        switch self {
        case .text(let text): text.role
        case .title: .heading
        case .divider: .separator
        case .group: .group
        case .button: .button
        case .toggle: .toggle
        case .picker: .picker
        case .field: .textField
        case .list: .list
        case .table: .table
        case .progress: .progress
        case .console: .console
        case .tabs: .tabs
        case .banner: .alert
        case .lines: .image
        case .overlay: .dialog
        case .modified(.keys, _): nil
        case .modified(.labelled, let element): element.role ?? .group
        case .modified(_, let element): element.role
        case .stack, .spacer, .outlet, .scroll, .alternative, .own, .node: nil
        }
    }

    /// The element's name: its `accessibilityLabel`, otherwise its text, such as a button's title
    /// or a field's placeholder. Empty if it has none.
    package var label: String {
        switch self {
        case .text(let text): text.line.text
        case .title(let title): title
        case .group(let title, _): title.text
        case .button(let button): button.label
        case .toggle(let toggle): toggle.label
        case .picker(let picker): picker.label
        case .field(let field): field.placeholder
        case .progress(let progress): progress.label
        case .console(let console): console.label
        case .banner(let line): line.text
        case .overlay(let over, _): over.title
        case .modified(.labelled(let label), _): label
        case .modified(_, let element): element.label
        default: ""
        }
    }

    /// The element's content: a field's text, a switch's `on`, the selection. `nil` without
    /// content. A secure field's text is replaced by as many dots.
    package var value: String? {
        switch self {
        case .toggle(let toggle): toggle.isOn.wrappedValue ? "on" : "off"
        case .picker(let picker): picker.selected
        case .field(let field): field.isSecure ? field.text.map { _ in "•" }.joined() : field.text
        case .list(let list): list.selected
        case .table(let table): table.selected
        case .progress(let progress): progress.fraction.map { "\(Int(($0 * 100).rounded())) %" }
        case .console(let console): console.screen.text
        case .tabs(let names, let selected, _):
            names.indices.contains(selected) ? names[selected] : nil
        case .modified(_, let element): element.value
        default: nil
        }
    }

    /// Whether an interactive element can be pressed, edited or moved.
    package var isEnabled: Bool {
        switch self {
        case .button(let button): button.isEnabled
        case .toggle(let toggle): toggle.isEnabled
        case .picker(let picker): picker.isEnabled
        case .field(let field): field.isEnabled
        case .list(let list): list.isEnabled
        case .console(let console): console.isEnabled
        case .modified(_, let element): element.isEnabled
        default: true
        }
    }
}

extension Text {
    /// The role of a text; an empty text has none.
    fileprivate var role: AccessibleRole? {
        let spans = lines.flatMap(\.spans)
        if spans.isEmpty { return nil }
        return spans.allSatisfy { $0.role == .title } ? .heading : .text
    }
}

extension PickerElement {
    fileprivate var selected: String? {
        let index = selection.wrappedValue
        return options.indices.contains(index) ? options[index] : nil
    }
}

extension ListElement {
    fileprivate var selected: String? {
        (0..<count).contains(memory.selection) ? row(memory.selection).text : nil
    }
}

extension TableElement {
    fileprivate var selected: String? {
        guard let list, (0..<list.count).contains(list.memory.selection) else { return nil }
        return rows[list.item(list.memory.selection)].joined(separator: " ")
    }
}
