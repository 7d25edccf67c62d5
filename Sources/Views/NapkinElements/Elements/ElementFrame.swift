// ElementFrame: a size imposed on a view, and the view's alignment in it.

/// The horizontal alignment of views.
public nonisolated enum HorizontalAlignment: Hashable, Sendable {
    case leading, center, trailing

    /// Returns the space before an item of a width in a room; the odd half cell goes after it.
    package func offset(of width: Int, in room: Int) -> Int {
        let missing = max(0, room - width)
        return self == .leading ? 0 : self == .center ? missing / 2 : missing
    }
}

/// The vertical alignment of views.
public nonisolated enum VerticalAlignment: Hashable, Sendable {
    case top, center, bottom

    /// Returns the space above an item of a height in a room; the odd half line goes below it.
    package func offset(of height: Int, in room: Int) -> Int {
        let missing = max(0, room - height)
        return self == .top ? 0 : self == .center ? missing / 2 : missing
    }
}

/// A view's alignment in a frame.
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

/// The upper bound of a frame: `20`, `.length(columns)` or `.infinity`.
public nonisolated enum FrameLength: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// This many cells or lines.
    case length(Int)
    /// All available room, divided by these weights if several ask for it. Not in SwiftUI.
    case share(Int)

    public static let infinity = FrameLength.share(1)

    public init(integerLiteral length: Int) { self = .length(length) }
}

/// A size in cells and lines, fixed or bounded; `nil` leaves a dimension to the element.
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

    /// The greatest length, of cells, lines and weights. Chosen: no screen comes near it.
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

    /// Whether it keeps its room while the view is empty.
    fileprivate var isSteady: Bool { [width, height, minWidth, minHeight].contains { $0 != nil } }
}

extension View {
    /// Returns the view in a frame of a fixed size, in cells and lines. A larger view is cut,
    /// a text with `…`.
    ///
    /// As in SwiftUI, but nothing is wider than the page, and the default alignment is the top and
    /// leading edge, not the centre. Plain text has no frames.
    public func frame(
        width: Int? = nil, height: Int? = nil, alignment: Alignment = .topLeading
    ) -> some View {
        framed(ElementFrame(width: width, height: height, alignment: alignment))
    }

    /// Returns the view in a frame that fills the offered room between two bounds. Without a lower
    /// bound it is at least as large as the view, without an upper bound at most. Where the room is
    /// unspecified, as in a dialog, it has its ideal size.
    ///
    /// As in SwiftUI, but see ``frame(width:height:alignment:)``. With a `minHeight`, views below
    /// do not move while the view is empty. A text is cut only to a `maxHeight`; otherwise the page
    /// scrolls.
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

    /// Returns the view with a priority for room in an ``HStack`` or a ``VStack``. The highest is
    /// offered everything except the minimum of the others; 0, the default, gets the rest. A
    /// ``Spacer`` comes last.
    public func layoutPriority(_ value: Double) -> some View {
        modified { .modified(.priority(value), $0) }
    }
}
