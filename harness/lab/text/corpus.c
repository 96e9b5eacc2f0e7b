/* Reads the corpus; see corpus.h. */
#include "lab/text/corpus.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/bytepair.h"
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

/* The entropy of a single one of x[n], in bits. */
static double entropy(const uint16_t *x, int64_t n)
{
    int64_t count[CORPUS_SUBWORDS] = { 0 };
    double bits = 0;
    for (int64_t k = 0; k < n; k++)
        count[x[k]]++;
    for (int s = 0; s < CORPUS_SUBWORDS; s++) {
        const double p = (double)count[s] / (double)n;
        bits -= count[s] ? p * log2(p) : 0;
    }
    return bits;
}

/* Cuts the text into symbols of that kind; -1: not as many as there have to be, the number of which is *symbols. */
static int cut(struct corpus *c, enum text_kind kind, const char *text, int64_t length, int *symbols)
{
    bool there[256] = { false };
    int symbol[256] = { 0 };
    const int64_t train = length * 95 / 100;
    for (int64_t k = 0; k < length; k++)
        there[(unsigned char)text[k]] = true;
    *symbols = 0;
    for (int b = 0; b < 256; b++)
        symbol[b] = there[b] ? (*symbols)++ : 0;
    c->symbol = need((size_t)length, sizeof *c->symbol);
    if (*symbols != CORPUS_SYMBOLS)
        return -1;
    c->length = length, c->train = train;
    for (int64_t k = 0; k < length && kind == TEXT_CHARACTERS; k++)
        c->symbol[k] = (uint16_t)symbol[(unsigned char)text[k]];
    if (kind == TEXT_SUBWORDS)
        c->length = bytepair_cut(
            &(struct bytepair){ text, length, train, symbol, CORPUS_SYMBOLS, CORPUS_SUBWORDS }, c->symbol, symbols,
            &c->train);
    c->unigram = entropy(c->symbol, c->length);
    c->characters = (double)(length - train) / (double)(c->length - c->train);
    return *symbols == (kind == TEXT_SUBWORDS ? CORPUS_SUBWORDS : CORPUS_SYMBOLS) ? 0 : -1;
}

int corpus_open(struct corpus *c, enum text_kind kind, char *err, size_t n)
{
    char hex[65];
    size_t length;
    int symbols = 0, rc = -1;
    char *text = read_verses(&length);
    *c = (struct corpus){ 0 };
    sha256_of(text, length, hex);
    if (!length)
        snprintf(err, n,
            "no text: the command `bible` is missing; on Debian: apt-get install bible-kjv bible-kjv-text.  The "
            "synthetic tasks need none");
    else if (strcmp(hex, digest))
        snprintf(err, n,
            "another text: `bible -f Gen1:1-Rev22:21` without labels has %zu bytes, SHA-256 %s; wanted %d bytes, %s",
            length, hex, BYTES, digest);
    else if ((rc = cut(c, kind, text, (int64_t)length, &symbols)))
        snprintf(err, n, "a text of %d kinds of symbols, which it should not have", symbols), corpus_close(c);
    free(text);
    return rc;
}

void corpus_close(struct corpus *c)
{
    free(c->symbol);
    c->symbol = NULL;
}
