// FlightInput: an input of a session, as a worker notes it before it runs, and the arguments of the
// newest inputs.
//
// Ownership  the worker's loop thread writes; a copy is read.
// Invariant  nothing in a copy can trap its reader; older arguments give way to newer ones.
// Spec       Protocol/FLIGHT.md, section 1 (The memory)

import NapkinCoding

/// One input, and the session to which it belongs.
public struct FlightInput: Hashable, Codable, Sendable {
    /// The kind of input.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A front's event.
        case event
        /// The firing of a timer.
        case firing
        /// An attempt to perform a job.
        case job
        /// The final failure of a job.
        case deadJob
        /// The launch of a session's tree, from its image if it has one.
        case launch
        /// A bound task, which is noted when it begins.
        case task

        /// Whether the session's ledger counts how often it ends the worker, and gives it up.
        public var isCounted: Bool { self == .firing || self == .job }

        /// The number in a page.
        @inlinable var place: UInt8 {
            switch self {
            case .event: 1
            case .firing: 2
            case .job: 3
            case .deadJob: 4
            case .launch: 5
            case .task: 6
            }
        }
    }

    public var kind: Kind
    /// The session's name when the input came.
    public var session: String
    /// The node that handles the input; 0 for a launch and a task.
    public var node: UInt32
    /// The hash of the node's feature, as ``MethodID`` hashes a method; 0 for a launch and a task.
    public var feature: UInt32
    /// The method that is called; 0 for a launch and a task.
    public var method: UInt32
    /// The front that sent an event; 0 for an input of the session itself.
    public var front: UInt64
    /// The event's number, or the number of the timer or job.
    public var sequence: UInt64
    /// A hash of the arguments, by ``FlightHash``.
    public var hash: UInt64
    /// The epoch of the session's tree; a durable session's stays the same in the next process.
    public var epoch: UInt32?
    /// When it began, in nanoseconds of the machine's monotonic clock.
    public var nanoseconds: UInt64
    /// The encoded arguments, or a task's description in UTF-8; absent if they are secret or long,
    /// or if the input is too old.
    public var arguments: [UInt8]?
    /// Whether the session's ledger, which counts the attempts of its timers and jobs, gives the
    /// input up if it ends the worker; absent if not.
    public var isLast: Bool?
    /// Whether the handler has changed a durable state; absent if not, or if none is recorded.
    public var hasChanged: Bool?

    public init(
        _ kind: Kind, session: String, node: UInt32 = 0, feature: UInt32 = 0, method: UInt32 = 0,
        front: UInt64 = 0, sequence: UInt64 = 0, hash: UInt64 = 0, nanoseconds: UInt64 = 0,
        epoch: UInt32? = nil, isLast: Bool? = nil
    ) {
        (self.epoch, self.isLast) = (epoch, isLast)
        (self.kind, self.session, self.node) = (kind, session, node)
        (self.feature, self.method) = (feature, method)
        (self.front, self.sequence, self.hash) = (front, sequence, hash)
        self.nanoseconds = nanoseconds
    }

    /// Whether both are the same delivery of the same input, perhaps to two processes of a worker.
    public func isRepetition(of other: Self) -> Bool {
        kind == other.kind && front == other.front && sequence == other.sequence
            && epoch == other.epoch && isEqual(to: other)
    }

    /// Whether both call the same method of the same session's node with the same arguments.
    public func isEqual(to other: Self) -> Bool {
        session == other.session && node == other.node && feature == other.feature
            && method == other.method && hash == other.hash
    }
}

/// A hash of an input's arguments, the same in each process.
public enum FlightHash {
    /// The number of bytes that are read at each end of the arguments. Chosen: an event of that
    /// size is hashed in less than a tenth of a microsecond. Inputs that differ only in between
    /// have the same hash, and count as equal.
    private static let bytesMax = 512

    @inlinable
    public static func value(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        // Many events have no arguments.
        bytes.isEmpty ? ofNone : some(bytes)
    }

    /// The hash of no bytes.
    @usableFromInline static var ofNone: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    @usableFromInline
    static func some(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard bytes.count > 2 * bytesMax else { return mixed(bytes, seed: UInt64(bytes.count)) }
        let head = mixed(
            UnsafeRawBufferPointer(rebasing: bytes.prefix(bytesMax)), seed: UInt64(bytes.count))
        return mixed(UnsafeRawBufferPointer(rebasing: bytes.suffix(bytesMax)), seed: head)
    }

