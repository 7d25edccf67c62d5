// C9Provisional: the same with a state, whose newest value is enough.

public import NapkinCore

@Crossing
public protocol OvenPresentable: Presentable {
    func present(bread: String) async
    @Provisional func present(degrees: Int) async
    @Effect func ring(_ bell: String) async
}
