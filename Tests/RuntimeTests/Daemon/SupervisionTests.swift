// SupervisionTests: when a worker is started, started again, given up and ended.

import Glibc
import NapkinProtocol
import Testing

@testable import NapkinDaemon

struct SupervisionTests {
    private let killed = WorkerDeath.Cause.signalled(9)

    private func running(_ connection: UInt64 = 1) -> SupervisionStateMachine {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.startAttempted(.started, at: .zero, jitter: 0) == .ignore)
        #expect(machine.registered(on: connection) == .run(waiters: [1]))
        return machine
    }

    @Test func `a worker is started for the first front, and the others wait for it`() {
        var machine = SupervisionStateMachine()
        #expect(machine.state == .idle)
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.startAttempted(.started, at: .zero, jitter: 0) == .ignore)
        #expect(machine.timerFired() == false)
        #expect(machine.waiterTimedOut(1) == true)
        #expect(machine.waiterTimedOut(1) == false)
        #expect(machine.registered(on: 5) == .run(waiters: [2]))
        #expect(machine.workerRequested(by: 3, at: .zero) == .proceed)
    }

    @Test func `a worker of an earlier napkind is waited for, and its connection is its life`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        let attempt = machine.startAttempted(.anotherLives, at: .zero, jitter: 0)
        #expect(attempt == .checkAgain(after: .milliseconds(100)))
        #expect(machine.timerFired() == true)
        #expect(machine.registered(on: 1) == .run(waiters: [1]))
        #expect(machine.registered(on: 2) == .run(waiters: []))
        #expect(machine.connectionEnded(1, at: .zero, jitter: 0) == .ignore)
        #expect(machine.connectionEnded(2, at: .zero, jitter: 0) == .restart(after: .zero))
    }

    @Test func `a worker that registers while a front waits for it is the only one`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.registered(on: 1) == .run(waiters: [1]))
        // The attempt that was under way finds the lock held; a late timer starts nothing.
        let late = machine.startAttempted(.anotherLives, at: .zero, jitter: 0)
        #expect(late == .ignore)
        #expect(machine.timerFired() == false)
        for waiter: UInt64 in 2...51 {
            #expect(machine.workerRequested(by: waiter, at: .zero) == .proceed)
        }
    }

    @Test func `a child's death is its exit, not the end of its connection`() {
        var machine = running()
        #expect(machine.connectionEnded(1, at: .zero, jitter: 0) == .ignore)
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .restart(after: .zero))
        #expect(machine.state == .restarting)
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .ignore)
        #expect(machine.timerFired() == true)
        #expect(machine.crashes == 1)
    }

    @Test func `a worker whose journal another machine has is not started again by itself`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerYielded() == .ignore)
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.startAttempted(.started, at: .zero, jitter: 0) == .ignore)
        #expect(machine.workerYielded() == .yield(waiters: [1]))
        #expect(machine.state == .idle && machine.crashes == 0 && machine.death == nil)
        machine = running()
        #expect(machine.workerYielded() == .yield(waiters: []))
        #expect(machine.workerRequested(by: 2, at: .zero) == .startAndWait)
        machine = running()
        #expect(machine.drainRequested() == .tell(waiters: []))
        #expect(machine.workerYielded() == .drained)
        // One of an earlier napkind has only its connection.
        machine = SupervisionStateMachine()
        #expect(machine.registered(on: 7) == .run(waiters: []))
        var draining = machine
        #expect(machine.workerYielded() == .yield(waiters: []))
        #expect(draining.drainRequested() == .tell(waiters: []))
        #expect(draining.workerYielded() == .drained)
    }

    @Test func `deaths are answered later and later, then not at all, then anew after a pause`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        for (second, delay) in [(1, 0), (2, 75), (3, 300)] {
            #expect(
                machine.startAttempted(.failed(reason: "no file"), at: .seconds(second), jitter: 1)
                    == .restart(after: .milliseconds(delay)))
            #expect(machine.timerFired() == true)
        }
        #expect(
            machine.startAttempted(.failed(reason: "no file"), at: .seconds(4), jitter: 0)
                == .giveUp(waiters: [1]))
        #expect(machine.state == .degraded)
        #expect(machine.timerFired() == false)
        #expect(machine.workerRequested(by: 2, at: .seconds(14)) == .refuseDegraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(15)) == .startAndWait)
        #expect(machine.crashes == 4)
    }

    @Test func `a drain tells the worker, then its process, and starts nothing again`() {
        var machine = running(8)
        #expect(machine.drainRequested() == .tell(waiters: []))
        #expect(machine.workerRequested(by: 2, at: .zero) == .refuseShuttingDown)
        #expect(machine.connectionEnded(8, at: .zero, jitter: 0) == .ignore)
        #expect(machine.drainOverdue() == true)
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .drained)
        #expect(machine.drainOverdue() == false)
        #expect(machine.crashes == 0)
    }

    @Test func `a worker that registers during a drain is told at once`() {
        var machine = SupervisionStateMachine()
        _ = machine.workerRequested(by: 1, at: .zero)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        #expect(machine.drainRequested() == .terminate(waiters: [1]))
        #expect(machine.registered(on: 1) == .drain)
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .drained)
        var idle = SupervisionStateMachine()
        #expect(idle.drainRequested() == .none(waiters: []))
        #expect(idle.workerRequested(by: 1, at: .zero) == .refuseShuttingDown)
    }

    @Test func `without a program a running worker goes on, and none follows it`() {
        var machine = running()
        #expect(machine.programWithdrawn().isEmpty)
        #expect(machine.state == .running && !machine.isOver)
        #expect(machine.workerRequested(by: 2, at: .zero) == .proceed)
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .giveUp(waiters: []))
        #expect(machine.isOver)
        #expect(machine.workerRequested(by: 3, at: .zero) == .refuseDegraded)
    }

    @Test func `a program that is back is started again`() {
        var machine = running()
        _ = machine.programWithdrawn()
        machine.programReplaced()
        #expect(machine.childExited(killed, at: .zero, jitter: 0) == .restart(after: .zero))
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.programWithdrawn() == [2])
        #expect(machine.isOver && machine.timerFired() == false)
        machine.programReplaced()
        #expect(machine.workerRequested(by: 3, at: .zero) == .startAndWait)
    }

    @Test(
        arguments: [
            (nil, .signalled(6), "it was ended by signal 6", true),
            (nil, .exited(code: 3), "it exited with code 3", true),
            (.hung(.seconds(5)), .signalled(6), "its loop did not answer for 5 s", true),
            (
                .exceeded(.processor(9, limit: 8)), .signalled(9),
                "it used 9 s of processor time in 60 s, and its limit is 8 s: 'processor' in "
                    + "'limits' of its manifest", true
            ),
            // Another process would end in the same way.
            (
                .unregistered(.seconds(8)), .signalled(9),
                "it did not register within 8 s, as a worker does", false
            ),
        ] as [(WorkerDeath.Cause?, WorkerDeath.Cause, String, Bool)])
    func `napkind's reason counts before the end that was seen, and all count the same`(
        reason: WorkerDeath.Cause?, end: WorkerDeath.Cause, text: String, restarts: Bool
    ) {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        for death in 1...(restarts ? 4 : 1) {
            _ = machine.startAttempted(.started, at: .zero, jitter: 0)
            if let reason {
                #expect(machine.killRequested(for: reason, at: .zero) == true)
                #expect(machine.death?.text == text)
                // It is not killed a second time, nor for another reason.
                #expect(machine.killRequested(for: .unheard(.zero), at: .zero) == false)
            }
            let action = machine.childExited(end, at: .seconds(1), jitter: 0)
            #expect(machine.death == WorkerDeath(cause: reason ?? end, at: .seconds(1)))
            #expect(machine.death?.text == text && machine.crashes == death)
            #expect((action == .giveUp(waiters: [1])) == (!restarts || death == 4))
            _ = machine.timerFired()
        }
        #expect(machine.state == .degraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(11)) == .refuseDegraded)
        #expect(machine.workerRequested(by: 3, at: .seconds(12)) == .startAndWait)
        // What was done to one process is nothing to the next.
        _ = machine.startAttempted(.started, at: .seconds(12), jitter: 0)
        _ = machine.childExited(.exited(code: 0), at: .seconds(12), jitter: 0)
        #expect(machine.death?.text == "it exited with code 0")
    }

    @Test func `a reason that was not carried out is forgotten with the next process`() {
        var machine = SupervisionStateMachine()
        #expect(machine.killRequested(for: .unheard(.seconds(1)), at: .zero) == true)
        #expect(machine.death?.text == "it did not register for 1 s" && machine.crashes == 0)
        var other = machine
        _ = machine.workerRequested(by: 1, at: .zero)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        _ = machine.childExited(.exited(code: 1), at: .zero, jitter: 0)
        #expect(machine.death?.text == "it exited with code 1")
        _ = other.workerRequested(by: 1, at: .zero)
        _ = other.startAttempted(.failed(reason: "there is no such file"), at: .zero, jitter: 0)
        #expect(other.death?.text == "there is no such file")
    }

    @Test func `last words are the death's whose log they were in, and a drain is no death`()
        throws
    {
        var machine = running()
        _ = machine.childExited(.signalled(5), at: .zero, jitter: 0)
        let first = try #require(machine.death)
        machine.lastWordsFound("Fatal error: no", of: first, memory: nil)
        #expect(machine.death?.text == "it was ended by signal 5, and said: Fatal error: no")
        _ = machine.timerFired()
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        _ = machine.childExited(killed, at: .seconds(1), jitter: 0)
        machine.lastWordsFound("late", of: first, memory: nil)
        #expect(machine.death?.text == "it was ended by signal 9")
        _ = machine.timerFired()
        _ = machine.startAttempted(.started, at: .seconds(1), jitter: 0)
        _ = machine.drainRequested()
        _ = machine.childExited(.exited(code: 0), at: .seconds(2), jitter: 0)
        #expect(machine.death?.text == "it was ended by signal 9" && machine.crashes == 2)
    }

    private func limit(_ times: Int, in seconds: Int) -> RestartLimit {
        var limit = RestartLimit()
        (limit.times, limit.seconds) = (times, seconds)
        return limit
    }

    @Test func `the manifest says how often a worker is started again, and how long a pause is`() {
        var policy = RestartPolicy(limit(5, in: 600))
        for (minute, delay) in [0, 50, 200, 1000, 1000].enumerated() {
            #expect(
                policy.workerDied(at: .seconds(minute * 60), jitter: 0)
                    == .restart(after: .milliseconds(delay)))
        }
        // The first one counts until its time is over.
        #expect(policy.workerDied(at: .seconds(600), jitter: 0) == .degrade)
        #expect(!policy.mayTryAgain(at: .seconds(1200)))
        #expect(policy.mayTryAgain(at: .seconds(1201)))
        #expect(policy.workerDied(at: .seconds(1201), jitter: 0) != .degrade)
    }

    @Test func `two deaths count as none if the second sets its input aside`() {
        func decisions(_ weights: [RestartPolicy.Weight]) -> [RestartPolicy.Decision] {
            var policy = RestartPolicy(limit(3, in: 10))
            return weights.map { policy.workerDied(at: .zero, weight: $0, jitter: 0) }
        }
        let pairs = (1...100).flatMap { _ in [RestartPolicy.Weight.one, .minusOne] }
        #expect(decisions(pairs) == pairs.map { _ in .restart(after: .zero) })
        let growing: [RestartPolicy.Decision] = [
            .restart(after: .zero), .restart(after: .milliseconds(50)),
            .restart(after: .milliseconds(200)), .degrade,
        ]
        // Inputs that each end a worker once are another matter.
        #expect(decisions([.one, .one, .one, .one]) == growing)
        let again = decisions([.one, .minusOne, .one, .one, .one, .one])
        #expect(again == [.restart(after: .zero), .restart(after: .zero)] + growing)
        let light = decisions([.zero, .one, .zero, .one, .zero, .one, .zero, .one])
        #expect(light == growing.flatMap { [.restart(after: .zero), $0] })
        // The first death is over, or was never to be followed by another worker.
        var policy = RestartPolicy(limit(1, in: 10))
        #expect(policy.workerDied(at: .zero, jitter: 0) == .restart(after: .zero))
        for second in [11, 12] {
            let next = policy.workerDied(
                at: .seconds(second), weight: second == 11 ? .minusOne : .one, jitter: 0)
            #expect(next == (second == 11 ? .restart(after: .zero) : .degrade))
        }
        policy = RestartPolicy(limit(0, in: 10))
        #expect(policy.workerDied(at: .zero, weight: .minusOne, jitter: 0) == .degrade)
        #expect(policy.workerDied(at: .zero, weight: .zero, jitter: 0) == .degrade)
    }

    @Test func `a launch that others have killed twice is no reason to take its session back`() {
        let launch = FlightInput(.launch, session: "a")
        #expect(killed.suspect(launch) == nil)
        let event = FlightInput(.event, session: "a")
        #expect(killed.suspect(event) == event && killed.suspect(nil) == nil)
        let own: [WorkerDeath.Cause] = [
            .signalled(SIGTRAP), .exited(code: 0), .hung(.seconds(10)),
            .exceeded(.memory(2, limit: 1)),
        ]
        #expect(own.allSatisfy { $0.suspect(launch) == launch })
    }

    @Test(arguments: [false, true])
    func `a death that sets its input aside takes the former one back`(setsAside: Bool) {
        var machine = SupervisionStateMachine(restart: limit(1, in: 10))
        _ = machine.workerRequested(by: 1, at: .zero)
        for death in 1...2 {
            _ = machine.startAttempted(.started, at: .zero, jitter: 0)
            #expect(machine.killRequested(for: .hung(.seconds(1)), at: .zero) == true)
            #expect(machine.cause(of: killed) == .hung(.seconds(1)))
            let next = machine.childExited(
                killed, weight: setsAside && death == 2 ? .minusOne : .one, at: .zero, jitter: 0)
            #expect(machine.cause(of: killed) == killed)
            #expect(
                next == (setsAside || death == 1 ? .restart(after: .zero) : .giveUp(waiters: [1])))
            _ = machine.timerFired()
        }
    }

    @Test func `a worker that is never started again waits for a front, or for another limit`() {
        var machine = SupervisionStateMachine(restart: limit(0, in: 10))
        _ = machine.workerRequested(by: 1, at: .zero)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        #expect(machine.childExited(killed, at: .seconds(1), jitter: 0) == .giveUp(waiters: [1]))
        #expect(machine.state == .degraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(11)) == .refuseDegraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(12)) == .startAndWait)
        _ = machine.startAttempted(.started, at: .seconds(12), jitter: 0)
        machine.programReplaced(restart: limit(1, in: 10))
        #expect(machine.childExited(killed, at: .seconds(13), jitter: 0) == .restart(after: .zero))
        _ = machine.timerFired()
        _ = machine.startAttempted(.started, at: .seconds(13), jitter: 0)
        #expect(machine.childExited(killed, at: .seconds(13), jitter: 0) == .giveUp(waiters: [2]))
    }

    @Test func `another program is tried at once where the former died too often`() {
        var machine = running()
        for _ in 0...RestartLimit().times {
            _ = machine.childExited(killed, at: .zero, jitter: 0)
            _ = machine.timerFired()
            _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        }
        #expect(machine.workerRequested(by: 2, at: .zero) == .refuseDegraded)
        machine.programReplaced()
        #expect(machine.workerRequested(by: 3, at: .zero) == .startAndWait)
    }
}
