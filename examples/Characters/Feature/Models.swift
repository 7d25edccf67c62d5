// Models: converts the repository's values to those of the contract.

import CharactersContract
import CharactersNetworking

/// What a person has chosen, as it crosses.
typealias CachePolicy = CharactersContract.CachePolicy
/// What the repository does.
typealias ReadPolicy = CharactersNetworking.CachePolicy

extension CachePolicy {
    var read: ReadPolicy {
        switch self {
        case .localFirst: .localFirst
        case .remoteFirst: .remoteFirst
        case .none: .none
        }
    }

    /// The policy when a person refreshes: the server, whatever the cache has.
    var refresh: ReadPolicy { self == .none ? .none : .remoteFirst }
}

extension Problem {
    init(_ error: LoadError) {
        switch error {
        case .offline(let server): self = .offline(server: server)
        case .notFound(let name): self = .notFound(name: name)
        case .badData(let reason): self = .badData(reason: reason)
        case .timeout(let time): self = .timeout(seconds: time.components.seconds)
        case .cancelled: self = .badData(reason: "\(error)")
        }
    }
}

extension CharacterRow {
    init(_ summary: CharacterSummary) {
        self.init(id: summary.id, name: summary.name, role: summary.role)
    }
}

extension CharacterCard {
    init(_ profile: CharacterProfile) {
        self.init(
            id: profile.id, name: profile.name, role: profile.role, home: profile.home,
            motto: profile.motto, story: profile.story, dishes: profile.dishes)
    }
}

extension Portrait {
    /// Returns `nil` for bytes that are not a picture, which the repository never returns.
    init?(_ bytes: [UInt8]) {
        // The reason was reported when the bytes arrived.
        guard let picture = try? Picture(graymap: bytes) else { return nil }
        self.init(
            width: Int32(picture.width), height: Int32(picture.height), pixels: picture.pixels)
    }
}

extension Loaded {
    /// Its age, if the screen must show it.
    var staleSeconds: Int64? {
        isStale || failure != nil ? age?.components.seconds : nil
    }
}
