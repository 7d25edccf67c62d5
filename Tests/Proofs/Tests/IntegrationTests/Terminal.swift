// Terminal: a pseudo-terminal with a program on it: its size, its keys, what it has drawn.

import Foundation
import ProofSupport

/// A program that believes to be in front of a person.
final class Terminal: Sendable {
    private struct State: Sendable {
        var drawn: [UInt8] = []
        var hasEnded = false
    }

    let pid: Int32
    private let master: Int32
    private let state = Watched(State())

    init(
        _ path: String, _ arguments: [String], columns: Int, lines: Int,
        environment: [String: String]
    ) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Failure("no pseudo-terminal: errno \(errno)") }
        let name = try Self.unlock(master)
        Self.set(master, columns: columns, lines: lines)
        pid = try Spawned.onTerminal(
            name, path, arguments,
            environment: ["TERM": "xterm", "LC_ALL": "C.UTF-8"].merging(environment) { $1 })
        Thread.detachNewThread { [weak self, master] in
            // The number stays this thread's until it has ended: another file's may be the same.
            defer { close(master) }
            while true {
                // Ends with EIO when the program has closed the terminal.
                let bytes = Spawned.read(master)
                guard !bytes.isEmpty else { break }
                self?.state.change { $0.drawn += bytes }
            }
            self?.state.change { $0.hasEnded = true }
        }
    }

    /// The terminal ends with the program.
    deinit { kill(pid, SIGKILL) }

    /// Makes the other end usable; returns its path. As unlockpt(3) and ptsname(3), which the Glibc
    /// module does not show, with their requests of ioctl_tty(2).
    private static func unlock(_ master: Int32) throws -> String {
        let setLock: UInt = 0x4004_5431
        let getNumber: UInt = 0x8004_5430
        var number: Int32 = 0
        guard ioctl(master, setLock, &number) == 0, ioctl(master, getNumber, &number) == 0 else {
            throw Failure("the pseudo-terminal stays locked: errno \(errno)")
        }
        return "/dev/pts/\(number)"
    }

    private static func set(_ terminal: Int32, columns: Int, lines: Int) {
        var size = winsize()
        size.ws_col = UInt16(columns)
        size.ws_row = UInt16(lines)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// As a person does who pulls at the window's corner: the program gets SIGWINCH.
    func resize(columns: Int, lines: Int) { Self.set(master, columns: columns, lines: lines) }

    func type(_ keys: String) { _ = write(master, keys, keys.utf8.count) }

    /// Everything drawn so far, with its control sequences.
    var drawn: String { String(decoding: state.value.drawn, as: UTF8.self) }

    /// How many bytes that is.
    var drawnCount: Int { state.value.drawn.count }

    /// Returns when a word has been drawn after the first `start` bytes; throws at the end.
    ///
    /// A word, not a sentence: ncurses goes over spaces that are there already.
    func draws(_ word: String, after start: Int = 0) async throws {
        while true {
            let now = state.value
            let text = String(decoding: now.drawn.dropFirst(start), as: UTF8.self)
            if text.contains(word) { return }
            guard !now.hasEnded else { throw Failure("ended without drawing \(word): \(text)") }
            let known = now.drawn.count
            guard await state.wait(until: { $0.drawn.count > known || $0.hasEnded }) else {
                throw Failure("not drawn until the time was over: \(word); but: \(text)")
            }
        }
    }

    /// Waits for the program's end: its exit code, or the signal as a negative number; `Int32.min`
    /// when the time was over.
    func exit() async -> Int32 {
        await state.wait { $0.hasEnded } ? Spawned.wait(for: pid) : .min
    }
}
