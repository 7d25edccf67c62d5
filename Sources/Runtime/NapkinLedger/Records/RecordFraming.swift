// RecordFraming: frames records as the bytes of a group, and parses them.
//
// Layer      ledger. Pure; a record is any sequence of bytes.
// Invariant  reading returns what was written, or an error: a group that is cut off, changed, or
//            read under another number is recognised.
// Spec       Protocol/LEDGER.md, "Groups"

import NapkinCoding

/// The shape of a group.
package enum RecordFraming {
    /// The largest record. Chosen: four of the protocol's largest frames, as one stretch may have
    /// the states of several nodes and an answer.
    package static let recordBytesMax = 64 * 1024 * 1024
    /// The largest group, with its framing. Chosen: SQLite keeps at most 1,000,000,000 bytes in a
    /// row, and a group is in memory as a whole.
    package static let groupBytesMax = 256 * 1024 * 1024

    /// Bytes of a group besides its records: the magic, the number, the count and the checksum.
    package static let headerBytes = 20
    /// Bytes of each record besides its payload: length, checksum, length.
    package static let recordOverheadBytes = 12

    /// "NKG1", read as a little-endian number.
    static let magic: UInt32 = 0x3147_4B4E

    /// Returns a group's bytes.
    ///
    /// The records and the group must be within the limits above; the collector of a group refuses
    /// anything larger.
    package static func frame(_ records: [[UInt8]], number: GroupNumber) -> [UInt8] {
        var writer = GroupWriter()
        do {
            for record in records { try writer.append(encoded: record) }
        } catch {
            preconditionFailure(error.detail)
        }
        return writer.take(number)
    }

    /// Returns the records of a group that was stored under a number.
    package static func records(
        in group: [UInt8], number: GroupNumber
    ) throws(RecordError) -> [[UInt8]] {
        var reader = Reader(group: group)
        guard try reader.word() == magic else { throw .notGroup }
        let low = try reader.word()
        let stored = GroupNumber(low) | GroupNumber(try reader.word()) << 32
        guard stored == number else { throw .number(stored) }
        let count = Int(try reader.word())
        let checksum = try reader.word()
        // A damaged count must reserve nothing.
        guard count <= (group.count - headerBytes) / recordOverheadBytes else {
            throw .short(at: group.count)
        }
        var heads = CRC32C()
        group.withUnsafeBytes { heads.add(UnsafeRawBufferPointer(rebasing: $0[..<16])) }
        var records: [[UInt8]] = []
        records.reserveCapacity(count)
        for _ in 0..<count {
            records.append(try reader.record(&heads))
        }
        guard reader.offset == group.count else { throw .trailing(at: reader.offset) }
        guard heads.value == checksum else { throw .checksum(at: 16) }
        return records
    }

    /// Reads from the start, and never past the end.
    private struct Reader {
        let group: [UInt8]
        private(set) var offset = 0

        init(group: [UInt8]) { self.group = group }

        mutating func word() throws(RecordError) -> UInt32 {
            guard group.count - offset >= 4 else { throw .short(at: offset) }
            defer { offset += 4 }
            return group.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
        }

        /// The record at the offset; its length and checksum go into the group's checksum.
        mutating func record(_ heads: inout CRC32C) throws(RecordError) -> [UInt8] {
            let start = offset
            let length = try word()
            let checksum = try word()
            guard length <= recordBytesMax else { throw .large(at: start) }
            guard group.count - offset >= Int(length) else { throw .short(at: offset) }
            let payload = offset..<offset + Int(length)
            offset = payload.upperBound
            guard try word() == length else { throw .lengths(at: start) }
            let found = group.withUnsafeBytes {
                CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[payload]))
            }
            guard found == checksum else { throw .checksum(at: start) }
            heads.add(UInt64(checksum) << 32 | UInt64(length))
            return Array(group[payload])
        }
    }
}

