// AnswerLog: answers that were sent and whose arrival has not been confirmed.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; part of one SessionWorkerStateMachine.
// Invariant  at most `Limits.answersKeptMax` answers and `Limits.answersKeptBytesMax` bytes: past
//            either the oldest is forgotten.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// An answer's frame, and the event that it answers.
public struct KeptAnswer: Hashable, Sendable, Codable {
    public var sequence: UInt64
    public var frame: [UInt8]

    public init(sequence: UInt64, frame: [UInt8]) {
        self.sequence = sequence
        self.frame = frame
    }
}

/// Answers in the order in which they were sent, in one buffer.
@usableFromInline
struct AnswerLog: Sendable {
    @usableFromInline
    struct Entry: Hashable, Sendable {
        @usableFromInline var sequence: UInt64
        @usableFromInline var byteCount: Int

        @inlinable
        init(sequence: UInt64, byteCount: Int) {
            self.sequence = sequence
            self.byteCount = byteCount
        }
    }

    /// Bytes of forgotten answers that may lie before the others, and that an empty log may keep.
    /// Chosen: a page, since many fronts are idle at once.
    private static let garbageBytesMax = 4096

    private let countMax: Int
    private let bytesMax: Int
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var bytes = FrameBuffer()
    private var head = 0
    private var byteHead = 0
    /// How many answers have been forgotten, or confirmed, since the log was made.
    private(set) var first: UInt64 = 0

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    var count: Int { entries.count - head }
    var byteCount: Int { bytes.count - byteHead }
    /// How many answers have been appended since the log was made.
    var end: UInt64 { first + UInt64(count) }

    @usableFromInline
    mutating func append(_ sequence: UInt64, _ frame: UnsafeRawBufferPointer) {
        entries.append(Entry(sequence: sequence, byteCount: frame.count))
        bytes.append(frame)
        while count > countMax || byteCount > bytesMax { removeFirst(1) }
    }

    /// Forgets the oldest answers.
    mutating func removeFirst(_ count: Int) {
        for entry in entries[head..<head + count] { byteHead += entry.byteCount }
        head += count
        first += UInt64(count)
        if head == entries.count {
            entries.removeAll(keepingCapacity: entries.count <= 2 * Limits.answersPerConfirmation)
            bytes.removeAll(keeping: Self.garbageBytesMax)
            head = 0
            byteHead = 0
        } else if byteHead > byteCount + Self.garbageBytesMax || head > self.count + 64 {
            entries.removeFirst(head)
            bytes.removeFirst(byteHead)
            head = 0
            byteHead = 0
        }
    }

    func contains(_ sequence: UInt64) -> Bool {
        entries[head...].contains { $0.sequence == sequence }
    }

    private var keptBytes: ArraySlice<UInt8> { bytes[byteHead..<bytes.count] }

    /// What the log holds, in the order in which it was sent.
    var kept: [KeptAnswer] {
        var start = byteHead
        return entries[head...].map { entry in
            defer { start += entry.byteCount }
            return KeptAnswer(
                sequence: entry.sequence, frame: Array(bytes[start..<start + entry.byteCount]))
        }
    }
}

extension AnswerLog: Hashable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        left.first == right.first && left.entries[left.head...] == right.entries[right.head...]
            && left.keptBytes == right.keptBytes
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        var index = head
        while index < entries.count {
            hasher.combine(entries[index].sequence)
            index += 1
        }
        hasher.combine(keptBytes)
    }
}
