// Sparkline: the newest values of a series, as one line of bars.

/// The newest values of a series as one line of bars: `▁▃▅█`.
///
/// As plain text, and for those who do not see it, it is the newest value, the least and the
/// greatest. It is not in SwiftUI, whose charts have no shape in one line.
public struct Sparkline: View {
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private let values: [Double]
    private let range: ClosedRange<Double>?

    /// - Parameters:
    ///   - values: the oldest first; those that do not fit are left out. What is not a number is a
    ///     gap.
    ///   - range: the values of the lowest and the highest bar; those in sight decide without it.
    public init(_ values: some Sequence<Double>, in range: ClosedRange<Double>? = nil) {
        self.values = Array(values)
        self.range = range
    }

    public var body: some View {
        Alternative(plain: [StyledLine(words)], keys: []) {
            Lines { width, _ in
                values.isEmpty || width < 1 ? [] : [StyledLine(bars(width), .accent)]
            }
            .accessibilityLabel(words)
        }
    }

    private func bars(_ width: Int) -> String {
        let shown = values.suffix(width)
        let finite = shown.filter(\.isFinite)
        let low = range?.lowerBound ?? finite.min() ?? 0
        let high = range?.upperBound ?? finite.max() ?? 0
        return String(
            shown.map { value in
                guard !value.isNaN else { return " " }
                let share = high > low ? (min(high, max(low, value)) - low) / (high - low) : 0.5
                let bar = share.isFinite ? Int((share * Double(Self.bars.count)).rounded(.down)) : 0
                return Self.bars[min(Self.bars.count - 1, max(0, bar))]
            })
    }

    private var words: String {
        let finite = values.filter(\.isFinite)
        guard let last = finite.last, let low = finite.min(), let high = finite.max() else {
            return "no values"
        }
        return "\(Self.text(last)) (\(Self.text(low)) to \(Self.text(high)))"
    }

    private static func text(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        guard abs(rounded) < 1e15, rounded == rounded.rounded() else { return "\(rounded)" }
        return "\(Int(rounded))"
    }
}
