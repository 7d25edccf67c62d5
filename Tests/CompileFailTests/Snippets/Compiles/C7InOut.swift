// C7InOut: the new value is returned.

public import NapkinCore

@Crossing @MainActor
public protocol BoardPresentable: Presentable {
    func edit(_ text: String) async throws -> String
}
