// Proposal: the room that a parent offers and the child's answer.
//
// Invariant  drawn lines are no wider than the size and no more than the area is high.
// Spec       SwiftUI, ProposedViewSize and Layout

import NapkinElements

nonisolated enum Axis: Sendable {
    case horizontal, vertical

    var other: Axis { self == .horizontal ? .vertical : .horizontal }
}

nonisolated struct CellSize: Equatable, Sendable {
    var width = 0
    var height = 0

    subscript(axis: Axis) -> Int {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }
}

/// The room that a parent offers; a child may use less of it, or more.
nonisolated struct Proposal: Equatable, Sendable {
    /// Offered to learn an element's greatest size, as 0 is offered to learn its least.
    static let infinity = 1 << 30
    /// `nil` asks for the child's ideal size.
    var width: Int?
    var height: Int?
    /// The direction of the stack that offers it.
    var axis = Axis.vertical
    /// Whether a text is cut to the height. Otherwise it uses more lines, and the page scrolls.
    var isBounded = false
    /// Whether the page is too short: borders are dropped where that keeps the content whole.
    var isTight = false

    subscript(axis: Axis) -> Int? {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }

    /// Returns the proposal less the parent's insets.
    func inset(by cells: Int, _ lines: Int) -> Proposal {
        var inner = self
        inner.width = width.map { max(0, $0 - cells) }
        inner.height = height.map { max(0, $0 - lines) }
        inner.axis = .vertical
        return inner
    }
}

/// An element's answer to a proposal.
struct Laid {
    struct Child {
        let laid: Laid
        var x = 0
        var y = 0
        /// Lines to leave below the child in a parent that is taller than its content; `nil` if the
        /// child keeps its height.
        var below: Int?
    }

    let size: CellSize
    /// Returns the lines. The area has this size, or is taller, as in a row.
    ///
    /// Registers focusable and clickable regions with the pass.
    let draw: (Area) -> [StyledLine]

    init() { self.init(width: 0, height: 0) { _ in [] } }

    init(width: Int, height: Int, draw: @escaping (Area) -> [StyledLine]) {
        size = CellSize(width: width, height: height)
        self.draw = draw
    }

    /// A line that is as wide as it needs to be, within the proposal.
    init(_ cells: Int, in proposal: Proposal, draw: @escaping (Area) -> [StyledLine]) {
        self.init(width: min(cells, proposal.width ?? cells), height: 1, draw: draw)
    }

    init(_ lines: [StyledLine]) {
        self.init(width: lines.map(\.cells).max() ?? 0, height: lines.count) { _ in lines }
    }

    /// Children at their places, clipped to `size`.
    init(_ size: CellSize, _ children: [Child], _ pass: LayoutPass) {
        let isCut = children.contains {
            $0.x + $0.laid.size.width > size.width || $0.y + $0.laid.size.height > size.height
        }
        self.init(width: size.width, height: size.height) { area in
            guard isCut else { return Self.lines(of: children, in: area) }
            let room = Area(x: area.x, y: area.y, width: size.width, height: area.height)
            return pass.clipped(to: room) { Self.lines(of: children, in: area) }
                .prefix(area.height).map { $0.fitted(to: size.width) }
        }
    }

    private static func lines(of children: [Child], in area: Area) -> [StyledLine] {
        var lines: [StyledLine] = []
        for child in children where child.laid.size.width > 0 {
            let height = child.below.map { area.height - child.y - $0 } ?? 0
            let own = Area(
                x: area.x + child.x, y: area.y + child.y, width: child.laid.size.width,
                height: max(child.laid.size.height, height))
            guard own.height > 0 else { continue }
            for (row, line) in child.laid.draw(own).prefix(own.height).enumerated() {
                while lines.count <= child.y + row { lines.append(StyledLine()) }
                let before = lines[child.y + row]
                lines[child.y + row] =
                    before.spans.isEmpty
                    ? line.indented(by: child.x) : before.padded(to: child.x) + line
            }
        }
        return lines
    }
}
