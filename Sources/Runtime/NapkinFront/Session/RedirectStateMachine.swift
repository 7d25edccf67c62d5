// RedirectStateMachine: decides which napkind of a cluster a front or a tool asks for a session.
//
// Isolation  value; owned by the caller. Pure, except for `following`.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinProtocol
import NapkinTransport

/// Begins at the napkind that the front was started with, and follows redirects.
struct RedirectStateMachine: Equatable {
    /// What the route does next.
    enum Step: Equatable {
        case ask
        /// Ask again after a pause: the session may be about to move to another machine.
        case pause
        case fail
    }

    /// The number of redirects in a row. Chosen: a session that has just moved needs two.
    private static let redirectsMax = 4
    /// The number of machines that are remembered. Chosen: as many as napkind names.
    static let machinesMax = 8
    /// How long to look for a session that is between two machines. Chosen: a lease, and an ssh
    /// that reaches nobody.
    private static let patience = Duration.seconds(12)
    private static let pause = Duration.milliseconds(300)

    /// The machine to ask; `nil` for the napkind that the front was started with.
    private(set) var target: MachineAddress?
    private var machines: [MachineAddress] = []
    private var untried: [MachineAddress] = []
    /// The machine that redirected the front last.
    private var guide: MachineAddress?
    private var redirects = 0

    mutating func begin() {
        (target, guide, redirects, untried) = (nil, nil, 0, machines)
    }

    mutating func redirected(to machine: MachineAddress) -> Step {
        remember([machine])
        guard redirects < Self.redirectsMax else {
            (target, redirects) = (guide, 0)
            return .pause
        }
        if redirects == 0 { guide = target }
        redirects += 1
        target = machine
        return .ask
    }

    /// The target cannot find sessions now, and names a machine that may: ask that machine once.
    mutating func hinted(to machine: MachineAddress) -> Step {
        redirects == 0 && machine != target ? redirected(to: machine) : .fail
    }

    /// The target cannot be reached. The machine that named it knows when its sessions have moved.
    mutating func unreachable() -> Step {
        untried.removeAll { $0 == target }
        if redirects > 0 {
            (target, redirects) = (guide, 0)
            return .pause
        }
        guard !untried.isEmpty else { return .fail }
        target = untried.removeFirst()
        return .ask
    }

    mutating func failed(_ failure: FrontError) -> Step {
        guard let machine = failure.machine else {
            return failure.isUnreachable ? unreachable() : .fail
        }
        return failure.refusal == .elsewhere ? redirected(to: machine) : hinted(to: machine)
    }

    mutating func arrived(knowing others: [MachineAddress]) { remember(others) }

    private mutating func remember(_ news: [MachineAddress]) {
        machines = Array((news + machines.filter { !news.contains($0) }).prefix(Self.machinesMax))
    }
}

extension RedirectStateMachine {
    /// Asks the first napkind (`nil`), and those that are named, until one answers.
    @MainActor
    mutating func following<T>(
        _ ask: (MachineAddress?) async throws(FrontError) -> T
    ) async throws(FrontError) -> T {
        begin()
        let end = ContinuousClock.now + Self.patience
        while true {
            do throws(FrontError) {
                return try await ask(target)
            } catch {
                let step = failed(error)
                // A machine is asked even if the answer that names it took long.
                if step == .ask { continue }
                guard step == .pause, ContinuousClock.now < end else { throw error }
                await LoopTimer.wait(Self.pause)
            }
        }
    }
}
