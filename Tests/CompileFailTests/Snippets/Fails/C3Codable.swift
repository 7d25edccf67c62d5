// C3Codable: an argument that nothing can write.

public import NapkinCore

public struct Ticket: Sendable {
    public var table = 1
}

// The check that the macro writes for this, and then each use.
// expected-error@+3: add '@Message' to 'Ticket', which didOrder(ticket:) sends
// expected-error@+2: add '@Message' to its type: only what is Codable crosses
// expected-error@+1: add '@Message' to the type: only what is Codable crosses
@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(ticket: Ticket) async
}
