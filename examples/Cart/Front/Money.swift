// Money: sums as a screen shows them.
//
// Layer      example, front.
// Isolation  value.

/// Sums of money in words. Only what is shown is text: sums are made in the worker, of cents.
nonisolated enum Money {
    /// `18.05`, `−5.00`
    static func text(cents: Int64) -> String {
        let (whole, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(cents < 0 ? "−" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// A price as the menu has it; `?` for what is none.
    static func text(_ price: Double) -> String {
        guard let cents = Int64(exactly: (price * 100).rounded()) else { return "?" }
        return text(cents: cents)
    }
}
