// StatusBar: the last lines of a screen: the keys, the shown session, and its connection.

import NapkinCore
import NapkinElements

nonisolated struct StatusBar: Equatable, Sendable {
    var status: SessionStatus
    /// The text that replaces everything else if there is no session.
    private var words: String?
    var notice: String?

    /// Creates a status bar without a session.
    init(saying words: String) {
        status = SessionStatus(app: "", session: "")
        self.words = words
    }

    init(_ status: SessionStatus, notice: String? = nil) {
        (self.status, self.notice) = (status, notice)
    }

    /// The line's text: `rib-house · session rib-house · connected`.
    var text: String { SessionStatus.line(parts) }

    private var parts: [String?] {
        status.parts() + [saved, status.isWaiting ? nil : status.roundTrip.map(Self.text)]
    }

    /// Returns as much of the state as fits, and never part of a word.
    private func state(_ width: Int) -> String {
        let short: String
        let forms: [String]
        if status.isWaiting, let wait = status.wait {
            short = status.state
            forms = [short, "waiting \(wait.seconds) s", "waiting"]
        } else {
            short = status.connection.short
            forms = [short, String(short.prefix { $0 != " " })]
        }
        // Chosen: a shorter part of a reason says nothing.
        let room = width - CellWidth.cells(of: short) - 3
        if !status.isWaiting, let reason = status.connection.reason, room >= 16 {
            return "\(short) (\(StyledLine(reason).fitted(to: room).text))"
        }
        return forms.first { CellWidth.cells(of: $0) <= width } ?? (isFine ? "●" : "○")
    }

    private var isFine: Bool { !status.isWaiting && status.connection == .connected }

    private var saved: String? {
        switch status.durability {
        case .machine: "saved"
        case .process: "saved, except on power loss"
        case .none: nil
        }
    }

    /// A duration in words: `0.4 ms`, `12.9 s`.
    private static func text(_ duration: Duration) -> String {
        let (micros, millis, seconds) =
            (duration / .microseconds(1), duration / .milliseconds(1), duration / .seconds(1))
        func tenths(_ value: Double) -> String {
            let count = Int((value * 10).rounded())
            return "\(count / 10).\(count % 10)"
        }
        return switch micros {
        case ..<999.5: "\(Int(micros.rounded())) µs"
        case ..<99_950: "\(tenths(millis)) ms"
        case ..<999_500: "\(Int(millis.rounded())) ms"
        case ..<99_950_000: "\(tenths(seconds)) s"
        default: "\(Int(seconds.rounded())) s"
        }
    }

    /// Returns as many parts as fit; the state is dropped last.
    private func fitting(_ width: Int) -> String {
        var parts = parts
        if status.durability == .process, CellWidth.cells(of: SessionStatus.line(parts)) > width {
            parts[5] = "saved, not synced"
        }
        for index in [6, 5, 4, 0, 1] where CellWidth.cells(of: SessionStatus.line(parts)) > width {
            parts[index] = nil
        }
        if CellWidth.cells(of: SessionStatus.line(parts)) > width {
            parts[3] = state(width - (parts[2].map { CellWidth.cells(of: "\($0) · ") } ?? 0))
        }
        return SessionStatus.line(parts)
    }

    /// The least cells of a notice that has the state beside it. Chosen: fewer say nothing.
    private static let noticeCellsMin = 40

    private func noting(_ notice: String, _ width: Int) -> String {
        let state = words == nil ? state(max(1, width - Self.noticeCellsMin)) : nil
        return SessionStatus.line([state, notice])
    }

    /// Returns the status line, filled up to `width`. A notice ends with what to do, and has as
    /// many lines as it needs, up to `most`.
    func lines(width: Int, most: Int) -> [StyledLine] {
        let role: TextRole
        let text: String
        if let notice {
            (role, text) = (.error, noting(notice, width - 1))
        } else if let words {
            (role, text) = (.bar, words)
        } else {
            let isCalm = status.connection == .connecting || status.wait?.subject == .answer
            role = isFine || isCalm ? .bar : .warning
            text = fitting(width - 1)
        }
        let limit = notice == nil ? 1 : most
        return [StyledLine(text, role)].wrapped(to: width - 1, limit: limit).map {
            (StyledLine(" ", role) + $0).padded(to: width, role)
        }
    }

    /// Returns `[l] Login  [q] Quit`: as many keys as fit. The last one, which leaves, always
    /// stays, and keys that are not letters stay rather than letters.
    @MainActor
    static func keys(_ keys: [KeyBinding], width: Int, takesText: Bool = false) -> StyledLine {
        guard let last = keys.indices.last else { return StyledLine() }
        let gap = StyledLine("  ")
        let hints = keys.map { $0.hint(takesText && $0.key.isLetter ? .secondary : .key) }
        var room = width - hints[last].cells
        var shown = [last]
        for areLetters in [false, true] {
            for index in keys.indices.dropLast() where keys[index].key.isLetter == areLetters {
                let cells = hints[index].cells + gap.cells
                guard cells <= room else { continue }
                room -= cells
                shown.append(index)
            }
        }
        let line = shown.sorted().dropLast().reduce(StyledLine()) { $0 + hints[$1] + gap }
        return (line + hints[last]).fitted(to: width)
    }
}
