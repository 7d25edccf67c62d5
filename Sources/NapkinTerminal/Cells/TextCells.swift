// TextCells: texts, which are wrapped or cut; titles, banners, lines, progress.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// A text.
struct TextCells: CellElement {
    /// The least number of lines of a text of which the end is seen. Chosen: a sentence and the
    /// beginning of the next.
    private static let leastLines = 2
    let text: Text

    private func shown(in width: Int) -> [StyledLine] {
        let wrapped = text.limit == 1 ? text.lines : text.lines.flatMap { $0.wrapped(to: width) }
        guard let limit = text.limit, wrapped.count > limit, limit > 0 else {
            return wrapped.map { $0.fitted(to: width) }
        }
        let last =
            wrapped[limit - 1] + StyledLine("…", wrapped[limit - 1].spans.last?.role ?? .plain)
        return (wrapped.prefix(limit - 1) + [last]).map { $0.fitted(to: width) }
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let shown = shown(in: width)
        let isTail = text.truncation == .head && !pass.isLinear
        return Extent(
            width: shown.map(\.cells).max() ?? 0, height: shown.count,
            leastHeight: isTail ? min(shown.count, Self.leastLines) : nil, fillsWidth: isTail,
            fillsHeight: isTail)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let shown = shown(in: area.width)
        return text.truncation == .head && !pass.isLinear
            ? shown.suffix(max(0, area.height)) : shown
    }
}

/// A view's title, unless a line above the screen already shows it.
struct TitleCells: CellElement {
    let title: String

    private var text: TextCells { TextCells(text: Text(title).bold().lineLimit(1)) }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        pass.showsPath ? Extent(width: 0, height: 0) : text.extent(in: width, pass)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.showsPath ? [] : text.draw(in: area, pass)
    }
}

/// Lines that a closure returns for a width and a height; as plain text what they are called, if
/// they have a label.
struct LinesCells: CellElement {
    let lines: (_ width: Int, _ height: Int) -> [StyledLine]
    var label: String?

    private func shown(in width: Int, _ pass: LayoutPass) -> [StyledLine] {
        guard pass.isLinear, let label else { return lines(width, pass.height) }
        return [StyledLine("[\(label)]", .secondary)]
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let shown = shown(in: width, pass)
        return Extent(width: shown.map(\.cells).max() ?? 0, height: shown.count)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        shown(in: area.width, pass).map { $0.fitted(to: area.width) }
    }
}

/// A line over the whole width that must not be missed.
struct BannerCells: CellElement {
    let line: StyledLine

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: line.cells + 2, height: 1, fillsWidth: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear { return [line.fitted(to: area.width)] }
        let role = line.spans.first?.role ?? .plain
        let shown = StyledLine(" ▌", role) + line
        return [shown.fitted(to: area.width).padded(to: area.width, role)]
    }
}

/// The progress of something, as a fraction or as a sign that it continues.
struct ProgressCells: CellElement {
    /// Cells of a bar's text, ` 100 %`.
    private static let percentCells = 6
    let progress: ProgressElement

    private var label: String { progress.label }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: CellWidth.cells(of: label) + 20, height: 1, fillsWidth: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let name = label.isEmpty ? StyledLine() : StyledLine(label + " ")
        let percent = progress.fraction.map { "\(Int(($0 * 100).rounded(.down))) %" } ?? "…"
        if pass.isLinear { return [(name + StyledLine(percent)).fitted(to: area.width)] }
        let cells = area.width - name.cells - Self.percentCells
        guard cells >= 3 else { return [(name + StyledLine(percent)).fitted(to: area.width)] }
        let padding = String(repeating: " ", count: Self.percentCells - percent.count)
        return [name + bar(cells) + StyledLine(padding + percent, .secondary)]
    }

    private func bar(_ cells: Int) -> StyledLine {
        let part: Range<Int>
        if let fraction = progress.fraction {
            part = 0..<Int((Double(cells) * fraction).rounded(.down))
        } else {
            let length = max(1, cells / 4)
            // Back and forth.
            let way = max(1, cells - length)
            let step = ((progress.phase % (2 * way)) + 2 * way) % (2 * way)
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
