// InventoryListingTests: what `tree --inventory` shows, and what `tree` leaves out.

import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct InventoryListingTests {
    private let inventory = SessionInventory(
        counts: [
            .init(kind: "node", created: 12, released: 8, left: 1),
            .init(kind: "task", created: 3, released: 0, left: 3),
        ],
        remnants: [
            .init(owner: "launch/home", what: "task started at A.swift:1", count: 2),
            .init(owner: "launch/home", what: "the node", count: 1),
        ])

    @Test func `the counts are a table, and what is left has its owner`() {
        #expect(
            InventoryDrawing.lines(of: inventory) == [
                "  INVENTORY  CREATED  RELEASED  IN USE  LEFT",
                "  node            12         8       3     1",
                "  task             3         0       0     3",
                "  left: launch/home: task started at A.swift:1 (2 times)",
                "  left: launch/home: the node",
                "  left: 1 more",
            ])
    }

    @Test func `a clean inventory says so, and a tree that is being built has none`() {
        let clean = SessionInventory(
            counts: [.init(kind: "node", created: 2, released: 1, left: 0)], remnants: [])
        #expect(
            InventoryDrawing.lines(of: clean).last == "  nothing is left of what has been detached")
        #expect(
            InventoryDrawing.lines(of: nil) == ["  no inventory yet: the tree is being built"])
    }

    @Test func `without the option there are trees, and nothing else`() {
        let root = TreeNode(
            feature: "a.launch", slot: "", node: 1, isActive: true, tasks: 0, calls: 0, states: 0,
            children: [])
        let trees = [
            SessionTree(session: "a", app: "a", epoch: 7, root: root, inventory: inventory),
            SessionTree(session: "gone", app: "a", epoch: 7, root: nil, inventory: inventory),
            SessionTree(session: "older", app: "a", epoch: 7, root: nil),
        ]
        #expect(
            Tree.withoutInventories(trees) == [
                SessionTree(session: "a", app: "a", epoch: 7, root: root),
                SessionTree(session: "older", app: "a", epoch: 7, root: nil),
            ])
        #expect(TreeDrawing.lines(of: trees[1]) == ["gone (a): has ended"])
    }
}
