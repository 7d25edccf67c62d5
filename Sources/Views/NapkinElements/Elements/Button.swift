// Button: elements that are pressed, switched or picked: buttons, toggles, pickers.

/// A button, pressed by its key, by a click, or by Enter or Space while it is focused.
public struct Button: View, Primitive {
    private let label: Label
    private let role: KeyBinding.Role
    private let action: () -> Void

    /// - Parameters:
    ///   - label: the button's text.
    ///   - role: which other keys press it: Enter, or Escape and Backspace.
    ///   - action: runs when the button is pressed.
    public init(_ label: String, role: KeyBinding.Role = .action, action: @escaping () -> Void) {
        self.label = Label(label)
        self.role = role
        self.action = action
    }

    /// - Parameters:
    ///   - action: runs when the button is pressed.
    ///   - label: the button's label; only its texts are shown.
    public init(action: @escaping () -> Void, @ViewBuilder label: () -> some View) {
        self.label = Label(label())
        role = .action
        self.action = action
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [
            .button(
                ButtonElement(
                    label: label.text(in: context), role: role,
                    isEnabled: context.environment.isEnabled,
                    action: action, site: context.site))
        ]
    }
}

extension View {
    /// Returns the button with a key that works wherever its view is shown. Without one, only Tab
    /// reaches a button.
    public func keyboardShortcut(_ key: Key) -> some View { modified { $0.pressed(by: key) } }
}

extension RenderedElement {
    fileprivate func pressed(by key: Key) -> RenderedElement {
        switch self {
        case .button(var button):
            button.key = key
            return .button(button)
        case .modified(let modification, let element):
            return .modified(modification, element.pressed(by: key))
        default: return self
        }
    }
}

private struct Label {
    private let view: any View

    init(_ text: String) { view = Text(text) }

    init(_ view: some View) { self.view = view }

    func text(in context: RenderContext) -> String {
        if let text = view as? Text { return text.line.text }
        return context.render(view, .part("label")).texts.joined(separator: " ")
    }
}

/// A switch that is on or off.
public struct Toggle: View, Primitive {
    private let label: Label
    private let isOn: Binding<Bool>

    public init(_ label: String, isOn: Binding<Bool>) {
        self.label = Label(label)
        self.isOn = isOn
    }

    /// - Parameters:
    ///   - isOn: whether it is on.
    ///   - label: its label; only its texts are shown.
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> some View) {
        self.label = Label(label())
        self.isOn = isOn
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [
            .toggle(
                ToggleElement(
                    label: label.text(in: context), isOn: isOn,
                    isEnabled: context.environment.isEnabled, site: context.site))
        ]
    }
}

/// One of a few values: `‹ smoking ›`. Left, Right, Space and a click change it.
public struct Picker: View, Primitive {
    private let label: String
    private let options: [String]
    private let selection: Binding<Int>

    /// - Parameters:
    ///   - label: its name for the focus; not shown.
    ///   - selection: the index of the shown option.
    ///   - options: the names of the values.
    public init(_ label: String, selection: Binding<Int>, options: [String]) {
        self.label = label
        self.options = options
        self.selection = selection
    }

    /// - Parameters:
    ///   - label: its name for the focus; not shown.
    ///   - selection: the shown option; the first one, if it is not among the options.
    ///   - options: the values.
    ///   - name: a value's name.
    public init<Value: Hashable>(
        _ label: String, selection: Binding<Value>, options: [Value],
        name: (Value) -> String = { "\($0)" }
    ) {
        self.label = label
        self.options = options.map(name)
        self.selection = Binding(
            get: { options.firstIndex(of: selection.wrappedValue) ?? 0 },
            set: { selection.wrappedValue = options[$0] })
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        [
            .picker(
                PickerElement(
                    label: label, options: options, selection: selection,
                    isEnabled: context.environment.isEnabled, site: context.site))
        ]
    }
}
