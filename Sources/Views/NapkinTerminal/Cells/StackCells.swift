// StackCells: elements below or beside one another and the division of room between them.
//
// Invariant  a member answers at most six proposals, however deeply stacks are nested.
// Spec       SwiftUI: the least flexible member is offered its part first

import NapkinElements

/// Elements below or beside one another.
///
/// Without enough lines, the spacing is dropped first; then scrolling elements shrink.
struct StackCells: CellElement {
    let style: StackStyle
    let members: [CellNode]

    var heedsHeight: Bool {
        if case .vertical(1..., _) = style { return true }
        return members.contains(where: \.heedsHeight)
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        switch style {
        case .horizontal(let spacing, let stackedBelow, let alignment):
            if pass.isLinear || proposal.width ?? pass.width < stackedBelow { break }
            let gaps = members.indices.map { $0 == 0 ? 0 : spacing }
            return laid(proposal, .horizontal, gaps, pass) {
                (alignment.offset(of: $0, in: $1), alignment == .top ? 0 : nil)
            }
        case .vertical(let spacing, let alignment):
            return laid(proposal, .vertical, gaps(spacing, in: proposal, pass), pass) {
                (pass.isLinear ? 0 : alignment.offset(of: $0, in: $1), nil)
            }
        case .flow: break
        }
        return laid(proposal, .vertical, members.map { _ in 0 }, pass) { _, _ in (0, nil) }
    }

    /// Returns the lines before each member of a column. An empty member gets none.
    private func gaps(_ spacing: Int, in proposal: Proposal, _ pass: LayoutPass) -> [Int] {
        guard spacing > 0 else { return members.map { _ in 0 } }
        var ideal = proposal
        (ideal.axis, ideal.height) = (.vertical, nil)
        let heights = members.map { $0.laid(ideal, pass).size.height }
        let first = heights.firstIndex { $0 > 0 }
        let gaps = heights.indices.map { $0 != first && heights[$0] > 0 ? spacing : 0 }
        let wanted = heights.reduce(gaps.reduce(0, +), +)
        return wanted > proposal.height ?? .max ? members.map { _ in 0 } : gaps
    }

    /// - Parameters:
    ///   - gaps: the room before each member.
    ///   - place: returns a member's start across the stack and the lines that it leaves below it,
    ///     for the member's and the stack's size across the stack.
    private func laid(
        _ proposal: Proposal, _ axis: Axis, _ gaps: [Int], _ pass: LayoutPass,
        _ place: (Int, Int) -> (Int, Int?)
    ) -> Laid {
        var offer = proposal
        offer.axis = axis
        let offers = proposal[axis].map { room in
            divided(room == Proposal.infinity ? room : room - gaps.reduce(0, +), offer, pass)
        }
        let answers = members.indices.map { index in
            offer[axis] = offers?[index]
            return members[index].laid(offer, pass)
        }
        var size = CellSize()
        size[axis.other] = answers.map(\.size[axis.other]).max() ?? 0
        var children: [Laid.Child] = []
        for (answer, gap) in zip(answers, gaps) {
            let start = size[axis] + gap
            let (across, below) = place(answer.size[axis.other], size[axis.other])
            children.append(
                axis == .horizontal
                    ? Laid.Child(laid: answer, x: start, y: across, below: below)
                    : Laid.Child(laid: answer, x: across, y: start, below: below))
            size[axis] = min(Proposal.infinity, start + answer.size[axis])
        }
        return Laid(size, children, pass)
    }

    /// Divides `room` among the members.
    ///
    /// The greatest priority comes first, and leaves the others their least size; within one
    /// priority, the least flexible member comes first. It is offered its share of the rest, and
    /// leaves to the others what it does not use. Unlike in SwiftUI, its share also leaves members
    /// of its own priority their least size.
    private func divided(_ room: Int, _ offer: Proposal, _ pass: LayoutPass) -> [Int] {
        let axis = offer.axis
        guard members.count > 1, room > 0, room < Proposal.infinity else {
            return members.map { _ in max(0, room) }
        }
        func length(_ index: Int, _ room: Int) -> Int {
            var offer = offer
            offer[axis] = room
            // Widths do not depend on the height, so the height is left open instead of tried.
            if axis == .horizontal { offer.height = nil }
            return members[index].laid(offer, pass).size[axis]
        }
        var (rest, offers) = (room, members.map { _ in 0 })
        let least = members.indices.map { length($0, 0) }
        let flexibility = members.indices.map { index in
            let most = length(index, Proposal.infinity)
            return most == Proposal.infinity ? most : most - least[index]
        }
        // The least room of all members that have no offer yet.
        var kept = least.reduce(0, +)
        for priority in Set(members.map(\.priority)).sorted(by: >) {
            let group = members.indices.filter { members[$0].priority == priority }
            var parts = group.reduce(0) { $0 + members[$1].parts[axis] }
            var own = group.reduce(0) { $0 + least[$1] }
            for index in group.sorted(by: { (flexibility[$0], $0) < (flexibility[$1], $1) }) {
                let part = (rest - kept + own) * members[index].parts[axis] / parts
                kept -= least[index]
                own -= least[index]
                offers[index] = max(least[index], min(part, rest - kept))
                rest -= length(index, offers[index])
                parts -= members[index].parts[axis]
            }
        }
        return offers
    }
}

/// Small elements beside one another, such as buttons, on as many lines as they need.
struct FlowCells: LineElement {
    let members: [CellNode]
    /// The cells between two members.
    let spacing: Int

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = proposal.width ?? Proposal.infinity
        var children: [Laid.Child] = []
        var (x, y, widest) = (0, 0, 0)
        for member in members {
            var laid = member.laid(Proposal(), pass)
            if laid.size.width > width { laid = member.laid(Proposal(width: width), pass) }
            guard laid.size.height > 0 else { continue }
            let cells = min(width, laid.size.width)
            if x > 0, x + cells > width { (x, y) = (0, y + 1) }
            let line = Laid(CellSize(width: cells, height: 1), [Laid.Child(laid: laid)], pass)
            children.append(Laid.Child(laid: line, x: x, y: y))
            widest = max(widest, x + cells)
            x += cells + spacing
        }
        let size = CellSize(width: widest, height: children.isEmpty ? 0 : y + 1)
        return Laid(size, children, pass)
    }
}

/// Uses the room that a stack's other members leave.
struct SpacerCells: CellElement {
    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        var size = CellSize()
        if !pass.isLinear { size[proposal.axis] = proposal[proposal.axis] ?? 0 }
        return Laid(size, [], pass)
    }
}

/// A horizontal line, which plain text omits.
struct DividerCells: LineElement {
    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.isLinear { return Laid() }
        return Laid(width: proposal.width ?? 1, height: 1) {
            [StyledLine(String(repeating: "─", count: $0.width), .border)]
        }
    }
}
