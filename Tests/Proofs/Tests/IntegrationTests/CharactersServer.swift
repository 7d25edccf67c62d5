// CharactersServer: the server of the example, started, stopped and made to misbehave by a test.

import Foundation
import ProofSupport
import Testing

/// A real `characters-server` at a port that stays the same.
final class CharactersServer {
    let port: Int
    private var child: Child?

    /// Starts one at a free port, and returns when it listens.
    init(_ arguments: [String] = []) async throws {
        let child = try Child(
            Product.path("characters-server"), ["--port", "0"] + arguments)
        port = try await Self.port(of: child)
        self.child = child
    }

    deinit { child?.signal(SIGKILL) }

    var address: String { "127.0.0.1:\(port)" }

    /// The line that says where it listens.
    private static func port(of child: Child) async throws -> Int {
        let (_, line) = try await child.line { $0.hasPrefix("listening at ") }
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure("no port: \(line)")
        }
        return port
    }

    func stop() async {
        child?.signal(SIGKILL)
        _ = await child?.exit()
        child = nil
    }

    /// Starts it again at the same port.
    func start() async throws {
        let child = try Child(Product.path("characters-server"), ["--port", "\(port)"])
        _ = try await Self.port(of: child)
        self.child = child
    }

    /// Has it behave so from now on; without arguments as it should.
    func behaves(_ arguments: [String] = []) async throws {
        let control = try Child(
            Product.path("characters-server"), ["control", "--port", "\(port)"] + arguments)
        let status = await control.exit()
        guard status == 0 else { throw Failure("control: \(await control.allErrors())") }
    }
}
