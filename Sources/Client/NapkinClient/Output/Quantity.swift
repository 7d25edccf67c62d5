// Quantity: durations and sizes for people.

enum Quantity {
    /// Returns the two largest units: `42s`, `3m12s`, `5h07m`, `2d03h`.
    static func age(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch seconds {
        case ..<60: return "\(max(0, seconds))s"
        case ..<3600: return "\(seconds / 60)m\(two(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3600)h\(two(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d\(two(seconds / 3600 % 24))h"
        }
    }

    /// Returns at most three digits and a unit: `512 B`, `18.2 MiB`; whole numbers have no point.
    static func bytes(_ count: Int) -> String {
        guard count >= 1024 else { return "\(max(0, count)) B" }
        var (tenths, unit) = (count / 1024 * 10 + count % 1024 * 10 / 1024, 0)
        while tenths >= 10 * 1024, unit < 2 { (tenths, unit) = (tenths / 1024, unit + 1) }
        let text = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return "\(text) \(["KiB", "MiB", "GiB"][unit])"
    }
}
