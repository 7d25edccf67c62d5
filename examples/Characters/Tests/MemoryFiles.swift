// MemoryFiles: a file system without a disk.

import Synchronization

@testable import CharactersNetworking

/// Files by their names; one that can be told to fail.
final class MemoryFiles: FileSystem {
    private struct State {
        var files: [String: (bytes: [UInt8], use: Int64)] = [:]
        var refusal: FileError?
    }

    private let state = Mutex(State())

    /// What every write is refused with from now on.
    func refuse(_ error: FileError?) { state.withLock { $0.refusal = error } }

    /// Changes a file behind everybody's back.
    func damage(_ name: String, _ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            if var file = state.files[name] {
                change(&file.bytes)
                state.files[name] = file
            }
        }
    }

    var names: Set<String> { state.withLock { Set($0.files.keys) } }

    nonisolated func read(_ name: String) throws(FileError) -> [UInt8]? {
        state.withLock { $0.files[name]?.bytes }
    }

    nonisolated func write(
        _ bytes: [UInt8], to name: String, at use: Int64
    ) throws(FileError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { state.files[name] = (bytes, use) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    nonisolated func touch(_ name: String, at use: Int64) throws(FileError) {
        state.withLock { $0.files[name]?.use = use }
    }

    nonisolated func remove(_ name: String) throws(FileError) {
        state.withLock { _ = $0.files.removeValue(forKey: name) }
    }

    nonisolated func files() throws(FileError) -> [StoredFile] {
        state.withLock { state in
            state.files.map {
                StoredFile(name: $0.key, byteCount: $0.value.bytes.count, lastUse: $0.value.use)
            }
        }
    }
}
