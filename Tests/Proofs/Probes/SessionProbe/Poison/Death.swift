// Death: the ways in which an app can end its worker.

import Foundation
import NapkinCore
import NapkinTransport

extension Death {
    /// What a handler does that dies in a way, before it has changed anything.
    func happens() async {
        switch self {
        case .index: use(Self.none[0])
        case .overflow: use(Int.max - Self.none.count + Self.one)
        case .unwrap: use(Self.none.first!)
        case .cast: use((Self.none as Any) as! Int)
        case .thrown: use(try! Self.fails())
        case .fatal: fatalError("a fatal error")
        case .precondition: preconditionFailure("a failed precondition")
        case .division: use(1 / Self.none.count)
        case .exclusivity:
            let cell = Cell()
            cell.add(to: &cell.content) { cell.content += 1 }
        case .unowned:
            var cell: Cell? = Cell()
            unowned let former = cell!
            cell = nil
            use(former.content)
        case .resumedTwice:
            await withCheckedContinuation { continuation in
                continuation.resume()
                continuation.resume()
            }
        case .recursion: use(Self.depth(0))
        case .memory: Self.allocate(.max)
        case .memoryLimit:
            Self.allocate(Self.residentMax + Self.residentMax / 4)
            Glibc.sleep(60)
        case .abort: Glibc.abort()
        case .freed: free(UnsafeMutableRawPointer(bitPattern: 0x1008))
        case .wild: UnsafeMutablePointer<Int>(bitPattern: 0x1008)?.pointee = 1
        case .bus: use(Int(Self.emptyPage.load(as: UInt8.self)))
        case .arithmetic: raise(SIGFPE)
        case .killed: raise(SIGKILL)
        case .killedLater:
            await Self.pause()
            kill(getpid(), SIGKILL)
        case .exit0: exit(0)
        case .exit1: exit(1)
        case .underscoreExit: _exit(0)
        case .thread:
            Thread.detachNewThread { Glibc.abort() }
            Glibc.sleep(60)
        case .threadLater:
            Thread.detachNewThread { Glibc.abort() }
            await Self.pause(seconds: 60)
        case .threadRecursion:
            Thread.detachNewThread { use(Self.depth(0)) }
            Glibc.sleep(60)
        case .loop: while getppid() > 0 {}
        case .deadlock:
            var mutex = pthread_mutex_t()
            pthread_mutex_init(&mutex, nil)
            for _ in 0..<2 { pthread_mutex_lock(&mutex) }
        case .sleep: Glibc.sleep(60)
        case .descriptors: for descriptor in 3..<Int32(1024) { close(descriptor) }
        case .uncaught: Task { throw Planned() }
        default: preconditionFailure("a poisoned \(self)")
        }
    }

    /// Has nothing computed at compile time.
    private static let none = CommandLine.arguments.filter(\.isEmpty).map(\.count)
    private static let one = getppid() > 0 ? 1 : 0
    /// Resident bytes of a worker, as its manifest limits them.
    static let residentMax = 128 * 1024 * 1024

    private static func fails() throws -> Int { throw Planned() }

    private static func depth(_ depth: Int) -> Int {
        depth == .max ? 0 : 1 &+ self.depth(depth &+ 1)
    }

    private static func allocate(_ bytes: Int) {
        let part = 8 * 1024 * 1024
        for _ in 0..<(bytes / part) {
            memset(UnsafeMutableRawPointer.allocate(byteCount: part, alignment: 16), 1, part)
        }
    }

    /// A page behind the end of its file.
    private static var emptyPage: UnsafeMutableRawPointer {
        let file = fileno(tmpfile())
        return mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
    }

    static func pause(seconds: Double = 0.01) async {
        // Nobody cancels it but the end of the process.
        try? await Task.sleep(for: .seconds(seconds))
    }
}

private func use(_ value: some Any) { withExtendedLifetime(value) {} }

private final class Cell {
    var content = 0

    func add(to content: inout Int, _ body: () -> Void) {
        body()
        content += 1
    }
}

// MARK: - What it ends as

extension Death {
    /// Whether the front has a child attached first, and has that die.
    var isOfChild: Bool { self == .child || self == .listener }
    /// Whether the session's launch dies.
    var isOfLaunch: Bool { [.root, .rootActivation, .restored, .migrated].contains(self) }
    /// Whether the death alone takes long: until the memory is full, or napkind ends the worker.
    var isSlow: Bool { [.memory, .memoryLimit, .loop, .deadlock, .sleep].contains(self) }
    /// Whether only what is kept can die so.
    var needsLedger: Bool {
        [.timer, .job, .jobSuccess, .jobFailure, .restored, .migrated].contains(self)
    }
    /// Whether the event has been answered when its worker dies, or does not die.
    var isAnswered: Bool {
        [.stream, .task, .ownThread, .timer, .job, .jobSuccess, .jobFailure, .uncaught]
            .contains(self)
    }
    /// Whether a process that dies so names no input: Protocol/FLIGHT.md, section 2.
    var isUnnamed: Bool {
        [.killedLater, .thread, .threadLater, .threadRecursion, .descriptors].contains(self)
    }

    /// What the sender is told, each time that it sends the event.
    ///
    /// A volatile session begins anew after a death, so that its fronts cannot send an event again
    /// of themselves; a person does, who is told that the event may have run.
    func told(isDurable: Bool) -> [String] {
        // It goes back to what it was before, which can be launched.
        if self == .restored { return ["value"] }
        if isOfLaunch { return ["refused"] }
        if isAnswered { return ["value"] }
        if isUnnamed { return ["unknown"] }
        guard isDurable else { return ["unknown", "unknown", "quarantined"] }
        return self == .changedAndWaited
            ? ["interrupted", "interrupted", "quarantined"] : ["quarantined"]
    }

    /// How often the worker dies.
    func deaths(isDurable: Bool) -> Int {
        switch self {
        case .uncaught: 0
        case .stream, .task, .ownThread: 1
        // Timers and jobs are given up by their ledger's count. The first death of what is
        // restored is not its own: it has the session restored.
        case .timer, .job, .jobSuccess, .restored: 3
        // Neither what it was before can be launched.
        case .migrated: 5
        case .killedLater, .thread, .threadLater, .threadRecursion, .descriptors:
            isDurable ? 3 : 1
        default: 2
        }
    }
}
