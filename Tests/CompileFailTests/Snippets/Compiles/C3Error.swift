// C3Error: an error crosses.

public import NapkinCore

@Message
public enum OrderError: CrossingError {
    case soldOut
    case fault(RemoteFault)
}

@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(table: Int) async throws(OrderError)
}
