// HeldFiles: a keeper's files about a held program: its state, its output, its sockets.
//
// Isolation  any thread: plain system calls on files of the page cache, no libuv.
// Ownership  owns the descriptor of the directory: a program that is started later with the same
//            key has another directory.
// Invariant  reads wake no process, and have a limit.
// Source     Sources/Runtime/NapkinKeeper/main.c writes the file, whose layout is repeated here.

internal import Glibc

/// The known facts about a held program.
package struct HeldFacts: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// Its keeper is about to start it.
        case starting
        case running
        case ended(ChildProcess.ExitStatus)
        /// The keeper was killed; the program was sent SIGHUP.
        case keeperKilled
        case machineRestarted
    }

    package var state: State
    /// The offsets of the oldest byte that is kept, and of the next one.
    package var begin: UInt64 = 0
    package var end: UInt64 = 0
    /// The program's process, and its keeper's.
    package var program: Int32 = 0
    package var keeper: Int32 = 0
    /// The `errno` of a disk that the output waits for; 0 if it does not wait.
    package var waits: Int32 = 0
    /// Milliseconds since 1970; 0 if it has not ended, or nobody saw its end.
    package var began: UInt64 = 0
    package var ended: UInt64 = 0
    /// The program and its arguments, for people, shortened.
    package var command = ""

    package var isAlive: Bool { state == .starting || state == .running }
}

