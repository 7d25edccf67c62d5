// ProgramWatch: sees that the file of this program has been built again.
//
// Ownership  watches until it is released.
// Invariant  says nothing of a file that is still being written, or cannot be executed.
// Source     inotify(7); execve(2): a file that runs cannot be written, so it is another one

import Glibc
import NapkinTransport

/// Watches the directory of a program that runs.
@MainActor
final class ProgramWatch {
    let path: String
    private let events: DirectoryEvents

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
        events = try DirectoryEvents()
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let name = String(path[slash...].dropFirst())
        try events.watch(
            String(path[..<slash]) + "/", for: IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB)
        events.onEvents = { [weak self] events in
            if events.contains(where: { $0.name == name }), self?.isReplaced == true {
                onReplaced()
            }
        }
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
}
