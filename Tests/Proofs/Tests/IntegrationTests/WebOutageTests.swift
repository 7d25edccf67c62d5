// WebOutageTests: a page whose server or line is gone, silent or another one, in a real browser.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebOutageTests {
    private static let isConnected = "document.querySelector('header').className === 'connected'"
    private static let isLost = "document.querySelector('header').className === 'lost'"
    private static let row = "document.querySelector('[role=option]')"

    @Test
    func `a server that is silent or forgets a tab is told, with what waits for it or is gone`()
        async throws
    {
        try await withPage(Workplace(app: "cart")) { shown in
            let page = shown.page
            try await page.holds("\(Self.isConnected) && !!\(Self.row)")
            shown.web.signal(SIGSTOP)
            try await page.evaluate("\(Self.row).click()")
            try await page.holds("state.textContent.includes('no answer yet to ')")
            try await page.holds("!!document.querySelector('[role=listbox][data-waits]')")
            // As if more than half a minute had passed.
            try await page.evaluate(
                """
                const now = performance.now.bind(performance);
                performance.now = () => now() + 31000;
                """)
            try await page.holds(Self.isLost)
            try await page.holds("!!document.querySelector('[data-waits]')")
            shown.web.signal(SIGCONT)
            try await page.holds("\(Self.isConnected) && !document.querySelector('[data-waits]')")
            try await page.shows("1 × Brisket")
            try await page.reload()
            try await isForgotten(page)
        }
    }

    /// Of more actions than may wait, those that are refused are counted.
    private func countsTheRefused(_ page: BrowserPage) async throws {
        try await page.holds("\(Self.isConnected) && !!\(Self.row)")
        try await page.evaluate("cut()")
        try await page.holds(Self.isLost)
        try await page.evaluate(
            "for (let index = 0; index < 200; index += 1) \(Self.row).click()")
        try await page.evaluate("document.querySelector('input[data-do=text]').focus()")
        try await page.type("smo")
        try await page.shows("72 of your actions were not sent")
        try await page.shows("129 waiting to be sent")
        try await page.evaluate("isCut = false")
        try await page.holds("\(Self.isConnected) && !/waiting/.test(state.textContent)")
        // What waited has arrived, as much of it as a cart takes: there is room for more.
        try await page.shows("99 × Brisket")
        // It is said until the next action.
        try await page.shows("72 of your actions were not sent")
        try await page.evaluate("\(Self.row).click()")
        try await page.holds("notice.hidden")
    }

    /// A tab that the server has forgotten says how many actions are gone.
    private func isForgotten(_ page: BrowserPage) async throws {
        try await page.holds("\(Self.isConnected) && !!\(Self.row)")
        try await page.evaluate("cut()")
        try await page.holds(Self.isLost)
        try await page.evaluate(
            """
            for (let index = 0; index < 3; index += 1) \(Self.row).click();
            document.querySelector('input[data-do=text]').focus();
            """)
        try await page.type("smo")
        try await page.shows("4 waiting to be sent")
        try await page.evaluate("isForgotten = true; isCut = false")
        try await page.holds(Self.isConnected)
        try await page.shows("4 of your actions were not sent")
        // What was written is there all the same.
        try await page.holds("document.querySelector('input[data-do=text]').value === 'smo'")
        try await page.evaluate("isForgotten = false")
        try await countsTheRefused(page)
    }

    @Test(arguments: [["web"], ["share", "--read-only"]])
    func `an address is followed from a page of another site`(command: [String]) async throws {
        let place = try await Workplace.questions().started()
        let front = try await place.front()
        let door = try await PageDoor(
            place,
            [command[0], Question.app] + command.dropFirst()
                + (command[0] == "web" ? ["--no-open"] : []))
        let url = "\(door.origin)/?token=\(door.token)"
        let page = try await Browser(place).open("data:text/html,<a href='\(url)'>there</a>")
        try await page.holds("!!document.querySelector('a')")
        try await page.evaluate("document.querySelector('a').click()")
        try await page.holds(Self.isConnected)
        try await page.holds("location.hostname.endsWith('.localhost') && !location.search")
        _ = front
    }

    @Test func `a dialog has the page to itself, and gives the focus back`() async throws {
        try await withPage(Workplace.questions()) { shown in
            let page = shown.page
            let front = try await shown.place.front()
            try await page.shows("2 fronts")
            let former = "[...main.querySelectorAll('[role=listbox]')].at(-1)"
            try await page.evaluate("\(former).focus(); window.former = document.activeElement.id")
            try front.empties()
            try await page.shows("Empty the desk?")
            let dialog = "document.querySelector('dialog:not([inert] *)')"
            try await page.holds("\(dialog).matches(':modal')")
            try await page.holds("\(dialog).contains(document.activeElement)")
            // Whatever Tab reaches is in it, or in the browser's own window.
            for _ in 0..<8 {
                try await page.press("Tab")
                try await page.holds(
                    "document.activeElement === document.body"
                        + " || \(dialog).contains(document.activeElement)")
            }
            try await page.click("Yes")
            try await front.showsOutcome("yes")
            try await page.holds("!document.querySelector('dialog')")
            try await page.holds("document.activeElement.id === former")
        }
    }
}
