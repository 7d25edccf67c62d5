// DiaryContract: one crossing for all versions of the diary.
//
// Layer      test executable.
// Isolation  none of its own; presentables are @MainActor.

package import NapkinCore

package enum Diary: Feature {
    package static let id: FeatureID = "diary.diary"
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
