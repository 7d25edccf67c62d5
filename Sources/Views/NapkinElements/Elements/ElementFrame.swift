// ElementFrame: the size of a view that is not its own, and where the view is in it.

/// Where views are beside one another's edges, from left to right.
public nonisolated enum HorizontalAlignment: Hashable, Sendable {
    case leading, center, trailing

    /// Returns what is before something of a width in a greater one; half a cell goes after it.
    package func offset(of width: Int, in room: Int) -> Int {
        let missing = max(0, room - width)
        return self == .leading ? 0 : self == .center ? missing / 2 : missing
    }
}

/// Where views are beside one another's edges, from top to bottom.
public nonisolated enum VerticalAlignment: Hashable, Sendable {
    case top, center, bottom

    /// Returns what is above something of a height in a greater one; half a line goes below it.
    package func offset(of height: Int, in room: Int) -> Int {
        let missing = max(0, room - height)
        return self == .top ? 0 : self == .center ? missing / 2 : missing
    }
}

/// Where a view is in a frame.
public nonisolated struct Alignment: Hashable, Sendable {
    package var horizontal: HorizontalAlignment
    package var vertical: VerticalAlignment

    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    public static let topLeading = Alignment(horizontal: .leading, vertical: .top)
    public static let top = Alignment(horizontal: .center, vertical: .top)
    public static let topTrailing = Alignment(horizontal: .trailing, vertical: .top)
    public static let leading = Alignment(horizontal: .leading, vertical: .center)
    public static let center = Alignment(horizontal: .center, vertical: .center)
    public static let trailing = Alignment(horizontal: .trailing, vertical: .center)
    public static let bottomLeading = Alignment(horizontal: .leading, vertical: .bottom)
    public static let bottom = Alignment(horizontal: .center, vertical: .bottom)
    public static let bottomTrailing = Alignment(horizontal: .trailing, vertical: .bottom)
}

/// How far a frame grows: `20`, `.length(columns)` or `.infinity`.
public nonisolated enum FrameLength: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// So many cells or lines.
    case length(Int)
    /// All there is; among others that do, so many parts of it. Not in SwiftUI.
    case share(Int)

    public static let infinity = FrameLength.share(1)

    public init(integerLiteral length: Int) {
        self = .length(length)
    }
}

/// A size in cells and lines, fixed or between bounds; what is `nil` is the element's own.
package nonisolated struct ElementFrame: Hashable, Sendable {
    package var width: Int?
    package var height: Int?
    package var minWidth: Int?
    package var idealWidth: Int?
    package var maxWidth: FrameLength?
    package var minHeight: Int?
    package var idealHeight: Int?
    package var maxHeight: FrameLength?
    package var alignment: Alignment

    /// The greatest length, of cells, lines and parts. Chosen: no screen is near it.
    private static let most = 10_000

    /// The frame with lengths that can be added and multiplied.
    fileprivate var bounded: ElementFrame {
        func length(_ length: Int?) -> Int? { length.map { min(Self.most, max(0, $0)) } }
        func most(_ most: FrameLength?) -> FrameLength? {
            switch most {
            case .length(let cells): .length(min(Self.most, max(0, cells)))
            case .share(let parts): .share(min(Self.most, max(1, parts)))
            case nil: nil
            }
        }
        return ElementFrame(
            width: length(width), height: length(height), minWidth: length(minWidth),
            idealWidth: length(idealWidth), maxWidth: most(maxWidth), minHeight: length(minHeight),
            idealHeight: length(idealHeight), maxHeight: most(maxHeight), alignment: alignment)
    }

    /// Whether it takes room for nothing.
    fileprivate var isSteady: Bool {
        [width, height, minWidth, minHeight].contains { $0 != nil }
    }
}

extension View {
    /// Returns the view in a frame of a fixed size, in cells and lines. What is larger is cut: a
    /// text with `…`.
    ///
    /// As in SwiftUI, but nothing is wider than the page, and by default the view is at the top and
    /// at the leading edge, not in the middle. Plain text has no frames.
    public func frame(
        width: Int? = nil, height: Int? = nil, alignment: Alignment = .topLeading
    ) -> some View {
        framed(
            ElementFrame(width: width, height: height, alignment: alignment))
    }

    /// Returns the view in a frame that takes what it is offered, between two bounds; without a
    /// lower one it takes no less than the view, and without an upper one no more. Where nobody
    /// says how much there is, as in a dialog, it takes what is ideal.
    ///
    /// As in SwiftUI, but see ``frame(width:height:alignment:)``. With a `minHeight`, what is below
    /// stays where it is while the view is empty. A text is cut only to a `maxHeight`; otherwise
    /// the page scrolls.
    public func frame(
        minWidth: Int? = nil, idealWidth: Int? = nil, maxWidth: FrameLength? = nil,
        minHeight: Int? = nil, idealHeight: Int? = nil, maxHeight: FrameLength? = nil,
        alignment: Alignment = .topLeading
    ) -> some View {
        framed(
            ElementFrame(
                minWidth: minWidth, idealWidth: idealWidth, maxWidth: maxWidth,
                minHeight: minHeight, idealHeight: idealHeight, maxHeight: maxHeight,
                alignment: alignment))
    }

    private func framed(_ wanted: ElementFrame) -> some View {
        let frame = wanted.bounded
        return ModifiedView(
            content: self,
            after: { elements, _ in
                let isGone = elements.isEmpty && frame.isSteady
                return (isGone ? [.stack(.vertical(spacing: 0), [])] : elements)
                    .map { .modified(.frame(frame), $0) }
            })
    }

    /// Returns the view with a priority for the room in an ``HStack`` or a ``VStack``: the greatest
    /// is offered all of it but the least that the others need, and 0, as others have, gets what is
    /// left. A ``Spacer`` comes last.
    public func layoutPriority(_ value: Double) -> some View {
        modified { .modified(.priority(value), $0) }
    }
}
