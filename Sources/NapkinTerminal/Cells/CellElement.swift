// CellElement: an element in cells: its size, and its lines.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values, made for each drawing.
// Invariant  no drawn line is wider than the area that it was drawn in.

import NapkinElements

/// A rectangle of cells, in the coordinates of the page that is laid out.
nonisolated struct Area: Equatable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    func contains(x: Int, y: Int) -> Bool {
        (self.x..<self.x + max(0, width)).contains(x)
            && (self.y..<self.y + max(0, height)).contains(y)
    }
}

/// An element's size, and how it adapts to more or less room.
nonisolated struct Extent: Equatable, Sendable {
    /// Cells and lines that it takes if there is enough room.
    var width: Int
    var height: Int
    /// The least number of lines that it needs, because it scrolls.
    var leastHeight: Int
    /// Whether it takes the remaining room of a row, and of a column.
    var fillsWidth: Bool
    var fillsHeight: Bool
    /// Who keeps its room where there is not enough: the greatest first.
    var priority = 0.0

    init(
        width: Int, height: Int, leastHeight: Int? = nil, fillsWidth: Bool = false,
        fillsHeight: Bool = false
    ) {
        self.width = width
        self.height = height
        self.leastHeight = leastHeight ?? height
        self.fillsWidth = fillsWidth
        self.fillsHeight = fillsHeight
    }
}

/// An element as a terminal shows it.
@MainActor
protocol CellElement {
    /// Returns its size within `width` cells.
    func extent(in width: Int, _ pass: LayoutPass) -> Extent

    /// Returns its lines, none wider than `area`. The page cuts or scrolls more than `area.height`.
    ///
    /// Registers with `pass` what can be focused or clicked.
    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine]
}

extension RenderedElement {
    /// The element in cells.
    var cells: any CellElement {
        switch self {
        case .text(let text): TextCells(text: text)
        case .title(let title): TitleCells(title: title)
        case .stack(.vertical(let spacing), let members):
            ColumnCells(members: members.map(\.cells), spacing: spacing)
        case .stack(.horizontal(let spacing, let stackedBelow), let members):
            RowCells(
                members: members.map(\.cells), spacing: spacing, stackedBelow: stackedBelow)
        case .stack(.flow(let spacing), let members):
            FlowCells(members: members.map(\.cells), spacing: spacing)
        case .spacer: SpacerCells()
        case .divider: DividerCells()
        case .group(let title, let content): GroupCells(title: title, content: content.column)
        case .button(let button): ButtonCells(button: button)
        case .toggle(let toggle): ToggleCells(toggle: toggle)
        case .picker(let picker): PickerCells(picker: picker)
        case .field(let field): FieldCells(field: field)
        case .list(let list): ListCells(list: list)
        case .table(let table): TableCells(table: table)
        case .progress(let progress): ProgressCells(progress: progress)
        case .tabs(let names, let selected, let select):
            TabCells(names: names, index: selected, select: select)
        case .banner(let line): BannerCells(line: line)
        case .lines(let draw): LinesCells(lines: draw)
        case .modified(.labelled(let label), .lines(let draw)):
            LinesCells(lines: draw, label: label)
        case .scroll(let scroll, let content):
            ScrollCells(memory: scroll.memory, content: content.column)
        case .child, .childTabs: ColumnCells(members: [], spacing: 0)
        case .alternative(let plain, _, let content):
            AlternativeCells(plain: plain, content: content.column)
        case .modified(let modification, let element):
            ModifiedCells.cells(modification, element.cells)
        case .overlay(let title, let plainTitle, let base, let content):
            OverlayCells(
                base: base.cells, title: title, plainTitle: plainTitle, content: content.column)
        case .node(let node, let content): NodeCells(node: node, content: content.column)
        }
    }
}

extension [RenderedElement] {
    /// The elements below one another, in cells.
    var column: any CellElement { ColumnCells(members: map(\.cells), spacing: 0) }
}

/// What a node shows.
private struct NodeCells: CellElement {
    let node: UInt32
    let content: any CellElement

    func extent(in width: Int, _ pass: LayoutPass) -> Extent { content.extent(in: width, pass) }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.inNode(node) { content.draw(in: area, pass) }
    }
}

/// Elements with another text where there is no screen.
private struct AlternativeCells: CellElement {
    let plain: [StyledLine]
    let content: any CellElement

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        guard pass.isLinear else { return content.extent(in: width, pass) }
        return Extent(width: plain.map(\.cells).max() ?? 0, height: plain.count)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.isLinear ? plain.map { $0.fitted(to: area.width) } : content.draw(in: area, pass)
    }
}
