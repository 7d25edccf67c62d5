// RGB: a colour, how light it is, and which of a terminal's 256 is nearest to it.
//
// Spec       Web Content Accessibility Guidelines 2.2, "relative luminance"; the 256 colours of
//            xterm: 16 of the user's, a cube of 6 × 6 × 6, 24 greys.

internal import Glibc

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

        /// Whether black can be read better on it than white: the contrasts are equal at 0.179.
        var isLight: Bool { luminance > 0.179 }

        /// The 256 colours without the first 16, which the user may have changed.
        private static let indexed: [RGB] = {
            let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
            let cube = (0..<216).map {
                RGB(red: steps[$0 / 36], green: steps[$0 / 6 % 6], blue: steps[$0 % 6])
            }
            let greys = (0..<24).map { (index: UInt8) in
                RGB(red: 8 + 10 * index, green: 8 + 10 * index, blue: 8 + 10 * index)
            }
            return cube + greys
        }()

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
