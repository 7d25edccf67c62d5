// ModifiedCells: elements with a frame, with room around them, with a name of their own.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// What is said of elements, in cells.
enum ModifiedCells {
    static func cells(
        _ modification: Modification, _ element: any CellElement
    ) -> any CellElement {
        switch modification {
        case .width(let width): FrameCells(element: element, width: width)
        case .share(let share, let isTall):
            FrameCells(element: element, share: share, isTall: isTall)
        case .padding(let insets): PaddedCells(element: element, insets: insets)
        case .named(let name): NamedCells(element: element, name: name)
        case .focused(let isFocused): FocusedCells(element: element, isFocused: isFocused)
        case .border: GroupCells(title: StyledLine(), content: element)
        case .priority(let value): PriorityCells(element: element, priority: value)
        case .minHeight(let lines): LeastCells(element: element, lines: lines)
        case .labelled, .keys: element
        }
    }
}

/// An element around another one, which it otherwise equals.
protocol ModifiedElement: CellElement {
    var element: any CellElement { get }
}

extension ModifiedElement {
    func extent(in width: Int, _ pass: LayoutPass) -> Extent { element.extent(in: width, pass) }
}

/// An element with a width that is not its own, or that takes all lines.
struct FrameCells: ModifiedElement {
    let element: any CellElement
    var width: Int?
    var share: Int?
    var isTall = false

    /// Returns the frame of an element, wherever it is among its modifiers.
    static func of(_ element: any CellElement) -> FrameCells? {
        element as? FrameCells ?? (element as? any ModifiedElement).flatMap { of($0.element) }
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: width, pass)
        extent.fillsHeight = extent.fillsHeight || isTall
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] { element.draw(in: area, pass) }
}

/// An element with room around it.
private struct PaddedCells: ModifiedElement {
    let element: any CellElement
    let insets: Insets

    private func inner(_ width: Int) -> Int { max(1, width - insets.leading - insets.trailing) }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: inner(width), pass)
        extent.width += insets.leading + insets.trailing
        if extent.height > 0, !pass.isLinear { extent.height += insets.top + insets.bottom }
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let width = inner(area.width)
        let height = element.extent(in: width, pass).height
        let isBare = pass.isLinear || height == 0
        // The lines are the first to go, those below before those above.
        let room = isBare || area.height == .max ? 0 : max(0, area.height - height)
        let isFree = !isBare && area.height == .max
        let above = isFree ? insets.top : min(insets.top, room)
        let below = isFree ? insets.bottom : min(insets.bottom, room - above)
        let inner = Area(
            x: area.x + insets.leading, y: area.y + above, width: width,
            height: area.height == .max ? .max : area.height - above - below)
        let lines = element.draw(in: inner, pass)
            .map { $0.indented(by: insets.leading).fitted(to: area.width) }
        return Array(repeating: StyledLine(), count: above) + lines
            + Array(repeating: StyledLine(), count: below)
    }
}

/// An element that keeps its room before others, or after them.
private struct PriorityCells: ModifiedElement {
    let element: any CellElement
    let priority: Double

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: width, pass)
        extent.priority = priority
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] { element.draw(in: area, pass) }
}

/// An element with a least number of lines, as long as there is room for them.
private struct LeastCells: ModifiedElement {
    let element: any CellElement
    let lines: Int

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = element.extent(in: width, pass)
        if !pass.isLinear { extent.height = max(extent.height, lines) }
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let drawn = element.draw(in: area, pass)
        let missing = pass.isLinear ? 0 : min(lines, area.height) - drawn.count
        return drawn + Array(repeating: StyledLine(), count: max(0, missing))
    }
}

/// An element whose focus has another name.
private struct NamedCells: ModifiedElement {
    let element: any CellElement
    let name: String

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.naming(name) { element.draw(in: area, pass) }
    }
}

/// An element whose focus somebody watches or moves.
private struct FocusedCells: ModifiedElement {
    let element: any CellElement
    let isFocused: Binding<Bool>

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.focusing(isFocused) { element.draw(in: area, pass) }
    }
}
