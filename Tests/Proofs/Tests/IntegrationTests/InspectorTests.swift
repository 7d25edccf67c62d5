// InspectorTests: the inspector in a real browser, beside control fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InspectorTests {
    /// Shows the inspector of a daemon that runs.
    private func withInspector(
        _ place: Workplace, _ arguments: [String] = [], _ body: (ShownPage) async throws -> Void
    ) async throws {
        let web = try place.client(["web", "--no-open"] + arguments)
        let (_, url) = try await web.line { $0.contains("/?token=") }
        let browser = try Browser(place)
        let page = try await browser.open(url)
        try await body(ShownPage(place: place, web: web, browser: browser, page: page))
        web.signal(SIGTERM)
        #expect(await web.exit() == 0)
    }

    /// Shows it with Rib House selected, which has a front.
    private func withRibHouse(
        _ arguments: [String] = [], _ body: (ShownPage, ControlFront) async throws -> Void
    ) async throws {
        let place = try await Workplace().started()
        let front = try await place.front()
        try await withInspector(place, arguments) { shown in
            try await shown.page.shows("1 front")
            try await shown.page.click("rib-house", "[role=row]")
            let row = "[...document.querySelectorAll('[role=row]')]"
            try await shown.page.holds(
                "\(row).find((one) => one.ariaSelected === 'true').textContent.includes('rib-')")
            try await body(shown, front)
        }
    }

    @Test
    func `it shows calls and their times, the live tree with its changes, fronts and the log`()
        async throws
    {
        try await withRibHouse { shown, front in
            let page = shown.page
            try await page.press("4")
            try await page.shows("Calls of rib-house")
            // By then it measures.
            try await page.shows("Nothing crosses.")
            _ = try front.send(Feature.loggedOut, "didTapLogin()")
            try await front.mounts(Feature.loggedIn)
            try await page.shows("didTapLogin() of rib-house.logged-out: 1 call")
            for name in ["latency: ", "time: "] {
                try await page.holds(
                    "[...document.querySelectorAll('pre')]"
                        + ".some((one) => one.ariaLabel?.startsWith('\(name)')"
                        + " && one.textContent.includes('█'))")
            }
            try await page.press("3")
            try await page.shows("Tree of rib-house")
            try await page.shows("rib-house.logged-in")
            // A change is marked until the tree is asked for again.
            try await page.evaluate(
                """
                new MutationObserver(() => {
                  window.isMarked ||= [...document.querySelectorAll('.accent')]
                    .some((one) => one.textContent.includes('rib-house.pit-board'));
                }).observe(document.getElementById('main'),
                  { subtree: true, childList: true, attributes: true, characterData: true })
                """)
            _ = try front.send(Feature.loggedIn, "didTapPitBoard()")
            try await page.shows("rib-house.pit-board")
            try await page.holds("window.isMarked")
            // Its queues with their limits, and the tree's own front.
            try await page.shows("events 0/")
            try await page.press("2")
            try await page.shows("attached")
            try await page.press("6")
            try await page.shows("worker starts")
            try await traces(shown, front)
        }
    }

    /// Its trace shows all messages, or those of a kind.
    private func traces(_ shown: ShownPage, _ front: ControlFront) async throws {
        let (page, place) = (shown.page, shown.place)
        // Its pages are found by a few letters, or by their digits.
        try await page.press(":")
        try await page.holds("document.activeElement.role === 'combobox'")
        try await page.type("trac")
        try await page.press("Enter")
        try await page.shows("Trace of rib-house")
        // Its queues say when it is traced.
        while try await !place.run(["tree", "rib-house"]).lines.joined().contains("tracer ") {}
        _ = try front.send(Feature.pitBoard, "didTapBack()")
        let lines = "[...document.querySelectorAll('[role=option]')].map((o) => o.textContent)"
        try await page.holds("\(lines).some((line) => line.includes('didTapBack()'))")
        try await page.holds("\(lines).some((line) => line.includes(' ← '))")
        try await page.press("f")
        try await page.holds("document.activeElement.matches('input')")
        try await page.type("PIT-BOARD didTap")
        try await page.holds(
            "\(lines).length > 0 && \(lines).every((line) => line.includes('didTapBack()'))")
        try await page.evaluate(
            "const choice = document.querySelector('select'); choice.selectedIndex = 1;"
                + "choice.dispatchEvent(new Event('change', { bubbles: true }))")
        try await page.holds(
            "\(lines).length > 0 && \(lines).every((line) => line.includes(' → '))")
        try await page.click("All")
        try await page.holds("\(lines).some((line) => line.includes(' ← '))")
    }

    @Test func `a session is opened beside it, also as slow as a far one, and leads back to it`()
        async throws
    {
        try await withRibHouse { shown, front in
            try await shown.page.press("Enter")
            let page = try await shown.browser.opened("/rib-house~")
            try await page.shows("session rib-house")
            try await page.shows("2 fronts")
            _ = try front.send(Feature.loggedOut, "didTapLogin()")
            try await page.shows("ogout")
            try await page.evaluate(
                "location.assign(document.querySelector('#inspector:not([hidden])').href)")
            try await page.shows("SESSION")
            try await page.shows("1 front")
        }
    }

    @Test func `the ledger's records are gone through, with what each has changed`() async throws {
        let tally = try await TallyPlace()
        _ = try await tally.add(5, to: "lunch")
        _ = try await tally.add(7, to: "lunch")
        try await withInspector(tally.place) { shown in
            let page = shown.page
            try await page.click("lunch", "[role=row]")
            try await page.press("7")
            try await page.shows("Ledger of lunch")
            let changed = "[...document.querySelectorAll('.accent')].map((one) => one.textContent)"
            let texts = "document.getElementById('main').innerText"
            // The newest record first; Up goes to those before it, until the sum was another one.
            try await page.holds("\(texts).includes('sum: 12')")
            var steps = 0
            while !(try await page.text("\(changed).join()")).contains("sum: 12   was 5") {
                if steps == 16 { throw Failure(try await page.text(texts)) }
                let record = try await page.text("/As of record (\\d+)/.exec(\(texts))[1]")
                try await page.press("ArrowUp")
                try await page.holds(
                    "/As of record (\\d+)/.exec(\(texts))[1] !== \(BrowserPage.quoted(record))")
                steps += 1
            }
            // It stays there while the session goes on.
            _ = try await tally.add(1, to: "lunch")
            try await page.holds("\(texts).includes('newest event')")
            try await page.holds("\(changed).some((line) => line.includes('sum: 12   was 5'))")
            try await page.press("End")
            try await page.holds("\(texts).includes('sum: 13')")
        }
    }
}
