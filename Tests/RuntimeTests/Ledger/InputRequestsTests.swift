// InputRequestsTests: the timers and jobs that a handler finds before its stretch is recorded.

import NapkinCore
import Testing

@testable import NapkinLedger

struct InputRequestsTests {
    typealias Step = @Sendable (inout InputRequests) -> Void

    /// Recorded are `tea` of nodes 1 and 2, and `soup` of node 1.
    private static let recorded = [timer(1, "tea"), timer(2, "soup"), timer(3, "tea", of: 2)]

    private static func timer(_ id: UInt64, _ name: String, of node: UInt32 = 1) -> TimerImage {
        TimerImage(id: id, node: node, name: name, due: 0, missed: 0, payload: [])
    }

    private static func schedule(_ id: UInt64, _ name: String) -> Step {
        { $0.schedule(timer(id, name)) }
    }

    private static func cancel(_ name: String, of node: UInt32 = 1) -> Step {
        { $0.cancel(name, of: node, in: recorded) }
    }

    private static func drop(_ node: UInt32) -> Step { { $0.drop { $0 == node } } }

    @Test(
        arguments: [
            ([], [1, 2, 3], [], []),
            ([schedule(7, "rice")], [1, 2, 3, 7], [7], []),
            ([schedule(7, "tea")], [2, 3, 7], [7], []),
            ([schedule(7, "rice"), schedule(8, "rice")], [1, 2, 3, 8], [8], []),
            ([cancel("tea")], [2, 3], [], [1]),
            ([schedule(7, "rice"), cancel("rice")], [1, 2, 3], [], []),
            ([schedule(7, "tea"), cancel("tea")], [2, 3], [], [1]),
            ([cancel("tea"), schedule(7, "tea")], [2, 3, 7], [7], [1]),
            // Node 1's stay.
            ([schedule(7, "tea"), cancel("tea", of: 2), drop(2)], [2, 3, 7], [7], []),
            ([schedule(7, "tea"), cancel("soup"), drop(1)], [1, 2, 3], [], []),
        ] as [([Step], [UInt64], [UInt64], [UInt64])])
    func `timers are found as requested, and recorded so`(
        steps: [Step], found: [UInt64], new: [UInt64], passed: [UInt64]
    ) {
        var requests = InputRequests()
        for step in steps { step(&requests) }
        #expect(requests.timers(over: Self.recorded).map(\.id) == found)
        var record = Record(session: 1)
        requests.enter(&record)
        #expect((record.timers ?? []).map(\.id) == new)
        #expect((record.passed ?? []).map(\.id) == passed)
        #expect(requests.isEmpty == (new + passed).isEmpty)
    }

    @Test func `a job is open until it is cancelled, and again if that is dropped`() {
        let job = { (id: UInt64) in
            JobImage(
                id: id, node: 1, key: [UInt8(id)], payload: [], due: 0, attempts: 0)
        }
        let recorded = [job(1), job(2)]
        var requests = InputRequests()
        requests.post(job(3))
        func open() -> [UInt64] { requests.openJobs(of: 1, in: recorded).map(\.id) }
        #expect(open() == [1, 2, 3])
        requests.end(job(1))
        let withdrawn = [3, 2].map { requests.withdraw(JobKey(bytes: [$0]), of: 1) }
        #expect(withdrawn == [true, false])
        #expect(open() == [2])
        requests.drop { $0 == 1 }
        #expect(open() == [1, 2])
    }

    @Test func `a dead letter is found until it is taken up, and again if that is dropped`() {
        var dead = JobImage(id: 1, node: 1, key: [], payload: [], due: 0, attempts: 3)
        dead.isTold = true
        let jobs = [dead, JobImage(id: 2, node: 1, key: [], payload: [], due: 0, attempts: 0)]
        var requests = InputRequests()
        #expect(requests.deadJobs(of: 1, in: jobs) == [dead])
        #expect(requests.deadJobs(of: 2, in: jobs).isEmpty)
        requests.end(dead)
        #expect(requests.deadJobs(of: 1, in: jobs).isEmpty)
        requests.drop { $0 == 1 }
        #expect(requests.deadJobs(of: 1, in: jobs) == [dead])
    }
}
