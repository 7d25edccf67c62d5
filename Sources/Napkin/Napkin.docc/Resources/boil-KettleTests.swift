// KettleTests: the app with fronts, and a clock that is moved by hand.

import KettleContract
import NapkinCore
import NapkinTesting
import Testing

@testable import KettleFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct KettleTests {
    private let clock = ManualClock()
    private let views = RecordingViews()

    private func open() async -> TestSession {
        views.record(Kettle.self)
        let root = await KettleApp.makeRoot(clock: AnyClock(clock))
        // A second session, in which nothing heats, restores the state and must present the same.
        return await TestSession.launch(
            root, features: KettleApp.features, losing: ["kettle.kettle present(isOn:)"]
        ) {
            await KettleApp.makeRoot(clock: AnyClock(ManualClock()))
        }
    }

    @Test("a kettle says when it boils")
    func boils() async throws {
        let session = await open()
        _ = try await session.attach(views)
        let listener = try #require(views.newest(Kettle.self)?.listener)
        try await listener.fill(cups: 2)
        try await listener.didTapSwitch()
        for _ in 1...8 { await clock.pass(KettleInteractor.step) }
        await views.journal.wait(for: "kettle.kettle whistle")
        try await session.expectQuiescent()
        await session.end()
    }

    @Test("an empty kettle is not switched on")
    func isEmpty() async throws {
        let session = await open()
        _ = try await session.attach(views)
        let listener = try #require(views.newest(Kettle.self)?.listener)
        await #expect(throws: (any Error).self) { try await listener.didTapSwitch() }
        await session.end()
    }

    @Test("it goes on heating while its front is away")
    func goesOn() async throws {
        let session = await open()
        let front = try await session.attach(views)
        let listener = try #require(views.newest(Kettle.self)?.listener)
        try await listener.fill(cups: 1)
        try await listener.didTapSwitch()
        await front.disconnect()
        await clock.pass(KettleInteractor.step)
        await front.reconnect()
        await views.journal.wait(for: "kettle.kettle presentDegrees(degrees: 30)")
        await session.end()
    }
}
