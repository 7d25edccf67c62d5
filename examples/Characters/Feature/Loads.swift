// Loads: which load is the newest, and when one that failed is tried again by itself.
//
// Layer      feature.
// Isolation  value; owned by an interactor.
// Invariant  what an older load brings is never shown behind what a newer one has brought.

import CharactersNetworking
import NapkinCore

/// The loads of one screen, of which the newest counts.
struct Loads {
    /// How long a screen waits before it asks by itself again. Chosen: a person who starts the
    /// server and looks back sees it.
    static let retryAfter = Duration.seconds(5)
    /// How long it waits at most, after twice as long each time. Chosen: a session goes on when
    /// nobody looks, and a server that is away for a night need not be asked 17,000 times; who
    /// comes back and does not want to wait refreshes.
    static let retryAfterMax = Duration.seconds(60)

    private(set) var newest = 0
    private var pause = retryAfter

    /// Begins a load, which older ones lose against. Returns its number.
    ///
    /// - Parameter isRetry: whether only the clock has asked for it, and no person.
    mutating func begin(isRetry: Bool) -> Int {
        newest += 1
        if !isRetry { pause = Self.retryAfter }
        return newest
    }

    func isNewest(_ number: Int) -> Bool { number == newest }

    /// All is well: the next failure is a new one.
    mutating func succeeded() { pause = Self.retryAfter }

    /// One has failed. Returns how long to wait before the next one.
    mutating func failed() -> Duration {
        defer { pause = min(pause * 2, Self.retryAfterMax) }
        return pause
    }
}

/// A screen that loads again what has failed.
protocol Reloading: Interactable {
    nonisolated var clock: AnyClock { get }
    var loads: Loads { get set }

    /// Loads again, unless somebody was faster than the clock.
    func reload(_ number: Int) async
}

extension Reloading {
    /// Has a load that failed tried again in a while, if that may help.
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