/// The directory of one held program.
package final class HeldFiles: Sendable {
    /// The suffix of the name of a session's directory, and of a program's.
    package static let suffix = ".held"
    /// Bytes that one read returns. Chosen: some microseconds of the loop.
    package static let readBytesMax = 64 * 1024
    /// Bytes of a message to a keeper.
    package static let messageBytesMax = 4096
    /// The keeper's sockets.
    package enum Socket: String {
        case orders
        case input
    }

    package let path: String
    private let directory: Int32

    /// Opens a program's directory; `nil` if there is none.
    package init?(_ path: String) {
        self.path = path
        directory = open(path, O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard directory >= 0 else { return nil }
    }

    deinit { if directory >= 0 { close(directory) } }

    /// Another name of the directory: short, and right even if another has its path by now.
    package var link: String { "/proc/self/fd/\(directory)" }

    // MARK: - The file

    /// Returns the facts; `nil` if there is no such program, or no longer.
    package func facts() -> HeldFacts? { withFile { Self.facts(of: $0) } ?? nil }

    /// Returns output from this offset on, with the offset of its first byte. The offset is greater
    /// if earlier output is no longer kept. Empty if there is no more output yet.
    package func output(from offset: UInt64) -> (offset: UInt64, bytes: [UInt8]) {
        withFile { file in
            while let head = Head(file) {
                let first = max(offset, head.begin)
                guard first < head.end else { return (min(first, head.end), []) }
                let place = first % head.ring
                let count = min(UInt64(Self.readBytesMax), head.end - first, head.ring - place)
                var bytes = [UInt8](repeating: 0, count: Int(count))
                let got = pread(file, &bytes, bytes.count, off_t(Head.pageBytes + place))
                // Output that the keeper has overwritten meanwhile is read again, further on.
                guard got > 0, let now = Head(file) else { break }
                if now.begin <= first { return (first, Array(bytes.prefix(got))) }
            }
            return (offset, [])
        } ?? (offset, [])
    }

    private func withFile<Result>(_ body: (Int32) -> Result) -> Result? {
        // Read-only: closing such a descriptor wakes no watcher.
        let file = openat(directory, "output", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return body(file)
    }

    private static func facts(of file: Int32) -> HeldFacts? {
        // The keeper writes the end before it releases the lock.
        let isHeld = flock(file, LOCK_SH | LOCK_NB) != 0
        if !isHeld { flock(file, LOCK_UN) }
        guard let head = Head(file) else { return isHeld ? HeldFacts(state: .starting) : nil }
        return head.facts(isHeld: isHeld)
    }

    // MARK: - The sockets

    /// Sends a message to the keeper. Returns 0 or an `errno`: `EAGAIN` if too many are waiting,
    /// `ECONNREFUSED` or `ENOENT` if there is no keeper any more.
    package func send(_ message: [UInt8], to name: Socket) -> Int32 {
        precondition(message.count <= Self.messageBytesMax, "a keeper takes short messages")
        // The path through a descriptor is short.
        guard let path = try? SocketPath("\(link)/\(name.rawValue)") else { return ENAMETOOLONG }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let sent = LocalSocket.withAddress(of: path) { address, length in
            sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, length)
        }
        return sent >= 0 ? 0 : errno
    }

    /// Sends the program's group SIGTERM, and SIGKILL after `grace`. Returns 0 or an `errno`.
    @discardableResult
    package func end(grace: Duration) -> Int32 {
        let milliseconds = min(max(0, grace / .milliseconds(1)), 86_400_000)
        let bytes = withUnsafeBytes(of: UInt32(milliseconds)) { Array($0) }
        return send([UInt8(ascii: "e")] + bytes, to: .orders)
    }

    // MARK: - The directory

    /// Removes the files of a program that has ended. Returns false if it may still run.
    @discardableResult
    package func remove() -> Bool {
        if facts()?.isAlive == true { return false }
        for name in ["output", Socket.orders.rawValue, Socket.input.rawValue] {
            unlinkat(directory, name, 0)
        }
        return rmdir(path) == 0
    }

    /// Returns the names in a directory of held programs, without their suffix, sorted.
    package static func names(in directory: String) -> [String] {
        (DirectoryNames.of(directory, ending: suffix) ?? []).sorted()
    }
}

/// The first page of a keeper's file.
private struct Head {
    static let pageBytes: UInt64 = 4096
    private static let magic = Array("NAPKEEP1".utf8)
    private static let bytes = 1136
    /// Bytes that a keeper may be overwriting. Source: CHUNK of the keeper.
    private static let chunkBytes: UInt64 = 64 * 1024

    private var fields = [UInt8](repeating: 0, count: Self.bytes)

    /// Reads the page; `nil` if there is none, or if it makes no sense.
    init?(_ file: Int32) {
        // The keeper may be writing it: then the two counts differ. Chosen: it writes for less than
        // a microsecond.
        for _ in 0..<1000 {
            guard pread(file, &fields, Self.bytes, 0) == Self.bytes,
                fields.starts(with: Self.magic)
            else { return nil }
            let complement: UInt64 = number(24)
            guard end == ~complement else { continue }
            guard ring > Self.chunkBytes else { return nil }
            return
        }
        return nil
    }

    var ring: UInt64 { number(8) }
    var end: UInt64 { number(16) }

    var begin: UInt64 {
        let kept = ring - Self.chunkBytes
        return end > kept ? end - kept : 0
    }

    func facts(isHeld: Bool) -> HeldFacts? {
        let value: Int32 = number(36)
        let state: HeldFacts.State
        switch number(32) as UInt32 {
        case 2: state = .ended(.exited(value))
        case 3: state = .ended(.signalled(value))
        case let started:
            if isHeld {
                state = started == 1 ? .running : .starting
            } else if text(72, 40) != Self.boot {
                state = .machineRestarted
            } else if started == 1 {
                state = .keeperKilled
            } else {
                return nil
            }
        }
        return HeldFacts(
            state: state, begin: begin, end: end, program: number(40), keeper: number(44),
            waits: number(48), began: number(56), ended: number(64), command: text(112, 1024))
    }

    private func number<T: FixedWidthInteger>(_ offset: Int) -> T {
        fields.withUnsafeBytes { $0.load(fromByteOffset: offset, as: T.self) }
    }

    private func text(_ offset: Int, _ count: Int) -> String {
        String(decoding: fields[offset..<(offset + count)].prefix { $0 != 0 }, as: UTF8.self)
    }

    private static let boot = ProcessStatus.boot
}
