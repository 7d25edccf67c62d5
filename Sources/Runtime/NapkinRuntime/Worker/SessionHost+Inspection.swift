// SessionHost+Inspection: a session's figures and traces, for tools.
//
// Spec       Protocol/TOOLS.md, section 5 (Observing)

package import NapkinProtocol

extension SessionHost {
    /// Returns the figures since measuring began, and keeps measuring for a while.
    package func figures() async -> FigureTable { await observing.figures() }

    /// Returns the crossings since the tracer's last request; waits a while if there are none.
    package func trace(
        _ tracer: UInt64?, feature: String?, values: Bool
    ) async throws(Refusal) -> TraceBatch {
        guard let number = tracer else {
            nextTracer += 1
            let made = observing.makeTracer(nextTracer, feature: feature, wantsValues: values)
            guard let made else {
                throw Refusal(
                    .overloaded,
                    "\(Limits.tracersMax) tools already trace session '\(name)': end one of them")
            }
            // Answer at once, so that the caller knows from which moment on the trace is complete.
            return made.begin()
        }
        guard let known = observer?.tracer(number) else {
            throw Refusal(
                .badRequest,
                "tracer \(number) of session '\(name)' has been forgotten: it asked for nothing "
                    + "for \(Limits.inspectionSeconds) s; start again")
        }
        return await known.fetch()
    }

    private var observing: SessionObserver {
        if let observer { return observer }
        let made = SessionObserver(of: self)
        observer = made
        return made
    }
}
