// AppDirectoryWatch: sees that manifests come, change and go.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owns its inotify descriptor until it is released.
// Invariant  of each directory, it or the deepest one above it that exists is watched.
// Source     inotify(7)

import Glibc
import NapkinTransport

/// Watches directories, which need not exist yet.
@MainActor
final class AppDirectoryWatch {
    /// Bytes of events that are read at once. Chosen: some hundred events with long names.
    private static let readBytes = 64 * 1024
    private static let events = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR)

    /// What is awaited in a watched directory.
    private struct Place {
        /// The directory of manifests that it is.
        var manifests: String?
        /// The names that lead from here to directories that do not exist yet.
        var names: Set<String> = []
    }

    private let directories: [String]
    private let descriptor: Int32
    private let onChange: @MainActor ([String]) -> Void
    private var watcher: DescriptorWatcher?
    private var places: [Int32: Place] = [:]
    /// The directories that are not watched, because the user has no watches left.
    private(set) var unwatched: [String] = []

    /// Begins to watch.
    ///
    /// - Parameter onChange: called with the paths of manifests that have changed, after all that
    ///   has happened until then; none if it is a directory that has.
    init(
        _ directories: [String], onChange: @escaping @MainActor ([String]) -> Void
    ) throws(TransportError) {
        self.directories = directories
        self.onChange = onChange
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw TransportError(
                code: "\(errno)", operation: "watch", subject: "the directories of apps",
                message: String(cString: strerror(errno)))
        }
        do throws(TransportError) {
            watcher = try DescriptorWatcher(descriptor) { [weak self] in self?.read() }
        } catch {
            close(descriptor)
            throw error
        }
        watchAll()
    }

    isolated deinit {
        watcher?.cancel()
        close(descriptor)
    }

    /// Watches each directory, or what is there of its path. A directory that is made meanwhile is
    /// found by the next look at it.
    private func watchAll() {
        let former = Set(places.keys)
        (places, unwatched) = ([:], [])
        for directory in directories { watch(directory) }
        for unused in former.subtracting(places.keys) { inotify_rm_watch(descriptor, unused) }
    }

    private func watch(_ directory: String) {
        var path = directory
        while true {
            let number = inotify_add_watch(descriptor, path.isEmpty ? "/" : path, Self.events)
            guard number < 0 else {
                note(number, at: path, of: directory)
                return
            }
            // What cannot be watched otherwise is closed to the user, and refused for that.
            if errno == ENOSPC || errno == ENOMEM { unwatched.append(directory) }
            guard errno == ENOENT || errno == ENOTDIR, let slash = path.lastIndex(of: "/") else {
                return
            }
            path = String(path[..<slash])
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

    private func read() {
        var isAffected = false
        var changed: [String] = []
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 8) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            let headBytes = MemoryLayout<inotify_event>.size
            while offset + headBytes <= count {
                let head = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(count, offset + headBytes + Int(head.len))
                let name = String(
                    decoding: buffer[(offset + headBytes)..<end].prefix { $0 != 0 }, as: UTF8.self)
                offset = end
                guard let path = affected(head, name) else { continue }
                isAffected = true
                if !path.isEmpty { changed.append(path) }
            }
        }
        guard isAffected else { return }
        watchAll()
        onChange(changed)
    }

    /// Returns the manifest that an event is about; an empty path if it is about directories, `nil`
    /// if about something else.
    private func affected(_ head: inotify_event, _ name: String) -> String? {
        let mask = Int32(bitPattern: head.mask)
        if mask & IN_Q_OVERFLOW != 0 { return "" }
        guard let place = places[head.wd] else { return nil }
        // The directory itself.
        if name.isEmpty || place.names.contains(name) { return "" }
        // A file that has been made is reported again when it has been written.
        guard let manifests = place.manifests, name.hasSuffix(".json"), mask & IN_CREATE == 0 else {
            return nil
        }
        return "\(manifests)/\(name)"
    }
}
