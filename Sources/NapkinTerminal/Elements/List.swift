// List: lines of which one is selected, in the available room.
//
// Layer      terminal, elements.
// Isolation  @MainActor.
// Ownership  selection and scrolling are in the model, which the view owns.
// Invariant  the model's indices are within the items whenever they have been drawn.

public import Observation

/// A list's selection and scrolling. Create one for each list of a view.
@Observable
public final class ListModel: PersonalModel {
    public internal(set) var selection: Int
    /// The item in the first line.
    var offset = 0
    /// Whether the selection must be visible, because a key has moved it.
    var isRevealed = true
    var count = 0
    var lines = 1
    /// Whether a person has moved here since the view selected an item.
    private(set) var isPersonal = false
    /// A person's selection in the former model, until there are items.
    private var former: (selection: Int, offset: Int)?

    public init(selection: Int = 0) {
        self.selection = selection
    }

    /// Selects an item and shows it.
    public func select(_ index: Int) {
        selection = index
        isRevealed = true
        isPersonal = false
        former = nil
    }

    /// Selects the last of `count` items if the former last one was selected, for a list that
    /// grows: it follows until a person moves up, and again once they are back at the end. Call it
    /// when items have been added.
    public func follow(_ count: Int) {
        if selection >= self.count - 1 { select(max(0, count - 1)) }
    }

    /// So many items have been put before all others: what is shown stays where it is.
    public func shift(by count: Int) {
        selection += count
        offset += count
        self.count += count
    }

    /// Selects the item that a person wants.
    func choose(_ index: Int) {
        select(index)
        isPersonal = true
    }

    static var outlivesWorker: Bool { false }

    /// Continues with a person's selection in the former model.
    func goOn(from other: any PersonalModel) {
        guard let other = other as? ListModel else { return }
        // The former model may not have had its items either.
        former = other.former ?? (other.selection, other.offset)
        isPersonal = true
    }

    func settle(count: Int, lines: Int) {
        self.count = count
        self.lines = max(1, lines)
        if count > 0, let former {
            (selection, offset) = former
            isRevealed = false
            self.former = nil
        }
        selection = max(0, min(selection, count - 1))
        if isRevealed {
            if selection < offset { offset = selection }
            if selection >= offset + self.lines { offset = selection - self.lines + 1 }
            isRevealed = false
        }
        offset = max(0, min(offset, count - self.lines))
    }

    func press(_ key: Key) -> Bool {
        let last = count - 1
        let target: Int
        switch key {
        case .up: target = selection - 1
        case .down: target = selection + 1
        case .pageUp: target = max(0, selection - lines)
        case .pageDown: target = min(last, selection + lines)
        case .home: target = 0
        case .end: target = last
        default: return false
        }
        // At the list's ends, the keys lead out of it.
        guard (0...max(0, last)).contains(target), target != selection else { return false }
        choose(target)
        return true
    }

    /// Scrolls without selecting.
    func scroll(by step: Int) -> Bool {
        let moved = max(0, min(offset + step, count - lines))
        guard moved != offset else { return false }
        offset = moved
        isPersonal = true
        return true
    }
}

/// Lines of which one is selected; they scroll if there are more than fit. Only the lines in sight
/// are made.
public struct List: Element {
    /// The least number of lines of a list, if it has as many items.
    static let leastLines = 3
    /// The items whose lines say how wide a list is. Chosen: more than a dialog shows.
    private static let measuredMax = 100
    private let count: Int
    private let row: (Int) -> StyledLine
    private let model: ListModel
    private let choose: ((Int) -> Void)?
    private var press: (Key, Int) -> Bool = { _, _ in false }
    private var asides: [String] = []

    /// - Parameters:
    ///   - data: the items.
    ///   - model: the selection and the scrolling.
    ///   - row: an item's line.
    ///   - action: gets the index of the selected item on Enter, or on a second click.
    public init<Data: RandomAccessCollection>(
        _ data: Data, selection model: ListModel, row: @escaping (Data.Element) -> Text,
        primaryAction action: ((Int) -> Void)? = nil
    ) {
        count = data.count
        self.row = { row(data[data.index(data.startIndex, offsetBy: $0)]).line }
        self.model = model
        choose = action
    }

    /// Returns the list with other keys, which get the selected item; return false to leave a key.
    public func onKeyPress(_ press: @escaping (Key, Int) -> Bool) -> List {
        var list = self
        list.press = press
        return list
    }

    /// Returns the list with a dimmed text after each item, if there is room for all of it.
    func withAsides(_ asides: [String]) -> List {
        var list = self
        list.asides = asides
        return list
    }

    private func line(_ index: Int, _ width: Int) -> StyledLine {
        let item = row(index)
        guard asides.indices.contains(index), !asides[index].isEmpty else {
            return item.fitted(to: width)
        }
        let whole = item + StyledLine("  ") + StyledLine(asides[index], .secondary)
        return whole.cells <= width ? whole : item.fitted(to: width)
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let least = pass.isLinear ? count : min(count, Self.leastLines)
        let measured = 0..<min(count, Self.measuredMax)
        return Extent(
            width: measured.map { line($0, width).cells }.max() ?? 0, height: count,
            leastHeight: least, fillsWidth: true)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear { return (0..<count).map { row($0).fitted(to: area.width) } }
        pass.keep("list", model)
        let lines = min(count, max(1, area.height))
        guard lines > 0 else { return [] }
        model.settle(count: count, lines: lines)
        let own = Area(x: area.x, y: area.y, width: area.width, height: lines)
        let isFocused = pass.target("list", in: own, reaction)
        let isLong = count > lines && area.width > 1
        let width = isLong ? max(1, area.width - 1) : area.width
        return (0..<lines).map { row in
            let index = model.offset + row
            var line = line(index, width)
            if index == model.selection {
                line = line.padded(to: width).inRole(isFocused ? .focus : .selection)
            }
            return isLong ? line.padded(to: width) + mark(row, of: lines) : line
        }
    }

    /// Marks the scroll position in a list that does not fit.
    private func mark(_ row: Int, of lines: Int) -> StyledLine {
        let size = max(1, lines * lines / count)
        let way = max(1, count - lines)
        let start = (lines - size) * model.offset / way
        let isThumb = (start..<start + size).contains(row)
        return StyledLine(isThumb ? "┃" : "│", isThumb ? .accent : .border)
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [model, choose, press] key in
                if key == .enter, let choose, model.count > 0 {
                    choose(model.selection)
                    return true
                }
                if model.count > 0, press(key, model.selection) { return true }
                return model.press(key)
            },
            click: { [model, choose] _, y in
                let index = model.offset + y
                guard index < model.count else { return }
                if index == model.selection {
                    choose?(index)
                } else {
                    model.choose(index)
                }
            }, wheel: { [model] in model.scroll(by: $0) })
    }
}
