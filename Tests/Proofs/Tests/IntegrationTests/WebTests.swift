// WebTests: sessions in a real browser, beside control fronts of the same sessions.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebTests {
    private var questions: Workplace {
        Workplace.questions()
    }

    @Test func `who logs in on a page is seen in a control front, and the other way round`()
        async throws
    {
        try await withPage(Workplace()) { shown in
            let front = try await shown.place.front()
            try await shown.page.shows("RIB HOUSE")
            try await shown.page.press("l")
            try await front.mounts(Feature.loggedIn)
            try await shown.page.shows("Logout")
            _ = try front.send(Feature.loggedIn, "didTapLogout()")
            try await shown.page.shows("RIB HOUSE")
            try await shown.page.click("Login")
            try await shown.page.shows("Logout")
            // A tap in an app's own element reaches its interactor.
            try await shown.page.press("p")
            try await front.mounts(Feature.pitBoard)
            // What it shows are its values; what it draws is its own.
            try await shown.page.holds(
                "document.querySelector('pit-picture svg') && main.innerText.includes('Brisket')")
            try await shown.page.click("to the table", "pit-picture button")
            try await shown.page.shows("Logout")
        }
    }

    @Test func `a question is answered on a page, which counts what is in doubt after a death`()
        async throws
    {
        try await withPage(questions) { shown in
            let front = try await shown.place.front()
            try front.empties()
            try await shown.page.shows("Empty the desk?")
            try await shown.page.click("Yes")
            try await front.showsOutcome("yes")
            try await shown.page.shows("Outcome: \"yes\"")
            let page = shown.page
            try await page.evaluate(
                """
                window.notices = [];
                window.states = [];
                const all =
                  { subtree: true, childList: true, characterData: true, attributes: true };
                const header = document.querySelector('header');
                new MutationObserver(() => notices.push(notice.textContent)).observe(notice, all);
                new MutationObserver(() => states.push(header.className)).observe(header, all);
                """)
            try await page.press("3")
            try await page.shows("Waiting: 1")
            try await shown.place.killWorker()
            try await page.shows("1 event is in doubt")
            try await page.holds("states.includes('lost')")
            // It is the newest one, and stays.
            try await page.holds("document.querySelector('header').className === 'connected'")
            try await page.holds(
                "notices.at(-1).startsWith('the worker was restarted')"
                    + " && notices.at(-1).includes('1 event is in doubt')")
            try await onlyTheNewestCounts(shown)
            _ = front
        }
    }

    @Test func `what is typed survives changes beside it, a worker's death and a reload`()
        async throws
    {
        try await withPage(Workplace(app: "cart")) { shown in
            let page = shown.page
            let field = "document.querySelector('input[data-do=text]')"
            try await page.shows("Skillet Cornbread")
            try await page.evaluate("\(field).focus()")
            try await page.type("smo")
            // The caret is moved, and something else on the page changes.
            try await page.evaluate("\(field).setSelectionRange(1, 1); window.old = \(field)")
            let front = try await shown.place.front()
            try await page.shows("2 fronts")
            try await page.holds("\(field) === old && \(field).value === 'smo'")
            try await page.holds(
                "\(field).selectionStart === 1 && document.activeElement === \(field)")
            try await shown.place.killWorker()
            try await page.shows("the worker was restarted")
            try await page.holds("\(field).value === 'smo'")
            try await page.reload()
            try await page.holds("\(field)?.value === 'smo'")
            try await page.evaluate("\(field).focus(); \(field).setSelectionRange(3, 3)")
            try await page.type("ke10")
            try await page.press("Enter")
            try await page.holds("\(field)?.value === ''")
            // What is refused comes back, with the reason.
            try await page.type("free")
            try await page.press("Enter")
            try await page.shows("no coupon")
            try await page.holds("\(field)?.value === 'free'")
            _ = front
        }
    }

    /// Only the newest page of a tab counts, and a closed one leaves the session.
    private func onlyTheNewestCounts(_ shown: ShownPage) async throws {
        try await shown.page.shows("2 fronts")
        try await shown.page.reload()
        try await shown.page.shows("2 fronts")
        let second = try await shown.browser.open(
            try await shown.page.text("location.href"))
        try await second.shows("3 fronts")
        try await shown.page.load("about:blank")
        try await second.shows("2 fronts")
    }
}
