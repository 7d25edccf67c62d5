// JournalStream: a connection to systemd's journal that gives our lines a name.
//
// Source     systemd.exec(5), $JOURNAL_STREAM; sd_journal_stream_fd(3), whose six lines these are

import Glibc
import NapkinTransport

package enum JournalStream {
    private static let variable = "JOURNAL_STREAM"
    private static let socket = "/run/systemd/journal/stdout"

    /// Whether our standard error is a stream of the journal. The journal stores and rotates its
    /// input, and knows which process wrote it.
    package static let isOurs: Bool = {
        getenv(variable).map { String(cString: $0) } == name(of: STDERR_FILENO)
    }()

    private static func name(of descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// Prints this process's output under that name in the journal from now on. If the journal
    /// cannot be reached, nothing changes.
    package static func open(as name: String) {
        // Output keeps going to the former stream.
        guard let descriptor = try? SocketPath(socket).connect() else { return }
        defer { close(descriptor) }
        // Name, unit, priority (info), whether lines may begin with a priority, and three targets
        // to which lines are not forwarded.
        let header = Array("\(name)\n\n6\n1\n0\n0\n0\n".utf8)
        guard write(descriptor, header, header.count) == header.count else { return }
        shutdown(descriptor, Int32(SHUT_RD))
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(descriptor, standard) }
        if let own = Self.name(of: STDERR_FILENO) { setenv(variable, own, 1) }
    }
}
