// ConsoleColour+RGB: a program's colours as red, green and blue, for a screen without a palette of
// the user's.
//
// Spec  the 256 colours of xterm: 16, a cube of 6 × 6 × 6, 24 greys. The 16 are Tango's, which are
//       readable on black.

package import NapkinCore

nonisolated extension ConsoleColour {
    private static let first: [UInt32] = [
        0x000000, 0xCC3333, 0x4E9A06, 0xC4A000, 0x5C8DC9, 0xA978A1, 0x06989A, 0xD3D7CF,
        0x7A7D78, 0xEF5A5A, 0x8AE234, 0xFCE94F, 0x86B4E8, 0xD49BCB, 0x34E2E2, 0xFFFFFF,
    ]

    /// `0xRRGGBB`.
    package var rgb: UInt32 {
        switch self {
        case .rgb(let number): return number & 0xFFFFFF
        case .indexed(let index) where index < 16: return Self.first[Int(index)]
        case .indexed(let index) where index < 232:
            let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
            let place = Int(index) - 16
            return steps[place / 36] << 16 | steps[place / 6 % 6] << 8 | steps[place % 6]
        case .indexed(let index):
            return (8 + 10 * (UInt32(index) - 232)) * 0x010101
        }
    }
}
