// DiaryContract: one crossing for all versions of the diary.

package import NapkinCore

package enum Diary: Feature {
    package static let id: FeatureID = "diary.diary"
    package typealias Presenting = DiaryPresentableCrossing
    package typealias Listening = DiaryPresentableListenerCrossing
}

/// A child that one version of the app has.
package enum Appendix: Feature {
    package static let id: FeatureID = "diary.appendix"
    package typealias Presenting = DiaryPresentableCrossing
    package typealias Listening = DiaryPresentableListenerCrossing
}

/// A page that each front has in that version.
package enum Margin: Feature {
    package static let id: FeatureID = "diary.margin"
    package typealias Presenting = DiaryPresentableCrossing
    package typealias Listening = DiaryPresentableListenerCrossing
}

@Crossing @MainActor
package protocol DiaryPresentable: Presentable {
    func present(text: String) async
}

@Crossing
package protocol DiaryPresentableListener: PresentableListener {
    func write(_ amount: Int64) async
}
