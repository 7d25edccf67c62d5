// SQLiteTables+Place: what is done when the files of a store are removed while it is open.
//
// Layer      ledger.
// Isolation  confined to the store's lock.
// Invariant  what was committed is in a file that has a name, or in this process.

import NapkinTransport

extension SQLiteTables {
    /// Throws if a file has been removed or replaced, which both can still be read: what they have
    /// is put back, and nothing more is committed here. A file that was put in place of ours stays.
    func checkPlace() throws(StoreError) {
        try checkUsable()
        let path = connection.path
        let isHere = FileIdentity(at: path) == database
        let hasLog = FileIdentity(at: StoreFile.log(of: path)) == log
        if isHere, hasLog { return }
        let file = try StoreFile.size(of: path) == nil ? path : path + ".former"
        if isHere {
            try connection.checkpoint()
        } else {
            try backUp(to: file)
            if hasLog { StoreFile.remove(StoreFile.log(of: path)) }
        }
        let gone = isHere ? "its log" : "it"
        let place = isHere ? "in it" : "written to \(file)"
        let error = StoreError(
            .failed, path: path,
            "\(gone) was removed or replaced while it was used; all that was stored is now \(place)"
        )
        failure = error
        throw error
    }
}
