// AppDirectoryWatch: sees that manifests come, change and go.
//
// Ownership  watches until it is released.
// Invariant  of each directory, it or the deepest one above it that exists is watched.
// Source     inotify(7)

import Glibc
import NapkinTransport

/// Watches directories, which need not exist yet.
@MainActor
final class AppDirectoryWatch {
    private static let awaited =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF | IN_ATTRIB

    /// What is awaited in a watched directory.
    private struct Place {
        /// The directory of manifests that it is.
        var manifests: String?
        /// The names that lead from here to directories that do not exist yet.
        var names: Set<String> = []
    }

    /// Whether a directory is used, and which one it is.
    private struct Standing: Equatable {
        let place: FileIdentity?
        let refusal: String?

        @MainActor
        init(of path: String) {
            place = FileIdentity(behind: path)
            refusal = AppCatalog.refusal(of: path)?.message
        }
    }

    /// The time between two looks for what no event tells: the modes above a directory, where a
    /// link leads, and all of what is not watched. Chosen: whoever has repaired it tries again.
    private static let interval = Duration.seconds(1)

    private let directories: [String]
    /// `nil` if the user has no inotify instances left.
    private let events: DirectoryEvents?
    private var standings: [Standing] = []
    private var timer: LoopTimer?
    private let onChange: @MainActor ([String]) -> Void
    private var places: [Int32: Place] = [:]
    /// The directories that are only looked at, because the user has no watches left.
    private(set) var unwatched: [String] = []

    /// Begins to watch.
    ///
    /// - Parameter onChange: called with the paths of manifests that have changed, after all that
    ///   has happened until then; none if it is a directory that has.
    init(_ directories: [String], onChange: @escaping @MainActor ([String]) -> Void) {
        self.directories = directories
        self.onChange = onChange
        // Without it, nothing is watched.
        events = try? DirectoryEvents()
        watchAll()
        events?.onEvents = { [weak self] in self?.happened($0) }
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [weak self] in
            self?.look()
        }
    }

    isolated deinit { timer?.cancel() }

    private func look() {
        guard standings != directories.map(Standing.init) || !unwatched.isEmpty else { return }
        watchAll()
        onChange([])
    }

    /// Watches each directory, or what is there of its path. A directory that is made meanwhile is
    /// found by the next look at it.
    private func watchAll() {
        let former = Set(places.keys)
        (places, unwatched) = ([:], events == nil ? directories : [])
        standings = directories.map(Standing.init)
        for directory in directories { watch(directory) }
        for unused in former.subtracting(places.keys) { events?.unwatch(unused) }
    }

    private func watch(_ directory: String) {
        var path = directory
        while let events {
            do throws(TransportError) {
                let number = try events.watch(path.isEmpty ? "/" : path, for: Self.awaited)
                return note(number, at: path, of: directory)
            } catch {
                // What cannot be watched otherwise is closed to the user, and refused for that.
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
            places[number, default: Place()].manifests = directory
            return
        }
        let missing = directory.dropFirst(path.count + 1).prefix { $0 != "/" }
        places[number, default: Place()].names.insert(String(missing))
        // Made before it was watched for: no event will say so. One that is refused is passed over.
        var status = stat()
        guard stat("\(path)/\(missing)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            access("\(path)/\(missing)", R_OK) == 0
        else { return }
        watch(directory)
    }

    private func happened(_ events: [DirectoryEvents.Event]) {
        let affected = events.compactMap(affected)
        guard !affected.isEmpty else { return }
        watchAll()
        onChange(affected.filter { !$0.isEmpty })
    }

    /// Returns the manifest that an event is about; an empty path if it is about directories, `nil`
    /// if about something else.
    private func affected(by event: DirectoryEvents.Event) -> String? {
        let (mask, name) = (event.mask, event.name)
        if mask & IN_Q_OVERFLOW != 0 { return "" }
        guard let place = places[event.watch] else { return nil }
        // The directory itself.
        if name.isEmpty || place.names.contains(name) { return "" }
        // A file that has been made is reported again when it has been written.
        guard let manifests = place.manifests, name.hasSuffix(".json"), mask & IN_CREATE == 0 else {
            return nil
        }
        return "\(manifests)/\(name)"
    }
}
