// BenchContract: the feature that is measured.
//
// Layer      benchmark.
// Isolation  value; the crossing's ends are @MainActor.

import NapkinCore

/// The five-field message.
@Message
struct BenchItem {
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
struct BenchReply {
    var ok: Bool
    var count: Int64
}

@Crossing
protocol BenchPresentableListener: PresentableListener {
    func add(_ item: BenchItem) async throws -> BenchReply
}

enum Bench: Feature {
    static let id: FeatureID = "bench.root"
    typealias Listening = BenchPresentableListenerCrossing
}
