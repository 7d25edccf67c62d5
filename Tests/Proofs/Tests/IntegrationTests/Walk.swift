// Walk: a way through an app: the keys that lead from each screen to the next.

import Foundation
import ProofSupport
import Testing

/// One terminal of each kind; the smallest shows what can be shown there.
enum TerminalSize: String, CaseIterable {
    case usual = "80x24"
    case tiny = "20x5"
    case large = "132x43"

    var columns: Int { self == .usual ? 80 : self == .tiny ? 20 : 132 }
    var lines: Int { self == .usual ? 24 : self == .tiny ? 5 : 43 }
}

/// The screens of a session, in the order in which a person comes to them.
struct Walk: Sendable {
    struct Step: Sendable {
        /// What it is called; steps that lead back to a screen bear its name.
        let screen: String
        /// Pressed on the screen before; what is no key's name is typed.
        let keys: [String]
        /// What is seen in its place by one who comes back, where the screen shows something that
        /// only the client knew: what was written, what was refused, what was scrolled.
        let again: String?
        /// Both on the smallest terminal, which scrolls where the others need not: there a screen
        /// depends on the way to it, and who comes back sees its top.
        let tiny: String?
        let tinyAgain: String?
        /// What is seen by one who comes back after the worker of a durable session has died, where
        /// it is not the same: notices and open questions are not kept.
        let afterDeath: String?

        init(
            _ screen: String, _ keys: String..., again: String? = nil, tiny: String? = nil,
            tinyAgain: String? = nil, afterDeath: String? = nil
        ) {
            (self.screen, self.keys) = (screen, keys)
            (self.again, self.tiny, self.tinyAgain) = (again, tiny, tinyAgain)
            self.afterDeath = afterDeath
        }

        func screen(_ size: TerminalSize) -> String { size == .tiny ? tiny ?? screen : screen }

        func again(_ size: TerminalSize) -> String {
            size == .tiny ? tinyAgain ?? again ?? screen(size) : again ?? screen
        }

        /// - Parameter steps: those of the walk, which say how its screens look again.
        func afterDeath(_ size: TerminalSize, among steps: [Step]) -> String {
            guard let afterDeath else { return again(size) }
            return steps.first { $0.screen == afterDeath }?.again(size) ?? afterDeath
        }
    }

    /// Of its screens' directory.
    let name: String
    let app: String
    var daemon = "napkind"
    var apps = InstalledApp.examples
    /// Seconds between two ticks of the pit; a day where nothing is to move.
    var tick = Self.day
    /// Lines of the transcript that is there, if there is to be one.
    var transcript: [String]?
    /// Whether the app's server is there; without it nobody answers.
    var hasServer = false
    /// Steps that another walk has been tested with.
    var known = 0
    /// Steps on the smallest terminal, if not all: there the second that something was said in
    /// takes a line more from the tenth on.
    var tinySteps: Int?
    /// Whether its session survives its worker.
    var isDurable = false
    let steps: [Step]
    /// Whether its screens change by themselves: they are written down by hand.
    var moves: Bool { tick < Self.day }
    private static let day = 86_400.0

    /// What is looked at with one daemon: a few steps, and the way to them.
    struct Stretch: Sendable, CustomTestStringConvertible {
        let walk: Walk
        let size: TerminalSize
        let steps: Range<Int>

        var testDescription: String {
            let screens = walk.steps[steps].map(\.screen).joined(separator: ", ")
            return "\(walk.name) \(size.rawValue): \(screens)"
        }
    }

    /// Kills that a worker is started again after without a pause.
    private static let killsMax = 3

    private func stretches(_ size: TerminalSize) -> [Stretch] {
        let count = size == .tiny ? tinySteps ?? steps.count : steps.count
        // A durable session cannot be gone through again from its beginning.
        let most = isDurable ? 1 : Self.killsMax
        return stride(from: known, to: count, by: most).map {
            Stretch(walk: self, size: size, steps: $0..<min(count, $0 + most))
        }
    }

    static let stretches = TerminalSize.allCases.flatMap { size in
        all.flatMap { $0.stretches(size) }
    }
}

extension Walk {
    static let all =
        [house, lastCall, cart, quantities, coupons, desk] + characters + transcriptions + generic

    private static let house = Walk(
        name: "rib-house", app: "rib-house", isDurable: true,
        steps: [
            Step("logged-out"), Step("logged-in", "l"), Step("pit-board", "p"),
            Step("logged-in", "b", tiny: "logged-in-below", tinyAgain: "logged-in"),
            Step("logged-out", "o"),
        ])

    /// The pit moves here: the banner comes with its first tick, and every twelve ticks again.
    private static let lastCall = Walk(
        name: "rib-house", app: "rib-house", tick: 1, known: 1, isDurable: true,
        steps: [Step("logged-out"), Step("last-call", "l")])

    private static let cart = Walk(
        name: "cart", app: "cart", isDurable: true,
        steps: [
            Step("empty"), Step("filled", "Enter", "Down", "Enter", tinyAgain: "filled-top"),
            Step("asks", "e", afterDeath: "filled"),
            Step("aside", "Escape", again: "asks", afterDeath: "filled"),
            Step("asks", "F2", tiny: "asks-below", tinyAgain: "asks", afterDeath: "filled"),
            Step("kept", "n", again: "filled", tinyAgain: "filled-top"),
            Step("asks", "e", afterDeath: "filled"),
            Step("emptied", "y", tinyAgain: "emptied-top", afterDeath: "empty"),
        ])

