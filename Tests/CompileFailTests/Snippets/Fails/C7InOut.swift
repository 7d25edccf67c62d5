// C7InOut: an argument that the other side would change in place.

public import NapkinCore

@Crossing @MainActor
public protocol BoardPresentable: Presentable {
    // expected-error@+1: cannot be 'inout': the other side gets a copy; return the new value
    func edit(_ text: inout String) async
}
