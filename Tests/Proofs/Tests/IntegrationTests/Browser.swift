// Browser: a headless Chromium, driven by the DevTools protocol over its pipe.

import Foundation
import ProofSupport

/// A browser without a window, and without another driver.
final class Browser {
    private let child: Child
    private var number = 0
    private var line = 0

    /// - Parameter arguments: further ones of Chromium.
    init(_ place: Workplace, _ arguments: [String] = []) throws {
        // Chromium ends its messages with a zero; a test reads lines.
        let script = """
            stdbuf -o0 tr '\\n' '\\0' | TMPDIR="${0%/*}" \
            chromium --headless --no-sandbox --disable-gpu \
            --disable-dev-shm-usage --no-first-run --disable-extensions --window-size=900,700 \
            --user-data-dir="$0" "$@" --remote-debugging-pipe about:blank \
            3<&0 4>&1 >/dev/null 2>&1 | stdbuf -o0 tr '\\0' '\\n'
            """
        child = Child(
            try Spawned(
                "/bin/sh", ["-c", script, place.directory + "/browser"] + arguments,
                keepsErrors: false))
    }

    /// Sends a command, and returns its result.
    func command(
        _ method: String, _ parameters: [String: Any] = [:], session: String? = nil
    ) async throws -> [String: Any] {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let data = try JSONSerialization.data(withJSONObject: message)
        try child.write(String(decoding: data, as: UTF8.self))
        let wanted = number
        let (index, text) = try await child.line(from: line) { text in
            text.hasPrefix("{\"id\":\(wanted),")
        }
        line = index + 1
        let answer = try JSON.object(text)
        guard let result = answer["result"] as? [String: Any] else {
            throw Failure("\(method): \(text)")
        }
        return result
    }

    /// Lets a test cut the page's connection: `cut()` closes it, and none is made while `isCut`.
    /// While it `isForgotten`, the server takes the page for another one.
    private static let cutting = """
        window.sockets = [];
        window.isCut = window.isForgotten = false;
        const Original = WebSocket;
        window.WebSocket = class extends Original {
          constructor(url) {
            super(window.isCut ? url.replace("socket", "nowhere")
              : window.isForgotten ? url.replace(/tab=[^&]*/, "tab=") : url);
            sockets.push(this);
          }
        };
        window.cut = () => { isCut = true; sockets.at(-1).close(); };
        """

    /// Opens a tab.
    func open(_ url: String) async throws -> BrowserPage {
        let target = try await command("Target.createTarget", ["url": "about:blank"])
        let page = try await attach(to: target["targetId"])
        try await page.load(url)
        return page
    }

    private func attach(to target: Any?) async throws -> BrowserPage {
        let attached = try await command(
            "Target.attachToTarget", ["targetId": target ?? "", "flatten": true])
        let page = BrowserPage(browser: self, session: attached["sessionId"] as? String ?? "")
        _ = try await command("Page.enable", session: page.session)
        _ = try await command(
            "Page.addScriptToEvaluateOnNewDocument", ["source": Self.cutting],
            session: page.session)
        return page
    }

    /// Returns the tab that a page has opened, with this in its address; throws after ten seconds.
    func opened(_ part: String) async throws -> BrowserPage {
        let end = ContinuousClock.now + .seconds(10)
        var addresses: [String] = []
        repeat {
            let targets = try await command("Target.getTargets")["targetInfos"]
            for target in targets as? [[String: Any]] ?? [] {
                let address = target["url"] as? String ?? ""
                if address.contains(part) { return try await attach(to: target["targetId"]) }
                addresses.append(address)
            }
        } while ContinuousClock.now < end
        throw Failure("no tab has been opened with \(part): \(Set(addresses).sorted())")
    }
}

extension Browser {
    /// Has a tab seen, which then gets the keys.
    func front(_ page: BrowserPage) async throws {
        _ = try await command("Page.bringToFront", session: page.session)
    }

    /// Returns when the page has drawn once more, or a tenth of a second later: one that is not in
    /// front does not draw.
    func turn(of page: BrowserPage) async throws {
        try await page.evaluate(
            """
            new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 100); })
            """)
    }
}

/// A tab of a browser.
struct BrowserPage {
    let browser: Browser
    let session: String

    func load(_ url: String) async throws {
        _ = try await browser.command("Page.navigate", ["url": url], session: session)
    }

    func reload() async throws {
        _ = try await evaluate("window.isFormer = true")
        _ = try await browser.command("Page.reload", session: session)
        try await holds("!window.isFormer && document.readyState === 'complete'")
    }

    @discardableResult
    func evaluate(_ script: String) async throws -> Any? {
        let result = try await browser.command(
            "Runtime.evaluate",
            ["expression": script, "awaitPromise": true, "returnByValue": true], session: session)
        if let mistake = result["exceptionDetails"] { throw Failure("\(script): \(mistake)") }
        return (result["result"] as? [String: Any])?["value"]
    }

    func text(_ script: String) async throws -> String {
        try await evaluate(script) as? String ?? ""
    }

    /// Returns when a condition holds on the page; throws after ten seconds, or a navigation.
    func holds(_ condition: String) async throws {
        let script = """
            new Promise((done) => {
              const end = Date.now() + 10000;
              const holds = () => { try { return \(condition) } catch { return false } };
              const look = () => document.body && holds() ? done(true)
                : Date.now() > end ? done(false) : setTimeout(look, 10);
              look();
            })
            """
        for _ in 0..<5 {
            do {
                if try await evaluate(script) as? Bool == true { return }
                break
            } catch let failure as Failure
                where ["destroyed", "navigated", "Cannot find context"]
                .contains(where: failure.description.contains)
            {
                // The page was just being loaded.
            }
        }
        throw Failure("not so: \(condition); \(try await text("document.body.innerText"))")
    }

    /// Returns when the page shows a text.
    func shows(_ text: String) async throws {
        try await holds("document.body.innerText.includes(\(Self.quoted(text)))")
    }

    /// Clicks the button that has these words.
    func click(_ words: String, _ kind: String = "button") async throws {
        let found = """
            [...document.querySelectorAll('\(kind)')].find((one) => !one.closest('[inert]') \
            && one.textContent.includes(\(Self.quoted(words))))
            """
        try await holds("!!(\(found))")
        try await evaluate("(\(found)).click()")
    }

    /// Types into what has the focus.
    func type(_ text: String) async throws {
        _ = try await browser.command("Input.insertText", ["text": text], session: session)
    }

    /// Presses a key, by its name in `KeyboardEvent.key`.
    func press(_ key: String, isControl: Bool = false, isShift: Bool = false) async throws {
        let codes = [
            "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37,
            "ArrowRight": 39, "Tab": 9, "Delete": 46, "F2": 113, "End": 35,
        ]
        for kind in ["keyDown", "keyUp"] {
            var event: [String: Any] = ["type": kind, "key": key]
            if isControl || isShift { event["modifiers"] = isControl ? 2 : 8 }
            if key == "Enter", kind == "keyDown" { event["text"] = "\r" }
            if key.count == 1, kind == "keyDown", !isControl { event["text"] = key }
            if let code = codes[key] { event["windowsVirtualKeyCode"] = code }
            _ = try await browser.command("Input.dispatchKeyEvent", event, session: session)
        }
    }

    /// Returns a text as a literal of JavaScript.
    static func quoted(_ text: String) -> String {
        let escaped = text.map { ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"][$0] ?? String($0) }
        return "\"\(escaped.joined())\""
    }
}
