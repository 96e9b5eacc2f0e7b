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
    double value, bound;                     /* bound NaN: none */
    const char *witness, *method;            /* method: exhaustive, search, sample; "" where nothing was measured */
    int64_t n;
    uint64_t seed;
    const char *verdict;                     /* a word of the verdicts, or "" */
};

/* Opens or makes the file.  A damaged one is renamed FILE.corrupt-N (never overwritten) and `note` says so in one line,
 * else note is
 * "".  0, or -1 with one line in err: unwritable folder, full disk, somebody else's database. */
int store_open(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n);
/* The same without a write-ahead log, which needs shared memory: for files on shared file systems, one writer each. */
int store_open_plain(struct store **s, const char *path, char *note, size_t note_size, char *err, size_t n);
void store_close(struct store *s);
/* starts a run; what follows belongs to it */
int store_run(struct store *s, const struct provenance *p, char *err, size_t n);
void store_key(char key[33], const char *stamp, const char *what);               /* 128-bit FNV-1a of both, as hex */

bool store_has(struct store *s, const char *key);  /* finished in some run: then it joins this run's view */
/* Are the latest results and points under this key those that were committed?  They are digested as they come in, and
 * again here: SQLite's own check sees damaged pages, not an altered number. */
bool store_sound(struct store *s, const char *key);
bool store_did(struct store *s, const char *key);  /* finished in this very run */
/* an item is done once in a run: a second time is an error */
int store_begin(struct store *s, const char *key, const char *what);
/* errors are kept and returned by store_commit */
void store_put(struct store *s, const struct entry *e);
void store_point(struct store *s, const char *series, double x, double y);  /* of a curve of the item in flight */
/* 0; or -1, one line, and the item is undone */
int store_commit(struct store *s, double seconds, char *err, size_t n);
void store_undo(struct store *s);
bool store_waited(const struct store *s); /* did the latest transaction wait for the disk? */

/* For queries.  The temporary views `now` and `curve` show the results and points of this run's items, whichever run
 * did them. SQL functions: num(bits [, digits]) a real as text with NaN, infinities and -0; many(n) an integer as
 * 131,072. */
sqlite3 *store_db(struct store *s);
/* `now` becomes a table with indices, as of this moment; may be called again. An SQLite code */
int store_freeze(struct store *s);
int64_t store_run_id(const struct store *s);
/* Is it such a file, whole?  For readers of other people's files: nothing is renamed or written.  0, or -1 and one
 * line. */
int store_check(sqlite3 *db, const char *path, char *err, size_t n);
/* Opens the results store at path for reading and checks it.  0, or -1 and one line; *db is to be closed either way. */
int store_read(sqlite3 **db, const char *path, char *err, size_t n);
/* store_sound of an attached file: "main", "a" */
bool store_seals(sqlite3 *db, const char *schema, const char *key, int64_t run);
void bits_write(double x, char text[17]);
double bits_read(const char *text);                /* NaN where text is no 16 hex digits */
#endif
