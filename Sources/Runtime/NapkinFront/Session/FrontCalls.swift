// FrontCalls: questions that a front has received, and their outcomes.

import NapkinCoding
import NapkinCore
import NapkinRuntime

/// The error that a view throws when it has no dialog for a question. The front's surface then
/// asks instead, as it does for a feature without a view.
///
/// ```swift
/// func confirm(_ question: String) async throws -> Bool { throw LeftToSurface() }
/// ```
public struct LeftToSurface: Error, Sendable {
    public init() {}
}

/// A question, to be answered unless another front answers first.
@MainActor
final class AskCall: IncomingCall {
    private let id: UInt64
    private let session: FrontSession
    /// The connection on which the question arrived: others may use the same number.
    private let connection: Int
    private let feature: FeatureID
    private let leave: () -> Void

    /// - Parameter leave: called if the view has no answer.
    init(id: UInt64, session: FrontSession, feature: FeatureID, leave: @escaping () -> Void) {
        self.id = id
        self.session = session
        connection = session.connection
        self.feature = feature
        self.leave = leave
        super.init()
    }

    override func succeed(_ encode: PayloadEncoder) {
        guard session.connection == connection else { return }
        do {
            try session.answer(id, encode)
        } catch {
            fail(error)
        }
    }

    override func succeed() { succeed { (_) throws(CBORError) in } }

    override func fail(_ error: any Error) {
        // Without an answer the question stays open, for this front's surface and for other fronts.
        leave()
        if error is LeftToSurface { return }
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}
