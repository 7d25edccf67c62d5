// SuspicionLogTests: each process once, and few in a minute.

import NapkinProtocol
import Testing

struct SuspicionLogTests {
    /// Which of the processes are logged, each at its time.
    private func logged(_ peers: [(process: Int32?, at: Duration)]) -> [Bool] {
        var log = SuspicionLog()
        return peers.map { log.admits($0.process, at: $0.at) }
    }

    @Test func `a process is logged once, and those that nobody knows are one`() {
        let known = logged([(7, .zero), (7, .seconds(1)), (7, .seconds(3600)), (8, .seconds(3600))])
        #expect(known == [true, false, false, true])
        #expect(logged([(nil, .zero), (nil, .seconds(3600))]) == [true, false])
        #expect(logged([(nil, .zero), (1, .zero), (2, .zero)]) == [true, true, true])
    }

    @Test(arguments: [-1, 0, 1]) func `lines are limited exactly`(offset: Int) {
        let count = SuspicionLog.linesMax + offset
        let flood = (1...Int32(count)).map { (process: Int32?.some($0), at: Duration.seconds(1)) }
        // A minute after the flood.
        let later = Duration.seconds(61)
        let results = logged(flood + [(1000, later), (1001, later + .milliseconds(1))])
        #expect(results[..<count].count { $0 } == min(count, SuspicionLog.linesMax))
        #expect(results[count] == (offset < 0))
        #expect(results[count + 1])
    }

    @Test(arguments: [-1, 0, 1]) func `only the newest processes are remembered`(offset: Int) {
        let count = SuspicionLog.processesMax + offset
        // Far enough from one another for the other limit.
        let peers = (1...count).map {
            (process: Int32?.some(Int32($0)), at: SuspicionLog.window * ($0 * 2))
        }
        let results = logged(peers + [(1, SuspicionLog.window * 10_000)])
        #expect(results[..<count].allSatisfy { $0 })
        #expect(results[count] == (offset > 0))
    }
}
