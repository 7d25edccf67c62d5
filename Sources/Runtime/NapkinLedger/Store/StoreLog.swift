// StoreLog: reads a store's log before SQLite does, to find its owner and its lost commits.
//
// Isolation  value; reading it blocks.
// Source     fileformat2.html, section 4 (The Write-Ahead Log); Protocol/LEDGER.md, "The log"

import Glibc

/// SQLite ends a log at the first frame that differs from what was written, and reports nothing of
/// the frames after it.
struct StoreLog {
    private static let headerBytes = 32
    private static let frameBytes = 24 + pageBytes
    private static let pageBytes = 4096
    /// The number of frames that are read at a time. Chosen: 1 MiB.
    private static let framesAtOnce = 256

    /// The number of commits that were written after the last one that SQLite finds.
    ///
    /// A power cut leaves at most one commit that was synced in part. Of unsynced commits, any
    /// number may be lost.
    private(set) var lostCommits = 0
    /// The offset up to which SQLite reads the log.
    private(set) var end = 0
    /// The end of the newest commit, whether or not SQLite finds it.
    private var newestEnd = 0
    /// The counts of tidying that the log's commits contain, from the first to the last.
    private var tidied: ClosedRange<UInt64>?

    // The state of the reading.
    private var isBigEndian = false
    private var salts: UInt64 = 0
    private var sum = Sum()
    private var isWhole = true
    private var uncommitted: UInt64?

