/* The results store: one SQLite file, tables that are STRICT, exact bits beside every number.
 * SQLite keeps neither NaN (it becomes NULL) nor -0.0 (it becomes 0.0): `bits` is the value, `value` is for queries.
 * Work is done in items: one transaction each, named by a key that is a digest of everything the item depends on, so a
 * killed run loses at most the item in flight and an unchanged item is not done again. */
#ifndef STORE_H
#define STORE_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

struct store;
struct provenance { const char *machine, *cpu, *compiler, *commit, *version, *isa, *mpfr; };
struct entry { /* one row of `result`; texts may be NULL and are then empty; n = 0: not counted */
    const char *row, *quantity, *subject, *params, *measure;
    double value, bound;                     /* bound NaN: there is none */
    const char *witness, *method;            /* method: exhaustive, search, sample; "" where nothing was measured */
    int64_t n;
    uint64_t seed;
    const char *verdict;                     /* a word of the verdicts, or "" */
};

/* Opens or makes the file.  A damaged store is renamed FILE.corrupt-N, which never overwrites a file, and `note` says
 * so in one line; otherwise note is "".  0, or -1 and one line in err: the folder cannot be written, the disk is full,
 * the file is another program's database or no database at all, and stays as it is.  store_close is due after 0. */
int store_open(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n);
/* The same without a write-ahead log, which needs shared memory: for files on shared file systems, with one writer
 * each. */
int store_open_plain(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n);
void store_close(struct store *s);
/* Starts a run, to which everything stored from now on belongs.  0, or -1 and one line in err. */
int store_run(struct store *s, const struct provenance *p, char *err, size_t n);
void store_key(char key[33], const char *stamp, const char *what);               /* 128-bit FNV-1a of both, as hex */

/* Whether the item was finished in some run; it then is in the views of this run, too. */
bool store_has(struct store *s, const char *key);
/* Whether the latest results and points under this key are those that were committed.  They are digested when they are
 * stored, and again here: SQLite's own check finds damaged pages, but no altered number. */
bool store_sound(struct store *s, const char *key);
bool store_did(struct store *s, const char *key);  /* whether the item was finished in this very run */
/* Begins an item; to begin the same again in one run is an error.  0, or -1. */
int store_begin(struct store *s, const char *key, const char *what);
/* Adds a result to the item in flight.  Errors are kept and returned by store_commit. */
void store_put(struct store *s, const struct entry *e);
void store_point(struct store *s, const char *series, double x, double y);  /* the same for a point of a curve */
/* Finishes the item, which took `seconds`.  0; or -1 and one line in err, and the item is undone. */
int store_commit(struct store *s, double seconds, char *err, size_t n);
void store_undo(struct store *s); /* drops the item in flight */
bool store_waited(const struct store *s); /* whether the latest transaction waited for the disk */

/* The database, for queries; it belongs to s.  The temporary views `now` and `curve` show the results and points of
 * this run's items, whichever run measured them.  SQL functions: num(bits [, digits]), a real as text with NaN,
 * infinities and -0; many(n), an integer as 131,072. */
sqlite3 *store_db(struct store *s);
/* Replaces the view `now` by a table with indices, as it is at this moment; may be called again.  Returns an SQLite
 * code. */
int store_freeze(struct store *s);
int64_t store_run_id(const struct store *s);
/* Checks that db is a whole results store, without renaming or writing anything.  0, or -1 and one line in err. */
int store_check(sqlite3 *db, const char *path, char *err, size_t n);
/* Opens the results store at path for reading and checks it.  0, or -1 and one line in err; *db is to be closed either
 * way. */
int store_read(sqlite3 **db, const char *path, char *err, size_t n);
/* The same as store_sound for an item of a run in an attached file: schema "main", "a". */
bool store_seals(sqlite3 *db, const char *schema, const char *key, int64_t run);
/* A double as its 16 hexadecimal digits, and back; NaN where text is no such number. */
void bits_write(double x, char text[17]);
double bits_read(const char *text);
#endif
