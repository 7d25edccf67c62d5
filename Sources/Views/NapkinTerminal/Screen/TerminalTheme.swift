// TerminalTheme: the style of each text role on a terminal.
//
// Invariant  a role's colour has a contrast of 4.5 : 1 on the theme's backgrounds, as itself and
//            as the nearest of 256; 7 : 1 in `highContrast`.
// Spec       Web Content Accessibility Guidelines 2.2, 1.4.3, 1.4.6, "relative luminance"; the 256
//            colours of xterm: the user's 16, a cube of 6 × 6 × 6, and 24 greys.

internal import Glibc
import NapkinCore
package import NapkinElements

package nonisolated struct TerminalTheme: Sendable, Equatable {
    /// One of the terminal's own eight colours, which its user has chosen.
    package enum Colour: Int16, Sendable {
        /// The colour of ordinary text.
        case own = -1
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    /// The style of one role; the background is the theme's.
    package struct Style: Sendable, Equatable {
        /// The colour on a terminal that has only its own colours.
        package var colour: Colour
        /// The colour on a terminal that has at least 256.
        package var rgb: RGB?
        package var isBold: Bool
        /// Whether it is weaker than other text, on terminals where no `rgb` shows that.
        package var isDim: Bool
        package var isReversed: Bool
        package var isUnderlined: Bool

        package init(
            _ colour: Colour = .own, _ rgb: RGB? = nil, bold: Bool = false, dim: Bool = false,
            reversed: Bool = false, underlined: Bool = false
        ) {
            isUnderlined = underlined
            self.colour = colour
            self.rgb = rgb
            isBold = bold
            isDim = dim
            isReversed = reversed
        }
    }

    package let name: String
    /// The background that it draws; `nil` for the terminal's.
    package let background: RGB?
    private let styles: [TextRole: Style]

    package init(name: String, background: RGB? = nil, styles: [TextRole: Style]) {
        self.name = name
        self.background = background
        self.styles = styles
    }

    package subscript(_ role: TextRole) -> Style { styles[role] ?? styles[.plain] ?? Style() }

    package static let dark = TerminalTheme(
        name: "dark",
        styles: [
            .title: Style(bold: true), .secondary: Style(.own, 0xB2B2B2, dim: true),
            .accent: Style(.cyan, 0x5FD7FF), .key: Style(.green, 0x87D787, bold: true),
            .warning: Style(.yellow, 0xFFD75F, bold: true),
            .error: Style(.red, 0xFF8787, reversed: true), .bar: Style(reversed: true),
            .focus: Style(.cyan, 0x5FD7FF, reversed: true),
            .selection: Style(.cyan, 0x5FD7FF, underlined: true),
            .changed: Style(.yellow, 0xFFD75F, underlined: true),
            .match: Style(.yellow, 0xFFD75F, reversed: true), .button: Style(bold: true),
            .field: Style(underlined: true), .border: Style(.own, 0xA8A8A8, dim: true),
        ])

    /// The theme for a light background, on which yellow, green and cyan cannot be read.
    package static let light = TerminalTheme(
        name: "light",
        styles: [
            .title: Style(bold: true), .secondary: Style(.own, 0x585858, dim: true),
            .accent: Style(.blue, 0x005FAF), .key: Style(.magenta, 0x87005F, bold: true),
            .warning: Style(.red, 0xAF0000, bold: true),
            .error: Style(.red, 0xAF0000, reversed: true), .bar: Style(reversed: true),
            .focus: Style(.blue, 0x005FAF, reversed: true),
            .selection: Style(.blue, 0x005FAF, underlined: true),
            .changed: Style(.red, 0xAF0000, underlined: true),
            .match: Style(.red, 0xAF0000, reversed: true), .button: Style(bold: true),
            .field: Style(underlined: true), .border: Style(.own, 0x626262, dim: true),
        ])

    /// A theme with a background and the strongest colours. The black is not quite 0, because
    /// direct colour takes 0 for the terminal's own.
    package static let highContrast = TerminalTheme(
        name: "high-contrast", background: 0x010101,
        styles: [
            .plain: Style(.white, 0xFFFFFF), .title: Style(.white, 0xFFFFFF, bold: true),
            .accent: Style(.cyan, 0x5FFFFF), .key: Style(.green, 0x5FFF5F, bold: true),
            .warning: Style(.yellow, 0xFFFF5F, bold: true),
            .error: Style(.red, 0xFFAFAF, bold: true, reversed: true),
            .bar: Style(.white, 0xFFFFFF, reversed: true),
            .focus: Style(.yellow, 0xFFFF5F, bold: true, reversed: true),
            .selection: Style(.yellow, 0xFFFF5F, bold: true, underlined: true),
            .changed: Style(.cyan, 0x5FFFFF, underlined: true),
            .match: Style(.cyan, 0x5FFFFF, reversed: true),
            .button: Style(.white, 0xFFFFFF, bold: true),
            .field: Style(.white, 0xFFFFFF, underlined: true),
        ])

    /// A theme without colours: the roles differ in their attributes.
    package static let plain = TerminalTheme(
        name: "plain",
        styles: [
            .title: Style(bold: true), .secondary: Style(dim: true), .accent: Style(bold: true),
            .key: Style(bold: true), .warning: Style(reversed: true), .error: Style(reversed: true),
            .bar: Style(reversed: true), .focus: Style(reversed: true),
            .selection: Style(bold: true, underlined: true),
            .changed: Style(bold: true, underlined: true),
            .match: Style(reversed: true, underlined: true), .button: Style(bold: true),
            .field: Style(underlined: true), .border: Style(dim: true),
        ])

    package static let all = [dark, light, highContrast, plain]
}

nonisolated extension TerminalTheme {
    /// A colour of red, green and blue.
    package struct RGB: Sendable, Hashable, ExpressibleByIntegerLiteral {
        let (red, green, blue): (UInt8, UInt8, UInt8)

        init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// - Parameter number: `0xRRGGBB`; a higher byte is ignored.
        package init(integerLiteral number: UInt32) {
            self.init(
                red: UInt8(truncatingIfNeeded: number >> 16),
                green: UInt8(truncatingIfNeeded: number >> 8),
                blue: UInt8(truncatingIfNeeded: number))
        }

        /// `0xRRGGBB`, the number of the colour on a terminal with direct colour.
        var number: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }

        /// The relative luminance: 0 for black, 1 for white.
        var luminance: Double {
            func linear(_ value: UInt8) -> Double {
                let part = Double(value) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }

        /// Whether black is more readable on it than white: the contrasts are equal at 0.179.
        var isLight: Bool { luminance > 0.179 }

        /// The 256 colours without the first 16, which the user may have changed.
        private static let indexed = (UInt8(16)...255).map {
            RGB(integerLiteral: ConsoleColour.indexed($0).rgb)
        }

        /// The nearest of a terminal's 256 colours, and its number.
        var nearest: (number: Int, colour: RGB) {
            func distance(_ other: RGB) -> Int {
                let red = Int(red) - Int(other.red)
                let green = Int(green) - Int(other.green)
                let blue = Int(blue) - Int(other.blue)
                return red * red + green * green + blue * blue
            }
            let found = Self.indexed.enumerated().min {
                distance($0.element) < distance($1.element)
            }
            return found.map { ($0.offset + 16, $0.element) } ?? (16, 0)
        }
    }
}
