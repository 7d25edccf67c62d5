// ClusterPlacement: on which machine of a cluster a session's worker runs.
//
// Invariant  a front may be sent on from any machine: only the database knows who has a journal.
// Spec       Protocol/LEDGER.md, "Machines"

import NapkinCore
import NapkinLedger

/// The facts that a machine knows when a front asks for a session.
struct ClusterPlacement {
    typealias Owner = ClusterDirectory.Owner

    enum Decision: Equatable {
        /// One of this machine's workers, by its number.
        case here([Int])
        case there(machine: String)
        /// This machine is drained, and no other is known.
        case nowhere
    }

    /// A worker's number, its journal's name, and who has the journal.
    struct Candidate {
        var number: Int
        var journal: String
        var owner: Owner?

        fileprivate var holder: String? { owner?.isHeld == true ? owner?.machine : nil }
    }

    let machine: String
    var isDraining = false
    /// The machines that have reported lately and are not drained, except this one.
    var others: [String] = []

    /// Decides for a session that exists.
    func existing(on candidate: Candidate) -> Decision {
        if let holder = candidate.holder, holder != machine { return .there(machine: holder) }
        guard isDraining else { return .here([candidate.number]) }
        return other(for: candidate.journal)
    }

    /// Decides for fronts that wait for a worker of this machine that does not answer: once its
    /// lease has ended, another machine can take over the journal.
    func silent(on candidate: Candidate) -> Decision {
        candidate.holder == nil ? other(for: candidate.journal) : existing(on: candidate)
    }

    /// Decides for a new session. It goes to a worker that this machine has, or may add while it
    /// has fewer than its share; otherwise to a machine that has the other workers.
    func new(_ session: String, among candidates: [Candidate]) -> Decision {
        let elsewhere = candidates.compactMap(\.holder).filter { $0 != machine }
        if isDraining {
            return Self.chosen(for: session, among: elsewhere).map { .there(machine: $0) }
                ?? other(for: session)
        }
        let own = candidates.filter { $0.holder == machine }
        let free = candidates.filter { $0.holder == nil }
        let share = (candidates.count + others.count) / (others.count + 1)
        let numbers = (own + free.prefix(max(0, share - own.count))).map(\.number)
        if !numbers.isEmpty { return .here(numbers) }
        return Self.chosen(for: session, among: elsewhere).map { .there(machine: $0) } ?? .nowhere
    }

    private func other(for key: String) -> Decision {
        Self.chosen(for: key, among: others).map { .there(machine: $0) } ?? .nowhere
    }

    /// Returns the same machine for the same key, whoever asks, for as long as it is there.
    private static func chosen(for key: String, among machines: [String]) -> String? {
        machines.max { (weight($0, key), $0) < (weight($1, key), $1) }
    }

    /// Source: the end of MurmurHash3's 64-bit finalizer, without which the last bytes hardly
    /// change the highest bits.
    private static func weight(_ machine: String, _ key: String) -> UInt64 {
        let hash = StableHash.value(of: "\(machine)/\(key)".utf8)
        let mixed = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return mixed ^ mixed >> 33
    }
}
