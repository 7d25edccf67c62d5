// C1Crossing: a crossing that forgets `Presentable` is refused before anything is generated.

public import NapkinCore

@Crossing @MainActor
// expected-error@+1: write 'protocol BoardPresentable: Presentable' for what an interactor presents
public protocol BoardPresentable: AnyObject {
    func present(text: String) async
}
