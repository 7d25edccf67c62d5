// Standing: how daemon and worker stand when nobody but the good fronts is there.

import NapkinProtocol
import ProofSupport

/// One look at both processes and all sessions.
struct Standing {
    var daemon: Vitals
    var worker: Vitals
    var sessions: [SessionInfo]
    var trees: [SessionTree]

    /// What is not at rest: sessions, fronts, nodes or handlers that should not be there.
    var unrest: String? {
        let names = sessions.map(\.session).sorted()
        guard names == ["quiet", "siege"] else { return "the sessions are \(names)" }
        for session in sessions where session.fronts.count != 1 || session.nodes != 1 {
            return "\(session.session) has \(session.fronts.count) fronts, \(session.nodes) nodes"
        }
        for tree in trees {
            guard let root = tree.root, root.children.isEmpty, root.calls == 0, root.tasks == 0,
                root.isActive
            else { return "the tree of \(tree.session) is not at rest: \(tree)" }
        }
        return nil
    }

    /// What is different from before; memory is measured apart.
    func difference(to later: Standing) -> String? {
        if daemon.descriptors != later.daemon.descriptors {
            return "napkind had \(daemon.descriptors) open descriptors, now "
                + "\(later.daemon.descriptors)"
        }
        if worker.descriptors != later.worker.descriptors {
            return "the worker had \(worker.descriptors) open descriptors, now "
                + "\(later.worker.descriptors)"
        }
        return nil
    }

    var text: String {
        "napkind \(daemon.residentKiB) KiB, \(daemon.descriptors) descriptors; "
            + "worker \(worker.residentKiB) KiB, \(worker.descriptors) descriptors"
    }
}
