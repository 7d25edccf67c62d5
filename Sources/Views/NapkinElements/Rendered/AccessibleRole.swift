// AccessibleRole: an element's role and label for people who do not see it.
//
// Spec       WAI-ARIA 1.2, section 5.4 (Definition of Roles)

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
        case .tabs: .tabs
        case .banner: .alert
        case .lines: .image
        case .overlay: .dialog
        case .modified(.keys, _): nil
        case .modified(.labelled, let element): element.role ?? .group
        case .modified(_, let element): element.role
        case .stack, .spacer, .place, .scroll, .alternative, .own, .node: nil
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
        case .banner(let line): line.text
        case .overlay(let title, _, _, _): title
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
