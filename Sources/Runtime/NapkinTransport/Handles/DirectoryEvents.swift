// DirectoryEvents: reports the changes in watched directories, event by event.
//
// Ownership  owns its inotify descriptor until it is released.
// Source     inotify(7)

internal import Glibc

@MainActor
package final class DirectoryEvents {
    /// A change in a directory.
    package struct Event {
        /// The number of the directory's watch.
        package let watch: Int32
        /// The kind of the event, as bits.
        package let mask: Int32
        /// The affected entry; empty if it was the directory itself.
        package let name: String
    }

    /// The most bytes of events per read. Chosen: some hundred events with long names.
    private static let readBytes = 64 * 1024

    /// Called with the events, in order.
    package var onEvents: @MainActor ([Event]) -> Void = { _ in }
    private let descriptor: Int32
    private var watcher: DescriptorWatcher?

    /// Creates an instance that watches no directory yet.
    ///
    /// - Throws: `EMFILE`.
    package init() throws(TransportError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw LocalSocket.systemError("watch", on: "directories") }
        watcher = try DescriptorWatcher(descriptor) { [weak self] in self?.read() }
    }

    /// Closes the descriptor, even if the initializer throws.
    isolated deinit {
        stop()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches a directory for these events. Returns the number of the watch, which is the same for
    /// the same directory.
    ///
    /// - Throws: `ENOENT`, `ENOTDIR`, `EACCES`; `ENOSPC` if the user has too many watches.
    @discardableResult
    package func watch(_ path: String, for events: Int32) throws(TransportError) -> Int32 {
        let number = inotify_add_watch(descriptor, path, UInt32(bitPattern: events | IN_ONLYDIR))
        guard number >= 0 else { throw LocalSocket.systemError("watch", on: path) }
        return number
    }

    /// Ends one watch.
    package func unwatch(_ number: Int32) { inotify_rm_watch(descriptor, number) }

    /// Stops reporting.
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
