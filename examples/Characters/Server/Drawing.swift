// Drawing: a face for a character, the same each time.

/// A portrait of 24 by 24 grey pixels: a face, a hat, eyes, and a beard.
struct Drawing {
    static let side = 24
    private static let (dark, light): (UInt8, UInt8) = (16, 240)

    /// Numbers derived from the name, in which two faces differ.
    private let hat: UInt64
    private let eyes: UInt64
    private let beard: UInt64

    init(of character: Smokehouse.Character) {
        let hash = character.id.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        (hat, eyes, beard) = (hash % 4, hash / 4 % 3, hash / 12 % 4)
    }

    /// A binary portable graymap.
    var graymap: [UInt8] {
        let pixels = (0..<Self.side).flatMap { y in
            // A face is the same on both sides.
            (0..<Self.side).map { x in
                isLight(min(x, Self.side - 1 - x), y) ? Self.light : Self.dark
            }
        }
        return Array("P5\n\(Self.side) \(Self.side)\n255\n".utf8) + pixels
    }

    /// - Parameter x: from the edge to the middle: 0 to 11.
    private func isLight(_ x: Int, _ y: Int) -> Bool {
        if let isHat = hat(x, y) { return isHat }
        let (across, down) = (2 * x - 23, 2 * y - 27)
        guard across * across * 12 + down * down * 8 < 3600 else { return false }
        return !isEye(x, y) && !isMouth(x, y) && !isBeard(x, y)
    }

    /// Returns `nil` where there is neither a hat nor its band.
    private func hat(_ x: Int, _ y: Int) -> Bool? {
        switch hat {
        case 0: y < 7 && y > 0 && x > 6 ? y != 5 : y == 7 ? (x > 1 ? true : nil) : nil
        case 1: y < 7 && x > 4 ? y > 1 || x > 7 : nil
        case 2: y == 6 && x > 3 ? x % 2 == 0 : nil
        default: nil
        }
    }

    private func isEye(_ x: Int, _ y: Int) -> Bool {
        switch eyes {
        case 0: y == 12 && (x == 7 || x == 8)
        case 1: (11...12).contains(y) && x == 8
        default: (y == 11 || y == 13) && (7...9).contains(x) || y == 12 && (x == 7 || x == 9)
        }
    }

    private func isMouth(_ x: Int, _ y: Int) -> Bool {
        y == 18 && x > 8 || y == 15 && x == 11
    }

    private func isBeard(_ x: Int, _ y: Int) -> Bool {
        switch beard {
        case 0: y == 17 && x > 7
        case 1: y > 18 && (x + y) % 2 == 0
        case 2: y > 15 && x < 8 || y > 19
        default: false
        }
    }
}
