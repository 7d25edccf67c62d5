// ProgramWatch: detects that this program's file has been rebuilt.
//
// Ownership  watches until it is released.
// Invariant  ignores a file that is still being written, or cannot be executed.
// Source     inotify(7); execve(2): a running file cannot be written, so a new one replaces it

import Glibc
import NapkinTransport

@MainActor
final class ProgramWatch {
    let path: String
    private let events: DirectoryEvents

    /// Starts watching.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - onReplaced: called when another file has replaced it, closed and executable; again after
    ///     each further change of it.
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

    /// The path of this program's file, whether or not it has been replaced since the start.
    static var ownPath: String? {
        guard let path = OwnProgram.path else { return nil }
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// Whether the path now holds another executable program than this one.
    var isReplaced: Bool {
        var own = stat()
        var now = stat()
        guard stat(OwnProgram.link, &own) == 0, stat(path, &now) == 0 else { return false }
        let isOther = own.st_ino != now.st_ino || own.st_dev != now.st_dev
        return isOther && now.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
