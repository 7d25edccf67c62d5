// KettleTests: the interactor alone, and the app with fronts; no daemon, no second process.

import KettleContract
import NapkinCore
import NapkinTesting
import Testing

@testable import KettleFeature

@MainActor
struct KettleTests {
    @Test func `a tap switches it on, and another one off`() async {
        let view = Recording<Kettle>()
        let interactor = KettleInteractor(presenter: view.presenter)
        await interactor.activate()
        await interactor.didTapSwitch()
        await interactor.didTapSwitch()
        let shown = view.messages.map { message in
            switch message {
            case .presentIsOn(let isOn): isOn
            }
        }
        #expect(shown == [false, true, false])
        await interactor.deactivate()
    }

    @Test("two fronts see the same")
    func shares() async throws {
        // A second session restores the recorded state, and must present the same.
        let session = await TestSession.launch(KettleApp.self, isDurable: true)
        let mine = RecordingViews().record(Kettle.self)
        let yours = RecordingViews().record(Kettle.self)
        _ = try await session.attach(mine)
        _ = try await session.attach(yours)
        await mine.newest(Kettle.self)?.listener?.didTapSwitch()
        let isOn = await yours.newest(Kettle.self)?.next { message in
            if case .presentIsOn(true) = message { true } else { nil }
        }
        #expect(isOn == true)
        try await session.expectQuiescent()
        await session.end()
    }
}
