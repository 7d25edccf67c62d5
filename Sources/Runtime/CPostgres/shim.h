/* CPostgres: what NapkinLedger uses of libpq, found with dlopen(3).
 *
 * Nothing is linked, and no header of PostgreSQL is needed: a program runs without libpq, and only a
 * journal in PostgreSQL asks for it. The declarations are those of libpq-fe.h; the library's name,
 * libpq.so.5, stands for them ("SO_MAJOR_VERSION= 5" since PostgreSQL 8.2). The rules that bind us:
 *
 *   - "One thread restriction is that no two threads attempt to manipulate the same PGconn object at
 *     the same time" (libpq-threading): a connection is behind its store's lock;
 *   - "PGresult objects are read-only after creation, and so can be passed around freely between
 *     threads", and PQclear frees them: a result is copied from and cleared where it was made;
 *   - "The pointer returned by PQgetvalue points to storage that is part of the PGresult structure"
 *     (libpq-exec): a value is copied before the result is cleared;
 *   - "Lengths are ignored for null parameters and text-format parameters" (PQexecParams): all of
 *     ours are binary, and none but an empty pointer is null;
 *   - a wait for a standby that is cancelled ends in success "and a warning" (runtime-config-wal,
 *     synchronous_commit): each notice is counted;
 *   - a nonblocking connection never waits in a function but PQconnectdbParams: "After sending any
 *     command or data on a nonblocking connection, call PQflush. If it returns 1, wait for the
 *     socket to become read- or write-ready. If it becomes write-ready, call PQflush again. If it
 *     becomes read-ready, call PQconsumeInput, then call PQflush again" (libpq-async); PQgetResult
 *     "must be called repeatedly until it returns a null pointer", and not while PQisBusy;
 *   - in a binary result "data is in network byte order" for integers (protocol-overview).
 *
 * Sources: postgresql.org/docs/15: libpq-connect, libpq-exec, libpq-threading; dlopen(3).
 */
#ifndef NAPKIN_CPOSTGRES_SHIM_H
#define NAPKIN_CPOSTGRES_SHIM_H

#include <dlfcn.h>

typedef struct pg_conn napkin_pg_connection;
typedef struct pg_result napkin_pg_result;

/* CONNECTION_OK, PGRES_COMMAND_OK, PGRES_TUPLES_OK and PG_DIAG_SQLSTATE of libpq-fe.h. */
#define NAPKIN_PG_CONNECTED 0
#define NAPKIN_PG_DONE 1
#define NAPKIN_PG_ROWS 2
#define NAPKIN_PG_SQLSTATE 67

struct napkin_pg {
    napkin_pg_connection *(*PQconnectdbParams)(
        const char *const *keywords, const char *const *values, int expand_dbname);
    int (*PQstatus)(const napkin_pg_connection *connection);
    char *(*PQerrorMessage)(const napkin_pg_connection *connection);
    void (*PQfinish)(napkin_pg_connection *connection);
    int (*PQsetnonblocking)(napkin_pg_connection *connection, int is_nonblocking);
    int (*PQsocket)(const napkin_pg_connection *connection);
    int (*PQsendQuery)(napkin_pg_connection *connection, const char *text);
    int (*PQsendPrepare)(
        napkin_pg_connection *connection, const char *name, const char *text, int count,
        const unsigned *types);
    int (*PQsendQueryPrepared)(
        napkin_pg_connection *connection, const char *name, int count, const char *const *values,
        const int *lengths, const int *formats, int result_format);
    int (*PQflush)(napkin_pg_connection *connection);
    int (*PQconsumeInput)(napkin_pg_connection *connection);
    int (*PQisBusy)(napkin_pg_connection *connection);
    napkin_pg_result *(*PQgetResult)(napkin_pg_connection *connection);
    int (*PQresultStatus)(const napkin_pg_result *result);
    char *(*PQresultErrorField)(const napkin_pg_result *result, int field);
    int (*PQntuples)(const napkin_pg_result *result);
    char *(*PQgetvalue)(const napkin_pg_result *result, int row, int column);
    int (*PQgetlength)(const napkin_pg_result *result, int row, int column);
    int (*PQgetisnull)(const napkin_pg_result *result, int row, int column);
    void (*PQclear)(napkin_pg_result *result);
    void *(*PQsetNoticeProcessor)(
        napkin_pg_connection *connection, void (*processor)(void *, const char *), void *context);
};

/* A processor of notices whose context is an int. */
static inline void napkin_pg_count(void *count, const char *message) {
    (void)message;
    ++*(int *)count;
}

/* Loads libpq; returns 0 if there is none. It is never unloaded: libraries beneath it start threads. */
static inline int napkin_pg_load(struct napkin_pg *pg) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return 0;
#define NAPKIN_PG_FIND(name) (*(void **)&pg->name = dlsym(library, #name)) != 0
    return NAPKIN_PG_FIND(PQconnectdbParams) && NAPKIN_PG_FIND(PQstatus)
        && NAPKIN_PG_FIND(PQerrorMessage) && NAPKIN_PG_FIND(PQfinish)
        && NAPKIN_PG_FIND(PQsetnonblocking) && NAPKIN_PG_FIND(PQsocket)
        && NAPKIN_PG_FIND(PQsendQuery) && NAPKIN_PG_FIND(PQsendPrepare)
        && NAPKIN_PG_FIND(PQsendQueryPrepared) && NAPKIN_PG_FIND(PQflush)
        && NAPKIN_PG_FIND(PQconsumeInput) && NAPKIN_PG_FIND(PQisBusy)
        && NAPKIN_PG_FIND(PQgetResult) && NAPKIN_PG_FIND(PQresultStatus) && NAPKIN_PG_FIND(PQresultErrorField)
        && NAPKIN_PG_FIND(PQntuples) && NAPKIN_PG_FIND(PQgetvalue)
        && NAPKIN_PG_FIND(PQgetlength) && NAPKIN_PG_FIND(PQgetisnull) && NAPKIN_PG_FIND(PQclear)
        && NAPKIN_PG_FIND(PQsetNoticeProcessor);
#undef NAPKIN_PG_FIND
}

#endif
