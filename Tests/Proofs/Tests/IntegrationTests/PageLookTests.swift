// PageLookTests: what a page shows, and who can use it: axe-core's rules, 360 pixels, the keyboard.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PageLookTests {
    /// The page that the keys are pressed on shows the words of each screen of the walk, and
    /// axe-core looks at it, contrasts and sizes of targets included. Meanwhile a second tab and a
    /// terminal look at the same session, and show the same.
    @Test(arguments: Walk.all)
    func `two tabs and a terminal show the same, and no rule of accessibility is broken`(
        walk: Walk
    ) async throws {
        try await walk.onPage { shown, place in
            let page = shown.page
            let terminal = try await Tmux(client: "attach \(walk.app)", of: place)
            let second = try await shown.browser.open(try await page.text("location.href"))
            try await shown.browser.front(page)
            try await page.loadRules()
            var looked: Set<String> = []
            for (index, step) in walk.steps.enumerated() {
                try await page.follow(step, of: walk)
                try await second.contains(
                    { ScreenWords(screen: try await terminal.screen()) },
                    "the second tab at \(step.screen)")
                // One that was looked at before, here or in another walk, is the same.
                guard index >= walk.known, looked.insert(step.screen).inserted else { continue }
                for (scheme, width) in [("light", 900), ("dark", 900), ("light", 360)] {
                    try await page.looks(scheme, width: width)
                    #expect(
                        try await page.findings(scheme) == "", "\(step.screen), \(scheme), \(width)"
                    )
                }
                #expect(try await page.overflow() == "", "\(step.screen) at 360 pixels")
                try await page.looks("light", width: 900)
            }
        }
    }

    /// Tab goes through a page from its top to its end.
    private func tabGoesThrough(_ page: BrowserPage) async throws {
        let wanted = try await page.text(
            """
            [...main.querySelectorAll("button, input, select, [tabindex='0']")]
              .filter((one) => one.offsetParent && !one.disabled).map((one) => one.id).join(" ")
            """)
        #expect(wanted.split(separator: " ").count >= 4)
        var reached: [String] = []
        try await page.evaluate("main.querySelector('[role=listbox]').focus()")
        for _ in wanted.split(separator: " ") {
            reached.append(try await page.text("document.activeElement.id"))
            try await page.press("Tab")
        }
        #expect(reached.joined(separator: " ") == wanted)
        try await page.evaluate("main.querySelector('[role=listbox]').focus()")
    }

    /// A list is filtered as in a terminal.
    private func isFiltered(_ page: BrowserPage) async throws {
        let rows = "main.querySelectorAll('[role=listbox]')[0].children.length"
        try await page.holds("\(rows) === 6 && document.activeElement.role === 'listbox'")
        try await page.press("/")
        try await page.holds("document.activeElement.type === 'search'")
        try await page.type("PORK")
        try await page.holds("\(rows) === 1")
        try await page.press("Enter")
        try await page.holds("document.activeElement.role === 'listbox'")
        try await page.press("Enter")
        try await page.shows("1 × Pulled Pork")
        try await page.press("Escape")
        try await page.holds("\(rows) === 6 && !document.querySelector('[type=search]')")
        // Pulled Pork, Smoked Sausage and sliced Brisket are left; `n` and `N` go around.
        try await page.press("/")
        try await page.holds("document.activeElement.type === 'search'")
        try await page.type("ed")
        try await page.press("Enter")
        try await page.holds("\(rows) === 3 && document.activeElement.role === 'listbox'")
        let selected = "main.querySelector('[aria-selected=true]').textContent"
        for (key, name) in [("n", "Smoked"), ("n", "Brisket"), ("N", "Smoked")] {
            try await page.press(key)
            try await page.holds("\(selected).startsWith('\(name)')")
        }
    }

    private static let said =
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"

    /// A dialog does not shrink when its content does.
    private func keepsItsWidth(_ page: BrowserPage) async throws {
        let dialog = "document.querySelector('dialog')"
        try await page.evaluate(
            """
            window.long = document.createElement("p");
            long.style.width = `${\(dialog).offsetWidth + 50}px`;
            \(dialog).append(long);
            window.wide = \(dialog).offsetWidth;
            """)
        try await page.type("aply")
        try await page.holds("\(Self.said).textContent.startsWith('Apply coupon')")
        try await page.evaluate("long.remove()")
        try await page.holds("\(dialog).offsetWidth === wide")
        try await page.press("Escape")
        try await page.holds("!\(dialog)")
    }

    @Test
    func `Tab goes through a page, and a command is found by a few letters, also by who hears it`()
        async throws
    {
        try await withPage(Workplace(app: "cart")) { shown in
            let page = shown.page
            try await page.loadRules()
            let isOpen = "document.activeElement.role === 'combobox'"
            try await page.holds("document.activeElement.role === 'listbox'")
            try await page.press("Enter")
            try await page.shows("1 × Brisket")
            try await tabGoesThrough(page)
            try await page.press(":")
            try await page.holds(isOpen)
            try await keepsItsWidth(page)
            try await page.press(":")
            try await page.holds(isOpen)
            for (scheme, width) in [("light", 900), ("dark", 900), ("light", 360)] {
                try await page.looks(scheme, width: width)
                #expect(try await page.findings(scheme) == "", "\(scheme) at \(width) pixels")
                #expect(try await page.overflow() == "", "\(width) pixels")
            }
            // What is selected is what a screen reader says.
            let said = Self.said
            try await page.type("aply")
            try await page.holds("\(said).textContent.startsWith('Apply coupon')")
            try await page.press("Escape")
            try await page.holds(
                "!document.querySelector('dialog') && document.activeElement.role === 'listbox'")
            // The button, for who has no such key.
            try await page.click("Commands")
            try await page.holds(isOpen)
            try await page.type("quantity")
            try await page.holds("\(said).textContent.startsWith('Change quantity …')")
            try await page.press("Enter")
            try await page.holds("document.querySelector('dialog h2').textContent !== 'Commands'")
            try await page.shows("Send")
            try await page.press("Escape")
            try await page.click("Commands")
            try await page.holds(isOpen)
            try await page.type("empty")
            try await page.press("ArrowDown")
            try await page.press("ArrowUp")
            try await page.press("Enter")
            try await page.holds("document.querySelector('dialog')?.innerText.includes('Yes')")
            try await page.press("Escape")
            try await page.holds("!document.querySelector('dialog')")
            try await isFiltered(page)
        }
    }
}

