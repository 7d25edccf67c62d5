// ViewStageTests: a view is pressed, written in and clicked, without a terminal.

import NapkinElements
import NapkinTerminal
import Observation
import Testing

@Observable
private final class WishModel {
    var orders: [String] = []
    @ObservationIgnored var greeting: AsyncStream<String>?
    @ObservationIgnored var ended: () -> Void = {}
    var greets = ""

    func listen() async {
        guard let greeting else { return }
        for await word in greeting { greets = word }
        ended()
    }
}

/// A view with all that lasts between two keys.
private struct WishScreen: View {
    let model: WishModel
    @State private var name = ""
    @State private var dish: String?
    @FocusState private var isWriting: Bool

    var body: some View {
        Text(model.greets.isEmpty ? "Nobody has said anything." : model.greets)
        TextField("for whom", text: $name).focused($isWriting).onSubmit { order() }
        List(["Ribs", "Pork"], id: \.self, selection: $dish) { Text($0) }
        ForEach(model.orders, id: \.self) { Text($0) }
        Button("Order") { order() }
            .keyboardShortcut(.control("r"))
            .navigationTitle("Order")
            .onAppear { isWriting = true }
            .task { await model.listen() }
    }

    private func order() {
        model.orders.append("\(dish ?? "nothing") for \(name)")
        name = ""
    }
}

@Suite struct ViewStageTests {
    private let model = WishModel()

    @Test func `state is kept from key to key, and the focus moves with Tab`() throws {
        let stage = ViewStage(WishScreen(model: model), width: 40, height: 10)
        #expect(stage.focused == "field")
        stage.type("Joe q")
        #expect(stage.elements(role: .textField).first?.value == "Joe q")
        try stage.focus("list")
        stage.press(.down)
        #expect(stage.tree().contains(#"list 2 items, "Pork" selected"#))
        try stage.focus("Order")
        stage.press(.enter)
        #expect(model.orders == ["Pork for Joe q"])
        #expect(stage.lines.contains("Pork for Joe q"))
        #expect(stage.elements(role: .textField).first?.value == "")
        try stage.click("Ribs")
        stage.press(.tab, .backTab, .backTab)
        stage.paste("Ann")
        stage.press(.enter)
        #expect(model.orders.last == "Ribs for Ann")
        #expect(stage.keys.hasSuffix("[^C] Quit"))
    }

    @Test func `what is not there is said, with the screen`() {
        let stage = ViewStage(WishScreen(model: model), width: 40, height: 10)
        let click = #expect(throws: StageError.self) { try stage.click("Brisket") }
        #expect(click?.description.contains("'Brisket' is not on the screen") == true)
        #expect(click?.description.contains("Pork") == true)
        let focus = #expect(throws: StageError.self) { try stage.focus("password") }
        #expect(focus?.description.contains("no key leads to 'password'") == true)
    }

    @Test func `a task of the view runs, and is cancelled when the stage is gone`() async throws {
        let (greeting, source) = AsyncStream.makeStream(of: String.self)
        model.greeting = greeting
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        model.ended = { end.finish() }
        var stage: ViewStage? = ViewStage(WishScreen(model: model), width: 40, height: 10)
        #expect(stage?.lines.contains("Nobody has said anything.") == true)
        source.yield("Good evening")
        try await stage?.wait { $0.lines.contains("Good evening") }
        stage = nil
        for await _ in ends {}
    }

    @Test func `what does not come is said after a while`() async throws {
        let stage = ViewStage(WishScreen(model: model), width: 40, height: 10)
        let error = await #expect(throws: StageError.self) {
            try await stage.wait(atMost: .milliseconds(1)) { $0.lines.isEmpty }
        }
        #expect(error?.description.contains("Nobody has said anything.") == true)
    }

    @Test func `Enter and Escape stand for the keys of a view, as in a session`() {
        let pressed = Kept<[String]>([])
        let stage = ViewStage(
            Made {
                Button("Add") { pressed.value.append("Add") }.keyboardShortcut("a")
                Button("Back", role: .cancel) { pressed.value.append("Back") }
                    .keyboardShortcut("b")
            }, width: 40, height: 5)
        stage.press("a", "b", .escape, "A")
        #expect(pressed.value == ["Add", "Back", "Back", "Add"])
    }

    @Test func `a long view is scrolled by keys`() {
        let stage = ViewStage(Made { ForEach(0..<50) { Text("line \($0)") } }, height: 10)
        #expect(stage.lines.first == "line 0" && stage.lines.last?.hasPrefix("↓") == true)
        stage.press(.end)
        #expect(stage.lines.last == "line 49" && stage.lines.count == 10)
        stage.press(.home)
        #expect(stage.lines.first == "line 0")
    }
}
