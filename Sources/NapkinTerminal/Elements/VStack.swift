// VStack: elements below one another; and what stands between them.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values.

/// Elements below one another.
///
/// If there is not enough room, the spacing is dropped first; then scrolling elements shrink.
public struct VStack: Element {
    private let members: [any Element]
    private let spacing: Int

    public init(spacing: Int = 0, @ElementBuilder _ content: () -> Elements) {
        self.init(members: content().members, spacing: spacing)
    }

    init(members: [any Element], spacing: Int) {
        self.members = members
        self.spacing = spacing
    }

    public var bindings: [KeyBinding] { members.flatMap(\.bindings) }

    private func gaps(_ extents: [Extent]) -> Int {
        spacing * max(0, extents.count { $0.height > 0 } - 1)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let extents = members.map { $0.extent(in: width, pass) }
        return Extent(
            width: extents.map(\.width).max() ?? 0,
            height: extents.reduce(gaps(extents)) { $0 + $1.height },
            leastHeight: extents.reduce(0) { $0 + $1.leastHeight },
            fillsWidth: extents.contains(where: \.fillsWidth),
            fillsHeight: extents.contains(where: \.fillsHeight))
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let extents = members.map { $0.extent(in: area.width, pass) }
        let isTight = extents.reduce(gaps(extents)) { $0 + $1.height } > area.height
        let space = isTight && !pass.isLinear ? 0 : spacing
        let room = area.height == .max ? .max : area.height - (isTight ? 0 : gaps(extents))
        let heights = Self.heights(extents, room: room)
        var lines: [StyledLine] = []
        for (index, member) in members.enumerated() {
            if !lines.isEmpty, extents[index].height > 0 {
                lines += Array(repeating: StyledLine(), count: space)
            }
            lines += member.draw(
                in: Area(
                    x: area.x, y: area.y + lines.count, width: area.width, height: heights[index]),
                pass)
        }
        return lines
    }

    /// Returns what each element gets of `room` lines.
    static func heights(_ extents: [Extent], room: Int) -> [Int] {
        var heights = extents.map(\.height)
        var rest = room == .max ? 0 : room - heights.reduce(0, +)
        if rest > 0 {
            let filling = extents.indices.filter { extents[$0].fillsHeight }
            for (order, index) in filling.enumerated() {
                let part = rest / (filling.count - order)
                heights[index] += part
                rest -= part
            }
        }
        while rest < 0 {
            // The element with most to spare gives up a line.
            let most = extents.indices.max {
                heights[$0] - extents[$0].leastHeight < heights[$1] - extents[$1].leastHeight
            }
            guard let most, heights[most] > extents[most].leastHeight else { break }
            heights[most] -= 1
            rest += 1
        }
        return heights
    }
}

/// Takes the remaining room in a stack.
public struct Spacer: Element {
    public init() {}

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: 0, height: 0, fillsWidth: true, fillsHeight: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        guard !pass.isLinear, area.height != .max else { return [] }
        return Array(repeating: StyledLine(), count: max(0, area.height))
    }
}

/// Elements for each of many values, which count as members of the container around them.
public struct ForEach: Element {
    let content: Elements

    public init<Data: Sequence>(
        _ data: Data, @ElementBuilder content: (Data.Element) -> Elements
    ) {
        self.content = Elements(data.flatMap { content($0).members })
    }

    public var bindings: [KeyBinding] { content.bindings }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        content.extent(in: width, pass)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        content.draw(in: area, pass)
    }
}

/// A horizontal line. Plain text does not have it.
public struct Divider: Element {
    public init() {}

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: 1, height: pass.isLinear ? 0 : 1, fillsWidth: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.isLinear
            ? [] : [StyledLine(String(repeating: "─", count: max(0, area.width)), .border)]
    }
}

/// The place of the child that is embedded in a slot; empty if there is none.
///
/// A child that its parent's body does not place is shown below the body.
public struct ChildView: Element {
    let slot: String

    public init(_ slot: String) {
        self.slot = slot
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.pane(slot).extent(in: width, pass)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.pane(slot).draw(in: area, pass)
    }
}
