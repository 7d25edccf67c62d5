// QuarantineMachineTests: the second death of an input sets it aside, and no other.

import NapkinProtocol
import Testing

struct QuarantineMachineTests {
    private static func input(
        _ kind: FlightInput.Kind = .event, session: String = "board", node: UInt32 = 1,
        feature: UInt32 = 6, method: UInt32 = 2, front: UInt64 = 3, sequence: UInt64 = 4,
        hash: UInt64 = 5,
        isLast: Bool? = nil
    ) -> FlightInput {
        FlightInput(
            kind, session: session, node: node, feature: feature, method: method, front: front,
            sequence: sequence, hash: hash, isLast: isLast)
    }

    /// What each death means, a second apart.
    private func verdicts(
        _ inputs: [FlightInput?], apart: UInt64 = 1
    ) -> [Receipt.Outcome] {
        var quarantine = QuarantineStateMachine()
        return inputs.enumerated().map { index, input in
            quarantine.died(
                running: input, receipt: UInt64(index), at: apart * 1_000_000_000 * UInt64(index))
        }
    }

    @Test func `an input is suspect at its first death and set aside at its second`() {
        let input = Self.input()
        #expect(verdicts([input, input, input]) == [.suspect, .setAside, .setAside])
        #expect(verdicts([nil, nil]) == [.unnamed, .unnamed])
        #expect(verdicts([input, nil, input]) == [.suspect, .unnamed, .setAside])
    }

    @Test(arguments: [
        input(session: "other"), input(node: 9), input(feature: 9), input(method: 9),
        input(hash: 9),
    ])
    func `another input is only suspect`(other: FlightInput) {
        #expect(verdicts([Self.input(), other]) == [.suspect, .suspect])
    }

    @Test func `an equal input counts as the same for a minute, and the same one for ever`() {
        let equals = [Self.input(), Self.input(front: 9, sequence: 9)]
        #expect(verdicts(equals, apart: 59) == [.suspect, .setAside])
        #expect(verdicts(equals, apart: 60) == [.suspect, .suspect])
        let same = [Self.input(), Self.input()]
        #expect(verdicts(same, apart: 3600) == [.suspect, .setAside])
    }

