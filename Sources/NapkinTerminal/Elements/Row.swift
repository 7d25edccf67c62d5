// Row: elements beside one another: columns of a page, or buttons that flow into lines.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values.

/// An element's width in a row.
public nonisolated enum RowWidth: Equatable, Sendable {
    case cells(Int)
    /// A part of what the other elements leave, in proportion.
    case share(Int)

    public static let share = RowWidth.share(1)
}

/// An element with a given width in its row.
struct Sized: Element {
    let element: any Element
    let rowWidth: RowWidth

    var bindings: [KeyBinding] { element.bindings }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent { element.extent(in: width, pass) }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] { element.draw(in: area, pass) }
}

/// Elements beside one another.
///
/// An element without a given width has its natural width; one that fills its width shares the
/// remaining room.
public struct Row: Element {
    private let members: [any Element]
    private let spacing: Int
    private let columnBelow: Int

    /// - Parameters:
    ///   - spacing: cells between two members.
    ///   - columnBelow: with fewer cells, the members are below one another.
    ///   - content: the members, from left to right.
    public init(
        spacing: Int = 2, columnBelow: Int = 0, @ElementBuilder _ content: () -> Elements
    ) {
        members = content().members
        self.spacing = spacing
        self.columnBelow = columnBelow
    }

    public var bindings: [KeyBinding] { members.flatMap(\.bindings) }

    private func isColumn(_ width: Int, _ pass: LayoutPass) -> Bool {
        pass.isLinear || width < columnBelow
    }

    private var column: Column { Column(members: members, spacing: 0) }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        if isColumn(width, pass) { return column.extent(in: width, pass) }
        return extent(of: widths(in: width, pass), pass)
    }

    private func extent(of widths: [Int], _ pass: LayoutPass) -> Extent {
        let extents = zip(members, widths).map { $0.extent(in: $1, pass) }
        return Extent(
            width: widths.reduce(spacing * max(0, members.count - 1), +),
            height: extents.map(\.height).max() ?? 0,
            leastHeight: extents.map(\.leastHeight).max(),
            fillsWidth: extents.contains(where: \.fillsWidth)
                || members.contains { ($0 as? Sized)?.rowWidth.isShare == true },
            fillsHeight: extents.contains(where: \.fillsHeight))
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if isColumn(area.width, pass) { return column.draw(in: area, pass) }
        let widths = widths(in: area.width, pass)
        let extent = extent(of: widths, pass)
        let height = extent.fillsHeight ? area.height : min(area.height, extent.height)
        var lines: [StyledLine] = []
        var x = 0
        for (member, width) in zip(members, widths) where x < area.width {
            let room = min(width, area.width - x)
            let own = Area(x: area.x + x, y: area.y, width: room, height: height)
            let drawn = member.draw(in: own, pass)
            for (index, line) in drawn.enumerated() {
                if index == lines.count { lines.append(StyledLine()) }
                lines[index] = lines[index].padded(to: x) + line.fitted(to: room)
            }
            x += width + spacing
        }
        return lines
    }

    private func widths(in width: Int, _ pass: LayoutPass) -> [Int] {
        let shares: [Int] = members.map { member in
            switch (member as? Sized)?.rowWidth {
            case .share(let share): return max(1, share)
            case .cells: return 0
            case nil: return member.extent(in: width, pass).fillsWidth ? 1 : 0
            }
        }
        var widths: [Int] = zip(members, shares).map { member, share in
            if share > 0 { return 0 }
            if case .cells(let cells)? = (member as? Sized)?.rowWidth { return min(cells, width) }
            return min(width, member.extent(in: width, pass).width)
        }
        var rest = max(0, width - widths.reduce(spacing * max(0, members.count - 1), +))
        var parts = shares.reduce(0, +)
        for index in widths.indices where shares[index] > 0 {
            widths[index] = rest * shares[index] / parts
            rest -= widths[index]
            parts -= shares[index]
        }
        return widths
    }
}

extension RowWidth {
    fileprivate nonisolated var isShare: Bool {
        if case .share = self { true } else { false }
    }
}

/// Small elements beside one another, such as buttons, in as many lines as they need.
public struct Flow: Element {
    private let members: [any Element]
    private let spacing: Int

    public init(spacing: Int = 2, @ElementBuilder _ content: () -> Elements) {
        members = content().members
        self.spacing = spacing
    }

    public var bindings: [KeyBinding] { members.flatMap(\.bindings) }

    /// Returns where each element begins, and how many lines there are.
    private func places(_ width: Int, _ pass: LayoutPass) -> (places: [Area], lines: Int) {
        var places: [Area] = []
        var (x, y) = (0, 0)
        for member in members {
            let extent = member.extent(in: width, pass)
            guard extent.height > 0 else {
                places.append(Area(x: x, y: y, width: 0, height: 0))
                continue
            }
            let cells = min(width, extent.width)
            if x > 0, x + cells > width { (x, y) = (0, y + 1) }
            places.append(Area(x: x, y: y, width: cells, height: 1))
            x += cells + spacing
        }
        return (places, places.contains { $0.height > 0 } ? y + 1 : 0)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let (places, lines) = places(width, pass)
        return Extent(width: places.map { $0.x + $0.width }.max() ?? 0, height: lines)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let (places, count) = places(area.width, pass)
        var lines = Array(repeating: StyledLine(), count: count)
        for (member, place) in zip(members, places) where place.height > 0 {
            let own = Area(
                x: area.x + place.x, y: area.y + place.y, width: place.width, height: 1)
            guard let line = member.draw(in: own, pass).first else { continue }
            lines[place.y] = lines[place.y].padded(to: place.x) + line
        }
        return lines
    }
}
