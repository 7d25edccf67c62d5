// AppDirectoryWatch: notices when manifests appear, change and disappear.
//
// Ownership  watches until it is released.
// Invariant  for each directory, either it or its deepest existing ancestor is watched.
// Source     inotify(7)

import Glibc
import NapkinHost
import NapkinTransport

/// Watches directories, which need not exist yet.
@MainActor
final class AppDirectoryWatch {
    private static let awaited =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF | IN_ATTRIB

    /// The purpose of a watched directory.
    private struct Purpose {
        /// The directory of manifests, if it is one.
        var manifests: String?
        /// The names in it that lead to directories that do not exist yet.
        var names: Set<String> = []
    }

    /// Whether a directory is usable, and its identity.
    private struct Standing: Equatable {
        let identity: FileIdentity?
        let refusal: String?

        @MainActor
        init(of path: String) {
            identity = FileIdentity(behind: path)
            refusal = AppCatalog.refusal(of: path)?.message
        }
    }

    /// The time between two checks for changes without events: modes of ancestors, targets of
    /// links, and everything unwatched. Chosen: a person who has repaired them tries again.
    private static let interval = Duration.seconds(1)

    private let directories: [String]
    /// `nil` if the user has no inotify instances left.
    private let events: DirectoryEvents?
    private var standings: [Standing] = []
    private var timer: LoopTimer?
    private let onChange: @MainActor ([String]) -> Void
    private var purposes: [Int32: Purpose] = [:]
    /// The directories that are polled, because the user has no watches left.
    private(set) var unwatched: [String] = []

    /// Begins to watch.
    /// - Parameter onChange: called with the paths of changed manifests after all pending events;
    ///   with none if a directory has changed.
    init(_ directories: [String], onChange: @escaping @MainActor ([String]) -> Void) {
        self.directories = directories
        self.onChange = onChange
        // Without inotify, nothing is watched.
        events = try? DirectoryEvents()
        watchAll()
        events?.onEvents = { [weak self] in self?.handle($0) }
        timer = LoopTimer(every: Self.interval) { [weak self] in
            self?.poll()
        }
    }

    isolated deinit { timer?.cancel() }

    private func poll() {
        guard standings != directories.map(Standing.init) || !unwatched.isEmpty else { return }
        watchAll()
        onChange([])
    }

    /// Watches each directory, or the existing part of its path. The next check finds a directory
    /// that is created meanwhile.
    private func watchAll() {
        let former = Set(purposes.keys)
        (purposes, unwatched) = ([:], events == nil ? directories : [])
        standings = directories.map(Standing.init)
        for directory in directories { watch(directory) }
        for unused in former.subtracting(purposes.keys) { events?.unwatch(unused) }
    }

    private func watch(_ directory: String) {
        var path = directory
        while let events {
            do throws(TransportError) {
                let number = try events.watch(path.isEmpty ? "/" : path, for: Self.awaited)
                return note(number, at: path, of: directory)
            } catch {
                // After other errors, the directory is closed to the user, and refused for that.
                if ["ENOSPC", "ENOMEM"].contains(error.code) { unwatched.append(directory) }
                guard ["ENOENT", "ENOTDIR"].contains(error.code),
                    let slash = path.lastIndex(of: "/")
                else { return }
                path = String(path[..<slash])
            }
        }
    }

    private func note(_ number: Int32, at path: String, of directory: String) {
        guard path != directory else {
            purposes[number, default: Purpose()].manifests = directory
            return
        }
        let missing = directory.dropFirst(path.count + 1).prefix { $0 != "/" }
        purposes[number, default: Purpose()].names.insert(String(missing))
        // It was created before the watch: no event will come. A refused one is passed over.
        var status = stat()
        guard stat("\(path)/\(missing)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            access("\(path)/\(missing)", R_OK) == 0
        else { return }
        watch(directory)
    }

    private func handle(_ events: [DirectoryEvents.Event]) {
        let affected = events.compactMap(affected)
        guard !affected.isEmpty else { return }
        watchAll()
        onChange(affected.filter { !$0.isEmpty })
    }

    /// Returns the manifest that an event concerns; an empty path if it concerns directories, and
    /// `nil` otherwise.
    private func affected(by event: DirectoryEvents.Event) -> String? {
        let (mask, name) = (event.mask, event.name)
        if mask & IN_Q_OVERFLOW != 0 { return "" }
        guard let purpose = purposes[event.watch] else { return nil }
        // The event concerns the directory itself.
        if name.isEmpty || purpose.names.contains(name) { return "" }
        // A created file is reported again when it has been written.
        guard let manifests = purpose.manifests, name.hasSuffix(".json"), mask & IN_CREATE == 0
        else {
            return nil
        }
        return "\(manifests)/\(name)"
    }
}
