// PreviewShow: previews on a terminal, one after another, until their program is built again.
//
// Ownership  owns the terminal's window and the watch of the program's file.
// Invariant  the program that goes on has the same arguments, and shows the same preview.

import Glibc
import NapkinCore
import NapkinElements
import NapkinFront
import NapkinTerminal
import NapkinTransport

/// Shows previews until the person leaves.
@MainActor
final class PreviewShow {
    private enum Turn {
        case show(String)
        case list
        case leave
        case replaced
    }

    /// The variable that says which preview the former program has shown; empty for the list.
    private static let variable = "NAPKIN_PREVIEW"

    /// What the former program has shown, if this one goes on in its place.
    static func takeFormer() -> String? {
        let value = FrontComponent.variable(variable)
        unsetenv(variable)
        return value
    }

    private let previews: [Preview]
    private let window: TerminalWindow
    private let turns = EventBus<Turn>()
    /// What is selected in the list, and shown if there is none.
    private var selection: String?
    private var notice: String?
    private var screen: ViewScreen?

    /// Throws if the type of terminal is unknown.
    init(_ previews: [Preview], _ component: TerminalComponent) throws(ClientFailure) {
        self.previews = previews
        do throws(TerminalError) {
            window = try TerminalWindow(component)
        } catch {
            throw ClientFailure(ExitTable.usage, error.description)
        }
    }

    /// Returns when the person has left; the terminal is then as it was, also after an error.
    ///
    /// - Parameters:
    ///   - name: the preview to begin with; `nil` for the list.
    ///   - notice: what is said until the next key.
    func run(_ name: String?, notice: String? = nil) async throws(ClientFailure) {
        defer { window.close() }
        self.notice = notice
        var shown = name
        var events = turns.events.makeAsyncIterator()
        let watch = watch()
        try open(shown)
        // Built again before it was watched.
        if watch?.isReplaced == true { turns.send(.replaced) }
        while let turn = await events.next() {
            switch turn {
            case .show(let name): shown = name
            case .list: shown = nil
            case .leave: return
            case .replaced:
                guard let watch else { continue }
                goOn(as: watch.path, shown)
            }
            try open(shown)
        }
    }

    private func watch() -> ProgramWatch? {
        guard let path = ProgramWatch.ownPath else { return nil }
        do throws(TransportError) {
            return try ProgramWatch(path) { [turns] in turns.send(.replaced) }
        } catch {
            notice = "\(path) is not watched: \(error.message)"
            return nil
        }
    }

    /// Runs the new program in this process; returns if that cannot be started.
    private func goOn(as path: String, _ name: String?) {
        screen?.close()
        setenv(Self.variable, name ?? "", 1)
        defer { unsetenv(Self.variable) }
        window.giveBack {
            do throws(ClientFailure) {
                try OwnProgram.become(path, CommandLine.arguments) { reason in
                    ClientFailure(ExitTable.noInput, "\(path) cannot be started: \(reason)")
                }
            } catch {
                // The old one is still here, and goes on until the next build.
                notice = error.message
            }
        }
    }

    // MARK: - Screens

    private func open(_ name: String?) throws(ClientFailure) {
        screen?.close()
        do throws(TerminalError) {
            try window.open()
        } catch {
            throw ClientFailure(ExitTable.usage, error.description)
        }
        defer { notice = nil }
        guard let index = previews.firstIndex(where: { $0.name == name }) else {
            let list = PreviewList(
                names: previews.map(\.name), selection: Binding(self, \.selection)
            ) { [turns] in turns.send(.show($0)) }
            let count = previews.count == 1 ? "1 preview" : "\(previews.count) previews"
            screen = ViewScreen(list, in: window, saying: count, notice: notice, leave: leave)
            return
        }
        selection = name
        let words = "\(previews[index].name) · preview \(index + 1) of \(previews.count)"
        screen = ViewScreen(
            previews[index].view(), in: window, saying: words, notice: notice,
            others: keys(from: index), leave: leave)
    }

    private var leave: () -> Void { { [turns] in turns.send(.leave) } }

    /// Control keys: a preview has its letters, its Tab and its arrows for itself.
    private func keys(from index: Int) -> [KeyBinding] {
        let next = previews[(index + 1) % previews.count].name
        let former = previews[(index + previews.count - 1) % previews.count].name
        return [
            KeyBinding(.control("n"), "Next") { [turns] in turns.send(.show(next)) },
            KeyBinding(.control("p"), "Previous") { [turns] in turns.send(.show(former)) },
            KeyBinding(.control("o"), "Others") { [turns] in turns.send(.list) },
        ]
    }
}
