// SQLiteTables+Place: copies of a store, and what is done when its files are removed while it is
// open.
//
// Isolation  confined to the store's lock.
// Invariant  what was committed is in a file that has a name, or in this process.

import NapkinTransport

extension SQLiteTables {
    /// Returns the tables to go on with: these or, if a file was removed, those of new files that
    /// have all that these have.
    ///
    /// Throws `full` if the files cannot be written again now; `failed` if another file was put in
    /// their place: that one stays, and what these have is kept beside it.
    func inPlace() throws(StoreError) -> SQLiteTables {
        let path = connection.path
        let found = FileIdentity(at: path)
        let hasLog = FileIdentity(at: StoreFile.log(of: path)) == log
        if found == database, hasLog { return self }
        guard found == nil || found == database else {
            let former = path + ".former"
            try backUp(to: former)
            // It does not continue the other file.
            if hasLog { StoreFile.remove(StoreFile.log(of: path)) }
            let error = StoreError(
                .failed, path: path,
                "another file was put in its place while it was used; all that was stored is in "
                    + former)
            failure = error
            throw error
        }
        do throws(StoreError) {
            StoreFile.makeDirectories(above: path)
            let temporary = try copy(beside: path)
            defer { StoreFile.remove(temporary) }
            try StoreFile.substitute(temporary, for: path)
            return try SQLiteTables(
                path: path, syncsCommits: syncsCommits, logBytes: logBytesMax, isAsLeft: true)
        } catch {
            throw StoreError(
                .full, path: path,
                "its files were removed, and cannot be written again: \(error.detail)")
        }
    }

    func backUp(to path: String) throws(StoreError) {
        guard try StoreFile.size(of: path) == nil else {
            throw StoreError(.exists, path: path, "it exists")
        }
        let temporary = try copy(beside: path)
        defer { StoreFile.remove(temporary) }
        try StoreFormat.disown(temporary)
        try StoreFile.publish(temporary, as: path)
    }

    /// Returns the path of a copy, which is to get another name.
    private func copy(beside path: String) throws(StoreError) -> String {
        // What a copy that was killed has left is in the way of the next.
        let temporary = path + ".partial"
        StoreFile.remove(temporary)
        try StoreFile.create(temporary)
        do throws(StoreError) {
            try connection.statement("VACUUM INTO ?1").run(.text(temporary))
        } catch {
            StoreFile.remove(temporary)
            throw error
        }
        return temporary
    }
}
