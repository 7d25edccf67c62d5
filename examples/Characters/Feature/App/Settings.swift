// Settings: where the server and the cache are.
//
// Layer      feature.
// Isolation  value.

import CharactersNetworking
import Glibc

/// The settings with which a worker is started.
struct Settings: Equatable, Sendable {
    /// The variable with the server's address, by default `127.0.0.1:4110`.
    static let serverVariable = "CHARACTERS_SERVER"
    /// The name of the cache's directory, inside the user's.
    static let directoryName = "napkin-characters"

    let server: ServerAddress
    let cacheDirectory: String

    /// The reason why settings cannot be used, in words for the person who has started the worker.
    struct Unusable: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Follows XDG: `$XDG_CACHE_HOME`, otherwise `$HOME/.cache`.
    init(_ environment: (_ name: String) -> String?) throws(Unusable) {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let text = value(Self.serverVariable) {
            do throws(ServerAddress.Malformed) {
                server = try ServerAddress(text)
            } catch {
                throw Unusable(description: "\(Self.serverVariable): \(error)")
            }
        } else {
            server = .standard
        }
        guard let parent = value("XDG_CACHE_HOME") ?? value("HOME").map({ "\($0)/.cache" }) else {
            throw Unusable(
                description: "neither XDG_CACHE_HOME nor HOME says where images can be kept")
        }
        guard parent.hasPrefix("/") else {
            throw Unusable(description: "the cache's directory is not absolute: '\(parent)'")
        }
        cacheDirectory = "\(parent)/\(Self.directoryName)"
    }

    static var fromEnvironment: Result<Settings, Unusable> {
        Result { () throws(Unusable) in
            try Settings { name in getenv(name).map { String(cString: $0) } }
        }
    }
}