    /// From the menu to the cart, one more of what is chosen there, and none of it.
    private static let quantities = Walk(
        name: "cart", app: "cart", known: 2, isDurable: true,
        steps: [
            Step("empty"), Step("filled", "Enter", "Down", "Enter"),
            Step("more", "Tab", "+", tinyAgain: "more-top"),
            Step("removed", "DC", tinyAgain: "removed-top"),
        ])

    /// A refusal is nobody's business but the front's that has sent the event.
    private static let coupons = Walk(
        name: "cart", app: "cart", known: 2, isDurable: true,
        steps: [
            Step("empty"), Step("filled", "Enter", "Down", "Enter"),
            Step("typed", "Tab", "Tab", "smoke10", again: "filled", tinyAgain: "filled-top"),
            Step("coupon", "Enter", again: "coupon-again"),
            Step("no-coupon", "free", "Enter", again: "coupon-again"),
        ])

    /// Each front has its own page above the line for commands: who comes back sees the list, and
    /// after a death the page as well. The smallest terminal cuts off its times.
    private static let desk = Walk(
        name: "desk", app: "desk", apps: [.desk], tinySteps: 2, isDurable: true,
        steps: [
            Step("none"), Step("done", "true", "Enter", again: "done-again"),
            Step("failed", "exit 3", "Enter", again: "failed-again"),
            Step("opened", "BTab", "BTab", "BTab", "Enter", again: "failed-again"),
            Step("listed", "b", again: "failed-again"),
            Step("seen", "x", again: "failed-again"),
        ])

    private static let characters = [
        Walk(name: "no-server", app: "characters", isDurable: true, steps: [Step("offline")]),
        // On the smallest terminal a list that comes later scrolls the page to itself, but not
        // once more when it comes back: there is no one screen of it.
        Walk(
            name: "characters", app: "characters", hasServer: true, tinySteps: 0, isDurable: true,
            steps: [
                Step("list"), Step("favourite", "Down", "f"),
                Step("more", "m", afterDeath: "favourite"),
            ]),
    ]

    private static let transcriptions = [
        Walk(
            name: "transcription", app: "transcription",
            transcript: ["0 = Low and", "one two", "0 ~ slow, and", "86400 = worth the wait."],
            isDurable: true,
            steps: [
                Step("ready"), Step("recording", "r"), Step("stopped", "r"),
                Step("recording", "s"),
            ]),
        // Said by whoever is there; the second that it was said in is another one each time.
        Walk(
            name: "dictation", app: "transcription", tinySteps: 2, isDurable: true,
            steps: [
                Step("idle"), Step("asked", "r", again: "asked-again"),
                Step("writing", "low and slow", again: "writing-again", afterDeath: "asked"),
                Step("said", "Enter", again: "said-again"),
                Step("stopped", "BTab", "BTab", "Enter"),
            ]),
    ]

    /// What no view was registered for.
    private static let generic = [
        Walk(
            name: "questions", app: "questions", daemon: "QuestionDaemon",
            apps: InstalledApp.questions,
            steps: [
                Step("desk"), Step("desk-asks", "1"),
                Step("desk-answered", "y", tinyAgain: "desk-answered-top"), Step("note", "5"),
                Step("desk-answered", "Escape", tinyAgain: "desk-answered-top"),
                Step(
                    "desk-waits", "3", again: "desk-waits-again", tinyAgain: "desk-waits-top"),
            ]),
        Walk(
            name: "larder", app: "larder", daemon: "QuestionDaemon", apps: InstalledApp.questions,
            steps: [
                Step("shelf"), Step("form", "4", again: "shelf"),
                Step("badly-typed", "many", "Enter", again: "shelf"),
                Step("taken", "C-u", "2", "Tab", "ham", "Enter", tinyAgain: "taken-top"),
                Step("form-again", "4", again: "taken", tinyAgain: "taken-top"),
                Step(
                    "too-many", "9", "Tab", "ham", "Enter", again: "taken",
                    tinyAgain: "taken-top"),
                // What was refused is there to be mended. Escape and 4 at once would be Alt-4.
                Step("taken", "Escape", tinyAgain: "taken-top"),
                Step("form-again", "4", again: "taken", tinyAgain: "taken-top"),
                Step("as-json", "C-r", again: "taken", tinyAgain: "taken-top"),
            ]),
        Walk(
            name: "larder", app: "larder", daemon: "QuestionDaemon", apps: InstalledApp.questions,
            known: 1,
            steps: [
                Step("shelf"), Step("asks", "2"), Step("aside", "Escape", again: "asks"),
                Step("asks", "F2", tiny: "asks-below", tinyAgain: "asks"),
                Step("answered", "Down", "Enter", tinyAgain: "answered-top"),
                Step("rung", "1", again: "answered", tinyAgain: "answered-top"),
                Step("folded", "Left", again: "answered", tinyAgain: "answered-top"),
                Step("large-form", "3", again: "answered", tinyAgain: "answered-top"),
            ]),
    ]
}