extension Walk {
    /// Shows the walk's app in a browser.
    func onPage(_ body: (ShownPage, Workplace) async throws -> Void) async throws {
        let server = hasServer ? try await CharactersServer() : nil
        let place = Workplace(
            daemon: daemon, apps: apps, app: app, tick: tick,
            environment: server.map { ["CHARACTERS_SERVER": $0.address] } ?? [:])
        try transcript?.joined(separator: "\n").write(
            toFile: place.directory + "/take", atomically: true, encoding: .utf8)
        let take = ["--set", "transcription.transcript=\(place.directory)/take"]
        try await withPage(place, daemon: transcript == nil ? [] : take) { shown in
            try await body(shown, place)
        }
    }
}

extension BrowserPage {
    /// Does a step of a walk, and returns when its screen's words are there.
    func follow(_ step: Walk.Step, of walk: Walk) async throws {
        for key in step.keys { try await enter(key) }
        let screen = try GoldenScreen("\(walk.name)/\(step.screen)", columns: 80, lines: 24).text
        try await contains({ ScreenWords(screen: screen) }, step.screen)
    }
}

extension BrowserPage {
    /// Loads axe-core, which `scripts/setup.sh --tests` has put beside the checks in Python.
    fileprivate func loadRules() async throws {
        let packages = URL(filePath: Repository.root + "/.build/python/lib")
        let versions = try FileManager.default.contentsOfDirectory(
            at: packages, includingPropertiesForKeys: nil)
        let file = "site-packages/axe_playwright_python/axe.min.js"
        guard
            let rules = versions.map({ $0.appending(path: file) })
                .first(where: { FileManager.default.fileExists(atPath: $0.path) })
        else { throw Failure("axe-core is missing: run `scripts/setup.sh --tests`") }
        try await evaluate(try String(contentsOf: rules, encoding: .utf8) + "; true")
    }

    /// Returns what breaks a rule, in words; empty if nothing does. Only colours are others in the
    /// dark.
    fileprivate func findings(_ scheme: String) async throws -> String {
        let rules =
            scheme == "dark"
            ? "runOnly: ['color-contrast']" : "rules: { 'target-size': { enabled: true } }"
        return try await text(
            """
            axe.run(document, { \(rules) }).then((found) =>
              found.passes.length < \(scheme == "dark" ? 1 : 10) ? "hardly any rule was run"
                : found.violations.flatMap((one) => one.nodes.map((node) =>
                  one.id + ": " + node.html.slice(0, 200) + "\\n" + node.failureSummary))
                  .join("\\n"))
            """)
    }

    /// Returns what is wider than the page.
    fileprivate func overflow() async throws -> String {
        try await text(
            """
            document.documentElement.scrollWidth <= innerWidth ? ""
              : [...document.body.querySelectorAll("*")]
                .filter((one) => one.getBoundingClientRect().right > innerWidth)
                .map((one) => one.outerHTML.slice(0, 100)).join("\\n")
            """)
    }

    /// Shows the page so, and returns when it is drawn.
    fileprivate func looks(_ scheme: String, width: Int) async throws {
        _ = try await browser.command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 700, "deviceScaleFactor": 1, "mobile": false],
            session: session)
        let preference = ["name": "prefers-color-scheme", "value": scheme]
        _ = try await browser.command(
            "Emulation.setEmulatedMedia", ["features": [preference]], session: session)
        try await holds("innerWidth === \(width)")
        try await browser.turn(of: self)
    }
}
