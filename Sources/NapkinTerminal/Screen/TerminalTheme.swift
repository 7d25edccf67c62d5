// TerminalTheme: how each role of text looks on a terminal.
//
// Layer      terminal, screen.
// Isolation  value.
// Spec       NO_COLOR: no-color.org; COLORFGBG, as rxvt and others set it: "foreground;background".

public import NapkinElements

/// The looks of all roles.
public nonisolated struct TerminalTheme: Sendable, Equatable {
    /// One of the terminal's own eight colours, which its user has chosen.
    public enum Colour: Int16, Sendable {
        /// The colour of ordinary text.
        case own = -1
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    /// How one role looks; the background is the terminal's.
    public struct Look: Sendable, Equatable {
        public var colour: Colour
        public var isBold: Bool
        public var isDim: Bool
        public var isReversed: Bool
        public var isUnderlined: Bool

        public init(
            _ colour: Colour = .own, bold: Bool = false, dim: Bool = false, reversed: Bool = false,
            underlined: Bool = false
        ) {
            isUnderlined = underlined
            self.colour = colour
            isBold = bold
            isDim = dim
            isReversed = reversed
        }
    }

    public let name: String
    private let looks: [TextRole: Look]

    /// - Parameters:
    ///   - name: the name by which `NAPKIN_THEME` chooses it.
    ///   - looks: the looks of the roles that do not look like ordinary text.
    public init(name: String, looks: [TextRole: Look]) {
        self.name = name
        self.looks = looks
    }

    public subscript(_ role: TextRole) -> Look { looks[role] ?? Look() }

    /// The theme for a dark background.
    public static let dark = TerminalTheme(
        name: "dark",
        looks: [
            .title: Look(bold: true), .secondary: Look(dim: true), .accent: Look(.cyan),
            .key: Look(.green, bold: true), .warning: Look(.yellow, bold: true),
            .error: Look(.red, reversed: true), .bar: Look(reversed: true),
            .focus: Look(.cyan, reversed: true), .selection: Look(.cyan, underlined: true),
            .changed: Look(.yellow, underlined: true),
            .match: Look(.yellow, reversed: true), .button: Look(bold: true),
            .field: Look(underlined: true), .border: Look(dim: true),
        ])

    /// The theme for a light background, on which yellow, green and cyan cannot be read.
    public static let light = TerminalTheme(
        name: "light",
        looks: [
            .title: Look(bold: true), .secondary: Look(dim: true), .accent: Look(.blue),
            .key: Look(.magenta, bold: true), .warning: Look(.red, bold: true),
            .error: Look(.red, reversed: true), .bar: Look(reversed: true),
            .focus: Look(.blue, reversed: true), .selection: Look(.blue, underlined: true),
            .changed: Look(.red, underlined: true),
            .match: Look(.red, reversed: true), .button: Look(bold: true),
            .field: Look(underlined: true), .border: Look(dim: true),
        ])

    /// A theme without colours: the roles differ in their attributes.
    public static let plain = TerminalTheme(
        name: "plain",
        looks: [
            .title: Look(bold: true), .secondary: Look(dim: true), .accent: Look(bold: true),
            .key: Look(bold: true), .warning: Look(reversed: true), .error: Look(reversed: true),
            .bar: Look(reversed: true), .focus: Look(reversed: true),
            .selection: Look(bold: true, underlined: true),
            .changed: Look(bold: true, underlined: true),
            .match: Look(reversed: true, underlined: true), .button: Look(bold: true),
            .field: Look(underlined: true), .border: Look(dim: true),
        ])

    public static let all = [dark, light, plain]
}

nonisolated extension TerminalTheme {
    /// Chooses the theme for an environment: by `NO_COLOR`, then `NAPKIN_THEME`, then what the
    /// terminal says of its background; otherwise dark.
    init(_ environment: (_ name: String) -> String?) {
        if environment("NO_COLOR")?.isEmpty == false {
            self = .plain
        } else if let theme = Self.all.first(where: { $0.name == environment("NAPKIN_THEME") }) {
            self = theme
        } else {
            self = Self.isLight(environment("COLORFGBG") ?? "") ? .light : .dark
        }
    }

    /// Returns whether the background is one of the light ones: 7, and from 9 on.
    private static func isLight(_ colours: String) -> Bool {
        guard let background = colours.split(separator: ";").last.flatMap({ Int($0) }) else {
            return false
        }
        return background == 7 || background > 8
    }
}
