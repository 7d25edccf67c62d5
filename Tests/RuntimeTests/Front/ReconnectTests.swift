// ReconnectTests: whether and when a front tries again after the end of a connection.

import NapkinProtocol
import NapkinRuntime
import Testing

@testable import NapkinFront

struct ReconnectTests {
    /// Draws the smallest or the largest number of a range: of 0, `Int.random` would draw again.
    private struct Draws: RandomNumberGenerator {
        let isLargest: Bool
        func next() -> UInt64 { isLargest ? .max : 1 }
    }

    /// The delay after each of a number of connections.
    private static func delays(
        _ count: Int, isSilent: Bool, attachedFor time: Duration?, isLargest: Bool = false
    ) -> [Duration] {
        var backoff = Backoff()
        var random = Draws(isLargest: isLargest)
        return (0..<count).map { _ in
            backoff.connectionEnded(isSilent: isSilent, attachedFor: time)
            return backoff.next(using: &random)
        }
    }

    @Test(
        arguments: [
            (false, nil, [0, 50, 200, 1000, 1000]),
            (false, .zero, [0, 50, 200, 1000, 1000]),
            (false, .milliseconds(999), [0, 50, 200, 1000, 1000]),
            (false, .seconds(1), [0, 0, 0, 0, 0]),
            (true, nil, [0, 0, 0, 0, 0]),
            (true, .zero, [0, 0, 0, 0, 0]),
        ] as [(Bool, Duration?, [Int])])
    func `delays grow until a connection lasts or ends without a word`(
        _ isSilent: Bool, _ time: Duration?, _ milliseconds: [Int]
    ) {
        #expect(
            Self.delays(5, isSilent: isSilent, attachedFor: time)
                == milliseconds.map { .milliseconds($0) })
    }

    @Test func `a worker that dies before the front is attached never delays it longest`() {
        var backoff = Backoff()
        var random = Draws(isLargest: false)
        let delays = (1...5).map { _ in
            backoff.attachFailed()
            return backoff.next(using: &random)
        }
        #expect(delays == [0, 50, 200, 200, 200].map { .milliseconds($0) })
    }

    @Test func `chance prolongs every delay but the first by up to a half`() {
        #expect(
            Self.delays(5, isSilent: false, attachedFor: nil, isLargest: true)
                == [0, 75, 300, 1500, 1500].map { .milliseconds($0) })
    }

    /// The end of a connection, and the error of a front that was never attached, and of one that
    /// was; `nil` if it tries again.
    @Test(
        arguments: [
            (.closed, .disconnected, nil), (.peerClosed, .disconnected, nil),
            (.violated("what"), .disconnected, nil), (.silent, .disconnected, nil),
            (.failed("read socket: broken (EIO)"), .disconnected, nil),
            (.refused(Refusal(.overloaded, "full")), .refused, nil),
            (.refused(Refusal(.shuttingDown, "bye")), .refused, nil),
            (.refused(Refusal(.workerUnavailable, "set aside")), .refused, nil),
            (.refused(Refusal(.unknownSession, "none")), .refused, .refused),
            (.refused(Refusal(.detached, "taken over")), .refused, .refused),
            (.refused(Refusal(.contractMismatch, "other")), .refused, .refused),
            (.refused(Refusal(.version, "newer")), .refused, .refused),
        ] as [(ConnectionEnd, FrontError.Code, FrontError.Code?)])
    func `a front ends if it leaves, was never attached, or cannot succeed`(
        _ end: ConnectionEnd, _ first: FrontError.Code, _ later: FrontError.Code?
    ) {
        for (wasAttached, code) in [(false, first), (true, later)] {
            let leaving = Front.End(end, isDetaching: true, wasAttached: wasAttached)
            let staying = Front.End(end, isDetaching: false, wasAttached: wasAttached)
            if case .detached? = leaving {} else { Issue.record("it does not leave") }
            guard case .failed(let error)? = staying else {
                #expect(code == nil && staying == nil)
                continue
            }
            #expect(error.code == code && error.message == "\(end)")
        }
    }
}
