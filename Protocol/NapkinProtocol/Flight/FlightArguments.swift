// FlightArguments: the arguments of the newest inputs that a worker has noted.
//
// Ownership  the worker's loop thread writes; a copy is read.
// Invariant  nothing in a copy can trap its reader; older arguments give way to newer ones.
// Spec       Protocol/FLIGHT.md, section 1 (The memory)

/// The memory behind a worker's page in which it keeps arguments.
@frozen
public struct FlightArguments {
    /// The bytes that the arguments of one input may have. Chosen: what a person types has fewer.
    public static let bytesMax = 16 * 1024
    /// The bytes for all of them. Chosen: so many that the newest 64 inputs of a person fit.
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
