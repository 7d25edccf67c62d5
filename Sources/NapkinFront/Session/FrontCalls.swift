// FrontCalls: presented messages that have arrived in a front, and what they are owed.
//
// Layer      front.
// Isolation  @MainActor.

import NapkinCoding
import NapkinCore
import NapkinRuntime

/// A state or an effect: owes nothing; a failure is reported.
@MainActor
final class PresentCall: IncomingCall {
    private let feature: FeatureID

    init(feature: FeatureID) {
        self.feature = feature
        super.init()
    }

    override func fail(_ error: any Error) {
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}

/// A question: owes an answer, unless another front was first.
@MainActor
final class AskCall: IncomingCall {
    private let id: UInt64
    private let client: SessionClient
    private let feature: FeatureID

    init(id: UInt64, client: SessionClient, feature: FeatureID) {
        self.id = id
        self.client = client
        self.feature = feature
        super.init()
    }

    override func succeed(_ encode: PayloadEncoder) {
        do {
            try client.answer(id, encode)
        } catch {
            fail(error)
        }
    }

    override func succeed() {
        succeed { (_) throws(CBORError) in }
    }

    override func fail(_ error: any Error) {
        // Without an answer the question stays open for the other fronts.
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}