    /// Folds 16 bytes at a time by a full multiplication, as wyhash does.
    @inline(__always)
    private static func mixed(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var hash = seed ^ 0x9E37_79B9_7F4A_7C15
        guard let start = bytes.baseAddress, bytes.count >= 16 else {
            let (first, second) = ends(of: bytes)
            return fold(first ^ 0xA076_1D64_78BD_642F, second ^ hash)
        }
        var place = start
        let last = start + (bytes.count &- 16)
        while place < last {
            hash = fold(word(place) ^ 0xA076_1D64_78BD_642F, word(place + 8) ^ hash)
            place += 16
        }
        // The last 16 bytes, some of which may have been read already.
        return fold(word(last) ^ 0xE703_7ED1_A0B4_28DB, word(last + 8) ^ hash)
    }

    /// Hashes fewer than 16 bytes, in two words.
    @inline(__always)
    private static func ends(of bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        guard let start = bytes.baseAddress else { return (0, 0) }
        let count = bytes.count
        if count >= 8 { return (word(start), word(start + (count &- 8))) }
        var rest: UInt64 = 0
        for index in 0..<count {
            rest = rest << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self))
        }
        return (rest, 0)
    }

    @inline(__always)
    private static func word(_ place: UnsafeRawPointer) -> UInt64 {
        place.loadUnaligned(as: UInt64.self).littleEndian
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

/// The memory after a worker's page, in which the worker keeps arguments.
@frozen
public struct FlightArguments {
    /// The bytes that the arguments of one input may have. Chosen: more than a person types.
    public static let bytesMax = 16 * 1024
    /// The bytes for all arguments. Chosen: enough for the newest 64 inputs of a person.
    @usableFromInline static let room = 128 * 1024
    /// The place of a table with the number, position and length of each record's arguments.
    @usableFromInline static let table = 64
    @usableFromInline static let rowBytes = 32
    @usableFromInline static let data = table + FlightPage.recordsMax * rowBytes
    /// The size of the memory.
    public static let bytes = data + room

    @usableFromInline let memory: UnsafeMutableRawPointer

    /// Uses `bytes` bytes of memory, which must be zero, and outlive this value.
    public init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// Keeps the arguments of a record, unless they are too long.
    @inlinable
    func keep(_ arguments: UnsafeRawBufferPointer, of record: UInt64) {
        guard arguments.count <= Self.bytesMax else { return }
        var position = memory.load(as: UInt64.self)
        let place = Int(truncatingIfNeeded: position % UInt64(Self.room))
        // They are in one piece.
        if place &+ arguments.count > Self.room { position &+= UInt64(Self.room &- place) }
        if !arguments.isEmpty, let bytes = arguments.baseAddress {
            (memory + Self.data + Int(truncatingIfNeeded: position % UInt64(Self.room)))
                .copyMemory(from: bytes, byteCount: arguments.count)
        }
        let row = memory + Self.row(of: record)
        row.storeBytes(of: record, as: UInt64.self)
        row.storeBytes(of: position, toByteOffset: 8, as: UInt64.self)
        row.storeBytes(of: UInt64(arguments.count), toByteOffset: 16, as: UInt64.self)
        memory.storeBytes(of: position &+ UInt64(arguments.count), as: UInt64.self)
    }

    /// Returns the hash of a record's arguments; `nil` if they were not kept.
    func hash(of record: UInt64) -> UInt64? {
        let row = memory + Self.row(of: record)
        guard row.load(as: UInt64.self) == record else { return nil }
        let position = row.load(fromByteOffset: 8, as: UInt64.self)
        let count = Int(truncatingIfNeeded: row.load(fromByteOffset: 16, as: UInt64.self))
        let start = memory + Self.data + Int(truncatingIfNeeded: position % UInt64(Self.room))
        return FlightHash.value(of: UnsafeRawBufferPointer(start: start, count: count))
    }

    @inlinable
    static func row(of record: UInt64) -> Int {
        table &+ Int(truncatingIfNeeded: record % UInt64(FlightPage.recordsMax)) &* rowBytes
    }

    /// Returns the arguments of a record from a copy of the memory; `nil` if they are not there.
    static func read(_ record: UInt64, in copy: UnsafeRawBufferPointer) -> [UInt8]? {
        guard copy.count >= bytes else { return nil }
        func word(_ offset: Int) -> UInt64 {
            copy.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        let row = row(of: record)
        let (written, position, count) = (word(0), word(row + 8), word(row + 16))
        let place = data + Int(position % UInt64(room))
        guard word(row) == record, position <= written, count <= UInt64(bytesMax),
            count <= written - position, written - position <= UInt64(room),
            place + Int(count) <= bytes
        else { return nil }
        return Array(copy[place..<place + Int(count)])
    }
}
