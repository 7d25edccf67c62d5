// LesserTill: a till with a part of the contract only, as a later program may have it.

package import NapkinCore

package enum LesserTill: Feature {
    package static let id: FeatureID = "starts.till"
    package typealias Presenting = LesserTillPresentableCrossing
    package typealias Listening = LesserTillPresentableListenerCrossing
}

@Crossing @MainActor
package protocol LesserTillPresentable: Presentable {
    /// Never presents anything.
    func present(opened: [String]) async
}

@Crossing
package protocol LesserTillPresentableListener: PresentableListener {
    /// Returns a number that the till never returns.
    func ring() async throws -> Int32
}

final actor LesserTillInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any LesserTillPresentable

    init(presenter: any LesserTillPresentable) { self.presenter = presenter }
}

extension LesserTillInteractor: LesserTillPresentableListener {
    func ring() async throws -> Int32 { -1 }
}

/// The app as a program hosts it that its manifest tells `--lesser`.
enum LesserTillApp: App {
    static let id = "till"
    static let features: [any Feature.Type] = [LesserTill.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(LesserTill.self) { LesserTillInteractor(presenter: $0.presenter) }
    }
}
