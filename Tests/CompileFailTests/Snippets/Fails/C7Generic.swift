// C7Generic: a method whose types only its caller knows.

public import NapkinCore

@Crossing
public protocol BoardPresentableListener: PresentableListener {
    // expected-error@+1: a generic method cannot cross: the other side must know every type; write
    func didPick<T: Codable & Sendable>(_ item: T) async
}
