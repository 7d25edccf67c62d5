// C3Codable: a message crosses.

public import NapkinCore

@Message
public struct Ticket: Sendable {
    public var table: Int
}

@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(ticket: Ticket) async
}
