// C3Codable: an argument that nothing can write.

public import NapkinCore

public struct Ticket: Sendable {
    public var table = 1
}

// The check that the macro writes for this, and then each use.
// expected-error@+6: argumentsOfACrossingMustBeCodableAndSendable' requires that 'Ticket' conform
// expected-error@+5: argumentsOfACrossingMustBeCodableAndSendable' requires that 'Ticket' conform
// expected-error@+4: 'write' requires that 'Ticket' conform to 'DirectlyCodable'
// expected-error@+3: 'read' requires that 'Ticket' conform to 'DirectlyCodable'
// expected-error@+2: 'write' requires that 'Ticket' conform to 'DirectlyCodable'
// expected-error@+1: 'read' requires that 'Ticket' conform to 'DirectlyCodable'
@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(ticket: Ticket) async
}
