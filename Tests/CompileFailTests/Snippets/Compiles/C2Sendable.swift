// C2Sendable: a value crosses as a copy.

public import NapkinCore

public struct Ticket: Codable, Sendable {
    public var table = 1
}

@Crossing @MainActor
public protocol BoardPresentable: Presentable {
    func present(ticket: Ticket) async
}
