// CrossingTests: messages from a generated sender through a port to a generated receiver.

import CrossingContractsOnMain
import NapkinCore
import Testing

@Suite("What @Crossing generates carries calls to the other side") @MainActor
struct CrossingTests {
    private let link = Loopback()

    @Test func `states and effects reach the view in order`() async throws {
        let view = PitView()
        link.receiver = PitPresentableCrossing.receiver(for: view)
        let sender = PitPresentableCrossing.sender(to: link)
        await sender.present(sections: [Plain(id: 1), Plain(id: 2, note: "n")])
        await sender.present(specials: ["ribs": 3])
        await sender.present(4, of: nil)
        await sender.present(4, of: 5)
        await sender.clear()
        await sender.flash(6)
        await sender.ring()
        #expect(
            view.log == [
                "sections [1, 2]", "specials [\"ribs\": 3]", "4 of ?", "4 of 5", "clear", "flash 6",
                "ring",
            ])
        #expect(
            link.sent.map(\.delivery) == [
                .state, .state, .state, .state, .state, .effect, .effect,
            ])
        #expect(link.sent[0].method == MethodID(key: "present(sections:)"))
    }

    @Test func `no argument is nothing, one is itself, several are an array`() async throws {
        let sender = PitPresentableSender(to: link)
        await sender.clear()
        await sender.flash(6)
        await sender.present(4, of: nil)
        #expect(link.sent.map(\.payload.bytes) == [[], [0x06], [0x82, 0x04, 0xf6]])
    }

    @Test func `an ask returns the answer, or the fault that reports the error`() async throws {
        let view = PitView()
        link.receiver = PitPresentableReceiver(for: view)
        let sender: any PitPresentable = PitPresentableSender(to: link)
        #expect(try await sender.confirm("sure?"))
        #expect(try await sender.confirm("no") == false)
        let items = [Plain(id: 1), Plain(id: 2, note: "n")]
        #expect(try await sender.choose(from: items, default: 2) == items[1])
        #expect(try await sender.choose(from: items, default: 3) == nil)
        let fault = await #expect(throws: RemoteFault.self) { try await sender.confirm("") }
        #expect(fault?.code == .failed)
    }

    @Test func `events wait for their handler and say how it ended`() async throws {
        let interactor = PitInteractor()
        link.receiver = PitPresentableListenerCrossing.receiver(for: interactor)
        let sender = PitPresentableListenerCrossing.sender(to: link)
        await sender.didTapBack()
        await sender.didPick(Plain(id: 7), at: 2)
        try await sender.save([Plain(id: 1)])
        #expect(await interactor.log == ["back", "7 at 2", "saved 1"])
        #expect(try await sender.total(of: [Plain(id: 3), Plain(id: 4)]) == 7)
        let refused = await #expect(throws: RemoteFault.self) { try await sender.save([]) }
        #expect(refused?.code == .failed)
        let cancelled = await #expect(throws: RemoteFault.self) { try await sender.version() }
        #expect(cancelled?.code == .cancelled)
        #expect(link.postFaults.isEmpty)
    }

    @Test func `names that generated code uses are free to use`() async throws {
        let interactor = TrapsInteractor()
        link.receiver = TrapsPresentableListenerCrossing.receiver(for: interactor)
        let sender = TrapsPresentableListenerCrossing.sender(to: link)
        await sender.default(1, call: 2, target: 3)
        await sender.method(reader: 4, self: 5)
        try await sender.class(for: 6, in: 7)
        await sender._port()
        #expect(await interactor.log == ["default 1 2 3", "method 4 5", "6 7", "_port"])
        #expect(try await sender.encode(into: 8, `inout`: 3) == 5)
        #expect(try await sender.port(1, in: 2, for: 3) == 123)
        #expect(try await sender.repeated(x: 9, x: 4) == 5)
        #expect(try await sender.shadow(schema: 5, answer: 2) == 3)
        let view = TrapsView()
        link.receiver = TrapsPresentableCrossing.receiver(for: view)
        let presenter = TrapsPresentableCrossing.sender(to: link)
        await presenter.default(1, call: 2, target: 3)
        await presenter.method(reader: 4, self: 5)
        await presenter.`init`(for: 6, in: 7)
        #expect(view.log == ["default 1 2 3", "method 4 5", "init 6 7"])
        #expect(try await presenter.encode(into: 8, `inout`: 3) == 5)
        #expect(try await presenter.repeated(x: 9, x: 4) == 5)
    }

    @Test func `contracts of a module on the main actor work the same`() async throws {
        let view = BannerView()
        link.receiver = BannerPresentableCrossing.receiver(for: view)
        let presenter = BannerPresentableCrossing.sender(to: link)
        await presenter.present(title: "t")
        await presenter.flash()
        #expect(try await presenter.confirm("b", choices: ["a", "b"]) == 1)
        #expect(view.log == ["t", "flash"])
        let interactor = BannerInteractor()
        link.receiver = BannerPresentableListenerCrossing.receiver(for: interactor)
        let listener = BannerPresentableListenerCrossing.sender(to: link)
        await listener.didTap()
        try await listener.didType("x")
        #expect(try await listener.count(of: "four") == 4)
        #expect(await interactor.log == ["tap", "x"])
    }

    @Test func `a receiver keeps its target, and lets it go with itself`() throws {
        weak var view: PitView?
        var receiver: PitPresentableReceiver?
        do {
            let made = PitView()
            view = made
            receiver = PitPresentableReceiver(for: made)
        }
        #expect(receiver != nil && view != nil)
        receiver = nil
        #expect(view == nil)
    }

    @Test func `a method that is not there is unimplemented and named`() async throws {
        let interactor = PitInteractor()
        link.receiver = PitPresentableListenerReceiver(for: interactor)
        let silent = SilentPresentableReceiver(for: SilentPresentableSender(to: link))
        for receiver in [try #require(link.receiver), silent] {
            link.receiver = receiver
            let answer = await link.answer(
                to: Sent(
                    delivery: .event, method: MethodID(rawValue: 0xABC), payload: Payload()))
            let fault = #expect(throws: RemoteFault.self) { try answer.get() }
            #expect(fault?.code == .unimplemented)
            #expect(fault?.message.contains("0xabc") == true, "\(fault?.message ?? "")")
        }
    }

    @Test func `arguments that cannot be read are refused and nothing runs`() async throws {
        let interactor = PitInteractor()
        link.receiver = PitPresentableListenerReceiver(for: interactor)
        let pick = MethodID(key: "didPick(_:at:)")
        let back = MethodID(key: "didTapBack()")
        let good = try Payload { (writer: inout CBORWriter) throws(CBORError) in
            writer.writeArrayHeader(2)
            try writer.write(Plain(id: 1))
            try writer.write(2)
        }.bytes
        let cases: [(MethodID, [UInt8])] = [
            (back, [0x00]), (pick, good + [0x00]), (pick, [0x83] + good.dropFirst() + [0x00]),
        ]
        let cut = good.indices.map { (pick, Array(good[..<$0])) }
        for (method, bytes) in cases + cut {
            let answer = await link.answer(
                to: Sent(delivery: .event, method: method, payload: Payload(bytes)))
            let fault = #expect(throws: RemoteFault.self) { try answer.get() }
            #expect(fault?.code == .unimplemented)
        }
        #expect(await interactor.log.isEmpty)
    }
}
