// SessionIDs: the ids of a worker's sessions, each unique among the app's living sessions.
//
// Ownership  owns the descriptor of the app's file of ids until it is released.
// Invariant  if the app has several workers, each id is locked for as long as its session lives.
// Source     fcntl(2), open file description locks

import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol

/// An id is a session's first name, which becomes free when the session is renamed: another worker
/// may then open a session of that name, which needs a different id so as not to share its files.
@MainActor
final class SessionIDs {
    private static let setLock: Int32 = 37  // F_OFD_SETLK, fcntl.h
    private var ids: Set<String> = []
    private let descriptor: Int32
    /// Whether the app has other workers.
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

    /// Takes the name as an id, or the name with a number if another session has that id.
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

    /// The ids of sessions stored by other workers, which do not run and so hold no locks.
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

    /// Frees the session's name, while the session keeps its id.
    func renamed(_ id: String) {
        _ = lock(id, F_WRLCK)
    }

    func release(_ id: String) {
        ids.remove(id)
        _ = lock(id, F_UNLCK)
    }

    /// Locks the id's byte; returns false if another process has locked it.
    private func lock(_ id: String, _ type: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(StableHash.value(of: Array(id.utf8)) >> 2)
        range.l_len = 1
        return fcntl(descriptor, Self.setLock, &range) == 0 || errno != EAGAIN && errno != EACCES
    }
}
