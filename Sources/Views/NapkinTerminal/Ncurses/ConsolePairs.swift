// ConsolePairs: the colours that programs in consoles have chosen, as ncurses pairs.
//
// Isolation  @MainActor, like everything that calls ncurses.
// Spec       init_extended_pair(3X); the 256 colours of xterm: the user's 16, a cube of 6 × 6 × 6,
//            and 24 greys. With direct colour, 0 to 7 are the terminal's own.

internal import CNcurses
import NapkinCore
import NapkinElements

struct ConsolePairs {
    private struct Colours: Hashable {
        let foreground: Int32
        let background: Int32
    }

    private let colours: Int
    private var known: [Colours: Int16] = [:]
    /// The first pair that belongs to no role.
    private static let first = Int16(TextRole.allCases.count) + 1

    init(colours: Int) { self.colours = colours }

    /// Returns the number of the pair for a style; the terminal may only have similar colours.
    mutating func pair(for style: ConsoleStyle) -> Int16 {
        guard colours > 0 else { return 0 }
        let wanted = Colours(
            foreground: number(style.foreground), background: number(style.background))
        guard wanted != Colours(foreground: -1, background: -1) else { return 0 }
        if let pair = known[wanted] { return pair }
        let last = Int16(clamping: Int(napkin_curses_pairs()) - 1)
        // The pairs of earlier drawings are forgotten: each drawing asks for all that it needs.
        if Int(Self.first) + known.count > Int(last) { known = [:] }
        let pair = Self.first + Int16(known.count)
        guard pair <= last else { return 0 }
        init_extended_pair(Int32(pair), wanted.foreground, wanted.background)
        known[wanted] = pair
        return pair
    }

    private func number(_ colour: ConsoleColour?) -> Int32 {
        switch colour {
        case nil: -1
        case .indexed(let index)? where Int(index) < (colours > 256 ? 8 : colours): Int32(index)
        case let colour?: number(TerminalTheme.RGB(integerLiteral: colour.rgb))
        }
    }

    private func number(_ rgb: TerminalTheme.RGB) -> Int32 {
        if colours == 1 << 24 { return Int32(max(8, rgb.number)) }
        if colours >= 256 { return Int32(rgb.nearest.number) }
        // If there are eight, the colour with the same bright components.
        return (rgb.red > 127 ? 1 : 0) | (rgb.green > 127 ? 2 : 0) | (rgb.blue > 127 ? 4 : 0)
    }
}

extension ConsoleAttributes {
    /// The attributes of curs_attr(3X); a terminal cannot strike through.
    var curses: attr_t {
        (contains(.bold) ? napkin_attribute_bold() : 0)
            | (contains(.faint) ? napkin_attribute_dim() : 0)
            | (contains(.italic) ? napkin_attribute_italic() : 0)
            | (contains(.underline) ? napkin_attribute_underline() : 0)
            | (contains(.blink) ? napkin_attribute_blink() : 0)
            | (contains(.reverse) ? napkin_attribute_reverse() : 0)
    }
}
