// ProgramWatch: sees that the file of this program has been built again.
//
// Layer      executable, preview.
// Isolation  @MainActor: the loop thread.
// Ownership  owns its inotify descriptor until it is released.
// Invariant  says nothing of a file that is still being written, or cannot be executed.
// Source     inotify(7); execve(2): a file that runs cannot be written, so it is another one

import Glibc
import NapkinTransport

/// Watches the directory of a program that runs.
@MainActor
final class ProgramWatch {
    /// Bytes of events that are read at once. Chosen: some hundred events with long names.
    private static let readBytes = 64 * 1024
    private static let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR)

    let path: String
    private let name: String
    private let descriptor: Int32
    private let onReplaced: @MainActor () -> Void
    private var watcher: DescriptorWatcher?

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - onReplaced: called when another file is there, closed and executable; again after each
    ///     further change of it.
    init(
        _ path: String, onReplaced: @escaping @MainActor () -> Void
    ) throws(TransportError) {
        self.path = path
        self.onReplaced = onReplaced
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        name = String(path[slash...].dropFirst())
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw Self.error(path) }
        guard inotify_add_watch(descriptor, String(path[..<slash]) + "/", Self.events) >= 0 else {
            let error = Self.error(path)
            close(descriptor)
            throw error
        }
        do throws(TransportError) {
            watcher = try DescriptorWatcher(descriptor) { [weak self] in self?.read() }
        } catch {
            close(descriptor)
            throw error
        }
    }

    isolated deinit {
        watcher?.cancel()
        close(descriptor)
    }

    private static func error(_ path: String) -> TransportError {
        TransportError(
            code: "\(errno)", operation: "watch", subject: path,
            message: String(cString: strerror(errno)))
    }

    /// The file of this program, whether or not it has been replaced since it was started.
    static var ownPath: String? {
        guard let path = OwnProgram.path else { return nil }
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// Whether another program than this one is in the file, and can be executed.
    var isReplaced: Bool {
        var own = stat()
        var now = stat()
        guard stat(OwnProgram.link, &own) == 0, stat(path, &now) == 0 else { return false }
        let isOther = own.st_ino != now.st_ino || own.st_dev != now.st_dev
        return isOther && now.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private func read() {
        var isAffected = false
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 8) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            let headBytes = MemoryLayout<inotify_event>.size
            while offset + headBytes <= count {
                let head = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(count, offset + headBytes + Int(head.len))
                let bytes = buffer[(offset + headBytes)..<end].prefix { $0 != 0 }
                if bytes.elementsEqual(name.utf8) { isAffected = true }
                offset = end
            }
        }
        if isAffected, isReplaced { onReplaced() }
    }
}
