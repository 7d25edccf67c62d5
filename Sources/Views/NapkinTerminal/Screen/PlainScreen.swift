// PlainScreen: a front as text, written again whenever it changes, for pipes and screen readers;
// and a person's answers, line by line.
//
// Invariant  written at most once in a turn of the loop, and never twice the same, unless a person
//            asks for it.

import NapkinElements
package import NapkinFront
import NapkinTransport

package final class PlainScreen: Flushable {
    package var isFlushScheduled = false
    /// The number of lines that a view may fill. Chosen: text has no end, but a view may need one.
    static let linesMax = 1000

    private let front: Front
    private let width: Int
    private let takesLines: Bool
    private let write: ([String]) -> Void
    private let session: SessionScreen
    private var shown: [String] = []
    private var shownNotice: String?
    private var lastField: FieldMemory?
    /// Called when nothing is being waited for any more.
    private var ended: (() -> Void)?

    package init(
        front: Front, component: TerminalComponent, takesLines: Bool,
        write: @escaping ([String]) -> Void
    ) {
        self.front = front
        session = SessionScreen(front, component)
        self.takesLines = takesLines
        width = component.plainColumns
        self.write = write
        session.redraw = { [weak self] in self?.setNeedsWrite() }
        // The screen checks after each answer whether all have arrived.
        front.timesEvents = takesLines
    }

    private func setNeedsWrite() { Loop.shared.scheduleFlush(self) }

    private func compose() -> PageLayout {
        session.follow()
        return session.draw(isLinear: true) {
            PageLayout($0, width: width, height: Self.linesMax, isLinear: true)
        }
    }

    package func flush() {
        let composition = compose()
        // A session that is just being launched has nothing to show yet.
        guard !composition.isEmpty || !shown.isEmpty else { return endIfDone() }
        var bar = StatusBar(session.status, notice: session.notice.text)
        bar.status.roundTrip = nil
        let hints = takesLines ? input(composition).hints : []
        let lines = Self.lines(composition, bar: bar, hints: hints)
        let notice = bar.notice == shownNotice ? nil : bar.notice
        shownNotice = bar.notice
        defer { shown = lines }
        // A change of the connection's state, or a notice, is no reason to read everything again.
        if lines.dropFirst() != shown.dropFirst() || shown.isEmpty {
            write(lines)
        } else if lines != shown {
            write([lines[0]])
        }
        if let notice { say(notice) }
        endIfDone()
    }

    /// Writes a sentence about a person's line, or one that a person must know.
    package func say(_ sentence: String) { write(["! \(sentence)"]) }

    /// Returns a screen as lines: the status line, the view's lines, the usable keys and names.
    static func lines(
        _ composition: PageLayout, bar: StatusBar, hints: [String] = []
    ) -> [String] {
        var lines = ["—— \(bar.text) ——"] + composition.lines.map(\.text)
        let keys = composition.keys.map(\.hint.text) + hints
        if !keys.isEmpty { lines.append(keys.joined(separator: "  ")) }
        return lines
    }

    // MARK: - Input

    private func input(_ composition: PageLayout) -> PlainInput {
        PlainInput(
            composition, commands: session.dialogs.shown == nil ? session.commands() : [],
            lastField: lastField)
    }

    /// Performs a line; an empty line writes the screen again.
    package func take(_ line: String) {
        let line = PlainInput.trimmed(line)
        let input = input(compose())
        guard !line.isEmpty else {
            shown = []
            return flush()
        }
        session.personActed()
        defer { session.redraw() }
        switch input.take(line) {
        case .done: break
        case .filled(let field): lastField = field
        case .refused(let reason): say(reason)
        case .says(let lines): write(lines)
        }
    }

    /// Calls a closure when the events of all lines have been answered.
    package func finish(_ end: @escaping () -> Void) {
        ended = end
        setNeedsWrite()
    }

    private func endIfDone() {
        guard let ended, front.outstandingEvents == 0 else { return }
        self.ended = nil
        ended()
    }
}
