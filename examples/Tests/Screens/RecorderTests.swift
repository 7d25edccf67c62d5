// RecorderTests: the recorder's state machine on the main actor, and the engine beside it.

import ExampleSupport
import NapkinCore
import Observation
import Synchronization
import Testing
import TranscriptionContract

@testable import TranscriptionFront

/// Takes that note what is done to them, and on which thread.
nonisolated private final class Takes: TranscriptionPresentableListener {
    private let noted = Mutex<[String]>([])
    let threads = Threads()
    let refusal: RemoteFault?

    init(refusal: RemoteFault? = nil) { self.refusal = refusal }

    var events: [String] { noted.withLock { $0 } }

    private func note(_ event: String) {
        noted.withLock { $0.append(event) }
        threads.note()
    }

    func didTapRecord() async throws {
        note("record")
        if let refusal { throw refusal }
    }
    func didTapStop() async { note("stop") }
    func didTapRestart() async throws { note("restart") }
    func didChoose(source path: String) async throws {}
    func didHear(line: String) async throws {}
}

@Suite(.timeLimit(.minutes(10)))
struct RecorderTests {
    // MARK: - The state machine

    @Test func `the machine sends one tap at a time and settles at what was presented`() {
        let machine = RecorderStateMachine()
        #expect(machine.label == "Record")
        #expect(machine.tapped() == .record)
        #expect(machine.isWaiting)
        #expect(machine.tapped() == nil)
        #expect(machine.restartTapped() == nil)
        machine.presented(isRecording: true)
        // Presented, and not answered: still one tap under way.
        #expect(machine.tapped() == nil)
        machine.answered()
        #expect(machine.isOn)
        #expect(machine.label == "Stop")
        #expect(machine.restartTapped() == .restart)
        machine.presented(isRecording: false)
        machine.presented(isRecording: true)
        machine.answered()
        #expect(machine.tapped() == .stop)
        machine.presented(isRecording: false)
        machine.answered()
        #expect(!machine.isOn && !machine.isWaiting)
    }

    @Test func `a tap that fails leaves the machine where it was`() {
        let machine = RecorderStateMachine()
        #expect(machine.tapped() == .record)
        machine.handle(.refused("nobody listens"))
        #expect(machine.refusal == "nobody listens")
        #expect(!machine.isOn && !machine.isWaiting)
        #expect(machine.tapped() == .record)
        machine.handle(.answered)
        #expect(machine.refusal == nil)
    }

    @Test func `what happens to a take elsewhere is followed`() {
        let machine = RecorderStateMachine()
        machine.presented(isRecording: true)
        #expect(machine.isOn)
        #expect(machine.tapped() == .stop)
        // It has ended by itself meanwhile, and another one has begun.
        machine.presented(isRecording: false)
        machine.presented(isRecording: true)
        machine.answered()
        #expect(machine.isOn)
    }

    // MARK: - Machine and engine

    /// Returns when the action under way has been answered.
    private func settle(_ recorder: RecorderStateMachine) async throws {
        while recorder.isWaiting {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `an action is performed off the main actor, and its answer arrives on it`()
        async throws
    {
        let takes = Takes()
        let container = RecorderContainer(listener: takes)
        withObservationTracking {
            _ = container.recorder.label
        } onChange: {
            MainActor.assertIsolated()
        }
        #expect(container.useRecorder.tap() == .record)
        #expect(container.useRecorder.tap() == nil)
        #expect(takes.threads.areElsewhere())
        // Its answer waits for the main actor, which this test has held.
        #expect(container.recorder.isWaiting)
        try await settle(container.recorder)
        container.recorder.presented(isRecording: true)
        #expect(container.useRecorder.restart() == .restart)
        try await settle(container.recorder)
        #expect(container.useRecorder.tap() == .stop)
        try await settle(container.recorder)
        #expect(takes.events == ["record", "restart", "stop"])
    }

    @Test func `an engine tells its events where it runs, and why an action was refused`() async {
        let events = Mutex<[RecordingEngine.Event]>([])
        let threads = Threads()
        let takes = Takes(refusal: RemoteFault(.failed, "cannot open /tmp/a"))
        let engine = RecordingEngine(takes: takes) { event in
            events.withLock { $0.append(event) }
            threads.note()
        }
        let refused = dispatch { await engine.perform(.record) }
        #expect(threads.areElsewhere())
        await refused.value
        await engine.perform(.stop)
        #expect(events.withLock { $0 } == [.refused("cannot open /tmp/a"), .answered])
    }

    // MARK: - The listener

    @Test func `a machine does not keep its listener, and does nothing without`() {
        var container: RecorderContainer? = RecorderContainer(listener: Takes())
        let recorder = container?.recorder
        let seam: (any RecorderPresentable)? = recorder
        #expect(seam?.listener != nil)
        container = nil
        #expect(seam?.listener == nil)
        if let recorder { #expect(UseRecorder(recorder: recorder).tap() == nil) }
        #expect(recorder?.isWaiting == false)
    }
}
