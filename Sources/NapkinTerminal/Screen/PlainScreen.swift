// PlainScreen: a front as text, written again whenever it changes, for pipes and screen readers.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Invariant  written at most once in a turn of the loop, and never twice the same.

public import NapkinCore
import NapkinElements
public import NapkinFront
import NapkinProtocol
public import NapkinTransport

/// Writes a front's screen as plain text.
public final class PlainScreen: Flushable {
    public var isFlushScheduled = false
    /// Lines that a view may fill. Chosen: text has no end, but a view may need one.
    static let linesMax = 1000

    private let front: Front
    private let component: TerminalComponent
    private let width: Int
    private let write: ([String]) -> Void
    private var bar: StatusBar
    private var shown: [String] = []
    /// What was waited for when that was written.
    private var shownWait: FrontWait?
    private lazy var composer = ScreenComposer(
        send: { _, _, _ in }, redraw: { [weak self] in self?.setNeedsWrite() })

    /// - Parameters:
    ///   - front: the front that is shown.
    ///   - component: has the width of a line.
    ///   - write: takes the lines of each new screen.
    public init(
        front: Front, component: TerminalComponent, write: @escaping ([String]) -> Void
    ) {
        self.front = front
        self.component = component
        width = component.plainColumns
        self.write = write
        bar = StatusBar(
            app: front.options.app, session: front.options.session ?? front.options.app,
            isReadOnly: front.options.isReadOnly)
        front.surface = self
        front.watchesWorker = true
    }

    private func setNeedsWrite() { Loop.shared.scheduleFlush(self) }

    public func flush() {
        composer.schemas = front.schemas
        _ = composer.pages.follow(front.tree, beginsAnew: false)
        let composition = composer.compose(
            front.tree.root, width: width, height: Self.linesMax, isLinear: true)
        // A session that is just being launched has nothing to show yet.
        guard !composition.isEmpty || !shown.isEmpty else { return }
        let lines = Self.lines(composition, bar: bar)
        guard lines != shown else { return }
        // A wait is no reason to read everything again.
        let isWait = bar.wait != shownWait && lines.dropFirst() == shown.dropFirst()
        (shown, shownWait) = (lines, bar.wait)
        write(isWait ? [lines[0]] : lines)
    }

    /// Returns a screen as lines: the status line, the view's lines, its keys.
    static func lines(_ composition: Composition, bar: StatusBar) -> [String] {
        var lines = ["—— \(bar.text) ——"] + composition.lines.map(\.text)
        if !composition.keys.isEmpty {
            lines.append(composition.keys.map(\.hint.text).joined(separator: "  "))
        }
        return lines
    }
}

extension PlainScreen: Surface {
    public func front(_ front: Front, renamed session: String) {
        bar.session = session
        setNeedsWrite()
    }

    public func front(_ front: Front, applied changes: [FrontChange]) {
        bar.connection = .connected
        bar.told(front.attached)
        setNeedsWrite()
    }

    public func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        if node.isDrawn(from: method) { setNeedsWrite() }
    }

    public func front(_ front: Front, waits wait: FrontWait?) {
        bar.wait = wait
        setNeedsWrite()
    }

    public func front(_ front: Front, disconnected reason: String) {
        bar.connection = .disconnected(since: component.timeOfDay(), reason: reason)
        setNeedsWrite()
    }

    public func front(
        _ front: Front, retriesAfter delay: Duration, because error: FrontError
    ) {
        bar.connection = bar.connection.retrying(because: error.message)
        setNeedsWrite()
    }
}
