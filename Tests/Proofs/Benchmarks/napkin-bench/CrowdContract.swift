// CrowdContract: the feature that many fronts show, or many sessions have.
//
// Isolation  value; the crossing's ends are @MainActor.

package import NapkinCore

/// What is pushed: when, and enough text for a frame of about 200 bytes.
@Message
package struct CrowdStamp: Equatable {
    var number: Int
    /// The time of the monotonic clock, which all processes of a machine share.
    var nanoseconds: UInt64
    var text: String

    static func now(_ number: Int) -> CrowdStamp {
        CrowdStamp(
            number: number, nanoseconds: Placement.now(),
            text: "0123456789012345678901234567890123456789012345678901234567890123456789"
                + "01234567890123456789012345678901234567890123456789012345678901234567890123")
    }
}

@Crossing @MainActor
package protocol CrowdPresentable: Presentable {
    func present(stamp: CrowdStamp) async
    @Effect func flash(_ stamp: CrowdStamp) async
    @Append func output(_ line: String) async
}

@Crossing
package protocol CrowdPresentableListener: PresentableListener {
    /// Presents one state to all fronts.
    func push(_ number: Int) async throws -> Bool
    /// Presents so many effects; returns when it has.
    func burst(_ count: Int) async throws -> Bool
    /// Appends so many lines of a build to a log; returns when it has.
    func build(_ lines: Int) async throws -> Bool
    /// Presents the next `count` states; returns the number of the last when it has.
    func offer(_ count: Int) async throws -> Int
    /// Does nothing.
    func ping() async throws -> Bool
    /// Returns the text.
    func echo(_ text: String) async throws -> String
    /// Presents states 1 to `count`, evenly over so many milliseconds; returns when it has.
    func storm(_ count: Int, milliseconds: Int) async throws -> Bool
}

package enum Crowd: Feature {
    package static let id: FeatureID = "bench.crowd"
    package typealias Presenting = CrowdPresentableCrossing
    package typealias Listening = CrowdPresentableListenerCrossing
}
