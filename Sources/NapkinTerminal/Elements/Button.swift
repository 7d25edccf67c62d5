// Button: elements that are pressed, switched and chosen: buttons, toggles, choices, tabs.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values. The view keeps what is on and what is chosen.

/// A button, which its key, Enter and Space when it is focused, or a click can press.
public struct Button: Element {
    private let label: String
    private let key: Key?
    private let role: KeyBinding.Role
    private let action: () -> Void

    /// - Parameters:
    ///   - label: the button's text.
    ///   - key: works wherever the button's view is; a button without one is reached only by Tab.
    ///   - role: which other keys also press it: Enter, or Escape and Backspace.
    ///   - action: runs when the button is pressed.
    public init(
        _ label: String, key: Key? = nil, role: KeyBinding.Role = .action,
        action: @escaping () -> Void
    ) {
        self.label = label
        self.key = key
        self.role = role
        self.action = action
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
    private let id: String
    private let isOn: Bool
    private let set: (Bool) -> Void

    /// - Parameters:
    ///   - label: the switch's text.
    ///   - isOn: whether it is on now.
    ///   - id: the name of its focus; by default the label.
    ///   - set: called with the new value.
    public init(
        _ label: String, isOn: Bool, id: String? = nil, set: @escaping (Bool) -> Void
    ) {
        self.label = label
        self.id = id ?? label
        self.isOn = isOn
        self.set = set
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
            id, in: own,
            FocusTarget.Reaction(
                press: { [set, isOn] key in
                    guard key == .enter || key == .character(" ") else { return false }
                    set(!isOn)
                    return true
                }, click: { [set, isOn] _, _ in set(!isOn) }))
        return [(isFocused ? line.inRole(.focus) : line).fitted(to: area.width)]
    }
}

/// A choice of one of a few values: `‹ smoking ›`. Left, Right, Space and a click change it.
public struct Choice: Element {
    private let options: [String]
    private let index: Int
    private let id: String
    private let choose: (Int) -> Void

    public init(
        _ options: [String], chosen index: Int, id: String = "choice",
        choose: @escaping (Int) -> Void
    ) {
        self.options = options
        self.index = options.indices.contains(index) ? index : 0
        self.id = id
        self.choose = choose
    }

    private var line: StyledLine {
        let name = options.isEmpty ? "" : options[index]
        return StyledLine("‹ ", .key) + StyledLine(name) + StyledLine(" ›", .key)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: (options.map { CellWidth.cells(of: $0) }.max() ?? 0) + 4, height: 1)
    }

    private func step(_ step: Int) {
        guard !options.isEmpty else { return }
        choose((index + step + options.count) % options.count)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let cells = min(area.width, line.cells)
        let own = Area(x: area.x, y: area.y, width: cells, height: 1)
        let isFocused = pass.target(
            id, in: own,
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
public struct TabStrip: Element {
    private let names: [String]
    private let index: Int
    private let select: (Int) -> Void

    public init(_ names: [String], selected index: Int, select: @escaping (Int) -> Void) {
        self.names = names
        self.index = index
        self.select = select
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: names.reduce(0) { $0 + CellWidth.cells(of: $1) + 2 }, height: 1)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
        let isFocused = pass.target(
            "tabs", in: own,
            FocusTarget.Reaction(press: press, click: { x, _ in clicked(x) }))
        let chosen: TextRole = isFocused ? .focus : .selection
        let line = StyledLine(
            spans: names.enumerated().map { TextSpan(" \($1) ", $0 == index ? chosen : .dim) })
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
