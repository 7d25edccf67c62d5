// LinkPrinter: the progress of opening a URL, as text or as lines of JSON.
//
// Invariant  in JSON, the end is one line and the last.

import NapkinProtocol
import NapkinTransport

@MainActor
final class LinkPrinter {
    private let isJSON: Bool
    private lazy var output = StandardOutput { [weak self] in self?.onFailure($0.message) }
    /// Called once, with the reason, when output has become impossible.
    var onFailure: (String) -> Void = { _ in }

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    func show(_ step: WorkflowStep) {
        output.write(isJSON ? Self.line(step).printable : PrintableText(line: Self.text(step)))
    }

    /// Throws if some output could not be written.
    func finish(_ end: LinkEnding) throws(ClientFailure) {
        if isJSON {
            let line = ControlLine("end").adding("outcome", end.outcome)
            output.write(line.adding("message", end.failure?.message).printable)
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
        ControlLine("step").adding("step", step.step).adding("of", step.of)
            .adding("name", step.name).adding("state", step.state)
            .adding("message", step.message)
    }
}
