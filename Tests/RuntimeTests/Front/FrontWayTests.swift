// FrontWayTests: which napkind a front asks, when sessions change their machines and machines die.

import NapkinProtocol
import Testing

@testable import NapkinFront

struct FrontWayTests {
    private let b = MachineAddress(host: "ssh://b")
    private let c = MachineAddress(host: "ssh://c")

    private func begun(knowing machines: [MachineAddress] = []) -> FrontWay {
        var way = FrontWay()
        way.arrived(knowing: machines)
        way.begin()
        return way
    }

    @Test func `a front follows what it is told, and a ring of machines makes it pause`() {
        var way = begun()
        #expect(way.target == nil)
        for machine in [b, c, b, c] {
            #expect(way.redirected(to: machine) == .ask)
            #expect(way.target == machine)
        }
        #expect(way.redirected(to: b) == .pause)
        #expect(way.target == nil)
        #expect(way.redirected(to: b) == .ask)
    }

    @Test func `a machine that is gone is asked about where the front was told of it`() {
        var way = begun()
        #expect(way.redirected(to: b) == .ask)
        #expect(way.unreachable() == .pause)
        #expect(way.target == nil)
        #expect(way.redirected(to: c) == .ask)
    }

    @Test func `who cannot find sessions may name another machine, which is asked once`() {
        var way = begun()
        #expect(way.hinted(to: b) == .ask)
        #expect(way.hinted(to: c) == .fail)
        way.begin()
        #expect(way.hinted(to: b) == .ask)
        #expect(way.redirected(to: c) == .ask)
    }

    @Test func `where the first napkind is gone, every other one is asked once`() {
        var way = begun(knowing: [b, c])
        #expect(way.unreachable() == .ask)
        #expect(way.target == b)
        #expect(way.unreachable() == .ask)
        #expect(way.target == c)
        #expect(way.unreachable() == .fail)
        way.begin()
        #expect(way.target == nil)
        #expect(way.unreachable() == .ask)
        // It leads to one that is gone: the guide knows more soon.
        #expect(way.redirected(to: c) == .ask)
        #expect(way.unreachable() == .pause)
        #expect(way.target == b)
    }

    @Test func `a front without a cluster fails at once, and remembers eight machines`() {
        var way = begun()
        #expect(way.unreachable() == .fail)
        way = begun(knowing: (1...9).map { MachineAddress(host: "ssh://\($0)") })
        var asked = 0
        while way.unreachable() == .ask { asked += 1 }
        #expect(asked == 8)
    }

    @Test func `only a refusal that names a machine, or none that answers, leads further`() {
        func failed(_ error: FrontError) -> FrontWay.Step {
            var way = begun(knowing: [b])
            return way.failed(error)
        }
        #expect(failed(FrontError(Refusal(.elsewhere, "there", machine: c))) == .ask)
        #expect(failed(FrontError(Refusal(.workerUnavailable, "ask there", machine: c))) == .ask)
        #expect(failed(FrontError(.noDaemon, "nobody")) == .ask)
        #expect(failed(FrontError(Refusal(.unknownSession, "none"))) == .fail)
        #expect(failed(FrontError(.notPermitted, "no")) == .fail)
    }
}
