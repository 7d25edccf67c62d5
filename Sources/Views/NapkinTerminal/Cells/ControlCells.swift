// ControlCells: draws buttons, toggles, pickers and tabs.

import NapkinElements

/// A button: `[b] Back`, or `[ Back ]` without a key.
struct ButtonCells: LineElement {
    let button: ButtonElement

    /// - Parameter takesText: whether letters are text now, so that a letter key is dimmed.
    private func line(_ takesText: Bool) -> StyledLine {
        let role: TextRole? = button.isEnabled ? nil : .secondary
        guard let key = button.key else {
            return StyledLine("[ \(button.label) ]", role ?? .button)
        }
        return StyledLine("[\(key.label)]", role ?? (takesText && key.isLetter ? .secondary : .key))
            + StyledLine(" \(button.label)", role ?? .plain)
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        pass.isLinear ? Laid() : Laid(line(false).cells, in: proposal) { draw(in: $0, pass) }
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        var reaction = FocusTarget.Reaction(pressing: button.action)
        reaction.key = button.key
        return pass.control(
            line(pass.takesText), button.label, of: button.site, in: area,
            isEnabled: button.isEnabled, reaction)
    }
}

extension FocusTarget.Reaction {
    /// Enter, Space and a click do the same.
    fileprivate init(pressing action: @escaping () -> Void) {
        self.init(
            press: { key in
                guard key == .enter || key == .character(" ") else { return false }
                action()
                return true
            }, click: { _, _ in action() })
    }
}

struct ToggleCells: LineElement {
    let toggle: ToggleElement

    private var line: StyledLine {
        StyledLine(toggle.isOn.wrappedValue ? "[x]" : "[ ]", toggle.isEnabled ? .key : .secondary)
            + StyledLine(
                toggle.label.isEmpty ? "" : " \(toggle.label)",
                toggle.isEnabled ? .plain : .secondary)
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        Laid(line.cells, in: proposal) { draw(in: $0, pass) }
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.control(
            line, toggle.label, of: toggle.site, in: area, isEnabled: toggle.isEnabled,
            FocusTarget.Reaction(pressing: { [isOn = toggle.isOn] in isOn.wrappedValue.toggle() }))
    }
}

/// One of several values: `‹ smoking ›`. Left, Right, Space and a click change it.
struct PickerCells: LineElement {
    let picker: PickerElement

    private var options: [String] { picker.options }
    private var selection: Int { picker.selection.wrappedValue }
    private var index: Int { options.indices.contains(selection) ? selection : 0 }

    private var line: StyledLine {
        let name = options.isEmpty ? "" : options[index]
        let role: TextRole = picker.isEnabled ? .key : .secondary
        return StyledLine("‹ ", role) + StyledLine(name) + StyledLine(" ›", role)
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let cells = (options.map { CellWidth.cells(of: $0) }.max() ?? 0) + 4
        return Laid(cells, in: proposal) { draw(in: $0, pass) }
    }

    private func step(_ step: Int) {
        guard !options.isEmpty else { return }
        picker.selection.wrappedValue = (index + step + options.count) % options.count
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let cells = min(area.width, line.cells)
        return pass.control(
            line, picker.label, of: picker.site, in: area, isEnabled: picker.isEnabled,
            FocusTarget.Reaction(
                press: { key in
                    switch key {
                    case .left: step(-1)
                    case .right, .character(" "): step(1)
                    default: return false
                    }
                    return true
                }, click: { x, _ in step(x < cells / 2 ? -1 : 1) }))
    }
}

/// The names of tabs with one selected. Left and Right change the selection while it is focused.
struct TabCells: LineElement {
    let names: [String]
    let index: Int
    let select: (Int) -> Void

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let cells = names.reduce(0) { $0 + CellWidth.cells(of: $1) + 2 }
        return Laid(cells, in: proposal) { draw(in: $0, pass) }
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
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
