// SQLiteTables+Files: copies of a store, and the response to a removal of its files while it is
// open.
//
// Isolation  confined to the store's lock.
// Invariant  every commit is in a file that has a name, or in this process.

import NapkinTransport

extension SQLiteTables {
    /// Returns the tables to continue with: these or, if a file was removed, those of new files
    /// with the same contents.
    ///
    /// Throws `full` if the files cannot be rewritten now; `failed` if another file has taken their
    /// place: that file stays, and these contents are kept beside it.
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

    /// Returns the path of a copy, which the caller renames.
    private func copy(beside path: String) throws(StoreError) -> String {
        // The remains of a copy that was killed would obstruct the next one.
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
