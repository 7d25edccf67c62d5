// C3Error: an error that has no value for the faults of the call.

public import NapkinCore

@Message
public enum OrderError: Error {
    case soldOut
}

// The check that the macro writes for this, and then each use.
// expected-error@+3: add '@Message' and 'CrossingError' to 'OrderError', which didOrder(table:)
// expected-error@+2: type 'OrderError' has no member 'received'
// expected-error@+1: requires that 'OrderError' conform to 'CrossingError'
@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(table: Int) async throws(OrderError)
}
