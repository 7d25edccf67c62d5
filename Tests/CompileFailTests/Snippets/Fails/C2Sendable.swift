// C2Sendable: a class with state is `Codable`, but two sides would share it.

public import NapkinCore

public final class Ticket: Codable {
    public var table = 1
}

// expected-error@+2: contains non-Sendable type 'Ticket'
// expected-error@+1: type 'Ticket' does not conform to the 'Sendable' protocol
@Crossing @MainActor
public protocol BoardPresentable: Presentable {
    func present(ticket: Ticket) async
}
