// Terminal: a pseudo-terminal with a program on it, and what the program draws.
//
// Source     pts(4), ioctl_tty(2)

import Glibc
import NapkinTransport

/// A program that believes to be in front of a person.
@MainActor
final class Terminal {
    private let master: Int32
    private var process: ChildProcess?
    private var watcher: DescriptorWatcher?
    private var waiter: CheckedContinuation<Void, Never>?
    /// What has been drawn since `forget()`.
    private var drawn: [UInt8] = []
    private var hasEnded = false

    var pid: Int32 { process?.pid ?? 0 }

    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        columns: UInt16 = 80, lines: UInt16 = 24
    ) throws {
        // unlockpt(3) and ptsname(3), which the Glibc module does not show.
        let setLock: UInt = 0x4004_5431
        let getNumber: UInt = 0x8004_5430
        var (unlocked, number): (Int32, Int32) = (0, 0)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard master >= 0, ioctl(master, setLock, &unlocked) == 0,
            ioctl(master, getNumber, &number) == 0
        else { throw BenchError("no pseudo-terminal") }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(slave) }
        var size = winsize()
        (size.ws_col, size.ws_row) = (columns, lines)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        watcher = try DescriptorWatcher(master) { [unowned self] in readable() }
        process = try ChildProcess(
            .init(
                executable: path, arguments: arguments,
                environment: OwnProgram.environment
                    .merging(["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]) { $1 }
                    .merging(environment) { $1 },
                descriptors: [0: slave, 1: slave, 2: slave], detached: true)
        ) { [weak self] _ in
            self?.hasEnded = true
            self?.changed()
        }
    }

    /// The program has ended before this.
    func close() {
        watcher?.cancel()
        Glibc.close(master)
    }

    private func readable() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(master, &buffer, buffer.count)
        // EIO: the program has closed the terminal.
        guard count > 0 else { return watcher?.cancel() ?? () }
        drawn += buffer[..<count]
        changed()
    }

    private func changed() {
        let waiter = waiter.take()
        Loop.keepingResumesOnLoop { waiter?.resume() }
    }

    func type(_ keys: String) {
        drawn = []
        _ = write(master, keys, keys.utf8.count)
    }

    /// Returns when the text has been drawn since a key was typed last.
    func draws(_ text: String) async throws {
        let wanted = Array(text.utf8)
        while !contains(wanted) {
            guard !hasEnded else {
                let text = String(decoding: drawn, as: UTF8.self)
                throw BenchError("the client ended: \(text)")
            }
            await withCheckedContinuation { waiter = $0 }
        }
    }

    private func contains(_ wanted: [UInt8]) -> Bool {
        guard drawn.count >= wanted.count else { return false }
        return (0...(drawn.count - wanted.count)).contains {
            drawn[$0...].starts(with: wanted)
        }
    }

    /// Returns when the program has ended.
    func ends() async {
        while !hasEnded { await withCheckedContinuation { waiter = $0 } }
    }
}
