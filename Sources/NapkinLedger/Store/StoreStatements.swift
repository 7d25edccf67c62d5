// StoreStatements: what a store asks its file, in SQL.
//
// Isolation  confined to the store's lock.
// Ownership  the connection finalizes the statements.
// Spec       Protocol/LEDGER.md, "The file"

/// The statements of all that is done more than once.
struct StoreStatements {
    let begin, commit, rollback: SQLiteStatement
    let insertGroup, trim, groups: SQLiteStatement
    let updateImage, insertImage, deleteImage, image, sessions, freeName: SQLiteStatement
    let setDue, deleteDue, dues: SQLiteStatement
    let setMeta, insertSchema, schemas: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        insertGroup = try connection.prepare("INSERT INTO groups VALUES(?1, ?2)")
        trim = try connection.prepare("DELETE FROM groups WHERE number <= ?1")
        groups = try connection.prepare(
            "SELECT number, bytes FROM groups WHERE number > ?1 ORDER BY number")
        updateImage = try connection.prepare(
            "UPDATE sessions SET name=?2, id=?3, base=?4, checksum=?5, bytes=?6 "
                + "WHERE session=?1")
        insertImage = try connection.prepare(
            "INSERT INTO sessions VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        deleteImage = try connection.prepare("DELETE FROM sessions WHERE session=?1")
        image = try connection.prepare(
            "SELECT name, id, base, checksum, bytes FROM sessions WHERE session=?1")
        sessions = try connection.prepare(
            "SELECT session, name, id, base, length(bytes) FROM sessions ORDER BY session")
        freeName = try connection.prepare(
            "UPDATE sessions SET name=char(0) || session WHERE session=?1")
        setDue = try connection.prepare("INSERT OR REPLACE INTO dues VALUES(?1, ?2, ?3, ?4)")
        deleteDue = try connection.prepare("DELETE FROM dues WHERE session=?1")
        dues = try connection.prepare(
            "SELECT dues.session, dues.base, dues.due, dues.checksum FROM dues "
                + "JOIN sessions USING(session, base)")
        setMeta = try connection.prepare("UPDATE meta SET value=?2, checksum=?3 WHERE key=?1")
        insertSchema = try connection.prepare("INSERT INTO schemas VALUES(?1, ?2, ?3)")
        schemas = try connection.prepare(
            "SELECT number, checksum, bytes FROM schemas ORDER BY number")
    }
}
