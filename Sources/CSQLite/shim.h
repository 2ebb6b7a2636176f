#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast that the importer does not take. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
/* sqlite3_db_config is variadic. */
static inline int csqlite_defensive(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
static inline int csqlite_untrusted_schema(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
/* A file control whose argument is a pointer to int: keep the WAL when the last connection closes or not. */
static inline int csqlite_persist_wal(sqlite3 *db, int on) {
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}
