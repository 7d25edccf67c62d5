// LinkPrinter: the progress of a URL that is being opened, as text or as lines of JSON.
//
// Invariant  with JSON the end is one line, the last.

import NapkinProtocol
import NapkinTransport

/// Prints steps as they come.
@MainActor
final class LinkPrinter {
    private let isJSON: Bool
    private lazy var output = StandardOutput { [weak self] in self?.onFailure($0.message) }
    /// Called once, with the reason, when nothing can be written any longer.
    var onFailure: (String) -> Void = { _ in }

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    func show(_ step: WorkflowStep) {
        output.write(isJSON ? Self.line(step).printable : PrintableText(line: Self.text(step)))
    }

    /// Throws if not everything could be written.
    func finish(_ end: LinkEnding) throws(ClientFailure) {
        if isJSON {
            let line = ControlLine("end").adding("outcome", end.outcome)
            let whole = end.failure.map { line.adding("message", $0.message) } ?? line
            output.write(whole.printable)
        } else if end.failure == nil {
            output.write("open\n")
        }
        try output.finish()
    }

    /// Returns `1/2 wait for login: running`.
    nonisolated static func text(_ step: WorkflowStep) -> String {
        let text = "\(step.step)/\(step.of) \(step.name): \(step.state)"
        return step.message.map { "\(text) (\($0))" } ?? text
    }

    static func line(_ step: WorkflowStep) -> ControlLine {
        let line = ControlLine("step").adding("step", step.step).adding("of", step.of)
            .adding("name", step.name).adding("state", step.state)
        return step.message.map { line.adding("message", $0) } ?? line
    }
}
