// Page: the contract of the features that these tests mount.

package import NapkinCore

/// What a page shows.
@Crossing @MainActor
package protocol PagePresentable: Presentable {
    func present(text: String) async
    @Effect func flash(_ text: String) async
}

/// What a page's view says.
@Crossing
package protocol PagePresentableListener: PresentableListener {
    func didTap() async
}

/// A feature like any other; pages differ by their slots.
package enum Page: Feature {
    package static let id: FeatureID = "page"
    package typealias Presenting = PagePresentableCrossing
    package typealias Listening = PagePresentableListenerCrossing
}

/// A feature that has no view.
enum Silent: Feature {
    static let id: FeatureID = "silent"
}
