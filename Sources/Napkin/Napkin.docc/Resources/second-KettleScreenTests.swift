// KettleScreenTests: the screen as text, as a terminal shows it.

import KettleContract
import NapkinCore
import NapkinElements
import NapkinTerminal
import Testing

@testable import KettleFront

@MainActor
struct KettleScreenTests {
    @Test func `the screen says what the kettle has refused`() async {
        let model = KettleModel(listener: EmptyKettle())
        await model.present(degrees: 20)
        await model.dispatch { try await $0.didTapSwitch() }.value
        let screen = KettleScreen(model: model).render(width: 60, height: 4).map(\.text)
        #expect(screen.first == "Kettle")
        #expect(screen.contains { $0.hasPrefix("there is no water in the kettle") })
    }
}

private actor EmptyKettle: KettlePresentableListener {
    func didTapSwitch() async throws {
        throw RemoteFault(.failed, "there is no water in the kettle: fill it first")
    }

    func fill(cups: Int) async throws {}
    func didTapTea() async throws {}
}
