// OwnerSearchTests: machines that share a journal, in every order of pauses, deaths, lost answers.

import TestSupport
import Testing

@testable import NapkinLedger

/// A mistake that the search must find.
private enum Flaw: CaseIterable {
    /// A commit is admitted whoever owns the journal.
    case commitsWithoutFence
    /// The fence that renews the lease does not look at the epoch.
    case renewsAnyEpoch
    /// A new owner has the epoch of the former one.
    case keepsTheEpoch
    /// What a new owner knows of the journal is older than its epoch.
    case readsBeforeAcquiring
    /// A worker that has no answer believes that its group was not written.
    case commitsAgain
    /// A worker that has no answer believes that its group was written.
    case goesOn
}

private struct Scope {
    var commits = 3
    var epochs: UInt64 = 3
    /// Deaths, statements that get lost and answers that do.
    var faults = 2
    /// A machine may follow another one before its lease has ended, as if the clock had jumped.
    var clockJumps = false
    var flaw: Flaw?
}

private struct OwnerWorld: SearchedWorld {
    /// A statement on its way to the server, whether its sender lives or not.
    struct Commit: Hashable {
        let machine: Int
        let epoch: UInt64
        let group: Int
    }

    struct Machine: Hashable {
        /// 0 while there is no worker.
        var epoch: UInt64 = 0
        /// The newest group that it knows of.
        var newest = 0
        /// Whether it waits for an answer.
        var isWaiting = false
    }

    enum Move {
        /// Half a lease passes.
        case wait
        case look(Int)
        case acquire(Int)
        case send(Int)
        case execute(Commit, renews: Bool, answers: Bool)
        case renew(Int)
        case release(Int)
        case lose(Commit)
        case die(Int)
    }

    var owner = OwnerRules()
    var machines = [Machine](repeating: Machine(), count: 3)
    var commits: [Commit] = []
    var newest = 0
    var faults: Int
    var failure: String?

    init(_ scope: Scope) { faults = scope.faults }

    func moves(_ scope: Scope) -> [Move] {
        var moves: [Move] = owner.expires > 0 ? [.wait] : []
        for (number, machine) in machines.enumerated() {
            if machine.epoch == 0 {
                if scope.flaw == .readsBeforeAcquiring { moves.append(.look(number)) }
                if owner.epoch < scope.epochs, newest < scope.commits {
                    moves.append(.acquire(number))
                }
                continue
            }
            if !machine.isWaiting {
                if machine.newest < scope.commits { moves.append(.send(number)) }
                moves += [.renew(number), .release(number)]
            }
            if faults > 0 { moves.append(.die(number)) }
        }
        for commit in commits {
            for renews in [false, true] {
                moves.append(.execute(commit, renews: renews, answers: true))
                guard faults > 0 else { continue }
                moves.append(.execute(commit, renews: renews, answers: false))
            }
            if faults > 0 { moves.append(.lose(commit)) }
        }
        return moves
    }

    func isFault(_ move: Move) -> Bool {
        switch move {
        case .wait, .acquire, .send, .execute(_, _, answers: true): false
        case .look, .renew, .release, .lose, .die, .execute(_, _, answers: false): true
        }
    }

    func after(_ move: Move, _ scope: Scope) -> Self {
        var world = self
        world.make(move, scope)
        return world
    }

    private mutating func make(_ move: Move, _ scope: Scope) {
        switch move {
        case .wait: owner.expires = max(0, owner.expires - JournalOwner.leaseSeconds * 500)
        case .look(let number): machines[number].newest = newest
        case .acquire(let number): acquire(number, scope)
        case .send(let number):
            let machine = machines[number]
            commits.append(
                Commit(machine: number, epoch: machine.epoch, group: machine.newest + 1))
            machines[number].isWaiting = true
        case .execute(let commit, let renews, let answers):
            execute(commit, renews: renews, answers: answers, scope.flaw)
        case .renew(let number):
            if !owner.renew(machines[number].epoch, at: 0) { machines[number] = Machine() }
        case .release(let number):
            _ = owner.release(machines[number].epoch, at: 0)
            machines[number] = Machine()
        case .lose(let commit):
            commits.removeAll { $0 == commit }
            faults -= 1
            unanswered(commit, scope.flaw)
        case .die(let number):
            machines[number] = Machine()
            faults -= 1
        }
    }

    private mutating func acquire(_ number: Int, _ scope: Scope) {
        // Time is counted from now.
        if scope.clockJumps { owner.expires = 0 }
        guard case .acquired(let epoch) = owner.acquire(for: "\(number)", at: 0) else { return }
        if scope.flaw == .keepsTheEpoch { owner.epoch = max(1, epoch - 1) }
        machines[number].epoch = owner.epoch
        if scope.flaw != .readsBeforeAcquiring { machines[number].newest = newest }
    }

    private mutating func execute(
        _ commit: Commit, renews: Bool, answers: Bool, _ flaw: Flaw?
    ) {
        commits.removeAll { $0 == commit }
        if !answers { faults -= 1 }
        var epoch = commit.epoch
        if flaw == .commitsWithoutFence || renews && flaw == .renewsAnyEpoch { epoch = owner.epoch }
        let isDone = renews ? owner.renew(epoch, at: 0) : owner.admits(epoch)
        if isDone {
            newest += 1
            if commit.group != newest { failure = "group \(commit.group) in place \(newest)" }
        }
        guard machines[commit.machine].epoch == commit.epoch else { return }
        guard answers else { return unanswered(commit, flaw) }
        machines[commit.machine].isWaiting = false
        if isDone { machines[commit.machine].newest = commit.group }
        if !isDone { machines[commit.machine] = Machine() }
    }

    /// A worker learns nothing of its commit.
    private mutating func unanswered(_ commit: Commit, _ flaw: Flaw?) {
        guard machines[commit.machine].epoch == commit.epoch else { return }
        machines[commit.machine].isWaiting = false
        switch flaw {
        case .commitsAgain: break
        case .goesOn: machines[commit.machine].newest = commit.group
        default: machines[commit.machine] = Machine()
        }
    }

    mutating func checkEnd(_ scope: Scope) {
        if newest < scope.commits, owner.epoch < scope.epochs { failure = "nobody can go on" }
    }
}

@Suite struct OwnerSearchTests {
    @Test(arguments: [false, true])
    func `no order of pauses, deaths and lost answers loses or doubles a group`(clockJumps: Bool) {
        let search = Search<OwnerWorld>(Scope(clockJumps: clockJumps))
        #expect(search.failure == nil, "\(search.failure as Any)")
        #expect(search.states > 10_000 && search.ends > 0, "\(search)")
    }

    @Test(arguments: Flaw.allCases)
    fileprivate func `the search finds a mistake`(flaw: Flaw) {
        let search = Search<OwnerWorld>(Scope(flaw: flaw))
        #expect(search.failure != nil, "\(search)")
    }
}
