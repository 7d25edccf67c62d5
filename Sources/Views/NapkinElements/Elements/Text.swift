// Text: wrapped or cut texts, titles, banners and custom lines.

/// A text. A line that is too long is wrapped between words, or cut with `…` if it has a limit.
public struct Text: View, Primitive {
    /// The end at which a text with too many lines is cut.
    public enum TruncationMode: Sendable {
        case tail
        /// Keeps the last lines, for a text that grows. The text fills the remaining lines.
        case head
    }

    package private(set) var lines: [StyledLine]
    package private(set) var limit: Int?
    package private(set) var truncation = TruncationMode.tail

    public init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { StyledLine(String($0)) }
    }

    public init(_ line: StyledLine) { lines = [line] }

    /// The text in one line, as a list shows it.
    public var line: StyledLine {
        lines.dropFirst().reduce(lines.first ?? StyledLine()) { $0 + StyledLine(" ") + $1 }
    }

    /// Returns the text in a role; parts that already have one keep it.
    public func foregroundStyle(_ role: TextRole) -> Text {
        var text = self
        text.lines = lines.map { line in
            StyledLine(spans: line.spans.map { $0.role == .plain ? TextSpan($0.text, role) : $0 })
        }
        return text
    }

    /// Returns the text in bold, as titles are.
    public func bold() -> Text { foregroundStyle(.title) }

    /// Returns the text with at most this many lines.
    public func lineLimit(_ lines: Int?) -> Text {
        var text = self
        text.limit = lines
        return text
    }

    /// Returns the text with the end at which it is cut if room is short.
    public func truncationMode(_ mode: TruncationMode) -> Text {
        var text = self
        text.truncation = mode
        return text
    }

    /// Returns the two texts joined, each part in its role.
    public static func + (left: Text, right: Text) -> Text {
        guard let end = left.lines.last, let start = right.lines.first else { return left }
        var text = left
        text.lines = left.lines.dropLast() + [end + start] + right.lines.dropFirst()
        return text
    }

    package func elements(in context: RenderContext) -> [RenderedElement] { [.text(self)] }
}

/// Custom lines, which a closure returns for a width and the page's height, in cells.
public struct Lines: View, Primitive {
    private let draw: (_ width: Int, _ height: Int) -> [StyledLine]

    public init(_ draw: @escaping (_ width: Int, _ height: Int) -> [StyledLine]) {
        self.draw = draw
    }

    package func elements(in context: RenderContext) -> [RenderedElement] { [.lines(draw)] }
}

/// A full-width line that must not be missed.
public struct Banner: View, Primitive {
    private let line: StyledLine

    public init(_ text: String, _ role: TextRole = .warning) { line = StyledLine(text, role) }

    package func elements(in context: RenderContext) -> [RenderedElement] { [.banner(line)] }
}

/// A progress bar, with a fraction or without a known end.
public struct ProgressView: View, Primitive {
    private let progress: ProgressElement

    /// - Parameters:
    ///   - label: the text before the bar.
    ///   - fraction: 0 to 1; values outside are clamped.
    public init(_ label: String = "", value fraction: Double) {
        let fraction = fraction.isNaN ? 0 : min(1, max(0, fraction))
        progress = ProgressElement(label: label, fraction: fraction, phase: 0)
    }

    /// Creates a bar for work without a known end.
    ///
    /// - Parameters:
    ///   - label: the text before the bar.
    ///   - phase: a counter; the bar moves when it goes up, and only then.
    public init(_ label: String = "", phase: Int) {
        progress = ProgressElement(label: label, fraction: nil, phase: phase)
    }

    package func elements(in context: RenderContext) -> [RenderedElement] { [.progress(progress)] }
}