    /// Reads the log of a store; a log that is missing or all zeros has no commits.
    init(of path: String) throws(StoreError) {
        let log = StoreFile.log(of: path)
        let file = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.framesAtOnce * Self.frameBytes)
        guard pread(file, &bytes, Self.headerBytes, 0) == Self.headerBytes,
            bytes[..<Self.headerBytes].contains(where: { $0 != 0 })
        else { return }
        bytes.withUnsafeBytes { readHeader($0) }
        var offset = Self.headerBytes
        while true {
            let count = pread(file, &bytes, bytes.count, off_t(offset))
            guard count >= 0 else {
                throw StoreError(.failed, path: log, String(cString: strerror(errno)))
            }
            for start in stride(from: 0, to: count - Self.frameBytes + 1, by: Self.frameBytes) {
                bytes.withUnsafeBytes { bytes in
                    let frame = bytes[start..<start + Self.frameBytes]
                    readFrame(UnsafeRawBufferPointer(rebasing: frame), at: offset + start)
                }
            }
            guard count == bytes.count else { return }
            offset += count
        }
    }

    /// Throws if the log belongs to another file. A log's first `tidied` is at most one above that
    /// of its file; if the log was moved in part, the file's count is one of the log's.
    func check(beside connection: SQLiteConnection) throws(StoreError) {
        let path = connection.path
        let page = try connection.bytes(at: Self.pageBytes, count: Self.pageBytes)
        guard let tidied, let own = page.withUnsafeBytes({ Self.tidied(in: $0) }),
            own &+ 1 < tidied.lowerBound || own > tidied.upperBound
        else { return }
        throw StoreError(
            .damaged, path: path,
            "the log beside it, \(StoreFile.log(of: path)), belongs to another file; if this one "
                + "is a copy that was put here to be restored, move the log away")
    }

    /// If commits are lost, copies both files, since SQLite overwrites them, and cuts off the part
    /// that could later be mistaken for a lost commit. Returns a description of what happened.
    func keepIfDamaged(beside connection: SQLiteConnection) throws(StoreError) -> String? {
        guard lostCommits > 0 else { return nil }
        let path = connection.path
        var copy = path + ".damaged"
        var number = 1
        while try StoreFile.size(of: copy) != nil {
            number += 1
            copy = path + ".damaged-\(number)"
        }
        // One that was written in part has not been acknowledged.
        if lostCommits > 1 {
            let log = StoreFile.log(of: path)
            let file = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            defer { close(file) }
            try StoreFile.copy(log, to: StoreFile.log(of: copy)) {
                (offset, count) throws(StoreError) in
                var bytes = [UInt8](repeating: 0, count: count)
                guard pread(file, &bytes, count, off_t(offset)) == count else {
                    throw StoreError(.failed, path: log, String(cString: strerror(errno)))
                }
                return bytes
            }
            try StoreFile.copy(path, to: copy) { (offset, count) throws(StoreError) in
                try connection.bytes(at: offset, count: count)
            }
        }
        try StoreFile.cutLog(of: path, to: end)
        guard lostCommits > 1 else { return nil }
        return "\(damage) are missing; both files are kept as they were: \(copy)"
    }

    var damage: String {
        "the log is damaged after \(end) bytes, and at least \(lostCommits) commits behind that"
    }

    /// Moves the whole log into a copy of the database, past damaged parts. Later frames repair
    /// earlier damage, since each has a whole page; other damage shows when the page is read.
    func moveAll(into path: String) throws(StoreError) {
        let (log, database) = (open(StoreFile.log(of: path), O_RDWR), open(path, O_RDWR))
        defer { for file in [log, database] { close(file) } }
        var frame = [UInt8](repeating: 0, count: Self.frameBytes)
        func number(_ place: Int, bytes: Int) -> UInt64 {
            frame.withUnsafeBytes { Self.number($0, place, bytes: bytes) }
        }
        pread(log, &frame, frame.count, off_t(newestEnd - frame.count))
        let pages = number(4, bytes: 4)
        for offset in stride(from: Self.headerBytes, to: newestEnd, by: Self.frameBytes) {
            pread(log, &frame, frame.count, off_t(offset))
            let page = number(0, bytes: 4)
            guard number(8, bytes: 8) == salts, page > 0, page <= pages else { continue }
            let place = off_t(page - 1) * off_t(Self.pageBytes)
            guard pwrite(database, Array(frame[24...]), Self.pageBytes, place) == Self.pageBytes
            else { throw StoreFile.failed(path, "writing it") }
        }
        guard ftruncate(database, off_t(pages) * off_t(Self.pageBytes)) == 0,
            ftruncate(log, 0) == 0
        else { throw StoreFile.failed(path, "cutting it") }
    }

    // MARK: - Reading

    private mutating func readHeader(_ bytes: UnsafeRawBufferPointer) {
        isBigEndian = bytes[3] & 1 == 1
        salts = Self.number(bytes, 16, bytes: 8)
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]), isBigEndian)
        // Whatever follows is then lost.
        let written = Sum(bytes, at: 24)
        isWhole = sum == written
        sum = written
        guard !isWhole else { return }
        salts = 0
        // SQLite writes in the machine's order; the bit that states it may be the damaged one.
        isBigEndian = UInt32(1).bigEndian == 1
    }

    private mutating func readFrame(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        // Frames left from an earlier use of the file have other salts.
        let own = Self.number(bytes, 8, bytes: 8)
        if salts == 0 { salts = own }
        let isCommit = Self.number(bytes, 4, bytes: 4) > 0
        let written = Sum(bytes, at: 16)
        // The next frame is intact if it continues this one's checksum, whatever this one is.
        defer { sum = written }
        guard own == salts, own != 0 else {
            isWhole = false
            return
        }
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<8]), isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[24...]), isBigEndian)
        let isValid = sum == written
        if isCommit, isValid { newestEnd = offset + bytes.count }
        guard isWhole, isValid else {
            if isCommit, isValid || isWhole { lostCommits += 1 }
            isWhole = false
            return
        }
        if Self.number(bytes, 0, bytes: 4) == 2 {
            uncommitted = Self.tidied(in: UnsafeRawBufferPointer(rebasing: bytes[24...]))
        }
        guard isCommit else { return }
        end = offset + bytes.count
        guard let last = uncommitted.take() else { return }
        tidied = min(tidied?.lowerBound ?? last, last)...last
    }

    /// Returns the number in the row of a page of `meta`; `nil` if there is none with its checksum.
    private static func tidied(in page: UnsafeRawBufferPointer) -> UInt64? {
        let name = StoreFormat.Key.tidied.rawValue
        // A record begins with the length of its header and the types of its three columns; the
        // type of a text of n bytes is 2 n + 13.
        let textType = UInt8(2 * name.utf8.count + 13)
        let lengths = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0]
        for place in 0..<page.count - 32 where page[place] == 4 && page[place + 1] == textType {
            let types = (Int(page[place + 2]), Int(page[place + 3]))
            let text = place + 4
            let value = text + name.utf8.count
            guard types.0 < lengths.count, types.1 < lengths.count,
                page[text..<value].elementsEqual(name.utf8)
            else { continue }
            func column(_ type: Int, at place: Int) -> UInt64 {
                type > 7 ? UInt64(type - 8) : number(page, place, bytes: lengths[type])
            }
            let found = column(types.0, at: value)
            if column(types.1, at: value + lengths[types.0])
                == StoreFormat.checksum(of: .tidied, found)
            {
                return found
            }
        }
        return nil
    }

    /// Returns a big-endian number.
    private static func number(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, bytes count: Int
    ) -> UInt64 {
        bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The checksum of all frames up to one.
    private struct Sum: Equatable {
        var first: UInt32 = 0
        var second: UInt32 = 0

        init() {}

        init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
            first = UInt32(number(bytes, place, bytes: 4))
            second = UInt32(number(bytes, place + 4, bytes: 4))
        }

        mutating func add(_ bytes: UnsafeRawBufferPointer, _ isBigEndian: Bool) {
            for place in stride(from: 0, to: bytes.count, by: 8) {
                let words = (
                    bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                )
                first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
                second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
            }
        }
    }
}
