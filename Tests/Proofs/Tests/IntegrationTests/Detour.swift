// Detour: a way to a worker's socket that can be held up and cut.

import Foundation
import ProofSupport
import Synchronization

/// Takes the place of a socket's path; what connects there reaches the socket by this.
final class Detour: Sendable {
    private struct State {
        var holdsAnswers = false
        /// Both ends of each connection that stands.
        var ends: [(front: Int32, worker: Int32)] = []
    }

    private let path: String
    private let listening: Int32
    private let state = Mutex(State())

    /// The socket is still reached by those who are connected already.
    init(around path: String) throws {
        self.path = path
        guard rename(path, path + ".real") == 0 else { throw Failure("no socket at \(path)") }
        let descriptor = try RawPeer.listen(at: path)
        listening = descriptor
        Thread.detachNewThread {
            while true {
                guard let front = RawPeer.accept(from: descriptor) else { return }
                self.join(front)
            }
        }
    }

    private func join(_ front: Int32) {
        // Without the worker, the front's connection ends.
        guard let worker = try? RawPeer.connect(to: path + ".real") else {
            close(front)
            return
        }
        state.withLock { $0.ends.append((front, worker)) }
        Thread.detachNewThread { self.carry(from: front, to: worker) { false } }
        Thread.detachNewThread {
            self.carry(from: worker, to: front) { self.state.withLock { $0.holdsAnswers } }
        }
    }

    /// What is held is never sent.
    private func carry(from source: Int32, to target: Int32, _ isHeld: () -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            if !isHeld() { RawPeer.send(buffer[..<count], to: target) }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    /// From now on nothing that workers send arrives.
    func holdAnswers() { state.withLock { $0.holdsAnswers = true } }

    /// Ends every connection; later ones are let through again.
    func cut() {
        let ends = state.withLock { state in
            state.holdsAnswers = false
            defer { state.ends = [] }
            return state.ends
        }
        for (front, worker) in ends {
            shutdown(front, Int32(SHUT_RDWR))
            shutdown(worker, Int32(SHUT_RDWR))
        }
    }

    /// Ends every connection; later ones are refused until `reopen()`.
    ///
    /// A file takes the socket's place, in one step: a worker whose socket is missing makes it
    /// again within half a second.
    func shut() throws {
        try Failure.unless(link(path, path + ".open") == 0, "link: errno \(errno)")
        try Failure.unless(
            FileManager.default.createFile(atPath: path + ".shut", contents: nil), "no file")
        try Failure.unless(rename(path + ".shut", path) == 0, "rename: errno \(errno)")
        cut()
    }

    func reopen() throws {
        try Failure.unless(rename(path + ".open", path) == 0, "rename: errno \(errno)")
    }

    /// The numbers of connections stay open until the process ends: their threads may still use
    /// them.
    deinit { shutdown(listening, Int32(SHUT_RDWR)) }
}
