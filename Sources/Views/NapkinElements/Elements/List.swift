// List: lines of which one is selected, in the available room.
//
// Isolation  @MainActor; a value. The place in the list is in a memory at its site.
// Invariant  only the lines in sight are made; what is selected stays so when others come and go.

/// Lines of which one is selected; they scroll if there are more than fit.
///
/// A row is a ``Text``; `List { ForEach(items) { … } }` has rows of any kind. While a list has
/// rows, one of them is selected, and a selection of `nil` becomes the first. Unless the view has
/// these keys, `/` leaves only the rows that have the words that are then typed, `n` and `N` go to
/// the next and the previous one, and Escape shows all.
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
        let words = memory.words
        let places = words.isEmpty ? nil : places(of: words)
        let count = places?.count ?? data.count
        let item = { (index: Int) in places.map { $0[index] } ?? index }
        let shown = { (index: Int) in element(item(index)) }
        let left = memory.settle(count: count, id: { id(shown($0)) }, follows: follows)
        if let selection { settle(selection, memory, context, left: left, count, shown) }
        let inRange = { (index: Int) in (0..<count).contains(index) }
        return ListElement(
            count: count, row: { row(shown($0)).line.marking(words) },
            aside: aside.map { aside in { aside(shown($0)) } },
            isEnabled: context.environment.isEnabled, follows: follows, memory: memory, item: item,
            select: { index in
                guard inRange(index) else { return }
                memory.select(index, id: id(shown(index)))
                selection?.wrappedValue = id(shown(index))
            },
            choose: choose.map { choose in { if inRange($0) { choose(shown($0)) } } },
            press: { key, index in inRange(index) && press(key, shown(index)) })
    }

    /// Returns the places of the items whose rows have these words.
    private func places(of words: FoundWords) -> [Int] {
        (0..<min(data.count, ListMemory.searchedMax)).filter {
            !words.places(in: row(element($0)).line.text).isEmpty
        }
    }

    /// Brings the view's selection and the list's own together.
    ///
    /// - Parameter left: the item that is selected no longer, though it may still be there.
    private func settle(
        _ selection: Binding<ID?>, _ memory: ListMemory, _ context: RenderContext,
        left: AnyHashable?, _ count: Int, _ shown: (Int) -> Data.Element
    ) {
        guard count > 0 else { return }
        let own = id(shown(memory.selection))
        guard selection.wrappedValue != own else { return }
        if let wanted = selection.wrappedValue, AnyHashable(wanted) != left,
            let index = (0..<count).first(where: { id(shown($0)) == wanted })
        {
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
    /// Rows that are searched. Chosen: what is searched in less time than a person notices.
    static let searchedMax = 10_000
    package static var outlivesWorker: Bool { false }

    package private(set) var selection = 0
    /// The item in the first line.
    package private(set) var offset = 0
    /// Whether the selection must be visible, because it has moved.
    private var isRevealed = true
    package private(set) var count = 0
    /// What the rows that are shown have; empty if all are.
    package var words: FoundWords { filter.words }
    private let filter = ListFilter()
    private var lines = 1
    private var selected: AnyHashable?
    /// The first and the last item.
    private var ends: (first: AnyHashable, last: AnyHashable)?
    /// Asks for a drawing.
    private let drawing = ScrollDrawing()

    /// Takes the items of an evaluation: the selection stays with its item. Returns an item that is
    /// selected no longer, because it has gone or because the list follows its end.
    func settle(count: Int, id: (Int) -> AnyHashable, follows: Bool) -> AnyHashable? {
        let wasAtEnd =
            selection >= self.count - 1 && (isRevealed || offset + lines >= self.count)
        let formerLast = self.count - 1
        self.count = count
        // A front that comes back has its lists before their items.
        guard count > 0 else { return nil }
        defer {
            selected = id(selection)
            ends = (id(0), id(count - 1))
        }
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
        guard let moved = place(of: selected, near: selection, id) else {
            // Where the oldest have been dropped, those that are left stay where they are seen.
            if let ends, id(0) != ends.first,
                let last = place(of: ends.last, near: formerLast, id)
            {
                offset += last - formerLast
                selection += last - formerLast
            }
            selection = max(0, min(selection, count - 1))
            return selected
        }
        offset += moved - selection
        selection = moved
        return nil
    }

    /// Returns where an item is; it is mostly near to where it was.
    private func place(
        of item: AnyHashable, near place: Int, _ id: (Int) -> AnyHashable
    ) -> Int? {
        for distance in 0...max(place, count) {
            let (before, after) = (place - distance, place + distance)
            for index in [before, after] where (0..<count).contains(index) && id(index) == item {
                return index
            }
        }
        return nil
    }

    /// Shows only the rows that have these words.
    package func filter(by words: FoundWords) {
        isRevealed = true
        filter.words = words
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
        let lines = max(1, lines)
        // Where there is less room, the selection is still seen if it was.
        if lines != self.lines, (offset..<offset + self.lines).contains(selection) {
            isRevealed = true
        }
        self.lines = lines
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
