// SampleTests: the interactor alone, and the app with fronts; no daemon, no second process.

import NapkinCore
import NapkinTesting
import SampleContract
import Testing

@testable import SampleFeature

@MainActor
struct SampleTests {
    @Test func `a tap counts`() async {
        let view = Recording<Sample>()
        let interactor = SampleInteractor(presenter: view.presenter)
        await interactor.activate()
        await interactor.didTapAdd()
        #expect(counts(view) == [0, 1])
        await interactor.deactivate()
    }

    @Test("two fronts see the same")
    func shares() async throws {
        // A second session restores the recorded state, and must present the same.
        let session = await TestSession.launch(SampleApp.self, isDurable: true)
        let mine = RecordingViews().record(Sample.self)
        let yours = RecordingViews().record(Sample.self)
        _ = try await session.attach(mine)
        _ = try await session.attach(yours)
        await mine.newest(Sample.self)?.listener?.didTapAdd()
        let seen = await yours.newest(Sample.self)?.next { message in
            if case .presentCount(let count) = message, count != 0 { count } else { nil }
        }
        #expect(seen == 1)
        try await session.expectQuiescent()
        await session.end()
    }

    private func counts(_ view: Recording<Sample>) -> [Int] {
        view.messages.map { message in
            switch message {
            case .presentCount(let count): count
            }
        }
    }
}
