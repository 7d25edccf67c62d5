// StandardOutput: the program's output, written once per turn of the loop.
//
// Ownership  keeps at most `bytesMax` bytes that a slow reader has not read, plus one turn's
//            output.
// Invariant  bytes are written in the order of the calls; after the first failure, none are.

import NapkinTransport

/// Collects output and writes it before the loop blocks.
///
/// A slow reader's output waits here, so that signals are still noticed. If too much waits, the
/// whole front blocks: the worker then sees a slow front and keeps only the newest states.
@MainActor
final class StandardOutput: Flushable {
    var isFlushScheduled = false
    /// The most bytes that may wait for the reader. Chosen: a burst of large states.
    static let bytesMax = 4_194_304
    /// The time between two attempts to write to a slow reader. Chosen: nobody notices it.
    private static let retryInterval: Duration = .milliseconds(20)
    /// The milliseconds that the reader gets for each of the last pieces. Chosen: most need fewer.
    private static let finishMilliseconds: Int32 = 1000

    private var pending: PrintableText = ""
    private var retry: LoopTimer?
    private var onEmpty: (() -> Void)?
    private let stream: StandardStream
    private let onFailure: (ClientFailure) -> Void
    private(set) var failure: ClientFailure?

    /// - Parameter onFailure: called once, when the reader has gone or the disk is full.
    init(
        _ stream: StandardStream = .output, onFailure: @escaping (ClientFailure) -> Void = { _ in }
    ) {
        self.stream = stream
        self.onFailure = onFailure
    }

    func write(_ text: PrintableText) {
        guard failure == nil else { return }
        pending += text
        if retry == nil { Loop.shared.scheduleFlush(self) }
    }

    func flush() {
        writePending(waiting: pending.bytes.count > Self.bytesMax ? -1 : 0)
        if pending.isEmpty, failure == nil { onEmpty.take()?() }
        guard !pending.isEmpty, retry == nil else { return }
        retry = LoopTimer(after: Self.retryInterval) { [weak self] in
            self?.retry = nil
            self?.flush()
        }
    }

    /// Calls `body` once the reader has read everything, however long it pauses.
    func whenEmpty(_ body: @escaping () -> Void) {
        onEmpty = body
        if retry == nil { Loop.shared.scheduleFlush(self) }
    }

    /// Flushes for the last time and waits a moment for a slow reader.
    ///
    /// Throws if some output could not be written, now or earlier.
    func finish() throws(ClientFailure) {
        writePending(waiting: Self.finishMilliseconds)
        retry?.cancel()
        if !pending.isEmpty { fail(.unread) }
        if let failure { throw failure }
    }

    private func writePending(waiting milliseconds: Int32) {
        do throws(TransportError) {
            try stream.write(&pending, waiting: milliseconds)
        } catch {
            fail(ClientFailure(output: error))
        }
    }

    private func fail(_ failure: ClientFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        pending = ""
        onFailure(failure)
    }

    /// Prints a command's only output and waits for a slow reader.
    nonisolated static func put(_ text: PrintableText) throws(ClientFailure) {
        do throws(TransportError) {
            try StandardStream.output.write(text)
        } catch {
            throw ClientFailure(output: error)
        }
    }

    /// Prints lines for a person, wrapped to the terminal's width.
    nonisolated static func put(lines: [String]) throws(ClientFailure) {
        try put(PrintableText(lines: lines.wrapped(in: TextTable.room)))
    }

    /// Prints a value as a line of JSON, or in lines for a person.
    nonisolated static func put(
        _ value: some Encodable, asJSON isJSON: Bool, or lines: @autoclosure () -> [String]
    ) throws(ClientFailure) {
        if isJSON { try put(try JSONOutput.line(of: value)) } else { try put(lines: lines()) }
    }

    /// Prints a line unwrapped, such as an address, which a break would spoil.
    nonisolated static func put(line: String) throws(ClientFailure) {
        try put(PrintableText(line: line))
    }
}

extension ClientFailure {
    /// Whether the reader closed the output, which a user who has ended `head` knows.
    var isReaderGone: Bool { self == Self.readerGone }

    fileprivate static let readerGone = ClientFailure.ioError("standard output was closed")

    fileprivate static let unread = ClientFailure.ioError(
        "standard output cannot be written: its reader takes nothing")

    fileprivate init(output error: TransportError) {
        self =
            error.code == "EPIPE"
            ? .readerGone
            : ClientFailure.ioError("standard output cannot be written: \(error.message)")
    }
}
