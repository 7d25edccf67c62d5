// SocketDirectory: a directory in which only we can create files, which protects its sockets.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Invariant  when checked, a directory that passed was ours and no other user could write in it.
//
// A socket's own mode protects nothing before it is bound, and anyone who may write in its
// directory can replace it. So the directory is checked, with lstat, which does not follow a link
// in the last component. Once it is ours and closed to other writers, nobody can exchange its
// contents.

internal import Glibc

/// The directory that holds a socket, or other files that belong to one user.
package struct SocketDirectory: Sendable, Hashable {
    /// Who chose the directory; decides how strict the check is.
    package enum Policy: Sendable, Equatable {
        /// napkin's own: created with mode 0700, and closed to group and others altogether.
        case own
        /// Named by the user (`--socket`): ours, and not writable by group and others. Created with
        /// its missing parents.
        case chosen
        /// For locks, logs and apps' files, closed to all other users. Created with its missing
        /// parents.
        case state
        /// For manifests: ours or root's, and not writable by group and others. A symbolic link of
        /// ours or root's is followed.
        case manifests
    }

    package let path: String
    package let policy: Policy
    /// The option or variable that names another directory; errors recommend it.
    package let option: String

    package init(path: String, policy: Policy, option: String? = nil) {
        self.path = path
        self.policy = policy
        self.option = option ?? (policy == .state ? "--state-dir DIR" : SocketPath.option)
    }

    /// The default directory: `$XDG_RUNTIME_DIR/napkin`, else `/tmp/napkin-<uid>`.
    package static var napkinDefault: SocketDirectory {
        if let runtime = absolute("XDG_RUNTIME_DIR") {
            return SocketDirectory(path: runtime + "/napkin", policy: .own)
        }
        return SocketDirectory(path: "/tmp/napkin-\(geteuid())", policy: .own)
    }

    /// The directory for locks, logs and durable sessions if the user names none:
    /// `$XDG_STATE_HOME/napkin`, else `.local/state/napkin` in the home directory that `HOME` or
    /// the user database names.
    ///
    /// Errors: `ENOENT` if the user has no home. Nothing is put into a shared directory.
    package static func stateDefault() throws(TransportError) -> SocketDirectory {
        try napkinsOwn(
            "state", in: "XDG_STATE_HOME", orHome: ".local/state", option: "--state-dir DIR",
            orUse: "set one of them, or use napkind's --state-dir DIR")
    }

    /// The directory for an app's data that must not be lost: `$XDG_DATA_HOME/napkin/APP`, else
    /// `.local/share/napkin/APP` in the home directory.
    ///
    /// Errors: `ENOENT` if the user has no home.
    package static func data(of app: String) throws(TransportError) -> SocketDirectory {
        try napkinsOwn("data", in: "XDG_DATA_HOME", orHome: ".local/share").below(app)
    }

    /// The directory for data that an app can recreate: `$XDG_CACHE_HOME/napkin/APP`, else
    /// `.cache/napkin/APP` in the home directory.
    ///
    /// Errors: `ENOENT` if the user has no home.
    package static func cache(of app: String) throws(TransportError) -> SocketDirectory {
        try napkinsOwn("cache", in: "XDG_CACHE_HOME", orHome: ".cache").below(app)
    }

    /// The file in which people configure an app: `$XDG_CONFIG_HOME/napkin/APP.yaml`, else
    /// `.config/napkin/APP.yaml` in the home directory. It need not exist.
    ///
    /// Errors: `ENOENT` if the user has no home.
    package static func configurationFile(of app: String) throws(TransportError) -> String {
        try napkinsOwn("configuration", in: "XDG_CONFIG_HOME", orHome: ".config")
            .below(app).path + ".yaml"
    }

    /// The directories of installed apps' manifests, in order of precedence: `napkin/apps` in
    /// `$XDG_DATA_HOME`, else in `.local/share` of the home directory, then in each of
    /// `$XDG_DATA_DIRS`, else in `/usr/local/share` and `/usr/share`.
    package static var manifests: [String] {
        // Without a home, only the system's directories remain.
        let own = try? ownManifests().path
        let named = getenv("XDG_DATA_DIRS").map { String(cString: $0) } ?? ""
        let shared = (named.isEmpty ? "/usr/local/share:/usr/share" : named).split(separator: ":")
            .filter { $0.hasPrefix("/") }.map { "\($0)/napkin/apps" }
        return [own].compactMap(\.self) + shared
    }

    /// The directory of the user's own manifests, the first of `manifests`.
    ///
    /// Errors: `ENOENT` if the user has no home.
    package static func ownManifests() throws(TransportError) -> SocketDirectory {
        let data = try napkinsOwn("data", in: "XDG_DATA_HOME", orHome: ".local/share")
        return SocketDirectory(
            path: data.path + "/apps", policy: .manifests, option: "the variable XDG_DATA_HOME")
    }

    private func below(_ name: String) -> SocketDirectory {
        SocketDirectory(path: "\(path)/\(name)", policy: policy, option: option)
    }

    /// Returns `napkin` in the directory that the variable names, else in one of the user's home.
    ///
    /// Source: XDG Base Directory Specification; a relative path in a variable is ignored.
    private static func napkinsOwn(
        _ what: String, in variable: String, orHome home: String, option: String? = nil,
        orUse remedy: String = "set one of them"
    ) throws(TransportError) -> SocketDirectory {
        let parent = absolute("HOME") ?? homeOfUser
        guard let base = absolute(variable) ?? parent.map({ "\($0)/\(home)" }) else {
            throw TransportError(
                code: "ENOENT", operation: "find directory", subject: "the \(what) directory",
                message: "neither \(variable) nor HOME is an absolute path, and the user "
                    + "\(geteuid()) has no home: \(remedy)")
        }
        return SocketDirectory(
            path: base + "/napkin", policy: .state, option: option ?? "the variable \(variable)")
    }

    /// Returns the value of a variable if it is an absolute path.
    private static func absolute(_ variable: String) -> String? {
        guard let value = getenv(variable), value[0] == CChar(UInt8(ascii: "/")) else { return nil }
        return String(cString: value)
    }

    private static var homeOfUser: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Bytes. Chosen: sysconf(_SC_GETPW_R_SIZE_MAX) is 1024.
        var text = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &entry, &text, text.count, &found) == 0, found != nil,
            let home = entry.pw_dir, home[0] == CChar(UInt8(ascii: "/"))
        else { return nil }
        return String(cString: home)
    }

    /// Creates the directory with mode 0700, unless it exists, and checks it and its ancestors.
    /// Missing parents are created too, except those of napkin's own directory. If an existing
    /// directory fails the check, nothing is created.
    ///
    /// Errors: `ENOTDIR` (something else is there, such as a symbolic link), `EPERM` (another
    /// user's), `EACCES` (open to others), or an error of mkdir(2). Nothing that exists is changed.
    package func ensure() throws(TransportError) {
        // A link in the last component is refused wherever it points, even with a trailing slash.
        let path = trimmed
        if try !exists() {
            if policy != .own { try createParents(of: path) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw LocalSocket.systemError("create directory", on: path)
            }
        }
        try check()
    }

    /// Returns whether the directory exists. If not, checks its existing ancestors, and that the
    /// missing ones can be created.
    ///
    /// Errors: the same as for `ensure()`.
    package func exists() throws(TransportError) -> Bool {
        var status = stat()
        if lstat(trimmed, &status) == 0 { return true }
        guard access(try checkAbove(trimmed) + "/.", W_OK | X_OK) == 0 else {
            throw LocalSocket.systemError("create directory", on: trimmed)
        }
        return false
    }

    /// Checks the directory, its ancestors, and the target of its symbolic links.
    ///
    /// Errors: the same as for `ensure()`.
    package func check() throws(TransportError) {
        let path = trimmed
        var link = stat()
        guard lstat(path, &link) == 0, let found = realpath(path, nil) else {
            throw LocalSocket.systemError("check directory", on: path)
        }
        defer { free(found) }
        let place = String(cString: found)
        let follows = policy == .manifests && [0, geteuid()].contains(link.st_uid)
        try check(follows ? place : path)
        for path in Set([path, place]) { _ = try checkAbove(path) }
    }

    /// Checks the existing ancestors of a directory; returns the deepest one.
    private func checkAbove(_ path: String) throws(TransportError) -> String {
        var status = stat()
        var above = path.hasPrefix("/") ? "/" : "."
        for (index, character) in zip(path.indices, path).dropFirst() where character == "/" {
            let parent = String(path[..<index])
            if policy != .own, lstat(parent, &status) != 0, errno == ENOENT { break }
            try checkParent(parent)
            above = parent
        }
        return above
    }

    /// Checks a parent: a user who may rename entries in it can replace our directory.
    private func checkParent(_ parent: String) throws(TransportError) {
        var link = stat()
        var directory = stat()
        guard lstat(parent, &link) == 0, stat(parent, &directory) == 0 else {
            throw LocalSocket.systemError("check directory", on: parent)
        }
        // Directories of root, and of the user that a namespace shows in its place, are trusted.
        for owner in [link.st_uid, directory.st_uid]
        where ![0, geteuid(), PeerCredentials.unmappedUser].contains(owner) {
            throw refusal("EPERM", "\(parent) above it belongs to user \(owner): \(remedy)")
        }
        guard directory.st_mode & 0o002 == 0 || directory.st_mode & S_ISVTX != 0 else {
            throw refusal(
                "EACCES", "everybody may rename it, as \(parent) above it is open to all: \(remedy)"
            )
        }
    }

    private var trimmed: String {
        var trimmed = path.isEmpty ? "." : path
        while trimmed.utf8.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        return trimmed
    }

    private func createParents(of path: String) throws(TransportError) {
        for (index, character) in zip(path.indices, path) where character == "/" {
            let parent = String(path[..<index])
            guard !parent.isEmpty else { continue }
            // On a read-only file system mkdir may answer EROFS for a directory that exists.
            if mkdir(parent, 0o700) == 0 || errno == EEXIST { continue }
            let number = errno
            var status = stat()
            guard stat(parent, &status) == 0 else {
                throw LocalSocket.systemError("create directory", on: parent, number)
            }
        }
    }

    private func check(_ path: String) throws(TransportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw LocalSocket.systemError("check directory", on: path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            let what = status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link" : "not a directory"
            throw refusal("ENOTDIR", "it is \(what): \(remedy)")
        }
        guard status.st_uid == geteuid() || (policy == .manifests && status.st_uid == 0) else {
            throw refusal(
                "EPERM", "it belongs to user \(status.st_uid), not to \(geteuid()): \(remedy)")
        }
        let forbidden: mode_t = [.chosen, .manifests].contains(policy) ? 0o022 : 0o077
        guard status.st_mode & forbidden == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            let sticky =
                status.st_mode & S_ISVTX != 0
                ? "; the sticky bit does not help, as others may create files in it first" : ""
            throw refusal(
                "EACCES",
                "its mode is \(mode), which gives others access\(sticky): "
                    + "`chmod 700` it if nobody shares it, or \(remedy)")
        }
    }

    private var remedy: String { "choose a directory of your own with \(option)" }

    private func refusal(_ code: String, _ message: String) -> TransportError {
        TransportError(code: code, operation: "use directory", subject: path, message: message)
    }
}
