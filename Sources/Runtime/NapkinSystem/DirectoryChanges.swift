// DirectoryChanges: which entries of a directory come, change and go.
//
// Isolation  @MainActor: the loop thread watches; the sequence is a value, read by one task.
// Ownership  the iterators keep the watch, which closes its descriptor when the last is released.
// Invariant  at most `DirectoryChange.namesMax` names wait for the reader.
// Source     inotify(7)

import Glibc
import NapkinCore
public import NapkinTransport

/// What has happened in a directory since the last change that was read.
public struct DirectoryChange: Hashable, Sendable {
    /// The number of names in a change. Chosen.
    package static let namesMax = 1024

    /// The entries that came, changed or went, each once, in the order in which they first did.
    public internal(set) var names: [String] = []
    /// Whether other entries may have changed, too: read the whole directory.
    public internal(set) var isPartial = false
}

/// The changes of one directory, not of those below it.
///
/// A name is reported when a file of that name is closed by a program that wrote it, when an entry
/// is moved in or out or removed, and when a directory is created. A file that is being written is
/// not reported. The first change is there at once and is partial, so that one loop also finds what
/// was there before; so is a change that follows more of them than could be kept.
///
/// ```swift
/// for await change in try await DirectoryChanges(of: dropFolder) { await look(at: change) }
/// ```
///
/// The sequence ends when the directory is removed or moved away, or the task is cancelled.
public struct DirectoryChanges: AsyncSequence, Sendable {
    private let watch: DirectoryWatch

    /// Begins to watch; what happens from now on is reported.
    ///
    /// - Parameter path: the directory.
    /// - Throws: `ENOENT`, `ENOTDIR`, `EACCES`, or `EMFILE` or `ENOSPC` where the user watches too
    ///   much.
    @MainActor
    public init(of path: String) throws(TransportError) {
        watch = try DirectoryWatch(path)
    }

    /// Takes the changes out.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watch: DirectoryWatch
        fileprivate var turns: BufferedStream<Int>.Iterator

        /// What has happened since the last call; waits if nothing has. `nil` at the end.
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

    /// Counts what has happened, so that the reader is woken once for all of it.
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
        events.onEvents = { [weak self] in self?.happened($0) }
    }

    /// Takes what has been collected.
    func take() -> Turn {
        defer {
            change = DirectoryChange()
            known = []
        }
        guard change.names.isEmpty, !change.isPartial else {
            // The end is another turn, which nothing else would announce.
            if hasEnded { turns.update { $0 += 1 } }
            return .change(change)
        }
        return hasEnded ? .end : .nothing
    }

    private func happened(_ events: [DirectoryEvents.Event]) {
        for event in events { happened(event.mask, event.name) }
        turns.update { $0 += 1 }
    }

    private func happened(_ mask: Int32, _ name: String) {
        if mask & IN_Q_OVERFLOW != 0 {
            change.isPartial = true
        } else if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 {
            hasEnded = true
            events.stop()
        } else if mask & IN_CREATE != 0, mask & IN_ISDIR == 0 {
            // It is reported when it has been written.
        } else if known.count == DirectoryChange.namesMax, !known.contains(name) {
            change.isPartial = true
        } else if known.insert(name).inserted {
            change.names.append(name)
        }
    }
}
