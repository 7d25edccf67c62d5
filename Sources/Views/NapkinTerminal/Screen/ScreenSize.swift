// ScreenSize: a terminal's size, and what is shown if it is too small.

internal import Glibc
package import NapkinElements

package nonisolated struct ScreenSize: Equatable, Sendable {
    /// Below it nothing sensible can be shown. Chosen: the keys' line, the status line and three
    /// lines of a view, as wide as `[b] Back  [q] Quit`.
    package static let smallest = ScreenSize(width: 20, height: 5)

    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var isTooSmall: Bool {
        width < Self.smallest.width || height < Self.smallest.height
    }

    /// What is shown instead of the screen: both sizes, in as many lines as there are.
    package var complaint: [StyledLine] {
        let isNarrow = width < 18
        let smallest = "\(Self.smallest.width)×\(Self.smallest.height)"
        // On a narrow terminal the needed size matters most, and must not be cut off.
        let needed = isNarrow ? "need \(smallest)" : "needed: \(smallest)"
        let lines =
            height < 3
            ? [StyledLine(needed, .warning)]
            : [
                StyledLine(isNarrow ? "Too small" : "Terminal too small", .warning),
                StyledLine(needed),
                StyledLine("now: \(width)×\(height)"),
            ]
        return lines.prefix(max(0, height)).map { $0.fitted(to: width) }
    }

    /// Returns how far a page is scrolled after a key, before the page limits it to its length.
    @MainActor
    func offset(_ offset: Int, after key: Key) -> Int {
        let lines = max(1, height - ScreenPage.barLines - 1)
        let wanted =
            switch key {
            case .up: offset - 1
            case .down: offset + 1
            case .pageUp: offset - lines
            case .pageDown, .character(" "): offset + lines
            case .home: 0
            case .end: Int.max / 2
            default: offset
            }
        return max(0, wanted)
    }

    /// Returns the size of a descriptor's terminal; `nil` if it is not a terminal or has no size.
    package static func ofTerminal(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return ScreenSize(width: Int(size.ws_col), height: Int(size.ws_row))
    }
}
