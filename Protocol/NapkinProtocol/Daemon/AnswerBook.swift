// AnswerBook: keeps the remainders of long answers until they are fetched.
//
// Invariant  keeps at most `Limits.answersUnfetchedMax` remainders, with at most
//            `Limits.answersUnfetchedBytesMax` together unless there is only one, each for
//            `Limits.answerSeconds`; each is taken once.
// Spec       Protocol/TOOLS.md, section 1 (Queries)

/// The unfetched remainders of answers that do not fit into one frame, by their cursors.
public struct AnswerBook<Rest> {
    private struct Entry {
        var cursor: UInt32
        var rest: Rest
        var bytes: Int
        var keptAt: UInt64
    }

    /// The remainders, oldest first.
    private var entries: [Entry] = []
    private var newest: UInt32
    private let first: UInt32

    /// - Parameter first: the smallest cursor; at least 1.
    public init(first: UInt32 = 1) {
        self.first = first
        newest = first - 1
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// Keeps the remainder of an answer from `now` on, in milliseconds; returns its cursor, which
    /// is never 0.
    public mutating func keep(_ rest: Rest, bytes: Int, at now: UInt64) -> UInt32 {
        forgetOld(at: now)
        newest = newest == .max ? first : newest + 1
        entries.append(Entry(cursor: newest, rest: rest, bytes: bytes, keptAt: now))
        var total = entries.reduce(0) { $0 + $1.bytes }
        while entries.count > Limits.answersUnfetchedMax
            || (total > Limits.answersUnfetchedBytesMax && entries.count > 1)
        {
            total -= entries.removeFirst().bytes
        }
        return newest
    }

    /// Returns the remainder with that cursor, once, while it is kept.
    public mutating func take(_ cursor: UInt32, at now: UInt64) -> Rest? {
        forgetOld(at: now)
        guard let index = entries.firstIndex(where: { $0.cursor == cursor }) else { return nil }
        return entries.remove(at: index).rest
    }

    /// Forgets the remainders that were not fetched in time.
    public mutating func forgetOld(at now: UInt64) {
        let life = UInt64(Limits.answerSeconds) * 1000
        entries.removeAll { $0.keptAt + life <= now }
    }
}
