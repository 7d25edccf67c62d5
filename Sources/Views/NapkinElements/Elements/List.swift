// List: selectable lines that scroll in the available room.
//
// Invariant  creates only the visible lines; the selection survives changes of the items.

/// Lines, one of them selected; they scroll if they do not all fit.
///
/// A row is a ``Text``; `List { ForEach(items) { … } }` has rows of any kind. While a list has
/// rows, one of them is selected, and a selection of `nil` becomes the first. Unless the view uses
/// these keys, `/` filters the rows by the words typed next, `n` and `N` go to the next and the
/// previous match, and Escape shows all rows.
public struct List<Data: RandomAccessCollection, ID: Hashable>: View, Primitive {
    private let data: Data
    private let id: (Data.Element) -> ID
    private let selection: Binding<ID?>?
    private let row: (Data.Element) -> Text
    private let choose: ((Data.Element) -> Void)?
    private var press: (Key, Data.Element) -> Bool = { _, _ in false }
    private var aside: ((Data.Element) -> String)?
    private var follows = false
    /// Whether it follows its end at the moment; `nil` if that depends on its scroll position only.
    private var following: Binding<Bool>?
    /// Rows of any kind, instead of lines.
    private var content: AnyView?

    /// - Parameters:
    ///   - data: the items.
    ///   - id: identifies an item; for speed, ids must be unique.
    ///   - selection: the selected item.
    ///   - row: an item's line.
    ///   - action: receives the selected item on Enter or a second click.
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
    ///   - action: receives the selected item on Enter or a second click.
    public init(
        _ data: Data, selection: Binding<ID?>? = nil, row: @escaping (Data.Element) -> Text,
        primaryAction action: ((Data.Element) -> Void)? = nil
    ) where Data.Element: Identifiable, ID == Data.Element.ID {
        self.init(data, id: \.id, selection: selection, row: row, primaryAction: action)
    }

    /// Returns the list with other keys for the selected item; return false to pass a key on.
    public func onKeyPress(_ press: @escaping (Key, Data.Element) -> Bool) -> List {
        var list = self
        list.press = press
        return list
    }

    /// Returns the list with its end in sight: it follows new items until a person moves up, and
    /// again once the person returns to the end.
    public func followsEnd() -> List {
        var list = self
        list.follows = true
        return list
    }

    /// Returns the list with its end in sight while `isFollowing`, which a person's moves change.
    func followsEnd(_ isFollowing: Binding<Bool>?) -> List {
        var list = followsEnd()
        list.following = isFollowing
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
        if let following, memory.reconcile(isFollowing: following.wrappedValue) {
            following.wrappedValue = memory.isFollowing
            context.turn.isStale = true
        }
        let left = memory.updateItems(
            count: count, id: { id(shown($0)) }, follows: follows && memory.isFollowing)
        if let selection { reconcile(selection, memory, context, left: left, count, shown) }
        let inRange = { (index: Int) in (0..<count).contains(index) }
        return ListElement(
            count: count, row: { row(shown($0)).line.marking(words) },
            aside: aside.map { aside in { aside(shown($0)) } },
            isEnabled: context.environment.isEnabled, follows: follows, memory: memory, item: item,
            select: { index in
                guard inRange(index) else { return }
                memory.select(index, id: id(shown(index)))
                memory.personMoved()
                selection?.wrappedValue = id(shown(index))
            },
            choose: choose.map { choose in { if inRange($0) { choose(shown($0)) } } },
            press: { key, index in inRange(index) && press(key, shown(index)) })
    }

    /// Returns the indices of the items whose rows contain these words.
    private func places(of words: FoundWords) -> [Int] {
        (0..<min(data.count, ListMemory.searchedMax)).filter {
            !words.places(in: row(element($0)).line.text).isEmpty
        }
    }

    /// Reconciles the view's selection with the list's.
    ///
    /// - Parameter left: the item that lost the selection, though it may still exist.
    private func reconcile(
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
    /// Creates a list of rows of any kind, with sections, fields and buttons, each with its own
    /// focus. The page scrolls.
    public init(@ViewBuilder content: () -> some View) {
        self.init([], id: \.self, row: { _ in Text("") })
        self.content = AnyView(content())
    }
}

/// A list's selection and scroll position.
package final class ListMemory: ElementMemory {
    /// Rows that one search reads. Chosen: it takes less time than a person notices.
    static let searchedMax = 10_000
    package static var outlivesWorker: Bool { false }

    package private(set) var selection = 0
    /// The item in the first line.
    package private(set) var offset = 0
    /// Whether the selection must be visible, because it has moved.
    private var isRevealed = true
    package private(set) var count = 0
    /// The words that the shown rows contain; empty if all rows are shown.
    package var words: FoundWords { filter.value }
    private let filter = StateStorage(FoundWords())
    private var lines = 1
    private var selected: AnyHashable?
    private var ends: (first: AnyHashable, last: AnyHashable)?
    /// Each drawing reads it; scrolling changes it.
    private let drawing = StateStorage(0)
    /// Whether new items are followed, as long as the end is in sight.
    private(set) var isFollowing = true
    /// Whether a person has moved in the list since the last evaluation.
    private var hasMoved = false

    private var isAtEnd: Bool {
        selection >= count - 1 && (isRevealed || offset + lines >= count)
    }

    func personMoved() { hasMoved = true }

    /// Adopts whether the view wants to follow. If a person's moves have changed that, returns
    /// true: the view must then adopt the change.
    func reconcile(isFollowing wanted: Bool) -> Bool {
        defer { hasMoved = false }
        if wanted != isFollowing {
            isFollowing = wanted
            // The end is reached when the items are updated.
            if wanted { (selection, isRevealed) = (max(0, count - 1), true) }
            return false
        }
        guard hasMoved, isAtEnd != isFollowing else { return false }
        isFollowing = isAtEnd
        return true
    }

    /// Adopts the items of an evaluation: the selection stays with its item. Returns an item that
    /// lost the selection, because it is gone or because the list follows its end.
    func updateItems(count: Int, id: (Int) -> AnyHashable, follows: Bool) -> AnyHashable? {
        let wasAtEnd = isAtEnd
        let formerLast = self.count - 1
        self.count = count
        // When a front reconnects, its lists appear before their items.
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
            // If the oldest items were dropped, the remaining ones keep their place on the screen.
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

    /// Returns an item's index, searching from its former one, since items rarely move far.
    private func place(of item: AnyHashable, near place: Int, _ id: (Int) -> AnyHashable) -> Int? {
        for distance in 0...max(place, count) {
            let (before, after) = (place - distance, place + distance)
            for index in [before, after] where (0..<count).contains(index) && id(index) == item {
                return index
            }
        }
        return nil
    }

    /// Shows only the rows that contain these words.
    package func filter(by words: FoundWords) {
        isRevealed = true
        filter.value = words
    }

    /// Selects an item and shows it.
    func select(_ index: Int, id: AnyHashable) {
        selection = index
        selected = id
        isRevealed = true
        drawing.value += 1
    }

    /// Adopts the number of visible lines, when the list is drawn.
    package func layOut(lines: Int) {
        _ = drawing.value
        let lines = max(1, lines)
        // A selection that was visible stays visible when the room shrinks.
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
        hasMoved = true
        offset = moved
        drawing.value += 1
        return true
    }
}
