// Button: elements that are pressed, switched and picked: buttons, toggles, pickers, tabs.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values. The view keeps what is on and what is picked.

/// A button, which its key, Enter and Space when it is focused, or a click can press.
public struct Button: Element {
    private let label: String
    private var key: Key?
    private let role: KeyBinding.Role
    private let action: () -> Void

    /// - Parameters:
    ///   - label: the button's text.
    ///   - role: which other keys also press it: Enter, or Escape and Backspace.
    ///   - action: runs when the button is pressed.
    public init(
        _ label: String, role: KeyBinding.Role = .action, action: @escaping () -> Void
    ) {
        self.label = label
        self.role = role
        self.action = action
    }

    /// Returns the button with a key that works wherever its view is. A button without one is
    /// reached only by Tab.
    public func keyboardShortcut(_ key: Key) -> Button {
        var button = self
        button.key = key
        return button
    }

    public var bindings: [KeyBinding] {
        key.map { [KeyBinding($0, label, role: role, action: action)] } ?? []
    }

    private var line: StyledLine {
        if let key {
            return StyledLine(spans: [TextSpan("[\(key.label)]", .key), TextSpan(" \(label)")])
        }
        return StyledLine("[ \(label) ]", .button)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.isLinear ? Extent(width: 0, height: 0) : Extent(width: line.cells, height: 1)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        guard !pass.isLinear else { return [] }
        let cells = min(area.width, line.cells)
        let own = Area(x: area.x, y: area.y, width: cells, height: 1)
        let isFocused = pass.target(
            label, in: own,
            FocusTarget.Reaction(
                press: { [action] key in
                    guard key == .enter || key == .character(" ") else { return false }
                    action()
                    return true
                }, click: { [action] _, _ in action() }, key: key))
        return [(isFocused ? line.inRole(.focus) : line).fitted(to: area.width)]
    }
}

/// A switch that is on or off.
public struct Toggle: Element {
    private let label: String
    @Binding private var isOn: Bool

    public init(_ label: String, isOn: Binding<Bool>) {
        self.label = label
        _isOn = isOn
    }

    private var line: StyledLine {
        StyledLine(isOn ? "[x]" : "[ ]", .key) + StyledLine(label.isEmpty ? "" : " \(label)")
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: line.cells, height: 1)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let own = Area(x: area.x, y: area.y, width: min(area.width, line.cells), height: 1)
        let isFocused = pass.target(
            label, in: own,
            FocusTarget.Reaction(
                press: { key in
                    guard key == .enter || key == .character(" ") else { return false }
                    isOn.toggle()
                    return true
                }, click: { _, _ in isOn.toggle() }))
        return [(isFocused ? line.inRole(.focus) : line).fitted(to: area.width)]
    }
}

/// One of a few values: `‹ smoking ›`. Left, Right, Space and a click change it.
public struct Picker: Element {
    private let label: String
    private let options: [String]
    @Binding private var selection: Int

    /// - Parameters:
    ///   - label: the name of its focus, which is not shown.
    ///   - selection: the index of the option that is shown.
    ///   - options: the names of the values.
    public init(_ label: String, selection: Binding<Int>, options: [String]) {
        self.label = label
        self.options = options
        _selection = selection
    }

    private var index: Int { options.indices.contains(selection) ? selection : 0 }

    private var line: StyledLine {
        let name = options.isEmpty ? "" : options[index]
        return StyledLine("‹ ", .key) + StyledLine(name) + StyledLine(" ›", .key)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: (options.map { CellWidth.cells(of: $0) }.max() ?? 0) + 4, height: 1)
    }

    private func step(_ step: Int) {
        guard !options.isEmpty else { return }
        selection = (index + step + options.count) % options.count
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let cells = min(area.width, line.cells)
        let own = Area(x: area.x, y: area.y, width: cells, height: 1)
        let isFocused = pass.target(
            label, in: own,
            FocusTarget.Reaction(
                press: { key in
                    switch key {
                    case .left: step(-1)
                    case .right, .character(" "): step(1)
                    default: return false
                    }
                    return true
                }, click: { x, _ in step(x < cells / 2 ? -1 : 1) }))
        return [(isFocused ? line.inRole(.focus) : line).fitted(to: area.width)]
    }
}

/// The names of tabs, one of them selected. Left and Right select when it is focused.
struct TabStrip: Element {
    private let names: [String]
    private let index: Int
    private let select: (Int) -> Void

    init(_ names: [String], selected index: Int, select: @escaping (Int) -> Void) {
        self.names = names
        self.index = index
        self.select = select
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: names.reduce(0) { $0 + CellWidth.cells(of: $1) + 2 }, height: 1)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
        let isFocused = pass.target(
            "tabs", in: own,
            FocusTarget.Reaction(press: press, click: { x, _ in clicked(x) }))
        let chosen: TextRole = isFocused ? .focus : .selection
        let line = StyledLine(
            spans: names.enumerated().map { TextSpan(" \($1) ", $0 == index ? chosen : .secondary) }
        )
        return [line.fitted(to: area.width)]
    }

    private func press(_ key: Key) -> Bool {
        switch key {
        case .left where index > 0: select(index - 1)
        case .right where index + 1 < names.count: select(index + 1)
        default: return false
        }
        return true
    }

    private func clicked(_ x: Int) {
        var end = 0
        for (index, name) in names.enumerated() {
            end += CellWidth.cells(of: name) + 2
            guard x >= end else {
                select(index)
                return
            }
        }
    }
}
