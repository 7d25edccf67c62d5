// LongAnswer: an answer that is built and sent piece by piece.
//
// Ownership  keeps the sessions that it has yet to describe, and the bytes not yet fetched.
// Invariant  a piece fits into one control frame, and occupies the loop for little over a slice.
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import NapkinCoding
package import NapkinCore
package import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// An answer that is fetched piece by piece: either existing bytes, or a listing built meanwhile.
@MainActor
package struct LongAnswer {
    /// The longest time that the loop is occupied. Chosen: a front waits for at most 5 ms, and a
    /// session of some hundred features takes two slices.
    package static let sliceNanoseconds: UInt64 = 1_000_000

    private var bytes: [UInt8]
    private var fetched = 0
    private var items: Range<Int> = 0..<0
    private var describe: @MainActor (Int) throws(Refusal) -> [UInt8] = { _ in [] }

    package init(_ payload: Payload) {
        bytes = payload.bytes
    }

    /// Creates an array with one item for each session, or for each description of one.
    package init<T: Sendable>(
        of sessions: [T], _ describe: @escaping @MainActor @Sendable (T) throws(Refusal) -> [UInt8]
    ) {
        var writer = CBORWriter()
        writer.writeArrayHeader(sessions.count)
        bytes = writer.copyBytes()
        items = sessions.indices
        self.describe = { (index) throws(Refusal) in try describe(sessions[index]) }
    }

    var isFetched: Bool { fetched == bytes.count && items.isEmpty }

    /// The number of bytes kept until they are fetched.
    var bytesLeft: Int { bytes.count - fetched }

    mutating func nextPiece() throws(Refusal) -> [UInt8] {
        let began = MeasuringClock.nanoseconds
        while bytesLeft < Limits.answerPieceBytes, let item = items.popFirst() {
            bytes += try describe(item)
            if MeasuringClock.nanoseconds - began > Self.sliceNanoseconds { break }
        }
        let end = min(bytes.count, fetched + Limits.answerPieceBytes)
        let piece = Array(bytes[fetched..<end])
        fetched = end
        if fetched == bytes.count { (bytes, fetched) = ([], 0) }
        return piece
    }
}

extension Payload {
    /// Encodes the answer to a query.
    package init(answer: some Encodable) throws(Refusal) {
        do {
            self = try Payload { (writer) throws(CBORError) in try writer.write(answer) }
        } catch {
            throw Refusal(.overloaded, "the answer cannot be sent: \(error.detail)")
        }
    }
}

extension AnswerPiece {
    /// Encodes an answer that is small.
    package init(answer: some Encodable) throws(Refusal) {
        self.init(bytes: try Payload(answer: answer).bytes)
    }
}

/// The parts of a process's answers that have not been fetched yet.
@MainActor
package final class LongAnswers {
    private var book: AnswerBook<LongAnswer>
    private var forgetting: LoopTimer?

    package init(first cursor: UInt32 = 1) { book = AnswerBook(first: cursor) }

    /// Returns the next piece of the answer with this cursor.
    package func piece(at cursor: UInt32) throws(Refusal) -> AnswerPiece {
        guard let rest = book.take(cursor, at: Loop.shared.now) else {
            throw Refusal(
                .badRequest,
                "the rest of this answer has been dropped: it was not fetched within "
                    + "\(Limits.answerSeconds) s, or there were too many; ask again")
        }
        return try firstPiece(of: rest)
    }

    /// Returns the first piece of an answer, and keeps the rest.
    package func firstPiece(of answer: LongAnswer) throws(Refusal) -> AnswerPiece {
        var rest = answer
        let piece = try rest.nextPiece()
        if rest.isFetched { return AnswerPiece(bytes: piece) }
        guard rest.bytesLeft <= Limits.answersUnfetchedBytesMax else {
            throw Refusal(
                .overloaded,
                "the answer has \(rest.bytesLeft) bytes, more than "
                    + "\(Limits.answersUnfetchedBytesMax): ask about one session")
        }
        let cursor = book.keep(rest, bytes: rest.bytesLeft, at: Loop.shared.now)
        forgetInTime()
        return AnswerPiece(bytes: piece, cursor: cursor)
    }

    private func forgetInTime() {
        guard !book.isEmpty, forgetting == nil else { return }
        forgetting = LoopTimer(after: .seconds(Limits.answerSeconds)) { [weak self] in
            guard let self else { return }
            self.forgetting = nil
            self.book.forgetOld(at: Loop.shared.now)
            self.forgetInTime()
        }
    }
}
