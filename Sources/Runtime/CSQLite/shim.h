/* CSQLite: what NapkinLedger sees of SQLite.
 *
 * Nothing but the header itself, and five calls that Swift cannot make: of a file's methods, with
 * SQLITE_TRANSIENT, which is a cast, sqlite3_db_config and syscall, which take any number of
 * arguments. The rules of SQLite that this project leans on, each quoted where it binds:
 *
 *   - "SQLITE_OPEN_NOMUTEX: the new database connection will use the multi-thread threading mode. This
 *     means that separate threads are allowed to use SQLite at the same time, as long as each thread is
 *     using a different database connection" (sqlite3_open_v2): a store is behind a lock;
 *   - "If the locking mode is EXCLUSIVE prior to the first WAL-mode database access, then SQLite never
 *     attempts to call any of the shared-memory methods and hence no shared-memory wal-index is ever
 *     created" (wal.html, section 8): the mode is set before anything is read;
 *   - "the SQLITE_TRANSIENT value means that the content will likely change in the near future and
 *     that SQLite should make its own private copy before returning" (sqlite3_destructor_type):
 *     nothing of Swift's is kept;
 *   - the pointer of sqlite3_column_blob is valid "until a type conversion occurs, or until
 *     sqlite3_step, sqlite3_reset or sqlite3_finalize is called", and sqlite3_column_bytes comes after
 *     it: a column is copied before the next step;
 *   - "Whether or not an error occurs when it is opened, resources associated with the database
 *     connection handle should be released by passing it to sqlite3_close" (sqlite3_open_v2);
 *   - "if a process has two or more open file descriptors for the same file and closes one of them, all
 *     POSIX advisory locks are cleared" (howtocorrupt.html, section 2.2): nobody else in this process
 *     may open the database file, not even to look at it; that is what lstat(2) is for. The log beside
 *     it has no locks.
 *
 * Sources: sqlite.org: c3ref, wal.html, howtocorrupt.html, fileformat2.html.
 */
#ifndef NAPKIN_CSQLITE_SHIM_H
#define NAPKIN_CSQLITE_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Binds a copy of some bytes; none are an empty blob, and not NULL. */
static inline int napkin_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* Binds a copy of a text in UTF-8. */
static inline int napkin_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Turns an option of a connection on. Source: sqlite3_db_config. */
static inline int napkin_turn_on(sqlite3 *connection, int option) {
    return sqlite3_db_config(connection, option, 1, (int *)0);
}

/* Reads bytes of the database file as they are, without a descriptor beside SQLite's. */
static inline int napkin_read(sqlite3 *connection, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    return file->pMethods->xRead(file, bytes, count, offset);
}

/* Returns when a file was made, in nanoseconds since 1970; 0 where the file system does not say.
 * Source: statx(2), which glibc declares only with _GNU_SOURCE. */
static inline sqlite3_uint64 napkin_birth(const char *path) {
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0x100 /* AT_SYMLINK_NOFOLLOW */, STATX_BTIME, &status) != 0
        || !(status.stx_mask & STATX_BTIME) || status.stx_btime.tv_sec < 0)
        return 0;
    return (sqlite3_uint64)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec;
}

#endif