/// Collects the records of a group in one buffer, which is used again for the next group.
package struct GroupWriter: ~Copyable {
    private var writer = CBORWriter()
    private var count: UInt32 = 0

    package init() {}

    var isEmpty: Bool { count == 0 }
    var byteCount: Int { writer.count }

    /// Adds a record; returns its bytes.
    ///
    /// Throws the errors of the encoding, and `lengthExceeded` for a record or a group that would
    /// be too large; nothing has been added then.
    mutating func append(_ record: borrowing Record) throws(CBORError) -> Int {
        let start = begin()
        do throws(CBORError) {
            try record.encode(into: &writer)
        } catch {
            writer.truncate(to: start)
            throw error
        }
        return try end(start)
    }

    mutating func append(encoded record: [UInt8]) throws(CBORError) {
        let start = begin()
        writer.append(record)
        _ = try end(start)
    }

    /// Begins a record and, if necessary, the group before it. Returns the record's offset.
    private mutating func begin() -> Int {
        beginGroup()
        let start = writer.count
        // The length and the checksum, once they are known.
        writer.append(littleEndian: UInt64(0))
        return start
    }

    private mutating func beginGroup() {
        if writer.count == 0 { writer.append(byteCount: RecordFraming.headerBytes) { _ in } }
    }

    private mutating func end(_ start: Int) throws(CBORError) -> Int {
        let bytes = writer.count - start - 8
        guard bytes <= RecordFraming.recordBytesMax,
            writer.count + 4 <= RecordFraming.groupBytesMax
        else {
            writer.truncate(to: start)
            throw CBORError(
                .lengthExceeded, "\(bytes) bytes after \(start) are too much for a group")
        }
        let checksum = writer.withUnsafeBytes {
            CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[(start + 8)...]))
        }
        writer.overwrite(littleEndian: UInt64(checksum) << 32 | UInt64(bytes), at: start)
        writer.append(littleEndian: UInt32(bytes))
        count += 1
        return bytes
    }

    /// Returns the group's bytes, and begins the next one.
    mutating func take(_ number: GroupNumber) -> [UInt8] {
        beginGroup()
        writer.overwrite(littleEndian: RecordFraming.magic, at: 0)
        writer.overwrite(littleEndian: number, at: 4)
        writer.overwrite(littleEndian: count, at: 12)
        let checksum = writer.withUnsafeBytes { bytes in
            var heads = CRC32C()
            heads.add(UnsafeRawBufferPointer(rebasing: bytes[..<16]))
            var offset = RecordFraming.headerBytes
            while offset < bytes.count {
                let length = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                heads.add(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 8]))
                offset += RecordFraming.recordOverheadBytes + Int(UInt32(littleEndian: length))
            }
            return heads.value
        }
        writer.overwrite(littleEndian: checksum, at: 16)
        defer {
            writer.removeAll()
            count = 0
        }
        return writer.copyBytes()
    }
}

/// A defect of a group, and its offset in bytes.
package enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin as a group does.
    case notGroup
    /// It is the group with another number.
    case number(GroupNumber)
    /// It ends too early.
    case short(at: Int)
    /// The record there exceeds the size limit.
    case large(at: Int)
    /// The two lengths of the record there differ.
    case lengths(at: Int)
    /// The record there, or the group's header at 16, has another checksum.
    case checksum(at: Int)
    /// There are bytes after the last record.
    case trailing(at: Int)

    package var description: String {
        switch self {
        case .notGroup: "it does not begin as a group does"
        case .number(let number): "it is group \(number)"
        case .short(let offset): "it ends at byte \(offset), too early"
        case .large(let offset): "the record at byte \(offset) is longer than any"
        case .lengths(let offset): "the record at byte \(offset) has two lengths"
        case .checksum(let offset): "the checksum at byte \(offset) does not match"
        case .trailing(let offset): "something comes after its last record, at byte \(offset)"
        }
    }
}
