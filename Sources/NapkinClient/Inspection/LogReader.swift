// LogReader: the lines of an app's log, over its files, and those that are added.
//
// Layer      executable, inspection.
// Isolation  @MainActor.
// Ownership  keeps the file that it reads, and at most `lineBytesMax` bytes of a line.
// Invariant  each line is read once, in order, also if the files get their next names meanwhile.
// Source     inotify(7)

import Glibc
import NapkinTransport

/// Reads a log that somebody else writes and renames.
@MainActor
final class LogReader {
    /// Bytes of a line; a longer one comes in pieces. Chosen.
    static let lineBytesMax = 64 * 1024
    /// The number of older files that are looked for. Chosen: more than a worker keeps.
    private static let olderMax = 9
    /// Bytes that are read at once. Chosen.
    private static let readBytes = 64 * 1024

    private struct File {
        let descriptor: Int32
        let identity: FileIdentity
    }

    private let path: String
    private let onLine: ([UInt8]) -> Void
    private var file: File?
    private var partial: [UInt8] = []
    private var events: DirectoryEvents?

    /// - Parameter onLine: called with each line, without its line break.
    init(_ path: String, onLine: @escaping ([UInt8]) -> Void) {
        (self.path, self.onLine) = (path, onLine)
    }

    isolated deinit {
        if let file { close(file.descriptor) }
    }

    /// Reads what there is and has not been read yet.
    func read() {
        for next in newer() {
            if let file {
                readRest(of: file)
                close(file.descriptor)
            }
            file = next
        }
        if let file { readRest(of: file) }
    }

    /// Ends with the line that has no line break yet.
    func finish() {
        if !partial.isEmpty { onLine(partial) }
        partial = []
    }

    /// Opens the files that are newer than the one that is being read, the oldest first; all of
    /// them if that one is not among them.
    private func newer() -> [File] {
        var found: [File] = []
        // From the newest on: a file that gets its next name meanwhile is met again, not missed.
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
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 1) { buffer in
            while true {
                let count = Glibc.read(file.descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                add(buffer[..<count])
            }
        }
    }

    private func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            let isBreak = byte == UInt8(ascii: "\n")
            if isBreak || partial.count == Self.lineBytesMax {
                onLine(partial)
                partial.removeAll(keepingCapacity: true)
            }
            if !isBreak { partial.append(byte) }
        }
    }

    /// Reads on whenever something is added.
    ///
    /// Errors: those of inotify(7), such as `EMFILE`.
    func follow() throws(TransportError) {
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let events = try DirectoryEvents()
        try events.watch(directory, for: IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        // Which file has changed does not matter: all are looked at.
        events.onEvents = { [weak self] _ in self?.read() }
        self.events = events
        // What was added before the watch.
        read()
    }
}
