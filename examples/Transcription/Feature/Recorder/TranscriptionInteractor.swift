// TranscriptionInteractor: begins, reads line by line, stops and ends takes.
//
// Layer      feature.
// Isolation  actor (loop executor).
// Invariant  only the newest take presents: the rest of an older one is dropped. Within a take the
//            stable text never goes back.

import NapkinCore
import TranscriptionContract

/// Reads a transcript at its own pace, or takes lines from fronts.
///
/// The recorder's buttons belong to a state machine on the main actor of a front. No call leads
/// from here to there: the state machine learns of a take by the presented models.
final actor TranscriptionInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TranscriptionPresentable
    private let clock: AnyClock
    private var source: String?
    private var take: Take?
    /// The number of takes so far, which is the number of the newest.
    private var takes = 0
    /// Whether the newest take is being opened.
    private var isOpening = false
    private var transcript = Transcript()
    /// The line that was last skipped, and why.
    private var problem: String?

    /// A running take.
    private struct Take {
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
        self.source = source
    }

    func didBecomeActive() async {
        await presenter.present(source: source)
        await show("Ready")
    }

    func willResignActive() async { abandon() }

    // MARK: - Takes

    private func begin() async throws(TranscriptionError) {
        takes += 1
        let number = takes
        (transcript, problem) = (Transcript(), nil)
        guard let source else {
            take = Take(number: number, start: clock.now)
            return await show("Recording")
        }
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
        take = Take(number: number, start: start, reading: reading)
        await show("Recording")
    }

    /// Runs off the loop: a file system may take its time.
    @concurrent
    private nonisolated static func open(
        _ path: String
    ) async -> Result<TranscriptFile, TranscriptionError> {
        Result { () throws(TranscriptionError) in try TranscriptFile(path: path) }
    }

    private func stop(_ status: String) async {
        guard take != nil || isOpening else { return }
        abandon()
        transcript.end()
        await show("\(status) \(Transcript.seconds(transcript.time))")
    }

    /// Drops whatever the newest take still does.
    private func abandon() {
        take?.reading?.cancel()
        take = nil
        takes += 1
        isOpening = false
    }

    private func isRunning(_ number: Int) -> Bool { take?.number == number }

    // MARK: - Lines

    private func read(_ file: TranscriptFile, _ number: Int, from start: AnyClock.Instant) async {
        do {
            while let line = try await file.next() {
                try await hear(line, number, from: start)
            }
        } catch is CancellationError {
            // Stopped; the code that stopped it has presented that.
            return
        } catch {
            guard isRunning(number) else { return }
            return await stop("\(error), stopped at")
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
            try transcript.take(parsed, now: clock.now - start)
        } catch let malformed as TranscriptLine.Malformed {
            guard isRunning(number) else { throw CancellationError() }
            problem = "line \(line.number) was skipped: \(malformed)"
        }
        await show("Recording")
    }

    // MARK: - Presenting

    /// - Parameter status: the status, to which the time is added while a take is running.
    private func show(_ status: String) async {
        let time = take == nil ? [] : [Transcript.seconds(transcript.time)]
        await presenter.present(
            model: TranscriptionModel(
                statusLabel: ([status] + time + [problem].compactMap(\.self))
                    .joined(separator: " · "),
                stableText: transcript.stableText, tentativeText: transcript.tentativeText,
                recordButtonEnabled: !isOpening, isRecording: take != nil))
    }
}

extension TranscriptionInteractor: TranscriptionPresentableListener {
    func didTapRecord() async throws {
        guard take == nil, !isOpening else { return }
        try await begin()
    }

    func didTapStop() async { await stop("Stopped at") }

    func didTapRestart() async throws {
        abandon()
        try await begin()
    }

    func didChoose(source path: String) async throws {
        guard take == nil, !isOpening else { throw TranscriptionError.isRecording }
        source = path.isEmpty ? nil : path
        await presenter.present(source: source)
    }

    func didHear(line: String) async throws {
        guard let take, take.hearsFronts else { throw TranscriptionError.notListening }
        do throws(TranscriptLine.Malformed) {
            guard let line = try TranscriptLine.parse(line) else { return }
            try transcript.take(line, now: clock.now - take.start)
        } catch {
            throw TranscriptionError.malformed(error)
        }
        await show("Recording")
    }
}
