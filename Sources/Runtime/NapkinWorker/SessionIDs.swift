// SessionIDs: the ids of a worker's sessions, which no other session of the app has meanwhile.
//
// Ownership  owns the descriptor of the app's file of ids until it is released.
// Invariant  if the app has several workers, each id is locked as long as its session lives.
// Source     fcntl(2), open file description locks

import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol

/// An id is a session's first name, which is free once the session has been renamed: another worker
/// may then open a session of that name, with the same files unless its id differs.
@MainActor
final class SessionIDs {
    private static let setLock: Int32 = 37  // F_OFD_SETLK, fcntl.h
    private var ids: Set<String> = []
    private let descriptor: Int32
    /// Whether there are other workers of the app.
    private let hasPeers: Bool
    private let app: String
    private let state: StateDirectory

    init(of app: String, in state: StateDirectory, hasPeers: Bool) throws(StartError) {
        (self.app, self.state, self.hasPeers) = (app, state, hasPeers)
        let path = state.sessionIDs(of: app)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw StartError(
                EX_CANTCREAT, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
    }

    isolated deinit { close(descriptor) }

    /// Takes the name, or the name with a number if another session has it as its id.
    func take(for name: String) -> String {
        var (id, number) = (name, 1)
        let left = hasPeers ? idsLeft : []
        while ids.contains(id) || left.contains(id) || hasPeers && !lock(id, F_WRLCK) {
            number += 1
            id = "\(name)-\(number)"
        }
        ids.insert(id)
        return id
    }

    /// The ids of sessions that are stored by other workers, which do not run and lock nothing.
    private var idsLeft: Set<String> {
        let peers = state.journals(of: app).map {
            state.journal(of: WorkerID(app: app, number: $0))
        }
        return Set(peers.flatMap { StoredNames(of: $0)?.sessions.map(\.id) ?? [] })
    }

    /// Takes the ids of stored sessions.
    func retake(_ stored: Set<String>) {
        ids.formUnion(stored)
        if hasPeers { for id in stored { _ = lock(id, F_WRLCK) } }
    }

    /// The session's name is free from now on, while it keeps its id.
    func renamed(_ id: String) {
        _ = lock(id, F_WRLCK)
    }

    func release(_ id: String) {
        ids.remove(id)
        _ = lock(id, F_UNLCK)
    }

    /// Locks the byte that belongs to the id; returns false if another process has locked it.
    private func lock(_ id: String, _ type: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(StableHash.value(of: Array(id.utf8)) >> 2)
        range.l_len = 1
        return fcntl(descriptor, Self.setLock, &range) == 0 || errno != EAGAIN && errno != EACCES
    }
}
