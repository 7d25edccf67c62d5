// Run+Output: what a line of output says of its run.

import DeskContract

extension Run {
    /// Characters of a line that a list shows.
    private static let shownMax = 200

    /// The share of the work that a line names as `[12/80]` or `42%`, as build tools do.
    static func progress(in line: String) -> Double? {
        let words = line.prefix(shownMax).split { " []()".contains($0) }
        for word in words {
            if word.last == "%", let percent = Double(word.dropLast()), 0...100 ~= percent {
                return percent / 100
            }
            let parts = word.split(separator: "/").map { Double($0) }
            guard parts.count == 2, let done = parts[0], let all = parts[1] else { continue }
            if all > 0, all.isFinite, 0...all ~= done { return done / all }
        }
        return nil
    }

    /// Returns a line as a terminal shows it at last, without colours.
    static func shown(_ line: String) -> String {
        let last = line.prefix(16 * shownMax).split(separator: "\r").last ?? ""
        return String(plain(String(last)).prefix(shownMax))
    }

    /// Returns a line without escape sequences and other control characters.
    static func plain(_ line: String) -> String {
        let text = line.replacing(
            /\u{1B}(\[[0-?]*[ -\/]*[@-~]|\][^\u{7}]*\u{7}?|[ -\/]+[0-~]?|.)/, with: "")
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory != .control {
                plain.append(scalar)
            } else if scalar == "\t" {
                plain.append(" ")
            }
        }
        return String(plain)
    }
}
