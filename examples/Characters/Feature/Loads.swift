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

    private(set) var newest = 0

    /// Begins a load, which older ones lose against. Returns its number.
    mutating func begin() -> Int {
        newest += 1
        return newest
    }

    func isNewest(_ number: Int) -> Bool { number == newest }
}

/// A screen that loads again what has failed.
protocol Reloading: Interactable {
    nonisolated var clock: AnyClock { get }

    /// Loads again, unless somebody was faster than the clock.
    func reload(_ number: Int) async
}

extension Reloading {
    /// Has a load that failed tried again in a while, if that may help.
    func reloadLater(_ error: LoadError, _ number: Int) {
        guard error.mayPass else { return }
        task(name: "retry") {
            do {
                try await self.clock.sleep(for: Loads.retryAfter)
            } catch {
                // Cancelled: the screen is gone.
                return
            }
            await self.reload(number)
        }
    }
}
