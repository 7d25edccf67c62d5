// Quantity: durations, sizes and times for people.

import Glibc
import NapkinTransport

enum Quantity {
    /// Returns the two largest units: `42s`, `3m12s`, `5h07m`, `2d03h`.
    static func age(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: return "\(max(0, seconds))s"
        case ..<3600: return "\(seconds / 60)m\((seconds % 60).digits(2))s"
        case ..<86_400: return "\(seconds / 3600)h\((seconds / 60 % 60).digits(2))m"
        default: return "\(seconds / 86_400)d\((seconds / 3600 % 24).digits(2))h"
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

    /// Returns a time in seconds since 1970 in a format of strftime(3).
    static func time(_ seconds: Int, _ format: String, isUTC: Bool = false) -> String {
        var (seconds, parts) = (seconds, tm())
        if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
