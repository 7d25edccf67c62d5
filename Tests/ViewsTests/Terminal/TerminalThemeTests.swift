// TerminalThemeTests: which theme is chosen, and whether what it shows can be read.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct TerminalThemeTests {
    /// Backgrounds of terminals: plain, of well-known editors and palettes.
    private static let backgrounds: [String: [TerminalTheme.RGB]] = [
        "dark": [0x000000, 0x1E1E1E, 0x282C34, 0x002B36, 0x2E3440, 0x300A24],
        "light": [0xFFFFFF, 0xFDF6E3, 0xFAFAFA, 0xEEE8D5, 0xEEEEEE],
    ]

    private func component(_ environment: [String: String]) -> TerminalComponent {
        TerminalComponent(environment: { environment[$0] })
    }

    private func contrast(_ one: TerminalTheme.RGB, _ other: TerminalTheme.RGB) -> Double {
        let (low, high) = (
            min(one.luminance, other.luminance), max(one.luminance, other.luminance)
        )
        return (high + 0.05) / (low + 0.05)
    }

    @Test func `contrasts are those of WCAG`() {
        #expect(contrast(0x000000, 0xFFFFFF) == 21)
        #expect(abs(contrast(0x777777, 0xFFFFFF) - 4.48) < 0.005)
        #expect(abs(contrast(0xFF0000, 0xFFFFFF) - 4.00) < 0.005)
    }

    @Test func `every role can be read in every theme, also with 256 colours`() {
        for theme in TerminalTheme.all where theme != .plain {
            let backgrounds = theme.background.map { [$0] } ?? Self.backgrounds[theme.name] ?? []
            #expect(!backgrounds.isEmpty)
            let least = theme == .highContrast ? 7 : 4.5
            for role in TextRole.allCases {
                guard let colour = theme[role].rgb else {
                    // The terminal's own text, which its user has chosen, and as strong as that.
                    #expect(theme[role].colour == .own && !theme[role].isDim, "\(role)")
                    #expect(theme.background == nil)
                    continue
                }
                for background in backgrounds {
                    // A reversed role has the same two colours.
                    #expect(contrast(colour, background) >= least, "\(theme.name) \(role)")
                    let drawn = theme.background == nil ? background : background.nearest.colour
                    #expect(
                        contrast(colour.nearest.colour, drawn) >= least, "\(theme.name) \(role)")
                }
            }
        }
    }

    @Test func `roles that must not be mixed up look different in every theme`() {
        let roles: [TextRole] = [.plain, .accent, .error]
        for theme in TerminalTheme.all {
            let looks = roles.map { theme[$0] }
            #expect(looks.allSatisfy { look in looks.count { $0 == look } == 1 }, "\(theme.name)")
            #expect(theme[.warning] != theme[.plain])
        }
        // Without colours nothing but attributes.
        #expect(
            TextRole.allCases.allSatisfy {
                TerminalTheme.plain[$0].colour == .own && TerminalTheme.plain[$0].rgb == nil
            })
    }

    @Test(arguments: [
        (TerminalTheme.RGB(red: 0, green: 0, blue: 0), 16), (0xFFFFFF, 231), (0x5FD7FF, 81),
        (0x080808, 232), (0xEEEEEE, 255), (0x121314, 233), (0xFF8788, 210),
    ])
    func `a colour has a nearest one among 256, none of the user's 16`(
        colour: TerminalTheme.RGB, number: Int
    ) {
        #expect(colour.nearest.number == number)
    }

    @Test func `the theme is the user's`() throws {
        #expect(try component([:]).theme() == nil)
        #expect(try component(["NAPKIN_THEME": ""]).theme() == nil)
        for theme in TerminalTheme.all {
            #expect(try component(["NAPKIN_THEME": theme.name]).theme() == theme)
        }
        #expect(try component(["NAPKIN_THEME": "light", "NO_COLOR": ""]).theme() == .light)
        #expect(try component(["NAPKIN_THEME": "light", "NO_COLOR": "1"]).theme() == .plain)
        #expect(try component(["NO_COLOR": "1"]).theme() == .plain)
    }

    @Test func `an unknown theme is an error that lists the themes`() {
        for environment in [["NAPKIN_THEME": "sepia"], ["NAPKIN_THEME": "sepia", "NO_COLOR": "1"]] {
            let error = #expect(throws: TerminalError.self) { try component(environment).theme() }
            #expect(
                error?.description
                    == "NAPKIN_THEME is 'sepia': the themes are dark, light, high-contrast, plain")
        }
    }

    @Test(arguments: [
        ("15;0", false), ("7;8", false), ("0;15", true), ("0;default;7", true),
        ("0;default", false), ("", false), (";;;", false),
    ])
    func `some terminals say in the environment whether they are light`(
        colours: String, isLight: Bool
    ) {
        #expect(component(["COLORFGBG": colours]).hasLightBackground == isLight)
    }

    @Test(arguments: [
        ("xterm-256color", "truecolor", "xterm-direct"), ("tmux-256color", "24bit", "tmux-direct"),
        ("foot", "truecolor", "foot-direct"), ("xterm-256color", "yes", ""),
        ("xterm-256color", "", ""), ("", "truecolor", ""),
    ])
    func `a terminal that says it has any colour is looked up as such`(
        type: String, colours: String, direct: String
    ) {
        let variables = ["TERM": type, "COLORTERM": colours].filter { !$0.value.isEmpty }
        #expect(component(variables).directType ?? "" == direct)
    }
}
