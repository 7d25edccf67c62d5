// C9Provisional: what may be seen and be lost, where every message has to arrive.

public import NapkinCore

@Crossing
public protocol OvenPresentable: Presentable {
    func present(bread: String) async
    // expected-error@+1: only states and items of a log may be shown before they are durable
    @Provisional @Effect func ring(_ bell: String) async
}
