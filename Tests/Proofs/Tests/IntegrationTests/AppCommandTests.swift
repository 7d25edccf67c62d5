// AppCommandTests: programs that use a contract and show nothing, beside a front that looks on.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AppCommandTests {
    private static let cart = "cart.cart"

    /// A daemon with two dishes in its cart, and a front that shows it.
    private func withCart(
        _ place: Workplace, _ body: (ControlFront) async throws -> Void
    ) async throws {
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.cart)
        let item = #"{"id":1,"name":"","quantity":2,"price":18.75,"tags":[]}"#
        try await front.call(Self.cart, "add(_:)", "[\(item)]")
        try await body(front)
        // Nobody listens there any more.
        place.cleanUp()
    }

    private func showsCoupon(_ front: ControlFront) async throws {
        try await front.shows {
            $0.value(Self.cart, "present(contents:)")?.contains(#""totalCents":3375"#) == true
        }
    }

    @Test func `a verb of an app's client does what it says in a session, and its help knows it`()
        async throws
    {
        let place = Workplace(app: "cart")
        try await withCart(place) { front in
            let (status, lines, errors) = try await run(
                "LunchClient", ["coupon", "smoke10", "--socket", place.socket])
            #expect(status == 0 && lines == ["3375"] && errors == "", "\(lines) \(errors)")
            try await showsCoupon(front)
            let refused = try await run(
                "LunchClient", ["coupon", "nonsense", "--socket", place.socket])
            #expect(refused.status == 1 && refused.lines.isEmpty)
            #expect(refused.errors.hasPrefix("LunchClient: "), "\(refused.errors)")
            #expect(refused.errors.contains("no coupon is called NONSENSE"), "\(refused.errors)")
        }
        let gone = try await run("LunchClient", ["coupon", "x", "--socket", place.socket])
        #expect(gone.status == 69 || gone.status == 66, "\(gone.status)")
        #expect(gone.errors.contains(place.socket), "\(gone.errors)")
        try await knowsItsVerbs()
    }

    /// Help and completion know an app's verbs beside the inherited ones.
    private func knowsItsVerbs() async throws {
        let help = try await run("LunchClient", ["--help"])
        let text = help.lines.joined(separator: "\n")
        #expect(help.status == 0)
        #expect(text.contains("\nSUBCOMMANDS:\n  coupon"), "\(text)")
        #expect(text.contains("\n  attach "))
        let own = try await run("LunchClient", ["coupon", "--help"])
        #expect(own.lines.contains { $0.contains("<code>") && $0.contains("coupon") })
        #expect(own.lines.contains { $0.contains("--socket") })
        let script = try await run("LunchClient", ["--generate-completion-script", "bash"])
        #expect(script.lines.contains { $0.contains("coupon") })
        let wrong = try await run("LunchClient", ["coupn", "x"])
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("did you mean 'coupon'?"), "\(wrong.errors)")
        let less = try await run("LunchClient", ["coupon"])
        #expect(less.status == 64 && less.errors.contains("code"), "\(less.errors)")
    }

    @Test func `a program of twenty lines applies a coupon and reads the total`() async throws {
        // The socket's default path, in a directory of this test.
        let home = TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: home.path + "/napkin", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let place = Workplace(app: "cart", environment: ["XDG_RUNTIME_DIR": home.path])
        try await withCart(place) { front in
            // A second name for the daemon's socket.
            try FileManager.default.createSymbolicLink(
                atPath: home.path + "/napkin/napkind.sock", withDestinationPath: place.socket)
            let (status, lines, errors) = try await run(
                "CartTotal", [], ["XDG_RUNTIME_DIR": home.path])
            #expect(status == 0 && lines == ["3375"], "\(status) \(lines) \(errors)")
            try await showsCoupon(front)
        }
        let gone = try await run("CartTotal", [], ["XDG_RUNTIME_DIR": home.path])
        #expect(gone.status != 0 && gone.errors.contains("napkind.sock"), "\(gone.errors)")
    }
}
