// WaitingNotice: says what a client is waiting for if that takes long.
//
// Layer      executable, session.
// Isolation  @MainActor.

import NapkinTransport

@MainActor
enum WaitingNotice {
    /// How long a waiting client is silent. Chosen.
    private static let silence: Duration = .seconds(1)

    /// Says once what the client is waiting for, unless `isWaiting` is false by then.
    static func start(
        for app: String, while isWaiting: @escaping @MainActor () -> Bool,
        say: @escaping @MainActor (ClientFailure) -> Void = { $0.report() }
    ) -> LoopTimer {
        LoopTimer(after: silence) {
            guard isWaiting() else { return }
            say(ClientFailure(0, "waiting for napkind and the worker of \(app); Ctrl-C gives up"))
        }
    }
}
