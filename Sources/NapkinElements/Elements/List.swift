// List: lines of which one is selected, in the available room.
//
// Layer      elements.
// Isolation  @MainActor; a value. The place in the list is in a memory at its site.
// Invariant  only the lines in sight are made; what is selected stays so when others come and go.

/// Lines of which one is selected; they scroll if there are more than fit.
///
/// A row is a ``Text``. While a list has rows, one of them is selected, and a selection of `nil`
/// becomes the first.
public struct List<Data: RandomAccessCollection, ID: Hashable>: View, Primitive {
    public typealias Body = Never
    private let data: Data
    private let id: (Data.Element) -> ID
    private let selection: Binding<ID?>?
    private let row: (Data.Element) -> Text
    private let choose: ((Data.Element) -> Void)?
    private var press: (Key, Data.Element) -> Bool = { _, _ in false }
    private var aside: ((Data.Element) -> String)?
    private var follows = false
    /// Rows of any kind, instead of lines.
    private var content: AnyView?

    /// - Parameters:
    ///   - data: the items.
    ///   - id: what identifies an item; for speed, no two are the same.
    ///   - selection: the selected item.
    ///   - row: an item's line.
    ///   - action: gets the selected item on Enter, or on a second click.
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, selection: Binding<ID?>? = nil,
        row: @escaping (Data.Element) -> Text, primaryAction action: ((Data.Element) -> Void)? = nil
    ) {
        self.data = data
        self.id = { $0[keyPath: id] }
        self.selection = selection
        self.row = row
        choose = action
    }

    /// - Parameters:
    ///   - data: the items.
    ///   - selection: the selected item.
    ///   - row: an item's line.
    ///   - action: gets the selected item on Enter, or on a second click.
    public init(
        _ data: Data, selection: Binding<ID?>? = nil, row: @escaping (Data.Element) -> Text,
        primaryAction action: ((Data.Element) -> Void)? = nil
    ) where Data.Element: Identifiable, ID == Data.Element.ID {
        self.init(data, id: \.id, selection: selection, row: row, primaryAction: action)
    }

    /// Returns the list with other keys, which get the selected item; return false to leave a key.
    public func onKeyPress(_ press: @escaping (Key, Data.Element) -> Bool) -> List {
        var list = self
        list.press = press
        return list
    }

    /// Returns the list with its end in sight: it follows what is added there until a person moves
    /// up, and again once they are back at the end.
    public func followsEnd() -> List {
        var list = self
        list.follows = true
        return list
    }

    /// Returns the list with a dimmed text after each item, if there is room for all of it.
    func withAside(_ aside: @escaping (Data.Element) -> String) -> List {
        var list = self
        list.aside = aside
        return list
    }

    private func element(_ index: Int) -> Data.Element {
        data[data.index(data.startIndex, offsetBy: index)]
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        if let content { return context.render(content, .body) }
        return [.list(list(in: context))]
    }

    func list(in context: RenderContext) -> ListElement {
        let memory = context.memory { ListMemory() }
        let left = memory.settle(count: data.count, id: { id(element($0)) }, follows: follows)
        if let selection { settle(selection, memory, context, left: left) }
        let inRange = { (index: Int) in (0..<data.count).contains(index) }
        return ListElement(
            count: data.count, row: { row(element($0)).line },
            aside: aside.map { aside in { aside(element($0)) } },
            isEnabled: context.environment.isEnabled, follows: follows, memory: memory,
            select: { index in
                guard inRange(index) else { return }
                memory.select(index, id: id(element(index)))
                selection?.wrappedValue = id(element(index))
            },
            choose: choose.map { choose in { if inRange($0) { choose(element($0)) } } },
            press: { key, index in inRange(index) && press(key, element(index)) })
    }

    /// Brings the view's selection and the list's own together.
    ///
    /// - Parameter left: the item that is selected no longer, though it may still be there.
    private func settle(
        _ selection: Binding<ID?>, _ memory: ListMemory, _ context: RenderContext,
        left: AnyHashable?
    ) {
        guard !data.isEmpty else { return }
        let own = id(element(memory.selection))
        guard selection.wrappedValue != own else { return }
        if let wanted = selection.wrappedValue, AnyHashable(wanted) != left,
            let index = data.firstIndex(where: { id($0) == wanted })
        {
            let index = data.distance(from: data.startIndex, to: index)
            memory.select(index, id: wanted)
        } else {
            selection.wrappedValue = own
            context.turn.isStale = true
        }
    }
}

extension List where Data == [Int], ID == Int {
    /// Rows of any kind, with sections, fields and buttons: below one another, each with a focus of
    /// its own. The page scrolls.
    public init(@ViewBuilder content: () -> some View) {
        self.init([], id: \.self, row: { _ in Text("") })
        self.content = AnyView(content())
    }
}

/// A list's selection and its place.
package final class ListMemory: ElementMemory {
    package static var outlivesWorker: Bool { false }

    package private(set) var selection = 0
    /// The item in the first line.
    package private(set) var offset = 0
    /// Whether the selection must be visible, because it has moved.
    private var isRevealed = true
    package private(set) var count = 0
    private var lines = 1
    private var selected: AnyHashable?
    /// Asks for a drawing.
    private let drawing = ScrollDrawing()

    package func carryOver() {}

    /// Takes the items of an evaluation: the selection stays with its item. Returns an item that is
    /// selected no longer, because it has gone or because the list follows its end.
    func settle(count: Int, id: (Int) -> AnyHashable, follows: Bool) -> AnyHashable? {
        let wasAtEnd =
            selection >= self.count - 1 && (isRevealed || offset + lines >= self.count)
        self.count = count
        // A front that comes back has its lists before their items.
        guard count > 0 else { return nil }
        defer { selected = id(selection) }
        if follows, wasAtEnd {
            if selection != count - 1 { isRevealed = true }
            selection = count - 1
            return selected
        }
        guard let selected else {
            selection = min(selection, count - 1)
            return nil
        }
        if selection < count, id(selection) == selected { return nil }
        guard let moved = (0..<count).first(where: { id($0) == selected }) else {
            selection = min(selection, count - 1)
            return selected
        }
        offset += moved - selection
        selection = moved
        return nil
    }

    /// Selects an item and shows it.
    func select(_ index: Int, id: AnyHashable) {
        selection = index
        selected = id
        isRevealed = true
        drawing.number += 1
    }

    /// Takes the lines in sight, when the list is drawn.
    package func settle(lines: Int) {
        _ = drawing.number
        self.lines = max(1, lines)
        if isRevealed {
            if selection < offset { offset = selection }
            if selection >= offset + self.lines { offset = selection - self.lines + 1 }
            isRevealed = false
        }
        offset = max(0, min(offset, count - self.lines))
    }

    /// Returns the item that a key leads to; `nil` if the key leads out of the list.
    package func target(of key: Key) -> Int? {
        let last = count - 1
        let target: Int
        switch key {
        case .up: target = selection - 1
        case .down: target = selection + 1
        case .pageUp: target = max(0, selection - lines)
        case .pageDown: target = min(last, selection + lines)
        case .home: target = 0
        case .end: target = last
        default: return nil
        }
        return (0...max(0, last)).contains(target) && target != selection ? target : nil
    }

    /// Scrolls without selecting.
    package func scroll(by step: Int) -> Bool {
        let moved = max(0, min(offset + step, count - lines))
        guard moved != offset else { return false }
        offset = moved
        drawing.number += 1
        return true
    }
}
