// CellElement: an element laid out in terminal cells, with its cached answers to proposals.
//
// Invariant  in a drawing, no element answers the same proposal twice.

import NapkinElements

/// A rectangle of cells in the page's coordinates.
nonisolated struct Area: Equatable, Sendable {
    var x = 0
    var y = 0
    var width: Int
    var height: Int

    /// Returns the part inside another area, which must not begin after this one; `nil` if nothing
    /// is inside.
    func cut(to area: Area) -> Area? {
        var own = self
        own.width = min(width, area.x + area.width - x)
        own.height = min(height, area.y + area.height - y)
        return own.width > 0 && own.height > 0 ? own : nil
    }

    func contains(x: Int, y: Int) -> Bool {
        (self.x..<self.x + max(0, width)).contains(x)
            && (self.y..<self.y + max(0, height)).contains(y)
    }
}

@MainActor
protocol CellElement {
    /// Whether its size depends on the proposed height.
    var heedsHeight: Bool { get }

    /// Answers a proposal.
    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid
}

extension CellElement {
    var heedsHeight: Bool { true }
}

/// An element whose height depends only on its width.
protocol LineElement: CellElement {}

extension LineElement {
    var heedsHeight: Bool { false }
}

/// An element in a drawing, with its answers so far.
final class CellNode {
    let element: any CellElement
    /// The order in which a stack offers room: the greatest first.
    let priority: Double
    /// Its share of the width and of the height that a stack divides.
    let parts: CellSize
    let heedsHeight: Bool
    private var answers: [(Proposal, Laid)] = []

    init(
        _ element: any CellElement, priority: Double = 0,
        parts: CellSize = CellSize(width: 1, height: 1)
    ) {
        self.element = element
        self.priority = priority
        self.parts = parts
        heedsHeight = element.heedsHeight
    }

    /// Returns a node for an element that wraps this one and keeps its place in a stack.
    func with(_ element: any CellElement) -> CellNode {
        CellNode(element, priority: priority, parts: parts)
    }

    /// Answers a proposal; computes each answer only once.
    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        var proposal = proposal
        if !heedsHeight, !proposal.isBounded { (proposal.height, proposal.isTight) = (nil, false) }
        if let known = answers.first(where: { $0.0 == proposal }) { return known.1 }
        let laid = element.laid(proposal, pass)
        answers.append((proposal, laid))
        return laid
    }

    /// Draws a whole page, which scrolls if it has more lines than the area.
    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.width = area.width
        var proposal = Proposal(width: area.width)
        if !pass.isLinear, area.height != .max { proposal.height = max(0, area.height) }
        var laid = laid(proposal, pass)
        if let height = proposal.height, laid.size.height > height {
            proposal.isTight = true
            laid = self.laid(proposal, pass)
        }
        let size = CellSize(width: area.width, height: laid.size.height)
        let own = Area(x: area.x, y: area.y, width: size.width, height: size.height)
        return Laid(size, [Laid.Child(laid: laid)], pass).draw(own)
    }
}

extension RenderedElement {
    var cells: CellNode {
        switch self {
        case .text(let text): CellNode(TextCells(text: text))
        case .title(let title): CellNode(TitleCells(title: title))
        case .stack(.flow(let spacing), let members):
            CellNode(FlowCells(members: members.map(\.cells), spacing: spacing))
        case .stack(let style, let members):
            CellNode(StackCells(style: style, members: members.map(\.cells)))
        case .spacer: CellNode(SpacerCells(), priority: -.infinity)
        case .divider: CellNode(DividerCells())
        case .group(let title, let content):
            CellNode(GroupCells(title: title, content: content.column))
        case .button(let button): CellNode(ButtonCells(button: button))
        case .toggle(let toggle): CellNode(ToggleCells(toggle: toggle))
        case .picker(let picker): CellNode(PickerCells(picker: picker))
        case .field(let field): CellNode(FieldCells(field: field))
        case .list(let list): CellNode(ListCells(list: list))
        case .table(let table): CellNode(TableCells(table: table))
        case .progress(let progress): CellNode(ProgressCells(progress: progress))
        case .console(let console): CellNode(ConsoleCells(console: console))
        case .tabs(let names, let selected, let select):
            CellNode(TabCells(names: names, index: selected, select: select))
        case .banner(let line): CellNode(BannerCells(line: line))
        case .lines(let draw): CellNode(LinesCells(lines: draw))
        case .modified(.labelled(let label), .lines(let draw)):
            CellNode(LinesCells(lines: draw, label: label))
        case .scroll(let scroll, let content):
            CellNode(ScrollCells(memory: scroll.memory, content: content.column))
        case .outlet: [].column
        case .alternative(let plain, _, let content):
            CellNode(AlternativeCells(plain: plain, content: content.column))
        case .own(_, let content): content.column
        case .modified(let modification, let element): element.cells.modified(modification)
        case .overlay(let over, let base): CellNode(OverlayCells(over, base: base.cells))
        case .node(let node, let content):
            CellNode(
                DrawnCells(element: content.column) { pass, draw in
                    pass.with(\.node, node, draw)
                })
        }
    }
}

extension [RenderedElement] {
    /// The elements below one another, as cells.
    var column: CellNode {
        CellNode(StackCells(style: .vertical(spacing: 0), members: map(\.cells)))
    }
}

/// Elements with a replacement for plain text.
private struct AlternativeCells: CellElement {
    let plain: [StyledLine]
    let content: CellNode

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        guard pass.isLinear, let width = proposal.width else { return content.laid(proposal, pass) }
        return Laid(plain.map { $0.fitted(to: width) })
    }
}
