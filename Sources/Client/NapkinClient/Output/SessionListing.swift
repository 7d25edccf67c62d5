// SessionListing: a session and its fronts as `ls` prints them.

import Glibc
import NapkinProtocol

/// One session of a listing. Scripts read its JSON: keys are added, never changed.
struct SessionListing: Encodable {
    struct Front: Encodable, Equatable {
        /// The most important state of a front to which several apply.
        enum State: String, Encodable {
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

    private let info: SessionInfo
    let fronts: [Front]

    init(_ info: SessionInfo, user: (UInt32) -> String) {
        self.info = info
        fronts =
            info.fronts.map { Front($0, isAway: false, user: user($0.uid)) }
            + info.away.map { Front($0, isAway: true, user: user($0.uid)) }
    }

    private enum Key: CodingKey {
        case session, app, ageSeconds, nodes, pid, worker, memoryBytes, fronts, state, defect
        case isDamaged, silence, takenBack
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(info.session, forKey: .session)
        try object.encode(info.app, forKey: .app)
        try object.encode(info.ageSeconds, forKey: .ageSeconds)
        try object.encode(info.nodes, forKey: .nodes)
        // 0 if none runs, as for a stored session.
        try object.encode(info.pid, forKey: .pid)
        var worker = object.nestedContainer(keyedBy: Key.self, forKey: .worker)
        try worker.encode(info.pid, forKey: .pid)
        // Absent if the kernel does not report them.
        try worker.encodeIfPresent(info.workerBytes, forKey: .memoryBytes)
        try object.encode(fronts, forKey: .fronts)
        try object.encode(state, forKey: .state)
        try object.encodeIfPresent(info.defect, forKey: .defect)
        try object.encodeIfPresent(info.isDamaged, forKey: .isDamaged)
        try object.encodeIfPresent(info.silence, forKey: .silence)
        try object.encodeIfPresent(info.takenBack, forKey: .takenBack)
    }

    /// Whether it is in memory, or only on disk until somebody attaches.
    private var state: String { info.isStored == true ? "stored" : "running" }

    static let none =
        "There is no session: `napkin-client attach APP` opens one, and `napkin-client apps` lists "
        + "the apps."

    /// Returns a row for each front; a session without fronts also has one.
    static func lines(of sessions: [SessionListing], in room: Int = .max) -> [String] {
        var table = TextTable(
            "SESSION", "APP", "AGE", "NODES", "WORKER", "RSS", "FRONT", "USER", "CLIENT", "PID",
            "IDLE", "STATE")
        for session in sessions {
            let own = session.cells
            let others = own.map { _ in "" }
            for (index, front) in session.fronts.enumerated() {
                table.add((index == 0 ? own : others) + front.cells)
            }
            guard session.fronts.isEmpty else { continue }
            let state = session.info.silence == nil ? session.state : SessionInfo.silent
            table.add(session.isThere ? own : own + ["-", "-", "-", "-", "-", state])
        }
        return table.lines(
            in: room,
            leavingOut: ["PID", "RSS", "WORKER", "NODES", "CLIENT", "IDLE", "AGE", "USER"])
            + sessions.compactMap { session in
                session.info.takenBack.map { receipt in
                    "\(session.info.session) was taken back to an earlier record: "
                        + "`napkin-client crash show \(session.info.app) \(receipt)`"
                }
            }
    }

    private var isThere: Bool { info.isStored != true && info.silence == nil }

    private var cells: [String] {
        [
            info.session, info.app, isThere ? Quantity.age(info.ageSeconds) : "-",
            isThere ? "\(info.nodes)" : "-", info.pid == 0 ? "-" : "\(info.pid)",
            info.workerBytes.map(Quantity.bytes) ?? "-",
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
