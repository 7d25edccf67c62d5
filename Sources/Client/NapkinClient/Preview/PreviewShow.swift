// PreviewShow: shows previews on a terminal, one after another, until their program is rebuilt.
//
// Ownership  owns the terminal's window and the watch on the program's file.
// Invariant  the rebuilt program gets the same arguments and shows the same preview.

import Glibc
import NapkinCore
import NapkinElements
import NapkinFront
import NapkinTerminal
import NapkinTransport

@MainActor
final class PreviewShow {
    private enum Turn {
        case show(String)
        case list
        case leave
        case replaced
    }

    /// The variable with the name of the preview that the old program showed; empty for the list.
    private static let variable = "NAPKIN_PREVIEW"

    /// Returns the preview that the old program showed, if this one replaces it.
    static func takeFormer() -> String? { FrontProgram.taken(variable) }

    private let previews: [Preview]
    private let window: TerminalWindow
    private let turns = EventBus<Turn>()
    /// The preview that is selected in the list, or shown while no list is open.
    private var selection: String?
    private var notice: String?
    private var screen: ViewScreen?

    /// Throws if the type of terminal is unknown.
    init(_ previews: [Preview], _ component: TerminalComponent) throws(ClientFailure) {
        self.previews = previews
        window = try ClientFailure.ofTerminal { () throws(TerminalError) in
            try TerminalWindow(component)
        }
    }

    /// Returns when the person leaves, after restoring the terminal, even after an error.
    func run(_ name: String?, notice: String? = nil) async throws(ClientFailure) {
        defer { window.close() }
        self.notice = notice
        var shown = name
        var events = turns.events.makeAsyncIterator()
        let watch = watch()
        try open(shown)
        // The program was rebuilt before the watch began.
        if watch?.isReplaced == true { turns.send(.replaced) }
        while let turn = await events.next() {
            switch turn {
            case .show(let name): shown = name
            case .list: shown = nil
            case .leave: return
            case .replaced:
                guard let watch else { continue }
                restart(as: watch.path, shown)
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

    /// Replaces this process with the new program; returns only if that cannot be started.
    private func restart(as path: String, _ name: String?) {
        screen?.close()
        setenv(Self.variable, name ?? "", 1)
        defer { unsetenv(Self.variable) }
        window.giveBack {
            do throws(ClientFailure) {
                try OwnProgram.become(path, CommandLine.arguments) { reason in
                    ClientFailure.noInput("\(path) cannot be started: \(reason)")
                }
            } catch {
                // The old program keeps running until the next build.
                notice = error.message
            }
        }
    }

    // MARK: - Screens

    private func open(_ name: String?) throws(ClientFailure) {
        screen?.close()
        try ClientFailure.ofTerminal { () throws(TerminalError) in try window.open() }
        defer { notice = nil }
        guard let index = previews.firstIndex(where: { $0.name == name }) else {
            let list = PreviewList(
                names: previews.map(\.name), selection: Binding(self, \.selection)
            ) { [turns] in turns.send(.show($0)) }
            screen = ViewScreen(
                list, in: window, saying: self.previews.count.counted("preview"), notice: notice,
                leave: leave)
            return
        }
        selection = name
        let words = "\(previews[index].name) · preview \(index + 1) of \(previews.count)"
        screen = ViewScreen(
            previews[index].view(), in: window, saying: words, notice: notice,
            others: keys(from: index), leave: leave)
    }

    private var leave: () -> Void { { [turns] in turns.send(.leave) } }

    /// Uses control keys only: letters, Tab and arrows belong to the preview.
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

struct PreviewList: View {
    let names: [String]
    @Binding var selection: String?
    let choose: (String) -> Void

    var body: some View {
        List(names, id: \.self, selection: $selection) {
            Text($0)
        } primaryAction: {
            choose($0)
        }
        .id("previews")
        .keyBindings([KeyBinding(.enter, "Show") { if let selection { choose(selection) } }])
        .navigationTitle("Preview")
    }
}
