// Element: a piece of a screen as a value: its size, its looks, and the keys that it takes.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values, created for each drawing. Lasting state is in a model of the view.
// Invariant  no drawn line is wider than the area that it was drawn in.

/// A rectangle of cells, in the coordinates of the page that is laid out.
public nonisolated struct Area: Equatable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public func contains(x: Int, y: Int) -> Bool {
        (self.x..<self.x + max(0, width)).contains(x)
            && (self.y..<self.y + max(0, height)).contains(y)
    }
}

/// An element's size, and how it adapts to more or less room.
public nonisolated struct Extent: Equatable, Sendable {
    /// Cells and lines that it takes if there is enough room.
    public var width: Int
    public var height: Int
    /// The least number of lines that it needs, because it scrolls.
    public var leastHeight: Int
    /// Whether it takes the remaining room of a row, and of a column.
    public var fillsWidth: Bool
    public var fillsHeight: Bool

    public init(
        width: Int, height: Int, leastHeight: Int? = nil, fillsWidth: Bool = false,
        fillsHeight: Bool = false
    ) {
        self.width = width
        self.height = height
        self.leastHeight = leastHeight ?? height
        self.fillsWidth = fillsWidth
        self.fillsHeight = fillsHeight
    }
}

/// A piece of a screen.
///
/// Views consist of this library's elements; an element of your own needs these two functions.
@MainActor
public protocol Element {
    /// Returns its size within `width` cells.
    func extent(in width: Int, _ pass: LayoutPass) -> Extent

    /// Returns its lines, none wider than `area`. The page cuts or scrolls more than `area.height`.
    ///
    /// Register with `pass` what can be focused or clicked.
    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine]

    /// The keys that can be pressed while it is on the screen, focused or not.
    var bindings: [KeyBinding] { get }
}

extension Element {
    public var bindings: [KeyBinding] { [] }
}

/// Elements below one another: a body, or the content of a container's braces.
public struct Elements: Element {
    public var members: [any Element]

    public init(_ members: [any Element] = []) {
        self.members = members
    }

    private var stack: VStack { VStack(members: members, spacing: 0) }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        stack.extent(in: width, pass)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        stack.draw(in: area, pass)
    }

    public var bindings: [KeyBinding] { members.flatMap(\.bindings) }
}

/// Lets a body be written as elements below one another, with `if`, `switch` and ``ForEach``.
@resultBuilder
public enum ElementBuilder {
    public static func buildExpression(_ element: any Element) -> Elements { Elements([element]) }
    public static func buildExpression(_ each: ForEach) -> Elements { each.content }
    public static func buildExpression(_ elements: [any Element]) -> Elements { Elements(elements) }
    public static func buildBlock(_ parts: Elements...) -> Elements {
        Elements(parts.flatMap(\.members))
    }
    public static func buildOptional(_ part: Elements?) -> Elements { part ?? Elements() }
    public static func buildEither(first part: Elements) -> Elements { part }
    public static func buildEither(second part: Elements) -> Elements { part }
}
