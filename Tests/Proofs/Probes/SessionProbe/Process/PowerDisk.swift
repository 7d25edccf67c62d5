// PowerDisk: a file system from which a power cut takes what was not synced.
//
// Isolation  @MainActor; blocks for as long as the disk needs, which asks nothing of this process.
// Ownership  owns the mount; `end()` removes it, and so does the end of this process.

import Foundation
import Glibc
import ProofSupport

/// What `scripts/power-disk.py` mounts.
@MainActor
final class PowerDisk {
    private static let program = Repository.root + "/scripts/power-disk.py"

    private let process: Spawned

    /// Mounts an empty one; creates the directory.
    init(at directory: String) throws {
        try Failure.unless(mkdir(directory, 0o700) == 0, "\(directory): errno \(errno)")
        process = try Spawned(Self.program, [], keepsErrors: false)
        _ = try say("mount \(directory)")
    }

    /// Cuts the power: each call fails until it is turned on. Returns what is left of the changes
    /// that were not synced.
    func cut(seed: UInt64) throws -> String { try say("cut \(seed)") }

    func turnOn() throws { _ = try say("on") }

    /// Removes everything.
    func wipe() throws { _ = try say("wipe") }

    /// Has each sync succeed from now on, and do nothing.
    func lie() throws { _ = try say("lie") }

    /// Unmounts it.
    func end() {
        close(process.input)
        _ = Spawned.wait(for: process.pid)
        close(process.output)
    }

    /// Returns the answer, a line that begins with the command's word, or with `ready`.
    private func say(_ line: String) throws -> String {
        let bytes = Array((line + "\n").utf8)
        let isTold = write(process.input, bytes, bytes.count) == bytes.count
        var answer: [UInt8] = []
        while isTold, answer.last != UInt8(ascii: "\n") {
            let more = Spawned.read(process.output)
            guard !more.isEmpty else { break }
            answer += more
        }
        try Failure.unless(
            answer.last == UInt8(ascii: "\n"),
            "\(Self.program) has ended: it needs fusepy (Debian: python3-fusepy) and root")
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }
}
