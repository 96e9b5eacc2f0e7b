/* The text to send for a bug, data/findings/ID.md, in its parts; and the folder that is made of it for somebody who has
 * neither this suite nor its words: the text, the program, what it prints, the versions as the library's own package
 * manager reads them, and the one command that shows it. */
#ifndef SENT_H
#define SENT_H
#include <stdbool.h>
#include <stddef.h>
/* One text. text is owned; the other parts are copies out of it, owned, with a newline at their end where they are more
 * than a line. */
struct sent {
    char *text;
    char *title, *versions; /* the first line without "# "; the line of packages and versions */
    char *program;          /* of Python, or of Rust where rust is set */
    char *printed;          /* what the program prints: "expected ...", "got ...", and what else */
    bool rust;
};
/* Reads the text of a bug. 0, or -1 and one line in err where it is not there or has another form; sent_free is due in
 * both cases. */
int sent_read(struct sent *s, const char *id, char *err, size_t n);
void sent_free(struct sent *s); /* frees what s owns; s itself is the caller's */
/* The k-th package (from 0) that the line of versions names, "tract 0.23.9": false where there are fewer.  A version
 * has two dots. */
bool sent_package(const struct sent *s, int k, char name[64], char version[24]);
/* Writes the folder: report.md, printed.txt, again.sh, and program.py with requirements.txt, or src/main.rs with
 * Cargo.toml. 0, or -1 and one line in err; the folders are made where they are missing. */
int sent_write(const struct sent *s, const char *folder, char *err, size_t n);
#endif
