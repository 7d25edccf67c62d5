// LogReader: the lines of an app's log across its files, and the lines that are added.
//
// Ownership  keeps the file that it reads, and at most `lineBytesMax` bytes of a line.
// Invariant  each line is read once, in order, even if the files are renamed meanwhile, unless
//            napkind cuts a file that its writer does not keep small.

import Glibc
import NapkinTransport

@MainActor
final class LogReader {
    /// Bytes of a line; a longer one arrives in pieces. Chosen: longer than a backtrace.
    static let lineBytesMax = 64 * 1024
    /// The number of older files that are looked for. Chosen: more than a worker keeps.
    private static let olderMax = 9
    /// Bytes that are read at once. Chosen: the longest line.
    private static let readBytes = 64 * 1024
    /// Bytes that are read of the existing output, from its end. Chosen: twice what workers keep if
    /// they limit their log.
    private static let bytesMax = 8 * 1024 * 1024
    /// The time between two checks of the files, of four system calls each: no watch survives the
    /// recreation of a directory. Chosen: nobody sees the delay.
    private static let interval = Duration.milliseconds(100)

    private struct File {
        let descriptor: Int32
        let identity: FileIdentity

        var bytes: Int {
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        }
    }

    private let path: String
    private let onLine: ([UInt8]) -> Void
    private var file: File?
    private var partial: [UInt8] = []
    /// Whether to skip the rest of a line whose beginning was skipped.
    private var skipsLine = false
    /// The number of bytes skipped at the beginning.
    private(set) var skipped = 0
    private var timer: LoopTimer?

    /// - Parameter onLine: called with each line, without its line break.
    init(_ path: String, onLine: @escaping ([UInt8]) -> Void) {
        (self.path, self.onLine) = (path, onLine)
    }

    isolated deinit {
        timer?.cancel()
        if let file { close(file.descriptor) }
    }

    func read() {
        let newer = newer()
        if file == nil { skip(in: newer) }
        for next in newer {
            if let file {
                readRest(of: file)
                close(file.descriptor)
            }
            file = next
        }
        if let file { readRest(of: file) }
    }

    /// Skips the beginning of the existing output if there is too much.
    private func skip(in files: [File]) {
        var rest = files.reduce(0) { $0 + $1.bytes } - Self.bytesMax
        (skipped, skipsLine) = (max(0, rest), rest > 0)
        for file in files {
            lseek(file.descriptor, max(0, min(rest, file.bytes)), SEEK_SET)
            rest -= file.bytes
        }
    }

    /// Ends with the line that has no line break yet.
    func finish() {
        if !partial.isEmpty, !skipsLine { onLine(partial) }
        (partial, skipsLine) = ([], false)
    }

    /// Opens the files that are newer than the file being read, the oldest first; all of them if
    /// that file is not among them.
    private func newer() -> [File] {
        var found: [File] = []
        // Begin with the newest: a file that is renamed meanwhile is then met again, not missed.
        for number in 0...Self.olderMax {
            let descriptor = open(
                number == 0 ? path : "\(path).\(number)",
                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            // The newest file may be missing for a moment.
            guard descriptor >= 0, let identity = FileIdentity(of: descriptor) else { continue }
            if identity == file?.identity {
                close(descriptor)
                break
            }
            if found.contains(where: { $0.identity == identity }) {
                close(descriptor)
            } else {
                found.append(File(descriptor: descriptor, identity: identity))
            }
        }
        return found.reversed()
    }

    private func readRest(of file: File) {
        if file.bytes < lseek(file.descriptor, 0, SEEK_CUR) {
            // The file was cut, and begins again.
            finish()
            lseek(file.descriptor, 0, SEEK_SET)
        }
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 1) { buffer in
            while true {
                let count = Glibc.read(file.descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let room = Self.lineBytesMax - partial.count
            let end = Self.lineBreak(in: UnsafeRawBufferPointer(rebasing: rest.prefix(room + 1)))
            partial += rest.prefix(end ?? room)
            rest = rest.dropFirst(end.map { $0 + 1 } ?? room)
            guard end != nil || !rest.isEmpty else { return }
            if !skipsLine { onLine(partial) }
            skipsLine = skipsLine && end == nil
            partial.removeAll(keepingCapacity: true)
        }
    }

    private static func lineBreak(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        return memchr(start, Int32(UInt8(ascii: "\n")), bytes.count)
            .map { start.distance(to: UnsafeRawPointer($0)) }
    }

    func follow() {
        timer = LoopTimer(after: .zero, repeating: Self.interval) { [weak self] in self?.read() }
    }
}
