// AppMarks: the choices that tools have made for apps, as files for the next napkind.

import Glibc
import NapkinHost
import NapkinProtocol

/// Files beside the sockets: the next napkind finds them, and a later login session does not.
struct AppMarks {
    /// The directory of napkind's socket.
    let directory: String
    /// napkind's own log level, which needs no mark.
    let logLevel: String

    // MARK: - Stopped apps

    private func mark(of app: String) -> String { "\(directory)/\(app).stopped" }

    func isStopped(_ app: String) -> Bool { access(mark(of: app), F_OK) == 0 }

    func unmarkStopped(_ app: String) throws(Refusal) {
        let path = mark(of: app)
        try check(
            unlink(path) == 0 || errno == ENOENT, path,
            "\(app) stays stopped, since it would be for the next napkind")
    }

    func markStopped(_ app: String) throws(Refusal) {
        let path = mark(of: app)
        let descriptor = Glibc.open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try check(
            descriptor >= 0, path, "\(app) goes on, since the next napkind would start it again")
        close(descriptor)
    }

    /// Checks that the marks can be changed, so that a failure leaves everything as it was.
    private func check(
        _ isDone: Bool, _ path: String, _ consequence: String
    ) throws(Refusal) {
        guard !isDone else { return }
        let reason = String(cString: strerror(errno))
        throw Refusal(.overloaded, "\(consequence): \(path) cannot be changed: \(reason)")
    }

    // MARK: - Log levels

    /// The log level that a tool has set for an app. It is the target of a link, which is never
    /// half written.
    private func levelMark(of app: String) -> String {
        "\(directory)/\(app).log-level"
    }

    /// Returns the log level that was set for an app; `nil` if napkind's level applies.
    func changedLevel(of app: String) -> String? {
        var target = [CChar](repeating: 0, count: 16)
        let count = max(0, readlink(levelMark(of: app), &target, target.count))
        let word = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Another process may have written a different word.
        return LogLevel.objection(to: word) == nil ? word : nil
    }

    func keepLevel(_ level: String, of app: String) throws(Refusal) {
        let path = levelMark(of: app)
        let new = path + ".new"
        unlink(new)
        defer { unlink(new) }
        let isKept =
            level == logLevel
            ? unlink(path) == 0 || errno == ENOENT
            : symlink(level, new) == 0 && rename(new, path) == 0
        try check(isKept, path, "the level of \(app) stays, since the next napkind would not know")
    }
}
