// TranscriptionInteractor: begins, hears line by line, stops and ends takes.
//
// Invariant  only the newest take presents: the rest of an older one is dropped. Within a take the
//            stable text never goes back, not even when the worker dies.

import NapkinCore
import TranscriptionContract

/// Hears a transcript at its own pace, or takes lines from fronts.
///
/// A durable child reads the transcript, in a process of its own. When that crashes, another
/// goes on after the newest certain words, as after the death of the worker.
///
/// The recorder's buttons belong to a state machine on the main actor of a front. No call leads
/// from here to there: the state machine learns of a take by the presented models.
@Durable
final actor TranscriptionInteractor: PresentableInteractable {
    @Message
    struct State: DurableState {
        /// The path that a person has chosen, empty for none; `nil` while nobody has.
        var choice: String?
        var transcript: Transcript = Transcript()
        /// Whether a take runs, with which the next worker goes on; `nil` if none does.
        var hearing: Hearing?
        /// The status while no take is running.
        var status: String = "Ready"
        /// The line that was last skipped, and why.
        var problem: String?

        static let migrations = [
            Migration(from: FirstRecorderState.self) { old in
                // Its stream has not been durable: how far that had come is known to nobody.
                State(
                    choice: old.choice, transcript: old.transcript,
                    status: old.take == nil ? old.status : "Stopped")
            }
        ]
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TranscriptionPresentable
    private let clock: AnyClock
    /// The path with which sessions begin.
    private let setting: String?
    var state = State()
    @Volatile private weak var router: (any TranscriptionRouting)?
    @Volatile private var run: Run?
    /// The number of takes so far, which is the number of the newest.
    @Volatile private var takes = 0
    /// The source of the newest take while it is being opened, and why it cannot be.
    @Volatile private var opening: String?
    @Volatile private var openingProblem: String?
    @Volatile private var tentative = Tentative()

    /// A running take.
    private struct Run: Equatable {
        let number: Int
        let start: AnyClock.Instant
        let hearsFronts: Bool
        /// The number of lines that will not be read again, now and when the stream last crashed.
        var lines = 0
        var crashedAt: Int?
    }

    /// - Parameter source: the path of a transcript; `nil` lets fronts send the lines.
    init(presenter: any TranscriptionPresentable, clock: AnyClock, source: String?) {
        self.presenter = presenter
        self.clock = clock
        setting = source
    }

    func wire(router: any TranscriptionRouting) { self.router = router }

    private var isOpening: Bool { opening != nil }

    private var source: String? {
        guard let path = state.choice ?? setting, !path.isEmpty else { return nil }
        return path
    }

    func didBecomeActive() async {
        await presenter.present(source: source)
        await presenter.present(tentative: TentativeText())
        if let hearing = state.hearing { await resume(hearing) }
        await show()
    }

    func willResignActive() async { abandon() }

    // MARK: - Takes

    private func begin() async throws(TranscriptionError) {
        takes += 1
        let number = takes
        guard let source else {
            return await record(Run(number: number, start: clock.now, hearsFronts: true))
        }
        (opening, openingProblem) = (source, nil)
        await show("Opening \(source)")
        // One of a worker that died before it had recorded the detach.
        await router?.routeFromStream()
        await router?.routeToStream()
        // Another front may have begun a newer take meanwhile, or stopped this one.
        guard number == takes, let problem = openingProblem else { return }
        await router?.routeFromStream()
        state.status = problem
        await show()
        // Kept: the error takes back only what was changed after the last suspension.
        await Task.yield()
        throw .unreadable(problem)
    }

    /// A take runs: only now what an earlier one left is cleared.
    private func record(_ run: Run) async {
        self.run = run
        tentative = Tentative()
        state.transcript.clear()
        state.hearing = run.hearsFronts ? .fronts : .stream
        state.problem = nil
        await show()
    }

    /// Goes on with a take of the former worker, by a clock that has stood still since its newest
    /// certain words. A file is read again after the lines of which everything is kept; the
    /// tentative words after them come again. What was in a pipe is gone.
    private func resume(_ hearing: Hearing) async {
        takes += 1
        restart(Run(number: takes, start: clock.now, hearsFronts: hearing == .fronts))
        if hearing == .stream { await router?.routeToStream() }
    }

    /// Begins to hear again after the newest certain words.
    private func restart(_ run: Run) {
        tentative = Tentative(from: state.transcript.time)
        self.run = Run(
            number: run.number, start: clock.now + (.zero - state.transcript.time),
            hearsFronts: run.hearsFronts, lines: run.lines, crashedAt: run.crashedAt)
    }

    private func stop(_ status: String) async {
        guard run != nil || isOpening else { return }
        await end(status)
        await show()
    }

    /// Drops whatever the newest take still does, and what it was going to say.
    private func end(_ status: String) async {
        abandon()
        if state.hearing != nil {
            state.hearing = nil
            state.transcript.end()
            state.status = "\(status) \(Transcript.seconds(tentative.time))"
        }
        await router?.routeFromStream()
    }

    /// Drops whatever the newest take still does; the next worker goes on with it.
    private func abandon() {
        run = nil
        takes += 1
        opening = nil
    }

    // MARK: - Lines

    /// Certain words are kept. Tentative ones are only shown.
    private func hear(
        _ line: TranscriptLine, now: Duration
    ) async throws(TranscriptLine.Malformed) {
        try tentative.take(line, now: now)
        if line.isStable {
            state.transcript.append(line.words, at: tentative.time)
        } else {
            await presenter.present(
                tentative: TentativeText(
                    words: line.words, position: state.transcript.position))
        }
        await show()
    }

    // MARK: - Presenting

    /// - Parameter notice: shown instead of the status, until there is another one. It is not kept.
    private func show(_ notice: String? = nil) async {
        let isRecording = run != nil
        let status =
            isRecording ? "Recording · \(Transcript.seconds(tentative.time))" : state.status
        await presenter.present(
            model: TranscriptionModel(
                statusLabel: notice
                    ?? [status, state.problem].compactMap(\.self).joined(separator: " · "),
                stableText: state.transcript.stableText, position: state.transcript.position,
                recordButtonEnabled: !isOpening, isRecording: isRecording))
    }
}

extension TranscriptionInteractor: TranscriptionPresentableListener {
    func didTapRecord() async throws {
        guard run == nil, !isOpening else { return }
        try await begin()
    }

    func didTapStop() async { await stop("Stopped at") }

    func didTapRestart() async throws {
        await end("Stopped at")
        try await begin()
    }

    func didChoose(source path: String) async throws {
        guard run == nil, !isOpening else { throw TranscriptionError.isRecording }
        // What was said of the former one is not about this one.
        (state.choice, state.status) = (path, "Ready")
        await presenter.present(source: source)
        await show()
    }

    func didHear(line: String) async throws {
        guard let run, run.hearsFronts else { throw TranscriptionError.notListening }
        do throws(TranscriptLine.Malformed) {
            guard let line = try TranscriptLine.parse(line) else { return }
            try await hear(line, now: clock.now - run.start)
        } catch {
            throw TranscriptionError.malformed(error)
        }
    }
}

extension TranscriptionInteractor: StreamListener {
    func streamWantsSource() async throws -> String {
        guard let path = opening else { throw CancellationError() }
        return path
    }

    func streamDidOpen(problem: String?) async {
        if isOpening {
            opening = nil
            openingProblem = problem
            guard problem == nil else { return }
            await record(Run(number: takes, start: clock.now, hearsFronts: false))
        } else if let problem {
            await stop("\(problem), stopped at")
        }
    }

    func streamReaches(milliseconds: Int64) async throws {
        guard let run else { throw CancellationError() }
        try await clock.sleep(until: run.start + .milliseconds(milliseconds))
    }

    /// Skips a malformed line, and says so.
    func streamDidRead(line: StreamLine) async throws {
        guard let run, !run.hearsFronts else { throw CancellationError() }
        if line.isStable || line.problem != nil { self.run?.lines += 1 }
        do throws(TranscriptLine.Malformed) {
            if let problem = line.problem { throw TranscriptLine.Malformed(description: problem) }
            try await hear(line.parsed, now: clock.now - run.start)
        } catch {
            state.problem = "line \(line.number) was skipped: \(error)"
            await show()
        }
    }

    func streamDidEnd(problem: String?) async {
        guard run?.hearsFronts == false else { return }
        await stop(problem.map { "\($0), stopped at" } ?? "Ended at")
    }
}

extension TranscriptionInteractor: SupervisingInteractable {
    /// Reads on, unless there was nothing to hear since the last crash.
    func childDidCrash(_ crash: ChildCrash) async -> AfterCrash {
        guard var run, run.crashedAt != run.lines else {
            if isOpening { openingProblem = "\(crash)" }
            opening = nil
            await stop("\(crash), stopped at")
            return .giveUp
        }
        run.crashedAt = run.lines
        restart(run)
        state.problem = "the stream crashed, and was read on"
        await show()
        return .restart
    }
}

/// Who says the lines of a take.
@Message
enum Hearing: Equatable {
    case fronts
    case stream
}

/// The recorder's state before its stream was durable.
@Message
struct FirstRecorderState: DurableState {
    @Message
    struct Take: Equatable {
        var source: String?
        var line: Int64 = 0
    }

    var choice: String?
    var transcript: Transcript = Transcript()
    var take: Take?
    var status: String = "Ready"
    var problem: String?
}
