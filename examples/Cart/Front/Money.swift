// Money: sums as a screen shows them.

/// Sums of money as text, only for the screen: the worker calculates them in cents.
nonisolated enum Money {
    /// Returns `18.05`, `−5.00`.
    static func text(cents: Int64) -> String {
        let (whole, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(cents < 0 ? "−" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Returns a price as the menu has it; `?` for a number that is not a price.
    static func text(_ price: Double) -> String {
        guard let cents = Int64(exactly: (price * 100).rounded()) else { return "?" }
        return text(cents: cents)
    }
}
