// Console: draws a program's terminal, and takes all keys while it has the focus.
//
// Ownership  a worker has the terminal; this shows its newest screen and sends a person's input.

public import NapkinCore

/// The terminal of a program: an editor, a shell, an agent with its own interface.
///
/// ```swift
/// Console(model.screen, label: "Build") { input in
///     model.dispatch { await $0.didType(input) }
/// }
/// ```
///
/// With the focus it takes every key except Ctrl-\, which moves the focus out of it and back to it.
/// Without the focus, PgUp, PgDn and `/` go through the lines that have left the screen. The
/// terminal takes the size that the typing person has room for. It is not in SwiftUI.
public struct Console: View {
    private enum Part: Hashable { case screen, search }

    private let screen: ConsoleScreen
    private let label: String
    private let send: (ConsoleInput) -> Void
    @State private var words = ""
    @State private var isSearching = false
    @FocusState private var focus: Part?

    /// - Parameters:
    ///   - screen: the program's newest screen; `nil` before the first one.
    ///   - label: its label for people who do not see it; the program's title if it is empty.
    ///   - input: receives a person's input, for a `HeldConsole`.
    public init(
        _ screen: ConsoleScreen?, label: String = "",
        onInput input: @escaping (ConsoleInput) -> Void
    ) {
        self.screen = screen?.bounded ?? ConsoleScreen()
        self.label = label
        send = input
    }

    public var body: some View {
        VStack {
            ConsolePrimitive(screen: screen, label: label, send: send)
                .focused($focus, equals: .screen)
                .keyBindings([
                    KeyBinding(.pageUp, "Earlier") { scroll(-1) },
                    KeyBinding(.pageDown, "Later") { scroll(1) },
                    KeyBinding("/", "Search") {
                        isSearching = true
                        focus = .search
                    },
                ])
            if isSearching {
                TextField("search upwards", text: $words)
                    .focused($focus, equals: .search)
                    .onSubmit { send(.find(words)) }
                    .keyBindings([KeyBinding(.escape, "Stop", role: .cancel) { end() }])
            }
            if screen.scrolled > 0 {
                Text("\(screen.scrolled) of \(screen.history) lines up").lineLimit(1)
                    .foregroundStyle(.secondary)
            }
        }
    }

    private func scroll(_ pages: Int) {
        send(.scroll(lines: pages * max(1, screen.rows.count / 2)))
    }

    private func end() {
        isSearching = false
        send(.scroll(lines: screen.scrolled))
        focus = .screen
    }
}

private struct ConsolePrimitive: View, Primitive {
    let screen: ConsoleScreen
    let label: String
    let send: (ConsoleInput) -> Void

    func elements(in context: RenderContext) -> [RenderedElement] {
        let memory = context.memory { ConsoleMemory() }
        memory.send = send
        let names = [label, screen.title, "terminal"]
        return [
            .console(
                ConsoleElement(
                    screen: screen, label: names.first { !$0.isEmpty } ?? "",
                    isEnabled: context.environment.isEnabled, memory: memory))
        ]
    }
}

package struct ConsoleElement {
    package let screen: ConsoleScreen
    package let label: String
    package let isEnabled: Bool
    package let memory: ConsoleMemory

    /// Sends a person's input, after the size that this person has room for.
    package func send(_ input: ConsoleInput) {
        if let (rows, columns) = memory.room, (screen.rows.count, screen.columns) != (rows, columns)
        {
            memory.send(.resize(rows: rows, columns: columns))
        }
        memory.send(input)
    }
}

/// The room that a person has for a console.
package final class ConsoleMemory: ElementMemory {
    package static let outlivesWorker = false

    fileprivate(set) var send: (ConsoleInput) -> Void = { _ in }
    fileprivate(set) var room: (rows: Int, columns: Int)?

    /// Reports a new size to the program, once, when the person has the focus there.
    package func fit(rows: Int, columns: Int) {
        let rows = min(max(1, rows), ConsoleScreen.rowsMax)
        let columns = min(max(1, columns), ConsoleScreen.columnsMax)
        if let room, room == (rows, columns) { return }
        room = (rows, columns)
        send(.resize(rows: rows, columns: columns))
    }
}

extension ConsoleScreen {
    /// The screen within its limits, whatever a worker has sent.
    fileprivate nonisolated var bounded: ConsoleScreen {
        var screen = self
        screen.columns = min(max(1, columns), Self.columnsMax)
        if rows.count > Self.rowsMax { screen.rows = Array(rows.prefix(Self.rowsMax)) }
        for index in screen.rows.indices where !screen.rows[index].fits(screen.columns) {
            screen.rows[index] = ConsoleRow()
        }
        if let cursor,
            !screen.rows.indices.contains(cursor.row)
                || !(0..<screen.columns).contains(cursor.column)
        {
            screen.cursor = nil
        }
        return screen
    }
}

extension ConsoleRow {
    /// Bytes of a cell: a character with five others that combine with it.
    private nonisolated static let cellBytesMax = 24

    fileprivate nonisolated func fits(_ columns: Int) -> Bool {
        var left = columns
        for run in runs {
            guard (0...left).contains(run.cells),
                run.text.utf8.count <= run.cells * Self.cellBytesMax
            else { return false }
            left -= run.cells
        }
        return true
    }
}

extension Key {
    /// Moves the focus out of a console, and back to it.
    package nonisolated static let leavesConsole = Key.control("\\")
}
