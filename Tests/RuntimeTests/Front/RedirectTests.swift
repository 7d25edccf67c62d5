// RedirectTests: which napkind a front asks, when sessions change their machines and machines die.

import NapkinProtocol
import Testing

@testable import NapkinFront

struct RedirectTests {
    private let b = MachineAddress(host: "ssh://b")
    private let c = MachineAddress(host: "ssh://c")

    private func begun(knowing machines: [MachineAddress] = []) -> RedirectStateMachine {
        var redirection = RedirectStateMachine()
        redirection.arrived(knowing: machines)
        redirection.begin()
        return redirection
    }

    @Test func `a front follows what it is told, and a ring of machines makes it pause`() {
        var redirection = begun()
        #expect(redirection.target == nil)
        for machine in [b, c, b, c] {
            #expect(redirection.redirected(to: machine) == .ask)
            #expect(redirection.target == machine)
        }
        #expect(redirection.redirected(to: b) == .pause)
        #expect(redirection.target == nil)
        #expect(redirection.redirected(to: b) == .ask)
    }

    @Test func `a machine that is gone is asked about where the front was told of it`() {
        var redirection = begun()
        #expect(redirection.redirected(to: b) == .ask)
        #expect(redirection.unreachable() == .pause)
        #expect(redirection.target == nil)
        #expect(redirection.redirected(to: c) == .ask)
    }

    @Test func `who cannot find sessions may name another machine, which is asked once`() {
        var redirection = begun()
        #expect(redirection.hinted(to: b) == .ask)
        #expect(redirection.hinted(to: c) == .fail)
        redirection.begin()
        #expect(redirection.hinted(to: b) == .ask)
        #expect(redirection.redirected(to: c) == .ask)
    }

    @Test func `where the first napkind is gone, every other one is asked once`() {
        var redirection = begun(knowing: [b, c])
        #expect(redirection.unreachable() == .ask)
        #expect(redirection.target == b)
        #expect(redirection.unreachable() == .ask)
        #expect(redirection.target == c)
        #expect(redirection.unreachable() == .fail)
        redirection.begin()
        #expect(redirection.target == nil)
        #expect(redirection.unreachable() == .ask)
        // It leads to one that is gone: the guide knows more soon.
        #expect(redirection.redirected(to: c) == .ask)
        #expect(redirection.unreachable() == .pause)
        #expect(redirection.target == b)
    }

    @Test func `a front without a cluster fails at once, and remembers eight machines`() {
        var redirection = begun()
        #expect(redirection.unreachable() == .fail)
        redirection = begun(knowing: (1...9).map { MachineAddress(host: "ssh://\($0)") })
        var asked = 0
        while redirection.unreachable() == .ask { asked += 1 }
        #expect(asked == 8)
    }

    @Test func `only a refusal that names a machine, or none that answers, leads further`() {
        func failed(_ error: FrontError) -> RedirectStateMachine.Step {
            var redirection = begun(knowing: [b])
            return redirection.failed(error)
        }
        #expect(failed(FrontError(Refusal(.elsewhere, "there", machine: c))) == .ask)
        #expect(failed(FrontError(Refusal(.workerUnavailable, "ask there", machine: c))) == .ask)
        #expect(failed(FrontError(.noDaemon, "nobody")) == .ask)
        #expect(failed(FrontError(Refusal(.unknownSession, "none"))) == .fail)
        #expect(failed(FrontError(.notPermitted, "no")) == .fail)
    }
}
