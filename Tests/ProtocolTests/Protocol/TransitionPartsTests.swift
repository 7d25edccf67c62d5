// TransitionPartsTests: a transition of any size, cut and put together again.

import NapkinCoding
import Testing

@testable import NapkinProtocol

@Suite struct TransitionPartsTests {
    private func mount(_ node: UInt32, arguments: Int = 0, states: [Int] = []) -> Mount {
        Mount(
            node: node, parent: node - 1, slot: "s", presentation: "embed", feature: "f",
            arguments: arguments == 0 ? [] : text(arguments),
            states: states.enumerated().map {
                Mount.State(method: UInt32($0 + 1), payload: text($1))
            })
    }

    /// A CBOR text of that many bytes, its head of five included.
    private func text(_ bytes: Int) -> [UInt8] {
        let count = UInt32(bytes - 5)
        return [0x7A] + (0..<4).reversed().map { UInt8(count >> ($0 * 8) & 255) }
            + [UInt8](repeating: 0x61, count: Int(count))
    }

    private func value(
        of key: StateKey, in operations: [Transition.Operation]
    ) -> [UInt8]? {
        for case .mount(let mount) in operations where mount.node == key.node {
            return mount.states.first { $0.method == key.method }?.payload
        }
        return nil
    }

    /// Sends it as a worker does, and takes it as a front does.
    private func received(
        _ operations: [Transition.Operation], flags: UInt8
    ) throws -> (transition: Transition, isSnapshot: Bool, frames: Int) {
        let parts = TransitionParts(operations)
        var assembly = TransitionAssembly()
        let frames = try parts.frames(flags: flags, epoch: 1)
        for (index, frame) in frames.enumerated() {
            if index == frames.count - 1 {
                for key in parts.states {
                    let payload = try #require(value(of: key, in: operations))
                    let action = payload.withUnsafeBytes { assembly.stateReceived(key, $0) }
                    #expect(action == .wait)
                }
            }
            #expect(frame.count <= Limits.frameBytesMax)
            var decoder = FrameDecoder(limit: Limits.frameBytesMax)
            let action = try frame.withUnsafeBytes { bytes in
                var rest = bytes
                let frame = try #require(try decoder.next(&rest))
                var reader = CBORReader(frame.payload)
                return assembly.partReceived(
                    try reader.read(Transition.self), flags: frame.header.flags,
                    byteCount: frame.payload.count)
            }
            if case .apply(let transition, let isSnapshot) = action {
                #expect(index == frames.count - 1)
                return (transition, isSnapshot, frames.count)
            }
            #expect(action == .wait)
        }
        throw Never.missing
    }

    private enum Never: Error { case missing }

    @Test(arguments: [0, Transition.snapshotFlag])
    func `what fits is one frame, as ever`(flags: UInt8) throws {
        let operations: [Transition.Operation] = [.mount(mount(1, states: [100])), .unmount(9)]
        let (transition, isSnapshot, frames) = try received(operations, flags: flags)
        #expect(frames == 1)
        #expect(transition.operations == operations)
        #expect(isSnapshot == (flags != 0))
    }

    @Test func `nothing at all is one frame, too`() throws {
        #expect(try received([], flags: Transition.snapshotFlag).frames == 1)
    }

    @Test(arguments: [-1, 0, 1])
    func `states go with their mount up to the limit`(beyond: Int) throws {
        let half = Limits.mountStatesBytesMax / 2
        let operation = Transition.Operation.mount(mount(1, states: [half, half + beyond]))
        let parts = TransitionParts([operation])
        #expect(parts.states.count == (beyond > 0 ? 1 : 0))
        #expect(try received([operation], flags: 0).transition.operations == [operation])
    }

    @Test func `states of a frame each, of one node and of many, arrive with their mounts`() throws
    {
        let large = Limits.messageBytesMax
        let operations: [Transition.Operation] = [
            .mount(mount(1, states: [10, large, large, 20])), .mount(mount(2, states: [large])),
        ]
        let (transition, isSnapshot, frames) = try received(
            operations, flags: Transition.snapshotFlag)
        #expect(frames == 2)
        #expect(isSnapshot)
        let states = transition.operations.map { operation -> [UInt32: Int] in
            guard case .mount(let mount) = operation else { return [:] }
            return Dictionary(
                uniqueKeysWithValues: mount.states.map { ($0.method, $0.payload.count) })
        }
        #expect(states == [[1: 10, 2: large, 3: large, 4: 20], [1: large]])
    }

    @Test func `many mounts with the largest arguments are many frames, and one transition`() throws
    {
        let operations = (1...20).map {
            Transition.Operation.mount(
                mount($0, arguments: Limits.argumentsBytesMax, states: [Limits.mountStatesBytesMax])
            )
        }
        let (transition, _, frames) = try received(operations, flags: Transition.snapshotFlag)
        #expect(frames == 20)
        #expect(transition.operations == operations)
    }

    @Test func `parts count together, and a front takes only so much`() {
        var assembly = TransitionAssembly()
        let part = Transition([.mount(mount(1))])
        let step = Limits.transitionBytesMax / 2
        #expect(assembly.partReceived(part, flags: 2, byteCount: step) == .wait)
        #expect(assembly.partReceived(part, flags: 2, byteCount: step) == .wait)
        guard case .violation = assembly.partReceived(part, flags: 2, byteCount: 1) else {
            return #expect(Bool(false), "a part past the limit was taken")
        }
    }

    @Test func `a snapshot within another transition breaks the protocol`() {
        var assembly = TransitionAssembly()
        #expect(assembly.partReceived(Transition([]), flags: 2, byteCount: 1) == .wait)
        guard case .violation = assembly.partReceived(Transition([]), flags: 1, byteCount: 1) else {
            return #expect(Bool(false), "it was taken")
        }
    }

    @Test func `a state of a node that stays is delivered at once, unless all is new`() {
        let key = StateKey(node: 5, method: 1)
        for (flags, action) in [(2, .deliver), (3, .wait)] as [(UInt8, TransitionAssembly.Action)] {
            var assembly = TransitionAssembly()
            _ = assembly.partReceived(Transition([.mount(mount(1))]), flags: flags, byteCount: 1)
            #expect([UInt8(1)].withUnsafeBytes { assembly.stateReceived(key, $0) } == action)
        }
        var idle = TransitionAssembly()
        #expect([UInt8(1)].withUnsafeBytes { idle.stateReceived(key, $0) } == .deliver)
    }
}
