// WorkerHost+Dues: restores the stored sessions that have something to do by themselves.
//
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinLedger
import NapkinProtocol

extension WorkerHost {
    /// From now on, sessions whose timers or jobs are due are restored.
    func wakeSessionsWhenDue() {
        guard let journal else { return }
        journal.dues.onDue = { [weak self] name in self?.wake(name) }
        Task { await journal.findDues() }
    }

    private func wake(_ name: String) {
        Task {
            var isThere = false
            // It may have been ended meanwhile.
            if journal?.holds(name) == true {
                do throws(Refusal) {
                    _ = try await session(name)
                    isThere = true
                } catch {
                    // The log has the reason. It is not tried again until a front asks for it.
                    isThere = false
                }
            }
            journal?.dues.woken(name, isThere: isThere)
        }
    }
}
