// Loads: which load is the newest, and when a failed one is repeated automatically.
//
// Isolation  value; owned by an interactor.
// Invariant  the result of an older load never replaces that of a newer one.

import CharactersNetworking
import NapkinCore

/// The loads of one screen, of which the newest counts.
struct Loads {
    /// How long a screen waits before it asks again by itself. Chosen: a person who starts the
    /// server and looks back sees it.
    static let retryAfter = Duration.seconds(5)
    /// The longest wait; each is twice as long as the previous one. Chosen: a session continues
    /// when nobody looks, and a server that is down for a night need not be asked 17,000 times; a
    /// person who comes back and does not want to wait can refresh.
    static let retryAfterMax = Duration.seconds(60)

    private(set) var newest = 0
    private var pause = retryAfter

    /// Begins a load, which takes precedence over older ones. Returns its number.
    ///
    /// - Parameter isRetry: whether the clock has requested it, and not a person.
    mutating func begin(isRetry: Bool) -> Int {
        newest += 1
        if !isRetry { pause = Self.retryAfter }
        return newest
    }

    func isNewest(_ number: Int) -> Bool { number == newest }

    /// A load has succeeded: the next failure starts with the shortest wait.
    mutating func succeeded() { pause = Self.retryAfter }

    /// A load has failed. Returns how long to wait before the next one.
    mutating func failed() -> Duration {
        defer { pause = min(pause * 2, Self.retryAfterMax) }
        return pause
    }
}

/// A screen that repeats failed loads.
protocol Reloading: Interactable {
    nonisolated var clock: AnyClock { get }
    var loads: Loads { get set }

    /// Loads again, unless another load came before the clock.
    func reload(_ number: Int) async
}

extension Reloading {
    /// Repeats a failed load after a while, if that may help.
    func reloadLater(_ error: LoadError, _ number: Int) {
        guard error.mayPass else { return }
        let pause = loads.failed()
        task(name: "retry") {
            do {
                try await self.clock.sleep(for: pause)
            } catch {
                // Cancelled: the screen is gone.
                return
            }
            await self.reload(number)
        }
    }
}
