// ModifiedCells: elements with a modifier: a frame, padding, a name, a focus.

import NapkinElements

extension CellNode {
    func modified(_ modification: Modification) -> CellNode {
        switch modification {
        case .frame(let frame):
            var parts = parts
            if case .share(let share) = frame.maxWidth { parts.width = share }
            if case .share(let share) = frame.maxHeight { parts.height = share }
            let element = FrameCells(element: self, frame: frame)
            return CellNode(element, priority: priority, parts: parts)
        case .priority(let value): return CellNode(element, priority: value, parts: parts)
        case .padding(let insets): return with(PaddedCells(element: self, insets: insets))
        case .named(let name):
            return with(DrawnCells(element: self) { pass, draw in pass.with(\.name, name, draw) })
        case .focused(let isFocused):
            return with(
                DrawnCells(element: self) { pass, draw in pass.with(\.isFocused, isFocused, draw) })
        case .border: return with(GroupCells(title: StyledLine(), content: self))
        case .labelled, .keys, .comboBox: return self
        }
    }
}

/// An element whose size a frame changes.
private struct FrameCells: CellElement {
    let element: CellNode
    let frame: ElementFrame

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.isLinear { return element.laid(proposal, pass) }
        var proposal = proposal
        proposal.width = proposal.width ?? frame.idealWidth
        proposal.height = proposal.height ?? frame.idealHeight
        // No page scrolls sideways.
        let least = frame.minWidth.map { min($0, pass.width) }
        let fixed = frame.width.map { min($0, pass.width) }
        let most = frame.maxWidth.map(\.most)
        let mostHeight = frame.maxHeight.map(\.most)
        let isBounded = frame.height != nil || mostHeight.map { $0 < Proposal.infinity } == true
        var inner = proposal
        inner.width = fixed ?? Self.offered(proposal.width, least, most)
        inner.height = frame.height ?? Self.offered(proposal.height, frame.minHeight, mostHeight)
        inner.isBounded = proposal.isBounded || isBounded
        let laid = element.laid(inner, pass)
        let size = CellSize(
            width: fixed ?? Self.taken(proposal.width, laid.size.width, least, most),
            height: frame.height
                ?? Self.taken(proposal.height, laid.size.height, frame.minHeight, mostHeight))
        let child = Laid.Child(
            laid: laid, x: frame.alignment.horizontal.offset(of: laid.size.width, in: size.width),
            y: frame.alignment.vertical.offset(of: laid.size.height, in: size.height),
            below: frame.alignment.vertical == .top && !isBounded ? 0 : nil)
        return Laid(size, [child], pass)
    }

    /// Returns the room that the frame offers its element.
    private static func offered(_ proposed: Int?, _ least: Int?, _ most: Int?) -> Int? {
        proposed.map { min(max($0, least ?? $0), most ?? .max) }
    }

    /// Returns the frame's size: all of the proposal up to `most` if there is one, and at least the
    /// element's own size if there is no `least`.
    private static func taken(
        _ proposed: Int?, _ element: Int, _ least: Int?, _ most: Int?
    ) -> Int {
        let wanted = most == nil ? element : proposed ?? element
        return min(max(wanted, least ?? element), most ?? .max)
    }
}

extension FrameLength {
    fileprivate var most: Int {
        switch self {
        case .length(let length): length
        case .share: Proposal.infinity
        }
    }
}

/// An element with padding. Without enough lines, the padding below goes first, then above.
private struct PaddedCells: CellElement {
    let element: CellNode
    let insets: Insets

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let sides = insets.leading + insets.trailing
        var inner = proposal.inset(by: sides, 0)
        inner.width = proposal.width.map { max(min(1, $0), $0 - sides) }
        (inner.axis, inner.height) = (proposal.axis, nil)
        let ideal = element.laid(inner, pass).size.height
        let isBare = pass.isLinear || ideal == 0
        let room = isBare ? 0 : max(0, (proposal.height ?? .max) - ideal)
        let above = min(insets.top, room)
        let below = min(insets.bottom, room - above)
        inner.height = proposal.height.map { max(0, $0 - above - below) }
        let laid = element.laid(inner, pass)
        let size = CellSize(
            width: min(proposal.width ?? .max, laid.size.width + sides),
            height: laid.size.height + above + below)
        let child = Laid.Child(laid: laid, x: insets.leading, y: above, below: below)
        return Laid(size, [child], pass)
    }
}

/// An element drawn in a context: under a name, with a focus binding, for a node.
struct DrawnCells: CellElement {
    let element: CellNode
    let draw: (LayoutPass, () -> [StyledLine]) -> [StyledLine]

    var heedsHeight: Bool { element.heedsHeight }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let laid = element.laid(proposal, pass)
        return Laid(width: laid.size.width, height: laid.size.height) { [draw] area in
            draw(pass) { laid.draw(area) }
        }
    }
}
