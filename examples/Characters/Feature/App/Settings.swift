// Settings: where the server is.

import CharactersNetworking
import Glibc

/// The settings with which a worker is started.
struct Settings: Equatable, Sendable {
    /// The variable with the server's address, by default `127.0.0.1:4110`.
    static let serverVariable = "CHARACTERS_SERVER"

    let server: ServerAddress

    /// The reason why settings cannot be used, in words for the person who has started the worker.
    struct Unusable: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    init(_ environment: (_ name: String) -> String?) throws(Unusable) {
        guard let text = environment(Self.serverVariable), !text.isEmpty else {
            server = .standard
            return
        }
        do throws(ServerAddress.Malformed) {
            server = try ServerAddress(text)
        } catch {
            throw Unusable(description: "\(Self.serverVariable): \(error)")
        }
    }

    static var fromEnvironment: Result<Settings, Unusable> {
        Result { () throws(Unusable) in
            try Settings { name in getenv(name).map { String(cString: $0) } }
        }
    }
}
