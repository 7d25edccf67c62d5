// WaitingNotice: names the peer that a client is waiting for while a wait is long.
//
// Invariant  the line is on a terminal only while there is nothing else to write.

import Glibc
import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

@MainActor
final class WaitingNotice {
    /// The time before a person gets a notice. Chosen: then a person begins to wonder.
    static let moment = Duration.milliseconds(300)
    /// The time before a program that reads lines gets a notice, if nothing is known to have gone
    /// wrong. Chosen: such a program takes a line of standard error for an error, and is patient.
    private static let patience = Duration.seconds(10)

    private let start = ContinuousClock.now
    private let whom: @MainActor () -> String?
    private let say: @MainActor (String?) -> Void
    private var timer: LoopTimer?

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - whom: returns the peer that is awaited now, such as `cart's worker`; `nil` if none is.
    ///   - isLoss: whether something has gone wrong, so that a program is told as soon as a person.
    ///   - say: shows the sentence, a new one each second; `nil` when the wait is over.
    init(
        for whom: @escaping @MainActor () -> String?, isLoss: Bool = false,
        say: @escaping @MainActor (String?) -> Void = WaitingLine.show
    ) {
        (self.whom, self.say) = (whom, say)
        check(after: WaitingLine.isTerminal || isLoss ? Self.moment : Self.patience)
    }

    private func check(after time: Duration) {
        timer = LoopTimer(deadline: time) { [weak self] in
            guard let self else { return }
            let time = start.duration(to: .now)
            let seconds = Int(time / .seconds(1))
            say(whom().map { FrontWait.text(for: $0, seconds: seconds) + Self.wayOut })
            check(after: .seconds(seconds + 1) - time)
        }
    }

    nonisolated fileprivate static let wayOut = "; Ctrl-C gives up"

    func end() {
        timer?.cancel()
        say(nil)
    }
}

/// The line of standard error that names the reason to wait.
@MainActor
enum WaitingLine {
    static let isTerminal = isatty(STDERR_FILENO) != 0 && TerminalComponent().canMoveCursor
    /// Shows the notice in place of the line, while a screen covers the line.
    static var screen: ((String?) -> Void)?
    private static var isShown = false
    private static var isWritten = false

    /// Shows a sentence; `nil` removes it. Where lines stay, it is written once per wait.
    static func show(_ sentence: String?) {
        if let screen { return screen(sentence) }
        guard isTerminal else {
            if let sentence, !isWritten { ClientFailure(0, sentence).report() }
            isWritten = sentence != nil
            return
        }
        guard isShown || sentence != nil else { return }
        isShown = sentence != nil
        var text: PrintableText = "\r\u{1B}[K"
        if let sentence {
            let line = "\(ClientSetup.current.typed): \(ClientSetup.current.naming(sentence))"
            let columns = ScreenSize.ofTerminal(STDERR_FILENO)?.width ?? 80
            text += PrintableText(escaping: fitted(line, to: max(1, columns - 1)))
        }
        // With standard error closed there is nobody left to tell.
        try? StandardStream.error.write(text)
    }

    /// Cuts a line that cannot be wrapped; the key to leave, at its end, stays.
    nonisolated static func fitted(_ line: String, to width: Int) -> String {
        guard CellWidth.cells(of: line) > width else { return line }
        let end = line.hasSuffix(WaitingNotice.wayOut) ? "…" + WaitingNotice.wayOut : "…"
        let room = width - CellWidth.cells(of: end)
        return CellWidth.prefix(of: line, width: max(0, room)).text + end
    }

    static func show(_ wait: FrontWait?, of app: String) {
        show(wait.map { $0.text(of: app) + WaitingNotice.wayOut })
    }
}

extension Query {
    /// The peer that has to answer.
    var whom: String {
        // It repeats the names of the query.
        guard case .more(let app, let session, _) = continued(from: 0) else { return "napkind" }
        if let session { return "the worker of session '\(session)'" }
        return app.map { $0 == DaemonProgram.name ? $0 : FrontWait.worker(of: $0) } ?? "napkind"
    }
}
