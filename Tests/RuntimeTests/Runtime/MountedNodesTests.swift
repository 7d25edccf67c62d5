// MountedNodesTests: the table of a session's nodes, against a dictionary.

import TestSupport
import Testing

@testable import NapkinCore
@testable import NapkinRuntime

@MainActor
struct MountedNodesTests {
    /// Gives out the numbers that the test wants.
    private final class NumberedStage: Stage {
        var next: UInt32 = 0
        let pages = FrontPages()

        func makeNodeID() -> UInt32 { next }
        func apply(_ operations: [StageOperation]) {}
        func stateChanged(of node: FeatureNode, _ method: MethodID) {}
        func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {}
        func effect(from node: FeatureNode, _ message: some CrossingMessage, to front: UInt64?) {}
        func ask(
            from node: FeatureNode, _ message: some CrossingMessage, of front: UInt64?
        ) async throws(RemoteFault) -> Answer {
            throw RemoteFault(.noFront, "this stage only counts")
        }
    }

    private let stage = NumberedStage()

    private func mount(_ node: FeatureNode, as number: UInt32, for front: UInt64? = nil) {
        stage.next = number
        node.mount(on: stage, under: nil, for: front)
    }

    @Test func `any order of mounts and unmounts finds what is mounted`() {
        var random = Randomness(seed: 33)
        var table = MountedNodes()
        var model: [UInt32: FeatureNode] = [:]
        for _ in 0..<3000 {
            let number = UInt32.random(in: 1...200, using: &random)
            if let node = model[number] {
                #expect(table.node(number) === node)
                guard UInt8.random(in: 0..<4, using: &random) == 0 else { continue }
                let retired = model.filter { $0.key == number || $0.key == number + 1 }
                for node in retired.values { node.retire() }
                #expect(table.remove(Set(retired.keys)) == Set(retired.keys))
                for number in retired.keys { model[number] = nil }
            } else {
                #expect(table.node(number) == nil)
                let node = RemoteView<Panel>().node
                let front = UInt64.random(in: 0..<4, using: &random)
                mount(node, as: number, for: front == 0 ? nil : front)
                table.insert(node)
                model[number] = node
            }
            #expect(table.count == model.count)
            #expect(table.nodes.map(\.id) == model.keys.sorted())
            let front = UInt64.random(in: 1..<5, using: &random)
            let shown = model.filter { $0.value.isShown(to: front) }
            #expect(table.shown(to: front).map(\.id) == shown.keys.sorted())
        }
    }

    @Test func `a node that was mounted again is found by its new number only`() {
        var table = MountedNodes()
        let node = RemoteView<Panel>().node
        mount(node, as: 3)
        table.insert(node)
        node.retire()
        mount(node, as: 8)
        // Fronts have been told neither that the one is gone nor that the other has come.
        #expect(table.shown(to: 1).map(\.id) == [3])
        table.insert(node)
        #expect(table.remove([3]) == [3])
        #expect(table.node(3) == nil)
        #expect(table.node(8) === node)
        #expect(table.remove([3]).isEmpty)
        #expect(node.former(3) == nil)
    }

    @Test func `what hung under a node goes with it, and what others take away later stays`() {
        var table = MountedNodes()
        let nodes = (0..<4).map { _ in RemoteView<Panel>().node }
        mount(nodes[0], as: 1)
        for (node, number, parent) in [(nodes[1], 2, 0), (nodes[2], 3, 1), (nodes[3], 4, 0)] {
            stage.next = UInt32(number)
            node.mount(on: stage, under: nodes[parent])
        }
        for node in nodes { table.insert(node) }
        for node in nodes.dropFirst() { node.retire() }
        #expect(table.remove([2]) == [2, 3])
        #expect(table.shown(to: 1).map(\.id) == [1, 4])
    }
}
