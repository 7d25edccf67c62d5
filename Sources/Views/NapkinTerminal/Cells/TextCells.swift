// TextCells: draws texts, wrapped or cut, and titles, banners, lines and progress.

import NapkinElements

struct TextCells: CellElement {
    /// The least height of a text that shows its end. Chosen: a sentence and the beginning of the
    /// next.
    private static let leastLines = 2
    let text: Text

    private var isTail: Bool { text.truncation == .head }
    var heedsHeight: Bool { isTail }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = proposal.width ?? Proposal.infinity
        if isTail, !pass.isLinear {
            let shown = text.lines.wrapped(to: width, limit: text.limit)
            let least = min(shown.count, Self.leastLines)
            return Laid(
                width: proposal.width ?? shown.map(\.cells).max() ?? 0,
                height: max(least, proposal.height ?? shown.count)
            ) { shown.suffix($0.height) }
        }
        let most = proposal.isBounded ? proposal.height.map { max(1, $0) } : nil
        let limit = [text.limit, most].compactMap(\.self).min()
        return Laid(text.lines.wrapped(to: width, limit: limit))
    }
}

/// A view's title, unless a line above the screen already shows it.
struct TitleCells: LineElement {
    let title: String

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.showsPath { return Laid() }
        return TextCells(text: Text(title).bold().lineLimit(1)).laid(proposal, pass)
    }
}

/// Lines that a closure returns for a width and a height; in plain text, their label if they have
/// one.
struct LinesCells: LineElement {
    let lines: (_ width: Int, _ height: Int) -> [StyledLine]
    var label: String?

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = min(proposal.width ?? pass.width, pass.width)
        if width <= 0 { return Laid() }
        let shown =
            pass.isLinear
            ? label.map { [StyledLine("[\($0)]", .secondary)] } : nil
        return Laid((shown ?? lines(width, pass.height)).map { $0.fitted(to: width) })
    }
}

/// A line across the whole width that must not be missed.
struct BannerCells: LineElement {
    let line: StyledLine

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.isLinear { return Laid([line.fitted(to: proposal.width ?? line.cells)]) }
        let role = line.spans.first?.role ?? .plain
        let shown = StyledLine(" ▌", role) + line
        return Laid(width: proposal.width ?? shown.cells, height: 1) {
            [shown.fitted(to: $0.width).padded(to: $0.width, role)]
        }
    }
}

/// Progress as a fraction, or as a sign of continuing work.
struct ProgressCells: LineElement {
    /// The cells of a bar's text, ` 100 %`.
    private static let percentCells = 6
    let progress: ProgressElement

    private var label: String { progress.label }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = proposal.width ?? CellWidth.cells(of: label) + 20
        return Laid(width: width, height: 1) { draw(in: $0, pass) }
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
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
            // The bar moves back and forth.
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
