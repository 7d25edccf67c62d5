// ToDoTests: a to-do list as SwiftUI's tutorials write it, but for its import and persistence.
//
// What had to change is said in the article *Views*: `.onDelete` and `EditButton`, which a keyboard
// does not have, are a button; images are glyphs; there are no fonts.

import Observation
import Testing

@testable import NapkinElements

private struct ToDo: Identifiable {
    let id: Int
    var title: String
    var isDone = false
}

/// The store; a tutorial's keeps its items in a file.
@Observable
private final class ToDoStore {
    var items: [ToDo]
    private var count: Int

    init(_ titles: [String] = []) {
        items = titles.enumerated().map { ToDo(id: $0, title: $1) }
        count = titles.count
    }

    var openCount: Int { items.count { !$0.isDone } }

    func add(_ title: String) {
        guard !title.isEmpty else { return }
        items.append(ToDo(id: count, title: title))
        count += 1
    }

    func removeDone() { items.removeAll(where: \.isDone) }
}

private struct ToDoListView: View {
    @State private var store = ToDoStore(["Trim the brisket", "Light the pit"])
    @State private var newTitle = ""
    @State private var isAsking = false
    @FocusState private var isWriting: Bool

    var body: some View {
        NavigationTitleView {
            List {
                Section("\(store.openCount) to do") {
                    ForEach($store.items) { $item in
                        ToDoRow(item: $item)
                    }
                }
                Section("New") {
                    HStack {
                        TextField("What is to be done?", text: $newTitle)
                            .focused($isWriting)
                            .onSubmit(add)
                        Button(action: add) { Text("Add") }
                            .disabled(newTitle.isEmpty)
                    }
                }
            }
            Button("Clear") { isAsking = true }
                .keyboardShortcut("c")
        }
        .alert("Remove what is done?", isPresented: $isAsking) {
            Button("Remove") { store.removeDone() }
            Button("Keep", role: .cancel) {}
        }
    }

    private func add() {
        store.add(newTitle)
        newTitle = ""
        isWriting = true
    }
}

private struct ToDoRow: View {
    @Binding var item: ToDo

    var body: some View {
        Toggle(isOn: $item.isDone) { Text(item.title) }
    }
}

/// A tutorial's title.
private struct NavigationTitleView<Content: View>: View {
    @ViewBuilder let content: () -> Content

    var body: some View { Group { content() }.navigationTitle("To-do") }
}

@Suite struct ToDoTests {
    private let root = SiteRoot()

    private func elements() -> [RenderedElement] {
        defer { root.finish() }
        return root.evaluate(ToDoListView(), EnvironmentValues()).elements
    }

    private func toggles() -> [ToggleElement] {
        elements().flattened.compactMap { if case .toggle(let toggle) = $0 { toggle } else { nil } }
    }

    private func button(_ label: String) throws -> ButtonElement {
        let buttons = elements().flattened.compactMap { element -> ButtonElement? in
            if case .button(let button) = element, button.label == label { button } else { nil }
        }
        return try #require(buttons.first)
    }

    private func field() throws -> FieldElement {
        let fields = elements().flattened.compactMap { element -> FieldElement? in
            if case .field(let field) = element { field } else { nil }
        }
        return try #require(fields.first)
    }

    @Test func `items are added, ticked off and cleared`() throws {
        #expect(toggles().map(\.label) == ["Trim the brisket", "Light the pit"])
        #expect(try !button("Add").isEnabled)
        let field = try field()
        field.memory.insert("Salt the ribs")
        field.write()
        #expect(try button("Add").isEnabled)
        try button("Add").action()
        #expect(toggles().map(\.label).last == "Salt the ribs")
        #expect(try self.field().text.isEmpty)
        toggles()[0].isOn.wrappedValue = true
        #expect(elements().texts.first == "2 to do")
        let stale = toggles()[0].isOn
        try button("Clear").action()
        let alert = try #require(
            root.evaluate(ToDoListView(), EnvironmentValues()).turn.presentations.first)
        #expect(alert.title == "Remove what is done?")
        guard
            case .button(let remove)? = alert.elements.flattened.first(where: {
                if case .button(let button) = $0 { button.label == "Remove" } else { false }
            })
        else { return #expect(Bool(false), "no button") }
        remove.action()
        #expect(toggles().map(\.label) == ["Light the pit", "Salt the ribs"])
        // A binding to what is gone changes nothing, and does not trap.
        stale.wrappedValue = true
        #expect(toggles().map(\.isOn.wrappedValue) == [false, false])
    }
}

extension [RenderedElement] {
    /// All elements, outer ones first.
    fileprivate var flattened: [RenderedElement] {
        flatMap { [$0] + $0.children.flattened }
    }
}
