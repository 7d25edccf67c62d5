// SessionListing: a session and its fronts as `ls` prints them.

import Glibc
import NapkinProtocol

/// One session of a listing. Scripts read its JSON: keys are added, never changed.
struct SessionListing: Codable, Equatable {
    struct Front: Codable, Equatable {
        /// The most important state of a front to which several apply.
        enum State: String, Codable {
            case attached
            case readOnly = "read-only"
            case slow
            case away
        }

        var front: UInt64
        /// The user's name, or the number if there is no name.
        var user: String
        var uid: UInt32
        /// Its process; 0 if unknown, for a front that is away.
        var pid: Int32
        var client: String
        var idleSeconds: Int
        var state: State
        var readOnly: Bool
        /// The front whose pages it shows; absent if it shows its own.
        var mirrors: UInt64?
    }

    /// Whether a session is in memory or only on disk.
    enum State: String, Codable {
        case running
        /// Only on disk until somebody attaches.
        case stored
    }

    struct Worker: Codable, Equatable {
        var pid: Int32
        /// Resident bytes; absent if the kernel does not report them.
        var memoryBytes: Int?
    }

    var session: String
    var app: String
    var ageSeconds: Int
    var nodes: Int
    /// The worker's process, the same as `worker.pid`; 0 if none runs, as for a stored session.
    var pid: Int32
    var worker: Worker
    var fronts: [Front]
    var state: State
    /// Why the session could not be restored; absent if it could, or need not be.
    var defect: String?
    /// Whether its stored data is the cause, so that no version of the app could; absent if not.
    var isDamaged: Bool?
    /// Why its worker did not answer, so that only napkind's own knowledge is listed; absent if it
    /// did.
    var silence: String?
    /// The receipt after whose death it was taken back to an earlier record; absent if it was not.
    var takenBack: UInt64?

    init(_ info: SessionInfo, user: (UInt32) -> String) {
        session = info.session
        app = info.app
        ageSeconds = info.ageSeconds
        nodes = info.nodes
        pid = info.pid
        state = info.isStored == true ? .stored : .running
        (defect, isDamaged, silence) = (info.defect, info.isDamaged, info.silence)
        takenBack = info.takenBack
        worker = Worker(pid: info.pid, memoryBytes: info.workerBytes)
        fronts =
            info.fronts.map { Front($0, isAway: false, user: user($0.uid)) }
            + info.away.map { Front($0, isAway: true, user: user($0.uid)) }
    }

    static let none =
        "There is no session: `napkin-client attach APP` opens one, and `napkin-client apps` lists "
        + "the apps."

    /// Returns a row for each front; a session without fronts also has one.
    static func lines(of sessions: [SessionListing], in room: Int = .max) -> [String] {
        var table = Table(
            "SESSION", "APP", "AGE", "NODES", "WORKER", "RSS", "FRONT", "USER", "CLIENT", "PID",
            "IDLE", "STATE")
        for session in sessions {
            let own = session.cells
            let others = own.map { _ in "" }
            for (index, front) in session.fronts.enumerated() {
                table.add((index == 0 ? own : others) + front.cells)
            }
            guard session.fronts.isEmpty else { continue }
            let state = session.silence == nil ? session.state.rawValue : SessionInfo.silent
            table.add(session.isThere ? own : own + ["-", "-", "-", "-", "-", state])
        }
        return table.lines(
            in: room,
            leavingOut: ["PID", "RSS", "WORKER", "NODES", "CLIENT", "IDLE", "AGE", "USER"])
            + sessions.compactMap { session in
                session.takenBack.map { receipt in
                    "\(session.session) was taken back to an earlier record: "
                        + "`napkin-client crash show \(session.app) \(receipt)`"
                }
            }
    }

    private var isThere: Bool { state == .running && silence == nil }

    private var cells: [String] {
        [
            session, app, isThere ? Quantity.age(ageSeconds) : "-", isThere ? "\(nodes)" : "-",
            worker.pid == 0 ? "-" : "\(worker.pid)",
            worker.memoryBytes.map(Quantity.bytes) ?? "-",
        ]
    }
}

extension SessionListing.Front {
    init(_ info: FrontInfo, isAway: Bool, user: String) {
        front = info.front
        self.user = user
        uid = info.uid
        pid = info.pid
        client = info.client
        idleSeconds = info.idleSeconds
        readOnly = info.isReadOnly
        mirrors = info.mirrors
        state =
            if isAway {
                .away
            } else if info.isSlow == true {
                .slow
            } else {
                readOnly ? .readOnly : .attached
            }
    }

    fileprivate var cells: [String] {
        let states =
            state.rawValue + (readOnly && state != .readOnly ? ", read-only" : "")
            + (mirrors.map { ", mirrors \($0)" } ?? "")
        return [
            "\(front)", user, client, pid == 0 ? "-" : "\(pid)", Quantity.age(idleSeconds), states,
        ]
    }
}

extension SessionInfo {
    /// The state of a session whose worker did not answer.
    static let silent = "does not answer"
}

enum UserName {
    /// Returns the name, or the number in decimal if there is no such user.
    static func of(_ uid: UInt32) -> String {
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return String(cString: name)
    }
}
