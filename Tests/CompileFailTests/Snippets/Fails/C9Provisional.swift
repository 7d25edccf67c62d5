// C9Provisional: what may be seen and be lost, where every message has to arrive.

public import NapkinCore

@Crossing
public protocol OvenPresentable: Presentable {
    func present(bread: String) async
    // expected-error@+1: only a state may be shown and then lost, as the next one replaces it
    @Provisional @Effect func ring(_ bell: String) async
}
