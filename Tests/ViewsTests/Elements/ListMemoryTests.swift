// ListMemoryTests: the selection of a list stays with its item, whatever comes and goes around it.

import Observation
import Testing

@testable import NapkinElements

@Observable
private final class Menu {
    var dishes: [String]
    var selection: String?

    init(_ dishes: [String]) {
        self.dishes = dishes
    }
}

private struct MenuView: View {
    let menu: Menu
    var follows = false

    var body: some View {
        let list = List(menu.dishes, id: \.self, selection: Binding(menu, \.selection)) { Text($0) }
        if follows { list.followsEnd() } else { list }
    }
}

@Suite struct ListMemoryTests {
    private let root = SiteRoot()

    private func list(_ menu: Menu, follows: Bool = false) throws -> ListElement {
        let view = MenuView(menu: menu, follows: follows)
        let elements = root.evaluate(view, EnvironmentValues()).elements
        guard case .list(let list)? = elements.first else { throw Missing() }
        return list
    }

    private struct Missing: Error {}

    @Test func `a list without a selection selects its first row, and says so`() throws {
        let menu = Menu(["Ribs", "Brisket"])
        _ = try list(menu)
        #expect(menu.selection == "Ribs")
    }

    @Test func `the selection moves with its item, and what is in sight with it`() throws {
        let menu = Menu((0..<50).map { "dish \($0)" })
        menu.selection = "dish 20"
        let memory = try list(menu).memory
        memory.layOut(lines: 5)
        let line = memory.selection - memory.offset
        menu.dishes.insert(contentsOf: ["new 1", "new 2", "new 3"], at: 0)
        _ = try list(menu)
        memory.layOut(lines: 5)
        #expect(memory.selection == 23 && memory.selection - memory.offset == line)
        menu.dishes.remove(at: 0)
        _ = try list(menu)
        #expect(memory.selection == 22 && menu.selection == "dish 20")
    }

    @Test func `when the selected item goes, its neighbour is selected`() throws {
        let menu = Menu(["Ribs", "Brisket", "Sausage"])
        menu.selection = "Brisket"
        _ = try list(menu)
        menu.dishes.remove(at: 1)
        _ = try list(menu)
        #expect(menu.selection == "Sausage")
        menu.dishes.removeLast()
        _ = try list(menu)
        #expect(menu.selection == "Ribs")
    }

    @Test func `a view selects what it likes, also an item that comes with it`() throws {
        let menu = Menu(["Ribs", "Brisket"])
        _ = try list(menu)
        menu.dishes.append("Sausage")
        menu.selection = "Sausage"
        #expect(try list(menu).memory.selection == 2)
    }

    @Test func `a list follows its end until a person moves up, and again from the end`() throws {
        let menu = Menu(["1", "2", "3"])
        let first = try list(menu, follows: true)
        #expect(first.memory.selection == 2)
        first.select(1)
        menu.dishes.append("4")
        let second = try list(menu, follows: true)
        #expect(second.memory.selection == 1)
        second.select(3)
        menu.dishes += ["5", "6"]
        #expect(try list(menu, follows: true).memory.selection == 5)
    }
}
