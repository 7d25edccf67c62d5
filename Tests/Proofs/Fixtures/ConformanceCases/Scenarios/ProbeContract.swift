// ProbeContract: the feature that scenarios attach.

package import NapkinCore

/// A page of a scenario.
package enum ProbePage: Feature {
    package static let id: FeatureID = "conformance.probe"
    package typealias Presenting = ProbePresentableCrossing
    package typealias Listening = ProbePresentableListenerCrossing

    /// What its view is made with.
    @Message
    package struct Arguments: Hashable {
        package var name: String
    }
}

/// What a probe shows.
@Crossing @MainActor
package protocol ProbePresentable: Presentable {
    func present(text: String) async
}

/// What a probe's view says.
@Crossing
package protocol ProbePresentableListener: PresentableListener {
    func didTap() async
}
