// FrameBudget: limits the time and the bytes of unfinished frames in one process.
//
// Isolation  value; owned by the loop. Time is counted in its owner's checks, not read from a
//            clock: a process that was stopped or starved has not checked, and its peers' bytes
//            still wait to be read.
// Invariant  after each input the bytes kept for all peers, and for each of them, are within the
//            budget; `oldest` is not above any entry's number.
// Spec       Protocol/SPEC.md, section 12 (Limits)

/// Accounts for incomplete frames. A peer that announces a long frame but sends little of it costs
/// only the bytes sent, and only for a while.
public struct FrameBudget: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var peer: Int32
        var bytes: Int
        /// The number of checks made before it began.
        var began: Int
    }

    /// The time between two checks: a tenth of a frame's time. Chosen: exact enough.
    public static let checkMilliseconds = Limits.unfinishedSeconds * 100
    /// Checks that a frame may outlast; the first comes within an interval of its beginning.
    private static let checksMax = 10

    private let bytesMax: Int
    private let peerBytesMax: Int
    private var entries: [UInt64: Entry] = [:]
    private var checks = 0
    private var peers: [Int32: Int] = [:]
    /// Bytes of all unfinished frames.
    public private(set) var bytes = 0
    private var newest: UInt64 = 0
    private var oldest: UInt64 = 1

    public init(
        bytesMax: Int = Limits.unfinishedBytesMax,
        peerBytesMax: Int = Limits.unfinishedPeerBytesMax
    ) {
        self.bytesMax = bytesMax
        self.peerBytesMax = peerBytesMax
    }

    /// Whether no frame is incomplete.
    public var isEmpty: Bool { entries.isEmpty }

    /// A frame from a process has begun to arrive. Returns the number under which to report its
    /// progress; later frames get higher numbers.
    public mutating func frameBegan(of peer: Int32) -> UInt64 {
        newest += 1
        entries[newest] = Entry(peer: peer, bytes: 0, began: checks)
        return newest
    }

    /// This many of the frame's bytes have arrived in all. Returns the frames to give up with their
    /// connections: the oldest of a peer that has too much, or the oldest of all.
    public mutating func frameGrew(_ number: UInt64, to count: Int) -> [UInt64] {
        guard let entry = entries[number] else { return [] }
        let more = count - entry.bytes
        entries[number]?.bytes = count
        bytes += more
        peers[entry.peer, default: 0] += more
        var given: [UInt64] = []
        while peers[entry.peer, default: 0] > peerBytesMax,
            let first = first(where: { $0.peer == entry.peer })
        {
            given.append(first)
            frameEnded(first)
        }
        while bytes > bytesMax, let first = first(where: { _ in true }) {
            given.append(first)
            frameEnded(first)
        }
        return given
    }

    /// The frame is complete, or its connection has ended.
    public mutating func frameEnded(_ number: UInt64) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        bytes -= entry.bytes
        let left = peers[entry.peer, default: 0] - entry.bytes
        peers[entry.peer] = left > 0 ? left : nil
    }

    /// The owner checks again, an interval or more after the last check. Returns the frames that
    /// have been incomplete for `Limits.unfinishedSeconds`: give them up.
    public mutating func checked() -> [UInt64] {
        checks += 1
        var given: [UInt64] = []
        while let number = first(where: { _ in true }), let entry = entries[number],
            checks - entry.began > Self.checksMax
        {
            given.append(number)
            frameEnded(number)
        }
        return given
    }

    /// Returns the oldest matching entry. Numbers below the oldest entry are not searched again.
    private mutating func first(where matches: (Entry) -> Bool) -> UInt64? {
        while oldest <= newest, entries[oldest] == nil { oldest += 1 }
        guard oldest <= newest else { return nil }
        return (oldest...newest).first { entries[$0].map(matches) == true }
    }
}
