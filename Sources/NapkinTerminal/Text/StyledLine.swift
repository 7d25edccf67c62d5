// StyledLine: one line of a screen, as text whose pieces name their roles.
//
// Layer      terminal, text.
// Isolation  value.
// Invariant  a piece's text can be printed as it is: control characters have been replaced.

/// The role of a piece of text; the screen decides how it looks.
public nonisolated enum TextRole: Sendable, CaseIterable {
    case plain
    case title
    /// Text of less importance.
    case secondary
    /// Text that should attract attention: a count, a name.
    case accent
    case warning
    case error
    /// A key that can be pressed.
    case key
    /// The status line.
    case bar
    /// The focused element, all of it.
    case focus
    /// The selection in an element that does not have the focus.
    case selection
    /// A value that has just changed.
    case changed
    /// Something that can be pressed.
    case button
    /// A text that can be written.
    case field
    /// Lines around elements and between them.
    case border
}

/// A piece of a line.
public nonisolated struct TextSpan: Hashable, Sendable {
    public let text: String
    public let role: TextRole

    public init(_ text: String, _ role: TextRole = .plain) {
        self.text = CellWidth.printable(text)
        self.role = role
    }
}

/// One line of a screen.
public nonisolated struct StyledLine: Hashable, Sendable, ExpressibleByStringLiteral {
    public var spans: [TextSpan]

    public init(spans: [TextSpan]) {
        self.spans = spans
    }

    public init(_ text: String = "", _ role: TextRole = .plain) {
        spans = text.isEmpty ? [] : [TextSpan(text, role)]
    }

    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// The line as plain text.
    public var text: String { spans.map(\.text).joined() }

    /// Cells of a terminal that the line takes; a wide character takes two.
    public var cells: Int { spans.reduce(0) { $0 + CellWidth.cells(of: $1.text) } }

    public static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        StyledLine(spans: left.spans + right.spans)
    }

    /// Returns the line with spaces before it.
    public func indented(by cells: Int) -> StyledLine {
        guard cells > 0, !spans.isEmpty else { return self }
        return StyledLine(String(repeating: " ", count: cells)) + self
    }

    /// Returns the line cut to `width` cells, with `…` where something was left out.
    public func fitted(to width: Int) -> StyledLine {
        guard cells > width else { return self }
        guard width > 0 else { return StyledLine() }
        var room = width - 1
        var kept: [TextSpan] = []
        for span in spans {
            let (text, used) = CellWidth.prefix(of: span.text, width: room)
            if !text.isEmpty { kept.append(TextSpan(text, span.role)) }
            guard text == span.text else {
                return StyledLine(spans: kept + [TextSpan("…", span.role)])
            }
            room -= used
        }
        return StyledLine(spans: kept)
    }

    /// Returns the line filled up with spaces of `role` to `width` cells.
    public func padded(to width: Int, _ role: TextRole = .plain) -> StyledLine {
        let missing = width - cells
        guard missing > 0 else { return self }
        return self + StyledLine(String(repeating: " ", count: missing), role)
    }
}
