// Notice: a temporary message to a person, beside the page.

internal import NapkinTransport

/// A message that is shown for a while, at most until the person does something.
package final class Notice {
    package typealias Later = (Duration, @escaping @MainActor @Sendable () -> Void) -> Void

    /// How long it is shown. Chosen: long enough for somebody who has to look up.
    private static let time: Duration = .seconds(20)

    package private(set) var text: String?
    /// Counts the sentences.
    private var count = 0
    private let later: Later
    private let changed: () -> Void

    /// - Parameters:
    ///   - later: runs a closure after a delay.
    ///   - changed: called when the message changes or is removed.
    package init(
        later: @escaping Later = { _ = LoopTimer(after: $0, $1) }, changed: @escaping () -> Void
    ) {
        (self.later, self.changed) = (later, changed)
    }

    /// Shows a message in place of the former one; `nil` removes it.
    package func say(_ text: String?) {
        count += 1
        if text != nil {
            later(Self.time) { [weak self, count] in
                if count == self?.count { self?.say(nil) }
            }
        }
        guard text != self.text else { return }
        self.text = text
        changed()
    }
}
