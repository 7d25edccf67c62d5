// C1Crossing: the same with `Presentable`.

public import NapkinCore

@Crossing @MainActor
public protocol BoardPresentable: Presentable {
    func present(text: String) async
}
