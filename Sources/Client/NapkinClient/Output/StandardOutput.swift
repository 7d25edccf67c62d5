// StandardOutput: the program's output, written once in a turn of the loop.
//
// Ownership  keeps at most `bytesMax` bytes that a slow reader has not taken, plus one turn's
//            output.
// Invariant  bytes are written in the order in which they came; after the first failure, none are.

import NapkinTransport

/// Collects output and writes it before the loop blocks.
///
/// If the reader is slow, the output waits here, so that signals are still noticed. If too much
/// waits, the whole front waits: the worker then sees a slow front and keeps only the newest
/// states.
@MainActor
final class StandardOutput: Flushable {
    var isFlushScheduled = false
    /// Bytes that may wait for the reader. Chosen.
    static let bytesMax = 4_194_304
    /// The time between two checks of a reader that is behind. Chosen.
    private static let retryInterval: Duration = .milliseconds(20)
    /// Milliseconds that the reader has for each piece at the end. Chosen.
    private static let finishMilliseconds: Int32 = 1000

    private var pending: PrintableText = ""
    private var retry: LoopTimer?
    private var onEmpty: (() -> Void)?
    private let stream: StandardStream
    private let onFailure: (ClientFailure) -> Void
    /// The reason why nothing is written any longer.
    private(set) var failure: ClientFailure?

    /// - Parameter onFailure: called once, when nobody reads any longer, or there is no room.
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

    /// Calls `body` once the reader has taken all, however long it pauses.
    func whenEmpty(_ body: @escaping () -> Void) {
        onEmpty = body
        if retry == nil { Loop.shared.scheduleFlush(self) }
    }

    /// Flushes for the last time: waits a moment for a reader that is behind.
    ///
    /// Throws if not everything could be written, now or earlier.
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

    /// Prints all of it, and waits for a slow reader: for a command with a single output.
    nonisolated static func put(_ text: PrintableText) throws(ClientFailure) {
        do throws(TransportError) {
            try StandardStream.output.write(text)
        } catch {
            throw ClientFailure(output: error)
        }
    }

    /// Prints lines that a person reads, broken where a terminal has no room for them.
    nonisolated static func put(lines: [String]) throws(ClientFailure) {
        try put(PrintableText(lines: lines.wrapped(in: Table.room)))
    }

    /// Prints a line as it is, such as an address, which a break would spoil.
    nonisolated static func put(line: String) throws(ClientFailure) {
        try put(PrintableText(line: line))
    }
}

extension ClientFailure {
    /// A user who has ended `head` knows it.
    var isReaderGone: Bool { self == Self.readerGone }

    fileprivate static let readerGone = ClientFailure(
        ExitTable.ioError, "standard output was closed")

    fileprivate static let unread = ClientFailure(
        ExitTable.ioError, "standard output cannot be written: its reader takes nothing")

    fileprivate init(output error: TransportError) {
        self =
            error.code == "EPIPE"
            ? .readerGone
            : ClientFailure(
                ExitTable.ioError, "standard output cannot be written: \(error.message)")
    }
}
