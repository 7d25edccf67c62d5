// LayoutPass: the state of one drawing: the focus, the regions that take keys and clicks, and the
// room that a parent offers a child.
//
// Ownership  created for one drawing; the screen keeps its targets until the next one.
// Invariant  targets are in the order in which Tab visits them.
//            Drawn lines are no wider than the size and no more than the area is high.
// Spec       SwiftUI, ProposedViewSize and Layout

import NapkinElements

final class LayoutPass {
    /// Whether the page becomes plain text from top to bottom: without columns, frames, height
    /// limits or buttons, whose keys are named below the page instead.
    let isLinear: Bool
    /// The page's height in lines.
    let height: Int
    /// The page's width in cells.
    var width = 80
    let focus: FocusKey?
    /// Whether letters are text now, so that they do not press buttons.
    let takesText: Bool
    /// Whether a line above the page shows the titles of the views.
    var showsPath = false
    private(set) var targets: [FocusTarget] = []
    /// The position of the terminal's cursor, in the focused text field.
    private(set) var caret: (x: Int, y: Int)?
    /// Whether the drawn elements can be reached; elements under a modal cannot.
    var isReachable = true
    /// The node whose view is drawn.
    var node: UInt32 = 0
    /// The focus name and binding from modifiers around the drawn element.
    var name: String?
    var isFocused: Binding<Bool>?
    private var counts: [FocusKey: Int] = [:]

    init(
        isLinear: Bool = false, height: Int = .max, focus: FocusKey? = nil, takesText: Bool = false
    ) {
        self.isLinear = isLinear
        self.height = height
        self.focus = focus
        self.takesText = takesText
    }

    // MARK: - Targets

    /// Registers a focusable region; returns whether it is focused. Call it once per drawing.
    ///
    /// - Parameters:
    ///   - name: the element's name; a second element with the same name gets a number.
    ///   - identity: an object that the element keeps while others of its name come and go.
    ///   - area: the region, in cells of the view.
    ///   - reaction: the actions of keys and clicks there.
    @discardableResult
    func target(
        _ name: String, of identity: AnyObject? = nil, in area: Area,
        _ reaction: FocusTarget.Reaction
    ) -> Bool {
        guard isReachable, !isLinear else { return false }
        let plain = FocusKey(node: node, id: self.name ?? name)
        counts[plain, default: 0] += 1
        let count = counts[plain] ?? 1
        let key = count == 1 ? plain : FocusKey(node: node, id: "\(plain.id) \(count)")
        // Reading tracks the binding: setting it causes a drawing, which moves the focus.
        _ = isFocused?.wrappedValue
        targets.append(
            FocusTarget(
                key: key, identity: identity, area: area, reaction: reaction, isFocused: isFocused))
        return key == focus
    }

    /// Registers a control's line, if it is enabled; returns the line as it is drawn.
    func control(
        _ line: StyledLine, _ name: String, of identity: AnyObject?, in area: Area,
        isEnabled: Bool, _ reaction: FocusTarget.Reaction
    ) -> [StyledLine] {
        let own = Area(x: area.x, y: area.y, width: min(area.width, line.cells), height: 1)
        let isFocused = isEnabled && target(name, of: identity, in: own, reaction)
        return [(isFocused ? line.inRole(.focus) : line).fitted(to: area.width)]
    }

    /// Registers a region that takes the clicks and wheel turns that nothing inside it takes.
    func region(_ area: Area, _ reaction: FocusTarget.Reaction) {
        guard isReachable, !isLinear else { return }
        let key = FocusKey(node: node, id: "region \(targets.count)")
        targets.append(FocusTarget(key: key, area: area, reaction: reaction, isRegion: true))
    }

    /// Draws and returns the captured registrations instead of keeping them.
    func capturing<T>(
        _ body: () -> T
    ) -> (drawn: T, targets: [FocusTarget], caret: (x: Int, y: Int)?) {
        let before = (targets, caret)
        defer { (targets, caret) = before }
        (targets, caret) = ([], nil)
        let drawn = body()
        return (drawn, targets, caret)
    }

    /// Draws and registers only the visible parts within `area`.
    func clipped<T>(to area: Area, _ body: () -> T) -> T {
        let (drawn, targets, caret) = capturing(body)
        register(
            targets.compactMap { target in
                var seen = target
                guard let own = target.area.cut(to: area) else { return nil }
                seen.area = own
                return seen
            })
        if let caret, area.contains(x: caret.x, y: caret.y) { putCaret(x: caret.x, y: caret.y) }
        return drawn
    }

    func register(_ captured: [FocusTarget]) { targets += captured }

    /// Places the terminal's cursor. Only the focused element calls it.
    func putCaret(x: Int, y: Int) { caret = (x, y) }

    /// Draws an element with another value for a fact of the drawing.
    func with<Value, T>(
        _ fact: ReferenceWritableKeyPath<LayoutPass, Value>, _ value: Value, _ body: () -> T
    ) -> T {
        let before = self[keyPath: fact]
        defer { self[keyPath: fact] = before }
        self[keyPath: fact] = value
        return body()
    }
}

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
