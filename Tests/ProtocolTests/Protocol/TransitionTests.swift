// TransitionTests: batches, encoded and read back, and what is refused.

import NapkinCoding
import NapkinProtocol
import Testing

struct TransitionTests {
    static let sample = Transition([
        .unmount(4),
        .mount(
            Mount(
                node: 5, parent: 1, slot: "loggedIn", presentation: "embed",
                feature: "rib-house.logged-in", arguments: [0xA0],
                states: [
                    .init(method: 9, payload: [0x63, 0x61, 0x62, 0x63]),
                    .init(method: 10, payload: []),
                ])),
        .mount(
            Mount(
                node: 6, parent: 5, slot: "pitBoard", presentation: "push",
                feature: "rib-house.pit-board", arguments: [0x01], states: [])),
    ])

    private func encoded(_ transition: Transition) throws -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(transition)
        return writer.copyBytes()
    }

    private func decoded(_ bytes: [UInt8]) throws -> Transition {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let transition = try reader.read(Transition.self)
            try reader.expectEnd()
            return transition
        }
    }

    @Test func `a batch comes back as it was`() throws {
        #expect(try decoded(try encoded(Self.sample)) == Self.sample)
    }

    @Test func `a batch cut at any byte is refused`() throws {
        let bytes = try encoded(Self.sample)
        for cut in 0..<bytes.count {
            #expect(throws: CBORError.self) { try decoded(Array(bytes[..<cut])) }
        }
    }

    @Test func `fields in another order and unknown fields are read`() throws {
        var writer = CBORWriter()
        writer.writeArrayHeader(1)
        writer.writeMapHeader(4)
        writer.writeKey("later")
        writer.writeArrayHeader(0)
        writer.writeKey("feature")
        try writer.write("a.b")
        writer.writeKey("parent")
        try writer.write(UInt32(0))
        writer.writeKey("mount")
        try writer.write(UInt32(3))
        let expected = Mount(
            node: 3, parent: 0, slot: "", presentation: "embed", feature: "a.b", arguments: [],
            states: [])
        #expect(try decoded(writer.copyBytes()) == Transition([.mount(expected)]))
    }

    @Test func `a mount without arguments comes back as it was`() throws {
        let mount = Mount(
            node: 3, parent: 0, slot: "s", presentation: "tab", feature: "a.b", arguments: [],
            states: [])
        let transition = Transition([.mount(mount)])
        #expect(try decoded(try encoded(transition)) == transition)
    }

    @Test func `a mount without its node or its feature is refused`() throws {
        for key: StaticString in ["mount", "parent"] {
            var writer = CBORWriter()
            writer.writeArrayHeader(1)
            writer.writeMapHeader(1)
            writer.writeKey(key)
            try writer.write(UInt32(3))
            #expect(throws: CBORError.self) { try decoded(writer.copyBytes()) }
        }
    }
}
