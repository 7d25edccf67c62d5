// HeldTurns: wakes the tasks that wait for a held program's output or end.
//
// Ownership  one inotify instance for the process; a program is watched while somebody waits.
// Invariant  each change after a reader's creation wakes it: readers check again after each turn.
// Source     inotify(7): a killed keeper closes its file, which is also an event.

import Glibc
import NapkinCore
import NapkinTransport

/// The changes of one program's directory.
@MainActor
final class HeldTurns {
    private struct Watched {
        weak var turns: HeldTurns?
    }

    private static var events: DirectoryEvents?
    private static var all: [Int32: Watched] = [:]

    private nonisolated let count = StateCell(0)
    private let number: Int32

    private init(_ number: Int32) { self.number = number }

    isolated deinit {
        // Another task may watch the same directory by now.
        guard Self.all[number]?.turns == nil else { return }
        Self.all[number] = nil
        Self.events?.unwatch(number)
    }

    /// Waits for changes.
    struct Reader {
        private let turns: HeldTurns
        private var counts: BufferedStream<Int>.Iterator

        /// Begins to watch.
        init(of files: HeldFiles) async throws(ProgramError) {
            turns = try await HeldTurns.watching(files)
            counts = turns.count.values.makeAsyncIterator()
        }

        /// Returns true after a change; false if the task is cancelled.
        mutating func next() async -> Bool { await counts.next() != nil }

        /// Wakes all tasks that wait for changes of this program.
        var wake: @Sendable () -> Void {
            { [weak turns] in turns?.count.update { $0 += 1 } }
        }
    }

    private static func watching(_ files: HeldFiles) throws(ProgramError) -> HeldTurns {
        do throws(TransportError) {
            let events = if let made = self.events { made } else { try DirectoryEvents() }
            events.onEvents = { Self.handle($0) }
            self.events = events
            let number = try events.watch(
                files.link, for: IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE_SELF)
            if let turns = all[number]?.turns { return turns }
            let turns = HeldTurns(number)
            all[number] = Watched(turns: turns)
            return turns
        } catch {
            throw ProgramError(program: files.path, reason: "it cannot be watched: \(error)")
        }
    }

    private static func handle(_ events: [DirectoryEvents.Event]) {
        let isPartial = events.contains { $0.mask & IN_Q_OVERFLOW != 0 }
        let changed = isPartial ? Set(all.keys) : Set(events.map(\.watch))
        for number in changed { all[number]?.turns?.count.update { $0 += 1 } }
    }
}
