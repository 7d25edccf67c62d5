// Text: texts that are wrapped or cut; headings, banners and progress.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values.

/// A text. A line that is too long is wrapped between words, or cut with `…` if it has a limit.
public struct Text: Element {
    private var lines: [StyledLine]
    private var limit: Int?

    public init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { StyledLine(String($0)) }
    }

    public init(_ line: StyledLine) {
        lines = [line]
    }

    /// The text in one line, as a list shows it.
    var line: StyledLine {
        lines.dropFirst().reduce(lines.first ?? StyledLine()) { $0 + StyledLine(" ") + $1 }
    }

    /// Returns the text in a role; its parts that already have one keep theirs.
    public func foregroundStyle(_ role: TextRole) -> Text {
        var text = self
        text.lines = lines.map { line in
            StyledLine(
                spans: line.spans.map { $0.role == .plain ? TextSpan($0.text, role) : $0 })
        }
        return text
    }

    /// Returns the text in bold, as titles are.
    public func bold() -> Text { foregroundStyle(.title) }

    /// Returns the text with at most so many lines.
    public func lineLimit(_ lines: Int?) -> Text {
        var text = self
        text.limit = lines
        return text
    }

    /// Returns a text that goes on with another one, each part in its own role.
    public static func + (left: Text, right: Text) -> Text {
        guard let end = left.lines.last, let start = right.lines.first else { return left }
        var text = left
        text.lines = left.lines.dropLast() + [end + start] + right.lines.dropFirst()
        return text
    }

    private func shown(in width: Int) -> [StyledLine] {
        let wrapped = limit == 1 ? lines : lines.flatMap { $0.wrapped(to: width) }
        guard let limit, wrapped.count > limit, limit > 0 else {
            return wrapped.map { $0.fitted(to: width) }
        }
        let last =
            wrapped[limit - 1] + StyledLine("…", wrapped[limit - 1].spans.last?.role ?? .plain)
        return (wrapped.prefix(limit - 1) + [last]).map { $0.fitted(to: width) }
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let shown = shown(in: width)
        return Extent(width: shown.map(\.cells).max() ?? 0, height: shown.count)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] { shown(in: area.width) }
}

/// A view's title, unless a line above the screen already shows it.
public struct Heading: Element {
    private let text: Text

    public init(_ title: String) {
        text = Text(title).bold().lineLimit(1)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.showsPath ? Extent(width: 0, height: 0) : text.extent(in: width, pass)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.showsPath ? [] : text.draw(in: area, pass)
    }
}

/// Lines that a closure returns for a width and a height.
public struct Lines: Element {
    private let render: (_ width: Int, _ height: Int) -> [StyledLine]

    public init(_ render: @escaping (_ width: Int, _ height: Int) -> [StyledLine]) {
        self.render = render
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let lines = render(width, pass.height)
        return Extent(width: lines.map(\.cells).max() ?? 0, height: lines.count)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        render(area.width, pass.height).map { $0.fitted(to: area.width) }
    }
}

/// A line over the whole width that must not be missed.
public struct Banner: Element {
    private let text: String
    private let role: TextRole

    public init(_ text: String, _ role: TextRole = .warning) {
        self.text = text
        self.role = role
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: CellWidth.cells(of: text) + 2, height: 1, fillsWidth: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear { return [StyledLine(text, role).fitted(to: area.width)] }
        let line = StyledLine(" ▌\(text)", role)
        return [line.fitted(to: area.width).padded(to: area.width, role)]
    }
}

/// The progress of something, as a fraction or as a sign that it continues.
public struct ProgressView: Element {
    /// Cells of a bar's text, ` 100 %`.
    private static let percentCells = 6
    private let label: String
    private let fraction: Double?
    private let phase: Int

    /// - Parameters:
    ///   - label: the text before the bar.
    ///   - fraction: 0 to 1; a value outside counts as the nearer end.
    public init(_ label: String = "", value fraction: Double) {
        self.label = label
        self.fraction = fraction.isNaN ? 0 : min(1, max(0, fraction))
        phase = 0
    }

    /// Creates a bar for something whose end nobody knows.
    ///
    /// - Parameters:
    ///   - label: the text before the bar.
    ///   - phase: counts up while it continues: the bar moves with it, and never by itself.
    public init(_ label: String = "", phase: Int) {
        self.label = label
        fraction = nil
        self.phase = phase
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: CellWidth.cells(of: label) + 20, height: 1, fillsWidth: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let name = label.isEmpty ? StyledLine() : StyledLine(label + " ")
        let percent = fraction.map { "\(Int(($0 * 100).rounded(.down))) %" } ?? "…"
        if pass.isLinear { return [(name + StyledLine(percent)).fitted(to: area.width)] }
        let cells = area.width - name.cells - Self.percentCells
        guard cells >= 3 else { return [(name + StyledLine(percent)).fitted(to: area.width)] }
        let padding = String(repeating: " ", count: Self.percentCells - percent.count)
        return [name + bar(cells) + StyledLine(padding + percent, .secondary)]
    }

    private func bar(_ cells: Int) -> StyledLine {
        let part: Range<Int>
        if let fraction {
            part = 0..<Int((Double(cells) * fraction).rounded(.down))
        } else {
            let length = max(1, cells / 4)
            // Back and forth.
            let way = max(1, cells - length)
            let step = ((phase % (2 * way)) + 2 * way) % (2 * way)
            let start = step < way ? step : 2 * way - step
            part = start..<min(cells, start + length)
        }
        func line(_ count: Int, _ text: String, _ role: TextRole) -> StyledLine {
            StyledLine(String(repeating: text, count: max(0, count)), role)
        }
        return line(part.lowerBound, "─", .border) + line(part.count, "━", .accent)
            + line(cells - part.upperBound, "─", .border)
    }
}
