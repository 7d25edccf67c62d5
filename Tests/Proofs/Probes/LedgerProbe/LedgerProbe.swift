// LedgerProbe: commits groups to a store until it is killed, and says which it has committed.

import Glibc
import NapkinCore
import NapkinLedger
import NapkinTransport

@main
enum LedgerProbe {
    /// What a group of that number contains here.
    static func group(_ number: GroupNumber) -> JournalCommit.Group {
        let record = [UInt8](
            repeating: UInt8(truncatingIfNeeded: number), count: Int(number % 97) * 40)
        return .init(
            number: number, bytes: RecordFraming.frame([record, [1, 2, 3]], number: number))
    }

    /// Writes a line at once: what is printed was committed.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// Reserves room; the first time that there is none, makes some.
    static func reserve(in store: SQLiteStore, _ path: String) throws(StoreError) {
        do {
            try store.reserve(16 * 1024)
        } catch {
            guard error.code == .full, unlink(path + ".filler") == 0 else { throw error }
            say("room")
            try store.reserve(16 * 1024)
        }
    }

    private static func commit(_ number: GroupNumber) -> JournalCommit {
        var commit = JournalCommit(group(number))
        if number % 7 == 0 {
            let bytes = [UInt8](repeating: 7, count: 5000)
            commit.images = [
                StoredImage(
                    session: number % 5, name: "s\(number % 5)", base: number, bytes: bytes)
            ]
        }
        return commit
    }

    /// Does one of the proofs, which have words of their own.
    private static func prove(_ arguments: [String]) {
        let (proof, directory) = (arguments[1], arguments[2])
        Loop.main {
            do {
                if proof == "golden" {
                    if directory == "write" {
                        try await Golden.write(to: arguments[3])
                    } else {
                        let text = try await Golden.read(arguments[3])
                        say(String(text.dropLast()))
                    }
                } else if proof == "damage" {
                    var damage = try Damage(
                        directory: directory, stride: Int(arguments[3]) ?? 1,
                        isLarge: arguments.count > 4)
                    try await damage.run()
                } else {
                    var power = PowerCut(
                        directory: directory,
                        durability: Durability(rawValue: arguments[3]) ?? .machine,
                        stride: arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1,
                        seed: arguments.count > 5 ? UInt64(arguments[5]) ?? 1 : 1)
                    try power.run()
                }
                return EX_OK
            } catch {
                say("error \(error)")
                return EX_SOFTWARE
            }
        }
    }

    /// LedgerProbe PATH machine|process LOG-BYTES [keep | blind | short | brief | cut]
    ///
    /// `keep` trims nothing, so that the disk becomes full; `blind` does not reserve either;
    /// `short` ends after 300 commits, `brief` after 120; `cut` kills itself after 70.
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count >= 4, ["damage", "power", "golden"].contains(arguments[1]) {
            return prove(arguments)
        }
        guard arguments.count >= 4, let durability = Durability(rawValue: arguments[2]),
            let logBytes = Int(arguments[3])
        else { exit(EX_USAGE) }
        let mode = arguments.count > 4 ? arguments[4] : ""
        do {
            let store = try SQLiteStore(
                path: arguments[1], durability: durability, logBytes: logBytes
            ).opened()
            var number = try store.open().newest
            say("open \(number)")
            let counts: [String: GroupNumber] = ["short": 300, "brief": 120, "cut": 70]
            let last = counts[mode].map { number + $0 } ?? .max
            let keepsAll = mode == "keep" || mode == "blind"
            while number < last {
                number += 1
                if mode != "blind" { try reserve(in: store, arguments[1]) }
                var commit = commit(number)
                if number % 31 == 0, !keepsAll { commit.trimmed = number - 20 }
                try store.commit(commit)
                say("\(number)")
                if number % 50 == 0, !keepsAll { try store.tidy() }
            }
            if mode == "cut" { kill(getpid(), SIGKILL) }
            if mode == "brief" { try store.shrink() }
            say("end")
        } catch {
            say("error \(error.code) \(error)")
        }
    }
}
