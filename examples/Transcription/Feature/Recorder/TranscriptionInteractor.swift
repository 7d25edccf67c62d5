// TranscriptionInteractor: begins, reads line by line, stops and ends takes.
//
// Invariant  only the newest take presents: the rest of an older one is dropped. Within a take the
//            stable text never goes back, not even when the worker dies.

import NapkinCore
import TranscriptionContract

/// A take, as far as it must be known to go on with it.
@Message
struct Take: Equatable {
    /// The path of its transcript; `nil` if fronts send the lines.
    var source: String?
    /// The number of the newest line that need not be read again.
    var line: Int64 = 0
}

/// Reads a transcript at its own pace, or takes lines from fronts.
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
        /// The running take, with which the next worker goes on.
        var take: Take?
        /// The status while no take is running.
        var status: String = "Ready"
        /// The line that was last skipped, and why.
        var problem: String?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TranscriptionPresentable
    private let clock: AnyClock
    /// The path with which sessions begin.
    private let setting: String?
    var state = State()
    @Volatile private var run: Run?
    /// The number of takes so far, which is the number of the newest.
    @Volatile private var takes = 0
    /// Whether the newest take is being opened.
    @Volatile private var isOpening = false
    @Volatile private var tentative = Tentative()

    /// What hears a running take.
    private struct Run {
        let number: Int
        let start: AnyClock.Instant
        /// `nil` if fronts send the lines.
        var reading: Task<Void, Never>?
        var hearsFronts: Bool { reading == nil }
    }

    /// - Parameter source: the path of a transcript; `nil` lets fronts send the lines.
    init(presenter: any TranscriptionPresentable, clock: AnyClock, source: String?) {
        self.presenter = presenter
        self.clock = clock
        setting = source
    }

    private var source: String? {
        guard let path = state.choice ?? setting, !path.isEmpty else { return nil }
        return path
    }

    func didBecomeActive() async {
        await presenter.present(source: source)
        await presenter.present(tentative: TentativeText())
        if let take = state.take { resume(take) }
        await show()
    }

    func willResignActive() async { abandon() }

    // MARK: - Takes

    private func begin() async throws(TranscriptionError) {
        takes += 1
        let number = takes
        guard let source else { return await record(Run(number: number, start: clock.now), nil) }
        isOpening = true
        await show("Opening \(source)")
        let opened = await Self.open(source)
        // Another front may have begun a newer take meanwhile, or stopped this one.
        guard number == takes else { return }
        isOpening = false
        let file: TranscriptFile
        do throws(TranscriptionError) {
            file = try opened.get()
        } catch {
            await show("\(error)")
            throw error
        }
        let start = clock.now
        let reading = task(name: "take \(number)") { await self.read(file, number, from: start) }
        await record(Run(number: number, start: start, reading: reading), source)
    }

    /// A take runs: only now what an earlier one left is cleared.
    private func record(_ run: Run, _ source: String?) async {
        self.run = run
        tentative = Tentative()
        state.transcript.clear()
        state.take = Take(source: source)
        state.problem = nil
        await show()
    }

    /// Goes on with a take of the former worker, by a clock that has stood still since its newest
    /// certain words. A file is read again after the lines of which everything is kept; the
    /// tentative words after them come again. What was in a pipe is gone.
    private func resume(_ take: Take) {
        takes += 1
        let number = takes
        let start = clock.now + (.zero - state.transcript.time)
        tentative = Tentative(from: state.transcript.time)
        let reading = take.source.map { source in
            task(name: "take \(number)") {
                switch await Self.open(source) {
                case .success(let file):
                    let line = file.isPipe ? 0 : take.line
                    await self.read(file, number, from: start, after: line)
                case .failure(let error): await self.failed(error, number)
                }
            }
        }
        run = Run(number: number, start: start, reading: reading)
    }

    /// Runs off the loop: a file system may take its time.
    @concurrent
    private nonisolated static func open(
        _ path: String
    ) async -> Result<TranscriptFile, TranscriptionError> {
        Result { () throws(TranscriptionError) in try TranscriptFile(path: path) }
    }

    private func stop(_ status: String) async {
        guard run != nil || isOpening else { return }
        end(status)
        await show()
    }

    private func failed(_ error: any Error, _ number: Int) async {
        if isRunning(number) { await stop("\(error), stopped at") }
    }

    /// Drops whatever the newest take still does, and what it was going to say.
    private func end(_ status: String) {
        abandon()
        guard state.take != nil else { return }
        state.take = nil
        state.transcript.end()
        state.status = "\(status) \(Transcript.seconds(tentative.time))"
    }

    /// Drops whatever the newest take still does; the next worker goes on with it.
    private func abandon() {
        run?.reading?.cancel()
        run = nil
        takes += 1
        isOpening = false
    }

    private func isRunning(_ number: Int) -> Bool { run?.number == number }

    // MARK: - Lines

    /// - Parameter last: the number of the newest line that is known.
    private func read(
        _ file: TranscriptFile, _ number: Int, from start: AnyClock.Instant, after last: Int64 = 0
    ) async {
        do {
            while let line = try await file.next() {
                if line.number > last { try await hear(line, number, from: start) }
            }
        } catch is CancellationError {
            // Stopped; the code that stopped it has presented that.
            return
        } catch {
            return await failed(error, number)
        }
        guard isRunning(number) else { return }
        await stop("Ended at")
    }

    /// Skips a malformed line, and says so.
    private func hear(
        _ line: TranscriptFile.Line, _ number: Int, from start: AnyClock.Instant
    ) async throws {
        do {
            guard let text = line.text else {
                throw TranscriptLine.Malformed(
                    description: "it is longer than \(TranscriptLine.bytesMax) bytes, or no UTF-8")
            }
            guard let parsed = try TranscriptLine.parse(text) else { return }
            if let time = parsed.time { try await clock.sleep(until: start + time) }
            guard isRunning(number) else { throw CancellationError() }
            try await hear(parsed, now: clock.now - start, line: Int64(line.number))
        } catch let malformed as TranscriptLine.Malformed {
            guard isRunning(number) else { throw CancellationError() }
            state.problem = "line \(line.number) was skipped: \(malformed)"
            state.take?.line = Int64(line.number)
            await show()
        }
    }

    /// Certain words are kept, with the place after them. Tentative ones are only shown.
    private func hear(
        _ line: TranscriptLine, now: Duration, line number: Int64? = nil
    ) async throws(TranscriptLine.Malformed) {
        try tentative.take(line, now: now)
        if line.isStable {
            state.transcript.append(line.words, at: tentative.time)
            if let number { state.take?.line = number }
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
        end("Stopped at")
        try await begin()
    }

    func didChoose(source path: String) async throws {
        guard run == nil, !isOpening else { throw TranscriptionError.isRecording }
        state.choice = path
        await presenter.present(source: source)
        // What was said of the former one is not about this one, and not kept.
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
