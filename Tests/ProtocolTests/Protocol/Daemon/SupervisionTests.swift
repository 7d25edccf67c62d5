// SupervisionTests: when a worker is started, started again, given up and ended.

import NapkinProtocol
import Testing

struct SupervisionTests {
    private func running(_ connection: UInt64 = 1) -> SupervisionStateMachine {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.startAttempted(.started, at: .zero, jitter: 0) == .awaitRegistration)
        #expect(machine.registered(on: connection) == .run(waiters: [1]))
        return machine
    }

    @Test func `a worker is started for the first front, and the others wait for it`() {
        var machine = SupervisionStateMachine()
        #expect(machine.state == .idle)
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.startAttempted(.started, at: .zero, jitter: 0) == .awaitRegistration)
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
        #expect(attempt == .lookAgain(after: .milliseconds(100)))
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
        #expect(late == .awaitRegistration)
        #expect(machine.timerFired() == false)
        for waiter: UInt64 in 2...51 {
            #expect(machine.workerRequested(by: waiter, at: .zero) == .proceed)
        }
    }

    @Test func `a child's death is its exit, not the end of its connection`() {
        var machine = running()
        #expect(machine.connectionEnded(1, at: .zero, jitter: 0) == .ignore)
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.childExited(at: .zero, jitter: 0) == .restart(after: .zero))
        #expect(machine.state == .restarting)
        #expect(machine.childExited(at: .zero, jitter: 0) == .ignore)
        #expect(machine.timerFired() == true)
        #expect(machine.crashes == 1)
    }

    @Test func `deaths are answered later and later, then not at all, then anew after a pause`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        for (second, delay) in [(1, 0), (2, 75), (3, 300)] {
            #expect(
                machine.startAttempted(.failed, at: .seconds(second), jitter: 1)
                    == .died(.restart(after: .milliseconds(delay))))
            #expect(machine.timerFired() == true)
        }
        #expect(
            machine.startAttempted(.failed, at: .seconds(4), jitter: 0)
                == .died(.giveUp(waiters: [1])))
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
        #expect(machine.childExited(at: .zero, jitter: 0) == .drained)
        #expect(machine.drainOverdue() == false)
        #expect(machine.crashes == 0)
    }

    @Test func `a worker that registers during a drain is told at once`() {
        var machine = SupervisionStateMachine()
        _ = machine.workerRequested(by: 1, at: .zero)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        #expect(machine.drainRequested() == .terminate(waiters: [1]))
        #expect(machine.registered(on: 1) == .drain)
        #expect(machine.childExited(at: .zero, jitter: 0) == .drained)
        var idle = SupervisionStateMachine()
        #expect(idle.drainRequested() == .none(waiters: []))
        #expect(idle.workerRequested(by: 1, at: .zero) == .refuseShuttingDown)
    }

    @Test func `without a program a running worker goes on, and none follows it`() {
        var machine = running()
        #expect(machine.programWithdrawn().isEmpty)
        #expect(machine.state == .running && !machine.isOver)
        #expect(machine.workerRequested(by: 2, at: .zero) == .proceed)
        #expect(machine.childExited(at: .zero, jitter: 0) == .giveUp(waiters: []))
        #expect(machine.isOver)
        #expect(machine.workerRequested(by: 3, at: .zero) == .refuseDegraded)
    }

    @Test func `a program that is back is started again`() {
        var machine = running()
        _ = machine.programWithdrawn()
        machine.programReplaced()
        #expect(machine.childExited(at: .zero, jitter: 0) == .restart(after: .zero))
        #expect(machine.workerRequested(by: 2, at: .zero) == .wait)
        #expect(machine.programWithdrawn() == [2])
        #expect(machine.isOver && machine.timerFired() == false)
        machine.programReplaced()
        #expect(machine.workerRequested(by: 3, at: .zero) == .startAndWait)
    }

    @Test func `a program that did not register is not started again until somebody asks later`() {
        var machine = SupervisionStateMachine()
        #expect(machine.workerRequested(by: 1, at: .zero) == .startAndWait)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        #expect(
            machine.childExited(at: .seconds(8), jitter: 0, wasSilent: true)
                == .giveUp(waiters: [1]))
        #expect(machine.state == .degraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(18)) == .refuseDegraded)
        #expect(machine.workerRequested(by: 3, at: .seconds(19)) == .startAndWait)
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

    @Test func `a worker that is never started again waits for a front, or for another limit`() {
        var machine = SupervisionStateMachine(restart: limit(0, in: 10))
        _ = machine.workerRequested(by: 1, at: .zero)
        _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        #expect(machine.childExited(at: .seconds(1), jitter: 0) == .giveUp(waiters: [1]))
        #expect(machine.state == .degraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(11)) == .refuseDegraded)
        #expect(machine.workerRequested(by: 2, at: .seconds(12)) == .startAndWait)
        _ = machine.startAttempted(.started, at: .seconds(12), jitter: 0)
        machine.programReplaced(restart: limit(1, in: 10))
        #expect(machine.childExited(at: .seconds(13), jitter: 0) == .restart(after: .zero))
        _ = machine.timerFired()
        _ = machine.startAttempted(.started, at: .seconds(13), jitter: 0)
        #expect(machine.childExited(at: .seconds(13), jitter: 0) == .giveUp(waiters: [2]))
    }

    @Test func `another program is tried at once where the former died too often`() {
        var machine = running()
        for _ in 0...RestartLimit().times {
            _ = machine.childExited(at: .zero, jitter: 0)
            _ = machine.timerFired()
            _ = machine.startAttempted(.started, at: .zero, jitter: 0)
        }
        #expect(machine.workerRequested(by: 2, at: .zero) == .refuseDegraded)
        machine.programReplaced()
        #expect(machine.workerRequested(by: 3, at: .zero) == .startAndWait)
    }
}
