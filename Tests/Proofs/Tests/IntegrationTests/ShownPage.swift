// ShownPage: an app in a browser, as a test looks at it and uses it.

import Foundation
import ProofSupport
import Testing

/// A page, and the processes behind it.
struct ShownPage {
    let place: Workplace
    let web: Child
    let browser: Browser
    let page: BrowserPage
}

/// Shows an app in a browser.
func withPage(
    _ place: Workplace, _ arguments: [String] = [], daemon: [String] = [],
    _ body: (ShownPage) async throws -> Void
) async throws {
    try await place.daemon(daemon)
    let web = try place.client(["web", place.app, "--no-open"] + arguments)
    let (_, url) = try await web.line { $0.contains("/?token=") }
    let browser = try Browser(place)
    let page = try await browser.open(url)
    try await body(ShownPage(place: place, web: web, browser: browser, page: page))
    web.signal(SIGTERM)
    #expect(await web.exit() == 0)
    #expect(await web.allErrors() == "")
}

/// Words of a screen, without what only a terminal has.
struct ScreenWords {
    private var counts: [Substring: Int] = [:]

    /// - Parameter page: a page's text.
    init(page text: String) {
        count(Self.plain(text).split(whereSeparator: \.isWhitespace))
    }

    /// - Parameter screen: a terminal's. Its last two lines, of keys and of the status, belong to
    ///   the front; frames and brackets are drawn otherwise on a page. A word that touches the
    ///   frame of a box over it is cut.
    init(screen text: String) {
        let lines = text.split(separator: "\n").map { String($0) }
        for line in lines.dropLast(2) {
            let whole = line.replacing(/[^\s\u{2500}-\u{257F}]+[\u{2500}-\u{257F}]/, with: " ")
                .replacing(/[\u{2500}-\u{257F}][^\s\u{2500}-\u{257F}]+/, with: " ")
            count(Self.plain(whole).split(whereSeparator: \.isWhitespace))
        }
    }

    private mutating func count(_ words: [Substring]) {
        // Two fronts note the time of an effect by themselves.
        for word in words
        where !Self.moving.contains(word) && !word.hasPrefix("/run/napkin")
            && word.wholeMatch(of: /\d\d:\d\d:\d\d/) == nil
        {
            counts[word, default: 0] += 1
        }
    }

    /// What a golden screen has in place of what is another thing each time.
    private static let moving: Set<Substring> = ["N", "HH:MM:SS", "waiting"]

    /// Without frames, brackets, lines to write on, marks of a window's place and of a mistake.
    private static func plain(_ text: String) -> String {
        text.replacing(/[\u{2500}-\u{259F}\[\]‹›✗]|__+/, with: " ")
    }

    /// Returns the words that others lack. A word that was cut off matches its whole.
    func missing(in others: ScreenWords) -> [Substring] {
        counts.keys.filter { word in
            if word.count > 1, word.hasSuffix("…") {
                return !others.counts.keys.contains { $0.hasPrefix(word.dropLast()) }
            }
            return others.counts[word, default: 0] < counts[word, default: 0]
        }
        .sorted()
    }
}

extension BrowserPage {
    /// The texts that a person sees, those in fields included.
    private static let seenText = """
        document.readyState === "loading" ? ""
          : [...document.querySelectorAll("main input, main select")].reduce((text, one) =>
          text + " " + (one.type === "password" ? "•".repeat(one.value.length)
            : one.matches("select") ? one.selectedOptions[0]?.text
            : one.type === "checkbox" ? (one.checked ? "x" : "") : one.value || one.placeholder),
          document.getElementById("notice").innerText + " " + main.innerText)
        """

    /// Returns when the page shows all words of a screen. What a moving pit shows for three seconds
    /// comes again after twelve.
    func contains(_ words: () async throws -> ScreenWords, _ what: String) async throws {
        var missing: [Substring] = []
        var text = ""
        let end = ContinuousClock.now + .seconds(30)
        repeat {
            text = try await self.text(Self.seenText)
            missing = try await words().missing(in: ScreenWords(page: text))
            if missing.isEmpty { return }
            try await browser.turn(of: self)
        } while ContinuousClock.now < end
        throw Failure("\(what): the page lacks \(missing); it shows:\n\(text)")
    }

    /// Presses a key by tmux's name of it; what is no key's name is typed.
    func enter(_ key: String) async throws {
        let names = [
            "Down": "ArrowDown", "Up": "ArrowUp", "Left": "ArrowLeft", "Right": "ArrowRight",
            "DC": "Delete", "Enter": "Enter", "Escape": "Escape", "Tab": "Tab", "F2": "F2",
        ]
        if let name = names[key] { return try await press(name) }
        if key == "BTab" { return try await press("Tab", isShift: true) }
        // Browsers have no key of their own for it.
        if key == "C-u" {
            try await evaluate("document.activeElement.select()")
            return
        }
        if key.hasPrefix("C-"), let letter = key.last {
            return try await press(String(letter), isControl: true)
        }
        let writes = "document.activeElement.matches('input:not([type=checkbox])')"
        if try await evaluate(writes) as? Bool == true { return try await type(key) }
        for letter in key { try await press(String(letter)) }
    }
}
