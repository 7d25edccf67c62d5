// SessionClient+Measuring: a worker asks the front how long its events take.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Spec       Protocol/SPEC.md, section 6.37 (measure)

import NapkinProtocol

extension SessionClient {
    public func linkWillFlush(_ link: Link) { meter?.willFlush() }

    func measureReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        decode(Measure.self, payload) { measure in
            // It holds this client until it ends: see `Link` on what a weak reference costs.
            let meter = meter ?? FrontMeter { self.meter = nil }
            self.meter = meter
            link.send(
                FrameHeader(.measured, sequence: header.sequence), value: meter.report(for: measure)
            )
        }
    }
}
