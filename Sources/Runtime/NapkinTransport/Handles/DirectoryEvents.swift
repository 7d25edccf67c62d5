// DirectoryEvents: what happens in watched directories, event by event.
//
// Ownership  owns its inotify descriptor until it is released.
// Source     inotify(7)

internal import Glibc

/// Watches directories.
@MainActor
package final class DirectoryEvents {
    /// Something that has happened.
    package struct Event {
        /// The number of the directory's watch.
        package let watch: Int32
        /// The bits that say what it was.
        package let mask: Int32
        /// The entry that it has happened to; empty if it was the directory itself.
        package let name: String
    }

    /// Bytes of events that are read at once. Chosen: some hundred events with long names.
    private static let readBytes = 64 * 1024

    /// Called with what has happened, in that order.
    package var onEvents: @MainActor ([Event]) -> Void = { _ in }
    private let descriptor: Int32
    private var watcher: DescriptorWatcher?

    /// Creates a watch of no directory.
    ///
    /// - Throws: `EMFILE`.
    package init() throws(TransportError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw LocalSocket.systemError("watch", on: "directories") }
        watcher = try DescriptorWatcher(descriptor) { [weak self] in self?.read() }
    }

    /// Closes what was opened, also when the initialiser throws.
    isolated deinit {
        stop()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches a directory for these events. Returns the number of the watch, which is the same for
    /// the same directory.
    ///
    /// - Throws: `ENOENT`, `ENOTDIR`, `EACCES`; `ENOSPC` where the user watches too much.
    @discardableResult
    package func watch(_ path: String, for events: Int32) throws(TransportError) -> Int32 {
        let number = inotify_add_watch(descriptor, path, UInt32(bitPattern: events | IN_ONLYDIR))
        guard number >= 0 else { throw LocalSocket.systemError("watch", on: path) }
        return number
    }

    /// Ends one watch.
    package func unwatch(_ number: Int32) { inotify_rm_watch(descriptor, number) }

    /// Reports nothing any more.
    package func stop() {
        watcher?.cancel()
        watcher = nil
    }

    private func read() {
        var events: [Event] = []
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 8) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            let headBytes = MemoryLayout<inotify_event>.size
            while offset + headBytes <= count {
                let head = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(count, offset + headBytes + Int(head.len))
                let name = buffer[(offset + headBytes)..<end].prefix { $0 != 0 }
                events.append(
                    Event(
                        watch: head.wd, mask: Int32(bitPattern: head.mask),
                        name: String(decoding: name, as: UTF8.self)))
                offset = end
            }
        }
        onEvents(events)
    }
}
