// Element: a piece of a screen as a value: how large it is, how it looks, what it takes of keys.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values, made anew for each drawing. What lasts is in a model of the view.
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

/// How large an element is, and what it makes of more or less room.
public nonisolated struct Extent: Equatable, Sendable {
    /// Cells and lines that it takes when there is enough room.
    public var width: Int
    public var height: Int
    /// Lines with which it can do, because it scrolls.
    public var leastHeight: Int
    /// Whether it takes what is left of a row, and of a column.
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
/// Views are made of those of this library; one of your own needs these two functions.
@MainActor
public protocol Element {
    /// How large it is within `width` cells.
    func extent(in width: Int, _ pass: LayoutPass) -> Extent

    /// Returns its lines, none wider than `area`. The page cuts or scrolls more than `area.height`.
    ///
    /// Tell `pass` of what can be focused or clicked.
    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine]

    /// What can be pressed while it is on the screen, focused or not.
    var bindings: [KeyBinding] { get }
}

extension Element {
    public var bindings: [KeyBinding] { [] }

    /// The element in a row, so wide.
    public func width(_ width: RowWidth) -> some Element { Sized(element: self, rowWidth: width) }
}

/// Elements below one another: what a body is, and what stands between the braces of a container.
public struct Elements: Element {
    public var members: [any Element]

    public init(_ members: [any Element] = []) {
        self.members = members
    }

    private var column: Column { Column(members: members, spacing: 0) }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        column.extent(in: width, pass)
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        column.draw(in: area, pass)
    }

    public var bindings: [KeyBinding] { members.flatMap(\.bindings) }
}

/// Lets a body be written as elements below one another, with `if`, `switch` and `for`.
@resultBuilder
public enum ElementBuilder {
    public static func buildExpression(_ element: any Element) -> Elements { Elements([element]) }
    public static func buildExpression(_ elements: [any Element]) -> Elements { Elements(elements) }
    public static func buildBlock(_ parts: Elements...) -> Elements {
        Elements(parts.flatMap(\.members))
    }
    public static func buildOptional(_ part: Elements?) -> Elements { part ?? Elements() }
    public static func buildEither(first part: Elements) -> Elements { part }
    public static func buildEither(second part: Elements) -> Elements { part }
    public static func buildArray(_ parts: [Elements]) -> Elements {
        Elements(parts.flatMap(\.members))
    }
}
