// ReadTrackingTests: what causes a drawing, counted.

import NapkinCore
import Observation
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// What a board shows, and what it does not.
@Observable
private final class BoardModel {
    var shown = "Ribs"
    var hidden = 0
    var news: String?
    var hasDetails = false
    var item: String?
    @ObservationIgnored var evaluations = 0
}

/// Shows a part of what its model knows.
private struct Board: View {
    let model: BoardModel

    var body: some View {
        model.evaluations += 1
        return Group {
            Text(model.shown)
            if model.hasDetails { Text("hidden: \(model.hidden)") }
            List(["one", "two", "three"], id: \.self, selection: Binding(model, \.item)) {
                Text($0)
            }
        }
        .banner { if let news = model.news { Text(news) } }
    }
}

/// Counts how often it has been rung.
private struct Bell: View {
    let note: (String) -> Void
    @State private var count = 0

    var body: some View {
        Text("rung \(count)")
            .keyBindings([KeyBinding(.character("r"), "Ring") { count += 1 }])
            .onAppear { note("+bell") }
            .onDisappear { note("-bell") }
    }
}

@Suite struct ReadTrackingTests {
    private let stage = Stage()
    private let board = BoardModel()

    init() {
        stage.mounted.mount("a.board", view: Board(model: board))
        stage.draw()
    }

    @Test func `what was read asks for one drawing, however often it changes`() {
        for dish in ["Brisket", "Sausage", "Pork"] { board.shown = dish }
        #expect(stage.redraws == 1)
        #expect(stage.text.contains("Pork"))
        board.shown = "Ribs"
        #expect(stage.redraws == 2)
    }

    @Test func `what was not read asks for none, until it is`() {
        for _ in 0..<100 { board.hidden += 1 }
        #expect(stage.redraws == 0)
        board.hasDetails = true
        stage.draw()
        board.hidden += 1
        #expect(stage.redraws == 2)
    }

    @Test func `a view that is covered is not read, and its banner is`() {
        stage.mounted.mount("a.over", in: 1, "push", view: Words("over"))
        stage.draw()
        board.shown = "Brisket"
        board.item = "three"
        #expect(stage.redraws == 0)
        board.news = "LAST CALL"
        #expect(stage.redraws == 1)
    }

    @Test func `a banner keeps its state when its view is evaluated, and its tasks when covered`() {
        let stage = Stage()
        let model = BoardModel()
        let notes = Kept<[String]>([])
        let board = stage.mounted.mount(
            "a.board",
            view: Made {
                Text(model.shown).banner {
                    Bell { notes.value.append($0) }
                    if let news = model.news { Text(news) }
                }
            })
        stage.press(.character("r"))
        model.shown = "Brisket"
        #expect(stage.text.contains("rung 1"))
        stage.mounted.mount("a.over", in: board, "push", view: Words("over"))
        stage.press(.character("r"))
        model.news = "LAST CALL"
        #expect(stage.text.contains("rung 2\nLAST CALL"))
        #expect(notes.value == ["+bell"])
        stage.mounted.unmount(board)
        stage.mounted.mount("a.other", view: Words("other"))
        stage.draw()
        #expect(notes.value == ["+bell", "-bell"])
    }

    @Test func `a list's selection is observed, and drawing does not ask for a drawing`() {
        stage.draw()
        #expect(stage.redraws == 0)
        board.item = "three"
        #expect(stage.redraws == 1)
        #expect(stage.text.contains("three"))
        #expect(stage.redraws == 1)
    }

    @Test func `a text that the view replaces is observed`() {
        let note = Kept("")
        let stage = Stage()
        stage.mounted.mount("a.note", view: Made { TextField(text: note.binding) })
        stage.draw()
        note.value = "smoke"
        #expect(stage.redraws == 1)
        #expect(stage.text.contains("smoke"))
    }

    @Test func `a view is evaluated only when something changes that it has read`() {
        let evaluations = board.evaluations
        for _ in 0..<10 { stage.draw() }
        stage.size = ScreenSize(width: 40, height: 10)
        stage.draw()
        #expect(board.evaluations == evaluations)
        board.shown = "Brisket"
        stage.draw()
        #expect(board.evaluations == evaluations + 1)
    }

    @Test func `a drawing ends the tracking of those before it`() {
        for _ in 0..<1000 { stage.draw() }
        board.shown = "Brisket"
        #expect(stage.redraws == 1)
    }

    @Test func `a state asks for a drawing where the node itself is shown`() throws {
        try stage.present(1, "present(count:)", 1)
        #expect(stage.redraws == 0)
        let kitchen = Kitchen.stage()
        kitchen.draw()
        try kitchen.present(1, "present(summary:)", "busy")
        #expect(kitchen.redraws == 1)
        #expect(kitchen.text.contains("busy"))
        try kitchen.present(1, "present(summary:)", "calm")
        kitchen.draw()
        let before = kitchen.redraws
        // The mark of what has just changed goes by itself.
        kitchen.wait()
        #expect(kitchen.redraws == before + 1)
    }
}
