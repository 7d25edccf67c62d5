// EventAddressTests: an event named in words finds its node, its method and its payload.

import NapkinCore
import NapkinProtocol
import Testing

@testable import NapkinClient
@testable import NapkinFront

@MainActor
@Suite struct EventAddressTests {
    private let tree = FrontTree()
    private let schemas = [
        FeatureSchema(
            feature: "a.home", presents: [],
            listens: [
                MethodSchema(key: "didTapBack()", delivery: .event),
                MethodSchema(
                    key: "didAdd(name:count:)", delivery: .event,
                    parameters: [
                        ParameterSchema(label: "name", name: "name", type: "String"),
                        ParameterSchema(label: "count", name: "count", type: "Int"),
                    ]),
            ]),
        FeatureSchema(feature: "a.away", presents: [], listens: []),
    ]

    init() {
        let mount = Mount(
            node: 3, parent: 0, slot: "", presentation: "embed", feature: "a.home",
            arguments: [0xA0], states: [])
        _ = tree.apply(Transition([.mount(mount)]), isSnapshot: true)
    }

    private func address(
        _ target: ControlEvent.Target, _ method: String, _ arguments: [[UInt8]] = []
    ) throws(RemoteFault) -> EventAddress {
        let event = ControlEvent(id: [], target: target, method: method, arguments: arguments)
        return try EventAddress(event, in: tree, schemas)
    }

    @Test func `by feature or by node it is the same`() throws {
        for target in [ControlEvent.Target.feature("a.home"), .node(3)] {
            let address = try address(target, "didTapBack()")
            #expect(address.node == 3)
            #expect(address.method == MethodID(key: "didTapBack()"))
            #expect(address.payload == Payload())
        }
    }

    @Test func `no argument is nothing, one its value, several an array`() throws {
        #expect(EventAddress.payload([]) == Payload())
        #expect(EventAddress.payload([[0x82, 1, 2]]) == Payload([0x82, 1, 2]))
        let two = try address(.node(3), "didAdd(name:count:)", [[0x61, 0x61], [0x02]])
        #expect(two.payload == Payload([0x82, 0x61, 0x61, 0x02]))
    }

    @Test func `an argument of another type is named, and nothing is addressed`() throws {
        let wrong = RemoteFault(
            .unimplemented, "didAdd(name:count:) was not sent: count is not of type Int")
        #expect(throws: wrong) {
            try address(.node(3), "didAdd(name:count:)", [[0x61, 0x61], [0x61, 0x61]])
        }
        let event = ControlEvent(
            id: [], target: .feature("a.home"), method: "didAdd(name:count:)",
            arguments: [[0x01], [0x02]])
        #expect(
            EventAddress.mistake(in: event, schemas)
                == "didAdd(name:count:) was not sent: name is not of type String")
    }

    @Test func `any node can be dismissed, unless its feature has an event of that name`() throws {
        let dismiss = try address(.node(3), "dismiss()")
        #expect(dismiss.method == .dismiss)
        #expect(dismiss.payload == Payload())
        let read = try address(
            .feature("a.home"), "read(log:before:count:)",
            [[0x68] + Array("note(_:)".utf8), [0x05], [0x02]])
        #expect(read.method == .readLog)
        #expect(read.payload.bytes.first == 0x83)
        #expect(
            try read.payload.decode([UInt64].self) == [
                UInt64(MethodID(key: "note(_:)").rawValue), 5, 2,
            ])
        let select = try address(.feature("a.home"), "select(tab:)", [[0x61, 0x61]])
        #expect(select.method == .selectTab)
        #expect(select.payload == Payload([0x61, 0x61]))
        let own = FeatureSchema(
            feature: "a.home", presents: [],
            listens: [MethodSchema(key: "dismiss()", delivery: .event)])
        let event = ControlEvent(id: [], target: .node(3), method: "dismiss()", arguments: [])
        let address = try EventAddress(event, in: tree, [own])
        #expect(address.method == MethodID(key: "dismiss()"))
    }

    @Test func `what is not there is gone, what does not exist unimplemented`() {
        let cases: [(ControlEvent.Target, String, [[UInt8]], RemoteFault.Code, String)] = [
            (.node(4), "didTapBack()", [], .gone, "no node 4"),
            (.feature("a.away"), "f()", [], .gone, "a.away is not mounted"),
            (.feature("a.no"), "f()", [], .unimplemented, "no feature a.no"),
            (.node(3), "didTap()", [], .unimplemented, "it has didTapBack()"),
            (.node(3), "didTapBack()", [[1]], .unimplemented, "takes 0 arguments, not 1"),
        ]
        for (target, method, arguments, code, message) in cases {
            do {
                _ = try address(target, method, arguments)
                Issue.record("\(target) \(method) was found")
            } catch {
                #expect(error.code == code)
                #expect(error.message.contains(message), "\(error.message)")
            }
        }
    }
}
