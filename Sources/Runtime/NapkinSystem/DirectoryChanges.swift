// DirectoryChanges: reports the entries of a directory that appear, change and disappear.
//
// Isolation  @MainActor: the loop thread watches; the sequence is a value, read by one task.
// Ownership  the iterators keep the watch, which closes its descriptor when the last is released.
// Invariant  at most `DirectoryChange.namesMax` names wait for the reader.
// Source     inotify(7)

import Glibc
import NapkinCore
public import NapkinTransport

/// The changes in a directory since the last one was read.
public struct DirectoryChange: Hashable, Sendable {
    /// The number of names in a change. Chosen: if there are more, the whole directory is read.
    package static let namesMax = 1024

    /// The entries that came, changed or went, each once, in the order of their first change.
    public internal(set) var names: [String] = []
    /// Whether other entries may have changed as well: read the whole directory.
    public internal(set) var isPartial = false
}

/// The changes of one directory, without its subdirectories.
///
/// A name is reported when a program that wrote a file of that name closes it, when an entry is
/// moved in, moved out or removed, and when a directory is created. A file is not reported while it
/// is being written. The first change arrives at once and is partial, so that one loop also finds
/// the existing entries. A change that replaces more names than could be kept is partial too.
///
/// ```swift
/// for await change in try await DirectoryChanges(of: dropFolder) { await look(at: change) }
/// ```
///
/// The sequence ends when the directory is removed or moved away, or the task is cancelled.
public struct DirectoryChanges: AsyncSequence, Sendable {
    private let watch: DirectoryWatch

    /// Begins to watch; changes are reported from now on.
    ///
    /// - Parameter path: the directory.
    /// - Throws: `ENOENT`, `ENOTDIR`, `EACCES`, or `EMFILE` or `ENOSPC` if the user has too many
    ///   watches.
    @MainActor
    public init(of path: String) throws(TransportError) {
        watch = try DirectoryWatch(path)
    }

    /// Reads the changes, in order.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watch: DirectoryWatch
        fileprivate var turns: BufferedStream<Int>.Iterator

        /// Returns the changes since the last call, waiting if there are none; `nil` at the end.
        public mutating func next() async -> DirectoryChange? {
            while await turns.next() != nil {
                switch await watch.take() {
                case .change(let change): return change
                case .nothing: continue
                case .end: return nil
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(watch: watch, turns: watch.turns.values.makeAsyncIterator())
    }
}

/// One watched directory.
@MainActor
private final class DirectoryWatch {
    enum Turn: Sendable {
        case change(DirectoryChange)
        case nothing
        case end
    }

    /// Counts turns, so that the reader wakes once for all changes of a turn.
    nonisolated let turns = StateCell(0)
    private let events: DirectoryEvents
    private var change = DirectoryChange(isPartial: true)
    private var known: Set<String> = []
    private var hasEnded = false

    init(_ path: String) throws(TransportError) {
        events = try DirectoryEvents()
        try events.watch(
            path,
            for: IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
                | IN_DELETE_SELF | IN_MOVE_SELF)
        events.onEvents = { [weak self] in self?.handle($0) }
    }

    /// Returns the collected changes and starts a new collection.
    func take() -> Turn {
        defer {
            change = DirectoryChange()
            known = []
        }
        guard change.names.isEmpty, !change.isPartial else {
            // The end is another turn, and no event announces it.
            if hasEnded { turns.update { $0 += 1 } }
            return .change(change)
        }
        return hasEnded ? .end : .nothing
    }

    private func handle(_ events: [DirectoryEvents.Event]) {
        for event in events { handle(event.mask, event.name) }
        turns.update { $0 += 1 }
    }

    private func handle(_ mask: Int32, _ name: String) {
        if mask & IN_Q_OVERFLOW != 0 {
            change.isPartial = true
        } else if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 {
            hasEnded = true
            events.stop()
        } else if mask & IN_CREATE != 0, mask & IN_ISDIR == 0 {
            // A new file is reported once it has been written.
        } else if known.count == DirectoryChange.namesMax, !known.contains(name) {
            change.isPartial = true
        } else if known.insert(name).inserted {
            change.names.append(name)
        }
    }
}
