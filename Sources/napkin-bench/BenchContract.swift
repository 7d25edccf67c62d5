// BenchContract: the feature that is measured.
//
// Layer      benchmark.
// Isolation  value; the crossing's ends are @MainActor.

package import NapkinCore

/// The five-field message.
@Message
package struct BenchItem: Equatable {
    var id: Int64
    var name: String
    var quantity: Int32
    var price: Double
    var tags: [String]

    /// A message of the standard size: a 24-byte name and two 8-byte tags.
    static func standard(_ id: Int64) -> BenchItem {
        BenchItem(
            id: id, name: "smoked brisket, sliced..", quantity: 3, price: 18.75,
            tags: ["smokebox", "takeaway"])
    }
}

@Message
package struct BenchReply {
    var ok: Bool
    var count: Int64
}

@Crossing
package protocol BenchPresentableListener: PresentableListener {
    func add(_ item: BenchItem) async throws -> BenchReply
}

package enum Bench: Feature {
    package static let id: FeatureID = "bench.root"
    package typealias Listening = BenchPresentableListenerCrossing
}
