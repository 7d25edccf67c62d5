// Stream: reads a transcript in a process of its own: whatever a recogniser has written there, the
// session outlives it.

package import NapkinCore

/// A child without a view.
package enum Stream: Feature {
    package static let id: FeatureID = "transcription.stream"
}

/// A line as it was written: words, or what is wrong with it.
@Message
package struct StreamLine {
    package var number: Int64
    /// The time since the take's beginning; `nil` for now.
    package var milliseconds: Int64?
    package var isStable: Bool = false
    package var words: String = ""
    package var problem: String?
}

/// What the stream asks and tells the recorder.
@Crossing
package protocol StreamListener: PresentableListener {
    /// Returns the path of the source; throws if none is wanted any longer.
    func streamWantsSource() async throws -> String
    /// The source is open, or cannot be opened.
    func streamDidOpen(problem: String?) async
    /// Returns when the time of the next line has come, since the take's beginning; throws if the
    /// stream is not wanted any longer.
    func streamReaches(milliseconds: Int64) async throws
    /// Changes the recorder before it waits for anything, so that a line and its place are kept
    /// together. Throws if the stream is not wanted any longer.
    func streamDidRead(line: StreamLine) async throws
    /// The stream has ended, because of a problem if there is one.
    func streamDidEnd(problem: String?) async
}

enum StreamBuilder: IsolatedBuilder {
    typealias F = Stream
    typealias Listener = StreamListenerCrossing

    static func build(
        view: RemoteView<Stream>, listener: any StreamListener
    ) async -> any Sendable {
        StreamInteractor(listener: listener)
    }

    static func initialState(_ arguments: NoArguments) -> StreamInteractor.State { .init() }
}

/// Reads lines, each when the recorder has heard the last one. Whoever dies, this process or the
/// worker, it reads on after the newest line that the recorder has kept.
@Durable
final actor StreamInteractor: Interactable {
    @Message
    struct State: DurableState {
        /// The source, once it has been opened.
        var path: String?
        /// The number of the newest line that need not be read again.
        var line: Int64 = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    @Volatile private weak var listener: (any StreamListener)?
    var state = State()

    init(listener: any StreamListener) { self.listener = listener }

    func didBecomeActive() async {
        if let path = state.path {
            task(name: "lines") {
                if let file = await self.open(path) { await self.read(file) }
            }
            return
        }
        // What is thrown says that the recorder has stopped.
        guard let path = try? await listener?.streamWantsSource() else { return }
        if let file = await open(path) { task(name: "lines") { await self.read(file) } }
    }

    /// Returns `nil` for a source that cannot be opened.
    private func open(_ path: String) async -> TranscriptFile? {
        switch await Self.open(path) {
        case .failure(let error):
            await listener?.streamDidOpen(problem: "\(error)")
            return nil
        case .success(let file):
            state.path = path
            await listener?.streamDidOpen(problem: nil)
            return file
        }
    }

    /// Runs off the loop: a file system may take its time.
    @concurrent
    private nonisolated static func open(
        _ path: String
    ) async -> Result<TranscriptFile, TranscriptionError> {
        Result { () throws(TranscriptionError) in try TranscriptFile(path: path) }
    }

    private func read(_ file: TranscriptFile) async {
        let last = file.isPipe ? 0 : state.line
        do {
            while let line = try await file.next() {
                guard line.number > last, let read = StreamLine(line) else { continue }
                do { try await tell(read) } catch { return }
            }
        } catch is CancellationError {
            return
        } catch {
            await listener?.streamDidEnd(problem: "\(error)")
            return
        }
        await listener?.streamDidEnd(problem: nil)
    }

    private func tell(_ line: StreamLine) async throws {
        if let time = line.milliseconds { try await listener?.streamReaches(milliseconds: time) }
        // Tentative words come again.
        if line.isStable || line.problem != nil { state.line = line.number }
        try await listener?.streamDidRead(line: line)
    }
}

extension StreamLine {
    /// Returns `nil` for a line that says nothing.
    fileprivate init?(_ line: TranscriptFile.Line) {
        self.init(number: Int64(line.number))
        do throws(TranscriptLine.Malformed) {
            guard let text = line.text else {
                throw TranscriptLine.Malformed(
                    description: "it is longer than \(TranscriptLine.bytesMax) bytes, or no UTF-8")
            }
            guard let parsed = try TranscriptLine.parse(text) else { return nil }
            milliseconds = parsed.time.map { Int64($0 / .milliseconds(1)) }
            (isStable, words) = (parsed.isStable, parsed.words)
        } catch {
            problem = "\(error)"
        }
    }

    var parsed: TranscriptLine {
        TranscriptLine(
            time: milliseconds.map { .milliseconds($0) }, isStable: isStable, words: words)
    }
}
