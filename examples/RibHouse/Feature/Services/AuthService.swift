// AuthService: who is logged in.

import NapkinCore
import RibHouseContract

/// The current guest, replayed to each reader: the gate follows this and not the taps.
actor AuthService {
    private nonisolated let user = StateCell<User?>(nil)

    /// Yields the current guest, then each change, newest only.
    nonisolated var users: BufferedStream<User?> { user.values }

    nonisolated var current: User? { user.value }

    func login(as guest: User = .smokeyJoe) {
        user.value = guest
    }

    func logout() {
        user.value = nil
    }
}

extension User {
    /// The only guest that the house knows.
    static let smokeyJoe = User(
        name: "Smokey Joe",
        foods: ["Brisket", "Pulled Pork", "St. Louis Ribs", "Burnt Ends", "Smoked Sausage"])
}
