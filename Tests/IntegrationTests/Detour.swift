// Detour: a way to a worker's socket that can be held up and cut.

import Foundation
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
        let descriptor = RawPeer.openSocket()
        listening = descriptor
        let status = RawPeer.withAddress(of: path) { bind(descriptor, $0, $1) }
        guard status == 0, listen(descriptor, 8) == 0 else {
            throw Failure("cannot listen at \(path): errno \(errno)")
        }
        Thread.detachNewThread {
            while true {
                guard let front = RawPeer.accept(from: descriptor) else { return }
                self.join(front)
            }
        }
    }

    private func join(_ front: Int32) {
        let worker = RawPeer.openSocket()
        let status = RawPeer.withAddress(of: path + ".real") { connect(worker, $0, $1) }
        guard status == 0 else {
            close(front)
            close(worker)
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
            if isHeld() { continue }
            var sent = 0
            while sent < count {
                let part = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { break }
                sent += part
            }
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

    /// The numbers of connections stay open until the process ends: their threads may still use
    /// them.
    deinit { shutdown(listening, Int32(SHUT_RDWR)) }
}
