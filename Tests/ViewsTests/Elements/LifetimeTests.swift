// LifetimeTests: what a view does when it comes, changes and goes; what it is given from above.

import Observation
import Testing

@testable import NapkinElements

/// What a test changes, and what its view says.
@Observable
private final class Diary {
    var isOpen = true
    var page = 1
    var hasAlert = false
    @ObservationIgnored var lines: [String] = []

    func write(_ line: String) { lines.append(line) }
}

private struct DiaryView: View {
    let diary: Diary

    var body: some View {
        if diary.isOpen {
            Text("page \(diary.page)")
                .onAppear { diary.write("appear") }
                .onDisappear { diary.write("disappear") }
                .onChange(of: diary.page) { diary.write("\($0) to \($1)") }
                .task(id: diary.page) { [page = diary.page] in
                    diary.write("task \(page)")
                    await waitForCancellation()
                    diary.write("end \(page)")
                }
        }
    }
}

/// Returns when the task is cancelled.
private func waitForCancellation() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    await withTaskCancellationHandler {
        for await _ in stream {}
    } onCancel: {
        continuation.finish()
    }
}

@Suite struct LifetimeTests {
    private let diary = Diary()
    private let root = SiteRoot()

    @discardableResult
    private func evaluate() -> [RenderedElement] {
        defer { root.finish() }
        return root.evaluate(DiaryView(diary: diary), EnvironmentValues()).elements
    }

    /// Waits until the diary has a line.
    private func until(_ line: String) async {
        while !diary.lines.contains(line) { await Task.yield() }
    }

    @Test func `a view comes once, and its task ends when it goes`() async {
        root.setThere(true)
        evaluate()
        evaluate()
        await until("task 1")
        #expect(diary.lines == ["appear", "task 1"])
        diary.isOpen = false
        evaluate()
        await until("end 1")
        #expect(diary.lines == ["appear", "task 1", "disappear", "end 1"])
    }

    @Test func `a view that is covered goes, and comes again`() async {
        root.setThere(true)
        evaluate()
        await until("task 1")
        root.setThere(false)
        await until("end 1")
        #expect(diary.lines.contains("disappear"))
        diary.lines = []
        root.setThere(true)
        await until("task 1")
        #expect(diary.lines == ["appear", "task 1"])
    }

    @Test func `a change is told with both values, and starts the task anew`() async {
        root.setThere(true)
        evaluate()
        await until("task 1")
        diary.page = 2
        evaluate()
        evaluate()
        await until("end 1")
        await until("task 2")
        #expect(diary.lines.filter { $0 == "1 to 2" }.count == 1)
        #expect(diary.lines.filter { $0 == "appear" }.count == 1)
    }

    @Test func `nothing happens in a view that nobody sees`() async {
        evaluate()
        await Task.yield()
        #expect(diary.lines.isEmpty)
    }

    @Test func `an alert has its buttons' keys only, and each closes it`() throws {
        let diary = diary
        var said: [String] = []
        struct Asking: View {
            let diary: Diary
            let say: (String) -> Void

            var body: some View {
                Button("Below") { say("below") }.keyboardShortcut("b")
                    .alert("Sure?", isPresented: Binding(diary, \.hasAlert)) {
                        Button("Yes") { say("yes") }.keyboardShortcut("y")
                        Button("No", role: .cancel) { say("no") }.keyboardShortcut("n")
                    } message: {
                        Text("It cannot be undone.")
                    }
            }
        }
        let view = Asking(diary: diary) { said.append($0) }
        #expect(root.evaluate(view, EnvironmentValues()).turn.presentations.isEmpty)
        diary.hasAlert = true
        let alert = try #require(root.evaluate(view, EnvironmentValues()).turn.presentations.first)
        #expect(alert.title == "Sure?" && alert.elements.texts == ["It cannot be undone."])
        #expect(alert.elements.keys().map(\.label) == ["Yes", "No"])
        alert.elements.keys().first?.action()
        #expect(said == ["yes"] && !diary.hasAlert)
    }

    @Test func `an alert without buttons can be closed, and a sheet dismisses itself`() throws {
        struct Sheet: View {
            @Environment(\.dismiss) private var dismiss

            var body: some View { Button("Done") { dismiss() }.keyboardShortcut("d") }
        }
        struct Page: View {
            let diary: Diary
            let isSheet: Bool

            var body: some View {
                let isPresented = Binding(diary, \.hasAlert)
                if isSheet {
                    Text("page").sheet(isPresented: isPresented) { Sheet() }
                } else {
                    Text("page").alert("Saved", isPresented: isPresented) {}
                }
            }
        }
        var environment = EnvironmentValues()
        environment.dismiss = DismissAction { Issue.record("the page was dismissed") }
        for (isSheet, label) in [(true, "Done"), (false, "Close")] {
            diary.hasAlert = true
            let page = Page(diary: diary, isSheet: isSheet)
            let shown = root.evaluate(page, environment).turn.presentations
            let keys = try #require(shown.first).elements.keys()
            try #require(keys.first { $0.label == label }).action()
            #expect(!diary.hasAlert)
        }
        diary.hasAlert = true
        let alert = root.evaluate(Page(diary: diary, isSheet: false), environment).turn
        let texts = try #require(alert.presentations.first).elements.elements(role: .button)
        #expect(texts.contains { $0.label == "OK" })
    }

    @Test func `a task of a view that nobody sees does not start when its id changes`() async {
        evaluate()
        diary.page = 2
        evaluate()
        await Task.yield()
        #expect(!diary.lines.contains { $0.hasPrefix("task") })
    }

    @Test func `the environment is given to all views inside, and to no others`() {
        struct Inner: View {
            @Environment(\.tempo) private var tempo
            @Environment(\.isEnabled) private var isEnabled
            @Environment(Diary.self) private var diary

            var body: some View { Text("\(tempo) \(isEnabled) \(diary.page)") }
        }
        struct Outer: View {
            let diary: Diary

            var body: some View {
                Group {
                    Inner().environment(\.tempo, 3).disabled(true)
                    Inner()
                }
                .environment(diary)
            }
        }
        let elements = root.evaluate(Outer(diary: diary), EnvironmentValues()).elements
        #expect(elements.texts == ["3 false 1", "1 true 1"])
    }

    @Test func `what is disabled has no keys`() {
        struct Locked: View {
            let isLocked: Bool

            var body: some View {
                Button("Open") {}.keyboardShortcut("o").disabled(isLocked)
            }
        }
        func keys(_ isLocked: Bool) -> [String] {
            root.evaluate(Locked(isLocked: isLocked), EnvironmentValues()).elements.keys()
                .map(\.label)
        }
        #expect(keys(true).isEmpty)
        #expect(keys(false) == ["Open"])
    }
}

private enum TempoKey: EnvironmentKey {
    static let defaultValue = 1
}

extension EnvironmentValues {
    fileprivate var tempo: Int {
        get { self[TempoKey.self] }
        set { self[TempoKey.self] = newValue }
    }
}