    @Test(arguments: FlightInput.Kind.allCases)
    func
        `a timer or a job is set aside by its ledger, all others at their second death`(
            kind: FlightInput.Kind
        )
    {
        let isCounted = [.firing, .job].contains(kind)
        let input = Self.input(kind)
        let last = Self.input(kind, isLast: true)
        #expect(verdicts([last]) == [isCounted ? .setAside : .suspect])
        #expect(
            verdicts([input, input, input, last])
                == (isCounted
                    ? [.suspect, .suspect, .suspect, .setAside]
                    : [.suspect, .setAside, .setAside, .setAside]))
        var quarantine = QuarantineStateMachine()
        _ = quarantine.died(running: last, receipt: 7, at: 0)
        #expect(quarantine.suspect(input, at: .max)?.receipt == 7)
        // Only what the quarantine has decided can be released.
        let released = [quarantine.release(7), quarantine.release(nil)].map(\.count)
        #expect(released == (isCounted ? [0, 0] : [1, 0]))
    }

    @Test func `a released input starts over, and no other does`() {
        var quarantine = QuarantineStateMachine()
        let (one, two) = (Self.input(), Self.input(node: 9))
        for (receipt, input) in [one, one, two, two].enumerated() {
            _ = quarantine.died(running: input, receipt: UInt64(receipt), at: 0)
        }
        #expect(quarantine.suspects.map(\.receipt) == [1, 3])
        let areSetAside = quarantine.suspects.map(\.isSetAside)
        #expect(areSetAside == [true, true])
        let released = [2, 1].map { quarantine.release($0).count }
        #expect(released == [0, 1])
        let verdicts = [one, two].map { quarantine.died(running: $0, receipt: 4, at: 0) }
        #expect(verdicts == [.suspect, .setAside])
        let wereThere = quarantine.release(nil).count
        #expect(wereThere == 2 && quarantine.suspects.isEmpty)
    }

    @Test func `the same numbers in another tree are another event, and equal for a while`() {
        var (input, other) = (Self.input(), Self.input())
        (input.epoch, other.epoch) = (1, 2)
        var quarantine = QuarantineStateMachine()
        for _ in 1...2 { _ = quarantine.died(running: input, receipt: 1, at: 0) }
        let end = QuarantineStateMachine.window
        #expect(quarantine.suspect(input, at: .max) != nil)
        #expect(quarantine.suspect(other, at: end - 1) != nil)
        #expect(quarantine.suspect(other, at: end) == nil)
    }

    @Test func `a task is set aside if it ends two workers within a minute, and then for ever`() {
        let task = FlightInput(.task, session: "a", hash: 5)
        #expect(verdicts([task, task], apart: 59) == [.suspect, .setAside])
        #expect(verdicts([task, task, task], apart: 60) == [.suspect, .suspect, .suspect])
        var quarantine = QuarantineStateMachine()
        for _ in 1...2 { _ = quarantine.died(running: task, receipt: 1, at: 0) }
        #expect(quarantine.suspect(task, at: .max)?.isSetAside == true)
        #expect(quarantine.suspect(FlightInput(.task, session: "a", hash: 6), at: 0) == nil)
    }

    @Test(arguments: FlightInput.Kind.allCases)
    func `one death sets an input aside, unless its ledger does`(kind: FlightInput.Kind) {
        let input = Self.input(kind, isLast: true)
        var quarantine = QuarantineStateMachine()
        let isNew = (1...3).map { _ in
            _ = quarantine.died(running: input, receipt: 1, at: 0)
            return quarantine.suspects.last?.isNewlySetAside
        }
        #expect(isNew == [false, ![.firing, .job].contains(kind), false])
    }

    @Test func `a launch that a worker survives is no suspect any more`() {
        var launch = FlightInput(.launch, session: "a")
        var quarantine = QuarantineStateMachine()
        _ = quarantine.died(running: launch, receipt: 1, at: 10)
        launch.nanoseconds = 9
        quarantine.survived([launch])
        #expect(quarantine.suspects.count == 1)
        launch.nanoseconds = 11
        quarantine.survived([FlightInput(.launch, session: "b"), launch])
        #expect(quarantine.suspects.isEmpty)
    }

    private static let second: UInt64 = 1_000_000_000

    @Test func `a session rests for a minute after the first of three events that end its worker`()
    {
        var quarantine = QuarantineStateMachine()
        func dies(_ node: UInt32, _ session: String = "board", at second: UInt64) {
            _ = quarantine.died(
                running: Self.input(session: session, node: node), receipt: UInt64(node),
                at: second * Self.second)
        }
        func rest(at second: UInt64, _ session: String = "board") -> [UInt64]? {
            quarantine.rest(of: session, at: second * Self.second).map {
                [$0.newest.receipt, $0.nanoseconds / Self.second]
            }
        }
        for second in 1...2 { dies(1, at: UInt64(second)) }
        dies(2, at: 3)
        dies(3, "other", at: 4)
        #expect(rest(at: 5) == nil && rest(at: 5, "other") == nil)
        dies(4, at: 6)
        #expect(rest(at: 6) == [4, 56] && rest(at: 61) == [4, 1])
        #expect(rest(at: 62) == nil && rest(at: 6, "other") == nil)
        // Events that had begun before: the three newest count.
        dies(5, at: 7)
        #expect(rest(at: 7) == [5, 56])
        quarantine.release(5)
        #expect(rest(at: 7) == [4, 55])
        quarantine.release(4)
        #expect(rest(at: 7) == nil)
    }

    @Test func `a session does not rest for what others have killed, nor for what is no event`() {
        var quarantine = QuarantineStateMachine()
        for node in 1...9 as ClosedRange<UInt32> {
            let kinds: [FlightInput.Kind] = [.launch, .firing, .job, .task]
            let input = Self.input(node < 5 ? kinds[Int(node) - 1] : .event, node: node)
            _ = quarantine.died(running: input, receipt: 1, at: 0, wasKilled: node < 8)
        }
        #expect(quarantine.rest(of: "board", at: 0) == nil)
        _ = quarantine.died(running: Self.input(node: 10), receipt: 2, at: 0)
        #expect(quarantine.rest(of: "board", at: 0)?.newest.receipt == 2)
    }

    /// The weights of some deaths by one input, after the first deaths of others.
    private func weights(
        _ count: Int, _ input: FlightInput, after others: [FlightInput] = [],
        killed: Set<Int> = []
    ) -> [RestartPolicy.Weight] {
        var quarantine = QuarantineStateMachine()
        for other in others { _ = quarantine.died(running: other, receipt: 0, at: Self.second) }
        return (1...count).map { death in
            _ = quarantine.died(
                running: input, receipt: 0, at: Self.second, wasKilled: killed.contains(death))
            return quarantine.newestWeight
        }
    }

    @Test(arguments: FlightInput.Kind.allCases)
    func `deaths by a named input do not count for restart, unless others may have killed it`(
        kind: FlightInput.Kind
    ) {
        let input = Self.input(kind)
        let most = QuarantineStateMachine.uncountedMax
        let isCounted = [.firing, .job].contains(kind)
        let counted: [RestartPolicy.Weight] = [.one, isCounted ? .one : .minusOne, .one]
        if kind == .launch {
            #expect(weights(3, input) == counted)
        } else {
            #expect(weights(most, input).allSatisfy { $0 == .zero })
            #expect(weights(most + 1, input).last == .one)
        }
        #expect(weights(3, input, killed: [1, 2, 3]) == counted)
        // A pair counts as none, whichever of both others may have done.
        let first = weights(2, input, killed: [1])
        #expect(first == [.one, isCounted ? (kind == .launch ? .one : .zero) : .minusOne])
        let second = weights(2, input, killed: [2]).last
        #expect(second == (isCounted ? .one : kind == .launch ? .minusOne : .zero))
    }

    @Test func `deaths count for restart again where different inputs go on without end`() {
        func others(_ count: Int, of session: String? = nil) -> [FlightInput] {
            (0..<UInt32(count)).map { Self.input(.firing, session: session ?? "\($0)", node: $0) }
        }
        let input = Self.input(.firing, node: 99)
        let own = QuarantineStateMachine.sessionEventsMax
        #expect(weights(1, input, after: others(own - 1, of: "board")) == [.zero])
        #expect(weights(1, input, after: others(own, of: "board")) == [.one])
        let most = QuarantineStateMachine.inputsMax
        #expect(weights(1, input, after: others(most - 1)) == [.zero])
        #expect(weights(1, input, after: others(most)) == [.one])
    }

    @Test(arguments: [-1, 0, 1]) func `the inputs are limited exactly`(offset: Int) {
        let count = QuarantineStateMachine.inputsMax + offset
        var quarantine = QuarantineStateMachine()
        for node in 1...UInt32(count) {
            _ = quarantine.died(running: Self.input(node: node), receipt: 0, at: 0)
        }
        let again = quarantine.died(running: Self.input(node: 1), receipt: 0, at: 0)
        #expect(again == (offset > 0 ? .suspect : .setAside))
        #expect(quarantine.suspects.count == min(count, QuarantineStateMachine.inputsMax))
    }
}
