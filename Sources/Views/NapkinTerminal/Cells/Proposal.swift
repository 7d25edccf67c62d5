// Proposal: the room that a parent offers, and what its child makes of it.
//
// Isolation  @MainActor; values, made for each drawing.
// Invariant  drawn lines are not wider than the size, and not more than the area is high.
// Spec       SwiftUI, ProposedViewSize and Layout

import NapkinElements

/// The direction of a stack.
nonisolated enum Axis: Sendable {
    case horizontal, vertical

    var other: Axis { self == .horizontal ? .vertical : .horizontal }
}

/// Cells and lines.
nonisolated struct CellSize: Equatable, Sendable {
    var width = 0
    var height = 0

    subscript(axis: Axis) -> Int {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }
}

/// The room that a parent offers; a child takes what it wants of it, or more.
nonisolated struct Proposal: Equatable, Sendable {
    /// Offered to learn how much something takes at most, as 0 is to learn how little.
    static let infinity = 1 << 30
    /// `nil` for as much as the child likes best.
    var width: Int?
    var height: Int?
    /// The direction of the stack that offers it.
    var axis = Axis.vertical
    /// Whether a text is cut to the height. Otherwise it takes more, and the page scrolls.
    var isBounded = false
    /// Whether the page is too short: borders go where that saves what is inside.
    var isTight = false

    subscript(axis: Axis) -> Int? {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }

    /// Returns the proposal less what a parent has around its child.
    func inset(by cells: Int, _ lines: Int) -> Proposal {
        var inner = self
        inner.width = width.map { max(0, $0 - cells) }
        inner.height = height.map { max(0, $0 - lines) }
        inner.axis = .vertical
        return inner
    }
}

/// An element that has answered a proposal.
struct Laid {
    /// A child in its parent.
    struct Child {
        let laid: Laid
        var x = 0
        var y = 0
        /// Lines that it leaves below it of a parent that is higher than it needs to be; `nil` if
        /// it keeps its height.
        var below: Int?
    }

    let size: CellSize
    /// Returns its lines. The area has the size; it may be higher, as a row is.
    ///
    /// Registers with the pass what can be focused or clicked.
    let draw: (Area) -> [StyledLine]

    /// Nothing.
    init() { self.init(width: 0, height: 0) { _ in [] } }

    init(width: Int, height: Int, draw: @escaping (Area) -> [StyledLine]) {
        size = CellSize(width: width, height: height)
        self.draw = draw
    }

    /// A line that takes as many cells as it needs and there are.
    init(_ cells: Int, in proposal: Proposal, draw: @escaping (Area) -> [StyledLine]) {
        self.init(width: min(cells, proposal.width ?? cells), height: 1, draw: draw)
    }

    /// Lines that are always the same.
    init(_ lines: [StyledLine]) {
        self.init(width: lines.map(\.cells).max() ?? 0, height: lines.count) { _ in lines }
    }

    /// Children at their places. What is out of `size` is cut off.
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
