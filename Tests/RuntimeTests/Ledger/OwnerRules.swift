// OwnerRules: what the statements of `JournalOwner` do, as a model.

@testable import NapkinLedger

/// The row of a journal that says whose it is. Times are in milliseconds.
struct OwnerRules: Hashable {
    var epoch: UInt64 = 0
    var machine = ""
    var expires: Int64 = 0

    enum Acquisition: Equatable {
        case acquired(epoch: UInt64)
        /// Somebody else has it, for so many milliseconds at least.
        case busy(Int64)
    }

    /// A machine that has the place already takes it over: its lock says that its former worker is
    /// dead.
    mutating func acquire(for machine: String, at now: Int64) -> Acquisition {
        guard expires <= now || self.machine == machine else { return .busy(expires - now) }
        epoch += 1
        self.machine = machine
        expires = now + JournalOwner.leaseSeconds * 1000
        return .acquired(epoch: epoch)
    }

    /// Whether the owner of an epoch may commit, even after its lease.
    func admits(_ epoch: UInt64) -> Bool { self.epoch == epoch }

    /// Returns whether it is still the owner's.
    mutating func renew(_ epoch: UInt64, at now: Int64) -> Bool {
        guard admits(epoch) else { return false }
        expires = now + JournalOwner.leaseSeconds * 1000
        return true
    }

    /// Lets others acquire it. The owner may still commit until somebody has.
    mutating func release(_ epoch: UInt64, at now: Int64) -> Bool {
        guard admits(epoch) else { return false }
        expires = now
        return true
    }
}
