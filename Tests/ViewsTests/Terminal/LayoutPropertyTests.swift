// LayoutPropertyTests: what is true of every layout, and what a layout costs.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// An element between two sizes, which remembers where it was drawn and counts its answers.
private final class Block: CellElement {
    let least: CellSize
    let most: CellSize
    private(set) var answers = 0
    private(set) var area: Area?

    init(least: CellSize = CellSize(), most: CellSize) {
        self.least = least
        self.most = most
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        answers += 1
        return Laid(
            width: min(most.width, max(least.width, proposal.width ?? most.width)),
            height: min(most.height, max(least.height, proposal.height ?? most.height))
        ) { [self] area in
            self.area = area
            return Array(
                repeating: StyledLine(String(repeating: "x", count: area.width)),
                count: area.height)
        }
    }
}

@Suite struct LayoutPropertyTests {
    private static func stack(_ axis: Axis, _ spacing: Int = 0, _ members: [CellNode]) -> CellNode {
        let style =
            axis == .vertical
            ? StackStyle.vertical(spacing: spacing)
            : .horizontal(spacing: spacing, stackedBelow: 0)
        return CellNode(StackCells(style: style, members: members))
    }

    @Test(arguments: [Axis.horizontal, .vertical])
    func `the parts of a stack are the whole`(_ axis: Axis) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let blocks = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                let isFixed = Bool.random(using: &random)
                let length = Int.random(in: 0...9, using: &random)
                var (least, most) = (CellSize(width: 1, height: 1), CellSize(width: 1, height: 1))
                least[axis] = isFixed ? length : 0
                most[axis] = Bool.random(using: &random) || isFixed ? length : Proposal.infinity
                return Block(least: least, most: most)
            }
            let spacing = axis == .horizontal ? Int.random(in: 0...2, using: &random) : 0
            let nodes = blocks.map {
                CellNode($0, priority: Double(Int.random(in: 0...2, using: &random)))
            }
            let room = Int.random(in: 20...60, using: &random)
            let gaps = spacing * (blocks.count - 1)
            let fixed = blocks.reduce(gaps) { $0 + $1.least[axis] }
            let area = Area(
                width: axis == .horizontal ? room : 9, height: axis == .vertical ? room : 9)
            _ = Self.stack(axis, spacing, nodes).draw(in: area, LayoutPass())
            // From the start to the end, each begins where the one before it has ended.
            var end = 0
            for block in blocks {
                guard let area = block.area else { continue }
                let start = axis == .horizontal ? area.x : area.y
                #expect(start >= end)
                end = start + (axis == .horizontal ? area.width : area.height)
            }
            guard fixed <= room else { continue }
            #expect(end <= room)
            let lengths = blocks.map { $0.area.map { axis == .horizontal ? $0.width : $0.height } }
            let taken = lengths.reduce(gaps) { $0 + ($1 ?? 0) }
            let wanted = blocks.reduce(gaps) { $0 + $1.most[axis] }
            // All room is taken if somebody takes any, and all that is wanted if there is room.
            #expect(taken == min(room, wanted))
        }
    }

    /// Elements in `depth` stacks, by turns below and beside one another.
    private func answers(
        _ depth: Int, around: (CellNode, Int) -> CellNode = { node, _ in node }
    ) -> [Int] {
        var blocks: [Block] = []
        func block(_ most: Int) -> CellNode {
            blocks.append(Block(most: CellSize(width: most, height: most)))
            return CellNode(blocks[blocks.count - 1])
        }
        var node = block(.max >> 8)
        for level in 0..<depth {
            let axis = level.isMultiple(of: 2) ? Axis.vertical : .horizontal
            node = around(Self.stack(axis, 1, [block(3), node, block(Proposal.infinity)]), level)
        }
        _ = node.draw(in: Area(width: 80, height: 24), LayoutPass(height: 24))
        return blocks.map(\.answers)
    }

    @Test func `nested stacks measure each element a few times, however deep it is`() {
        print(
            "COST", answers(12).max()!, answers(24).max()!, answers(12).reduce(0, +),
            answers(24).reduce(0, +))
        #expect(answers(12).max() ?? .max <= 6)
        #expect(answers(24).max() ?? .max <= 6)
        let (few, many) = (answers(12).reduce(0, +), answers(24).reduce(0, +))
        #expect(many <= 2 * few)
    }

    @Test func `frames and boxes between them cost a few answers each`() {
        func cost(_ depth: Int) -> Int {
            answers(depth) { node, level in
                let framed = node.modified(
                    .frame(ElementFrame(minWidth: level, maxWidth: .infinity, alignment: .center)))
                return CellNode(GroupCells(title: StyledLine(), content: framed))
            }.max() ?? .max
        }
        #expect(cost(12) <= 40)
        #expect(cost(24) <= 4 * 40)
    }

    @Test func `rows out of sight are not made, wherever a list is`() {
        var made = 0
        func list() -> some View {
            List(0..<100_000, id: \.self) { index in
                made += 1
                return Text("row \(index)")
            }
        }
        let views: [any View] = [
            list(),
            HStack {
                list()
                list()
            }, GroupBox("") { list() },
            VStack(spacing: 1) {
                Text("above")
                list().frame(maxHeight: .infinity)
            },
            HStack {
                Text("beside")
                VStack {
                    list().layoutPriority(1)
                    list()
                }
            },
            list().frame(width: 20, height: 5), list().padding().border(),
        ]
        for view in views {
            made = 0
            #expect(view.render(width: 60, height: 20).count <= 20)
            // What is drawn, and for each list the line that is selected.
            #expect(made <= 2 * 20 + 2)
        }
    }
}
