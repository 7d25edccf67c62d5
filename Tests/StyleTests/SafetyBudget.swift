// SafetyBudget: how often the code may step outside what the compiler checks.

/// One row a construct. A count above its budget fails: first look for a way without it; when there
/// is none, raise the number here, in the commit that needs it, and say why in its body. A count
/// below its budget fails, too: lower the number with it.
struct SafetyBudget: Sendable {
    let construct: String
    /// In Sources, Protocol, daemon and examples.
    let shipped: Int
    /// In Tests.
    let tests: Int
    /// Whether the proof at a file's first use is for all of the file.
    var isProvedOnce = false

    static let rows = [
        SafetyBudget(construct: "@unchecked Sendable", shipped: 4, tests: 0),
        SafetyBudget(construct: "nonisolated(unsafe)", shipped: 19, tests: 1),
        SafetyBudget(construct: "assumeIsolated", shipped: 5, tests: 3),
        SafetyBudget(construct: "Unmanaged", shipped: 8, tests: 0),
        SafetyBudget(construct: "unsafeBitCast", shipped: 5, tests: 0),
        SafetyBudget(
            construct: "@exclusivity(unchecked)", shipped: 149, tests: 5, isProvedOnce: true),
    ]
}
