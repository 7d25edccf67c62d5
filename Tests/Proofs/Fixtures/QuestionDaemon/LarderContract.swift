// LarderContract: a feature that no front has a view for, with something of everything.

package import NapkinCore

/// Where the kitchen keeps what it has.
package enum Larder: Feature {
    package static let id: FeatureID = "larder.shelf"
    package typealias Presenting = LarderPresentableCrossing
    package typealias Listening = LarderPresentableListenerCrossing

    @Message
    package struct Arguments: Hashable {
        package var place: String
    }
}

/// Something on the shelf.
@Message
package struct Supply: Hashable {
    package var name: String
    package var pieces: Int32
    package var kind: Kind

    @Message
    package enum Kind: String {
        case meat
        case fish
        case side
    }
}

/// What becomes of something old.
@Message
package enum Fate: String {
    case keep
    case smoke
    case discard
}

@Crossing @MainActor
package protocol LarderPresentable: Presentable {
    func present(supplies: [Supply]) async
    func present(warning: String?) async
    @Effect func ring(bell: String) async
    func chooseFate(of name: String, pieces: Int32) async throws -> Fate
}

@Crossing
package protocol LarderPresentableListener: PresentableListener {
    func didTapRing() async
    /// Asks what becomes of the oldest.
    func didTapSweep() async
    func put(_ supply: Supply, isCold: Bool, note: String?) async throws
    /// Throws when there are not so many.
    func take(pieces: Int32, of name: String) async throws
}

/// What `take(pieces:of:)` throws.
enum LarderError: Error, CustomStringConvertible {
    case tooFew(Int32, of: String)

    var description: String {
        switch self {
        case .tooFew(let pieces, let name): "there are only \(pieces) × \(name)"
        }
    }
}
