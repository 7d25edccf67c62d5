// Stream: reads a transcript in a process of its own: whatever a recogniser has written there, the
// session outlives it.

package import NapkinCore

/// A child without a view.
package enum Stream: Feature {
    package static let id: FeatureID = "transcription.stream"
}

/// What is to be read.
@Message
package struct StreamSource {
    package var path: String
    /// The number of the newest line that need not be read again.
    package var line: Int64
    /// Whether a take goes on, and nobody waits for its source.
    package var isResumed: Bool
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
    /// Returns the source; throws if none is wanted any longer.
    func streamWantsSource() async throws -> StreamSource
    /// The source is open, or cannot be opened.
    func streamDidOpen(problem: String?) async
    /// Returns when the line's time has come; throws if the stream is not wanted any longer.
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
}

/// Reads lines, each when the recorder has heard the last one.
final actor StreamInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    private weak var listener: (any StreamListener)?

    init(listener: any StreamListener) { self.listener = listener }

    func didBecomeActive() async {
        // What is thrown says that the recorder has stopped.
        guard let source = try? await listener?.streamWantsSource() else { return }
        if source.isResumed {
            task(name: "lines") {
                if let file = await self.open(source) { await self.read(file, source) }
            }
        } else if let file = await open(source) {
            task(name: "lines") { await self.read(file, source) }
        }
    }

    /// Returns `nil` for a source that cannot be opened.
    private func open(_ source: StreamSource) async -> TranscriptFile? {
        switch await Self.open(source.path) {
        case .failure(let error):
            await listener?.streamDidOpen(problem: "\(error)")
            return nil
        case .success(let file):
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

    private func read(_ file: TranscriptFile, _ source: StreamSource) async {
        let last = file.isPipe ? 0 : source.line
        do {
            while let line = try await file.next() {
                guard line.number > last, let read = StreamLine(line) else { continue }
                do { try await listener?.streamDidRead(line: read) } catch { return }
            }
        } catch is CancellationError {
            return
        } catch {
            await listener?.streamDidEnd(problem: "\(error)")
            return
        }
        await listener?.streamDidEnd(problem: nil)
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
