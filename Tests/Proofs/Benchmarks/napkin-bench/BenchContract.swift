// BenchContract: the feature that is measured, with the event of the Cart.
//
// Isolation  value; the crossing's ends are @MainActor.

package import NapkinCore

extension CartItem {
    /// A message of the standard size: a 24-byte name and two 8-byte tags.
    static func standard(_ id: Int64) -> CartItem {
        CartItem(
            id: id, name: "smoked brisket, sliced..", quantity: 3, price: 18.75,
            tags: ["smokebox", "takeaway"])
    }
}

@Crossing
package protocol BenchPresentableListener: PresentableListener {
    /// As `CartPresentableListener` has it: the same bytes, both ways.
    func add(_ item: CartItem) async throws -> CartReceipt
}

package enum Bench: Feature {
    package static let id: FeatureID = "bench.root"
    package typealias Listening = BenchPresentableListenerCrossing
}
