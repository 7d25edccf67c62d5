// TranscriptFile: the lines of a file or of a pipe, as they come.
//
// Isolation  actor (default): reading a file may wait for a disk, and the loop must not.
// Ownership  owns the descriptor; closes it at the end.
// Invariant  at most `chunkBytes` and one line are in memory, however long the file is.

import Dispatch
import Glibc

/// A transcript that is read line by line.
actor TranscriptFile {
    /// Bytes of one read. Chosen: a page.
    private static let chunkBytes = 4096

    /// A line without its end; its text is `nil` if it is too long, or not UTF-8.
    struct Line: Sendable, Equatable {
        /// The line's number; the first is 1.
        let number: Int
        let text: String?
    }

    private let descriptor: Int32
    nonisolated let isPipe: Bool
    /// The bytes of an incomplete line. Bytes beyond a line's limit are dropped.
    private var partial: [UInt8] = []
    private var isTooLong = false
    /// The remaining lines of the last chunk, the next one first.
    private var lines: ArraySlice<Line> = []
    private var count = 0
    private var hasEnded = false

    /// Opens a file or a pipe. Does not wait for a pipe's writer.
    init(path: String) throws(TranscriptionError) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(path, Self.reason(errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = Self.reason(errno)
            close(descriptor)
            throw .cannotOpen(path, reason)
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFIFO else {
            close(descriptor)
            throw .cannotOpen(path, "it is neither a file nor a pipe")
        }
        self.descriptor = descriptor
        isPipe = kind == S_IFIFO
    }

    deinit { close(descriptor) }

    /// Returns the next line, and waits for it if it comes from a pipe; `nil` at the end.
    func next() async throws -> Line? {
        if isPipe, count == 0, lines.isEmpty, partial.isEmpty, !hasEnded {
            // A pipe that nobody has opened for writing yet looks as if it had ended.
            await Self.readable(descriptor)
        }
        while lines.isEmpty, !hasEnded {
            try Task.checkCancellation()
            try await readChunk()
        }
        try Task.checkCancellation()
        return lines.popFirst()
    }

    private func readChunk() async throws(TranscriptionError) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let got = read(descriptor, &chunk, chunk.count)
        if got > 0 {
            take(chunk[..<got])
        } else if got == 0 {
            hasEnded = true
            if !partial.isEmpty || isTooLong { endLine() }
        } else if errno == EAGAIN {
            await Self.readable(descriptor)
        } else if errno != EINTR {
            throw .cannotRead(Self.reason(errno))
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if partial.count < TranscriptLine.bytesMax {
                partial.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    private func endLine() {
        count += 1
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        let text = isTooLong ? nil : String(validating: partial, as: UTF8.self)
        lines.append(Line(number: count, text: text))
        partial.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    /// Returns when there is something to read, when nobody will write any longer, or when the task
    /// is cancelled.
    private static func readable(_ descriptor: Int32) async {
        // SAFETY: a dispatch source may be cancelled from any thread, even before it is activated;
        // the library's protocol does not say so.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.setEventHandler { source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
