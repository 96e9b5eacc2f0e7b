/* Reads the corpus; see corpus.h. */
#include "lab/text/corpus.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/sha256.h"

enum { BYTES = 4137850 };
static const char digest[] = "b5c4940bcfeee072c0935b5200d0f9d88a00a0199cb0961d16133458fcdfae5d";

/* Reads every line of the text from behind its label, "Ge1:1 "; the caller frees. */
static char *read_verses(size_t *length)
{
    FILE *f = popen("bible -f Gen1:1-Rev22:21 2>/dev/null", "r");
    char *line = NULL, *text = need(BYTES + 4096, 1);
    size_t room = 0, at = 0;
    for (ssize_t got; f && (got = getline(&line, &room, f)) > 0;) {
        const char *from = memchr(line, ' ', (size_t)got);
        const size_t n = from ? (size_t)(line + got - (from + 1)) : 0;
        if (at + n > BYTES + 4000)
            break;
        if (n)
            memcpy(text + at, from + 1, n);
        at += n;
    }
    if (f)
        pclose(f);
    free(line);
    *length = at;
    return text;
}

int corpus_open(struct corpus *c, char *err, size_t n)
{
    char hex[65];
    size_t length;
    char *text = read_verses(&length);
    int64_t count[256] = { 0 };
    int symbol[256], symbols = 0;
    *c = (struct corpus){ .length = (int64_t)length };
    sha256_of(text, length, hex);
    if (!length)
        return free(text),
               snprintf(err, n,
                   "no text: the command `bible` is missing; on Debian: apt-get install bible-kjv bible-kjv-text.  The "
                   "synthetic tasks need none"),
               -1;
    if (strcmp(hex, digest))
        return free(text),
               snprintf(err, n,
                   "another text: `bible -f Gen1:1-Rev22:21` without labels has %zu bytes, SHA-256 %s; wanted %d "
                   "bytes, %s",
                   length, hex, BYTES, digest),
               -1;
    for (size_t k = 0; k < length; k++)
        count[(unsigned char)text[k]]++;
    for (int b = 0; b < 256; b++) {
        const double p = (double)count[b] / (double)length;
        symbol[b] = count[b] ? symbols++ : -1;
        c->unigram -= count[b] ? p * log2(p) : 0;
    }
    c->symbol = need(length, 1);
    for (size_t k = 0; k < length; k++)
        c->symbol[k] = (unsigned char)symbol[(unsigned char)text[k]];
    c->train = c->length * 95 / 100;
    free(text);
    return symbols == CORPUS_SYMBOLS ?
        0 :
        (snprintf(err, n, "%d symbols, wanted %d", symbols, CORPUS_SYMBOLS), corpus_close(c), -1);
}

void corpus_close(struct corpus *c)
{
    free(c->symbol);
    c->symbol = NULL;
}
