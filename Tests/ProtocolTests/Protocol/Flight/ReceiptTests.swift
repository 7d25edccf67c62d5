// ReceiptTests: which inputs of a receipt are replayed.

import NapkinProtocol
import Testing

struct ReceiptTests {
    private static func event(_ sequence: UInt64, _ session: String = "a") -> FlightInput {
        var input = FlightInput(.event, session: session, front: 1, sequence: sequence)
        input.arguments = []
        return input
    }

    private static func receipt(
        _ former: [FlightInput], _ input: FlightInput?, hasImage: Bool = false
    ) -> Receipt {
        var receipt = Receipt(
            number: 1, app: "till", worker: "till", pid: 1, at: 0, cause: "", program: "/till",
            build: nil, FlightRecording([]), .suspect)
        (receipt.former, receipt.input) = (former, input)
        receipt.image = hasImage ? [1] : nil
        return receipt
    }

    private static let launch = FlightInput(.launch, session: "a")

    /// What ran before the death, what the receipt before says, and when the state began.
    @Test(
        arguments: [
            ([], nil, nil, nil),
            ([launch], nil, nil, nil),
            ([event(1), event(2, "b")], nil, nil, 901),
            ([launch, event(1), launch], event(3), 7, 901),
            // The second death of the same delivery, or of another one.
            ([launch], event(3), 7, 7),
            ([launch], event(3), nil, nil),
            ([launch], event(2), 7, nil),
            ([launch], nil, 7, nil),
            // The launch is too long ago.
            ([event(1, "b")], event(3), 7, nil),
        ] as [([FlightInput], FlightInput?, Int64?, Int64?)])
    func `a receipt knows when the state began to which its session goes back`(
        former: [FlightInput], before: FlightInput?, knew: Int64?, expected: Int64?
    ) {
        var receipt = Self.receipt(former, Self.event(3))
        for index in receipt.former.indices where receipt.former[index].kind == .event {
            receipt.former[index].nanoseconds = 1_000_000
        }
        (receipt.at, receipt.nanoseconds) = (1000, 100_000_000)
        var death = Self.receipt([], before)
        death.stateAt = knew
        receipt.noteState(after: death)
        #expect(receipt.stateAt == expected)
    }

    private static func replayed(_ receipt: Receipt) -> Result<[UInt64], ReplayGap> {
        do throws(ReplayGap) {
            return .success(try receipt.replay().map(\.sequence))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            // With an image, what came before is in it.
            (receipt([launch, event(1)], event(2), hasImage: true), .success([2])),
            (receipt([event(1)], launch, hasImage: true), .success([])),
            (receipt([], FlightInput(.firing, session: "a"), hasImage: true), .success([])),
            // Else, all of the session's events since its newest launch.
            (
                receipt([launch, event(1), launch, event(2), event(9, "b")], event(3)),
                .success([2, 3])
            ),
            (receipt([launch, event(1)], launch), .success([])),
            (receipt([event(1)], event(2)), .failure(.noLaunch(session: "a"))),
            (
                receipt([FlightInput(.launch, session: "b"), event(1)], event(2)),
                .failure(.noLaunch(session: "a"))
            ),
            (receipt([launch], nil), .failure(.noInput)),
            (
                receipt(
                    [launch, FlightInput(.event, session: "a", front: 7, sequence: 8)], event(9)),
                .failure(.noArguments(front: 7, sequence: 8))
            ),
        ] as [(Receipt, Result<[UInt64], ReplayGap>)])
    func `a replay has the events that lead to the death`(
        receipt: Receipt, expected: Result<[UInt64], ReplayGap>
    ) {
        #expect(Self.replayed(receipt) == expected)
    }
}
