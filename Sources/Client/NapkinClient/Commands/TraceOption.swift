// TraceOption: the trace of the program that has started a command, to which its event belongs.

import ArgumentParser
import Glibc
import NapkinProtocol

struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The trace to which the event belongs, in the form of W3C Trace Context.",
            discussion:
                "A durable session keeps it, and `export` sends the event's span to that trace. "
                + "Default: the environment's TRACEPARENT, if it is valid.",
            valueName: "text"))
    var traceparent: String?

    /// The valid one, if there is one.
    var text: String? {
        let given = traceparent ?? getenv("TRACEPARENT").map { String(cString: $0) }
        return given.flatMap(TraceParent.init)?.text
    }

    func validate() throws {
        if let traceparent, TraceParent(traceparent) == nil {
            throw ValidationError(
                "--traceparent takes 00-TRACE-SPAN-FLAGS in 32, 16 and 2 lower-case hexadecimal "
                    + "digits, and no '\(traceparent)'")
        }
    }
}
