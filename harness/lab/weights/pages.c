/* The engine of pages, in balls; see walk.h.
 * A value is an array of balls that stay: each answer is copied out of the asker's pool, which is then empty for the
 * next line, so that memory grows with the values and not with the operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "lab/weights/walk.h"
#include "row/every.h"
#include "row/memo.h"

enum { PRECISION = 128, ROWS_MOST = 8 };      /* bits: 2^-128 beside roundings of 2^-24 */
/* Balls that stay, in the order in which they were made. */
struct pages_block { struct pages_block *next; long n; struct ball ball[]; };
struct pages {
    struct ask ask;
    struct arith arith[ROWS_MOST];        /* of walk_rows */
    char *text[ROWS_MOST];                /* their words, owned */
    struct pages_block *block;
};

/* Keeps copies of line[n] and puts their addresses to to[n]. */
static void keep(struct pages *p, const struct ball **line, long n, const struct ball **to)
{
    struct pages_block *b = need(1, sizeof *b + (size_t)n * sizeof *b->ball);
    b->next = p->block, b->n = n, p->block = b;
    for (long k = 0; k < n; k++) {
        b->ball[k] = *line[k];
        mpfr_init2(b->ball[k].mid, mpfr_get_prec(line[k]->mid));
        mpfr_set(b->ball[k].mid, line[k]->mid, MPFR_RNDN); /* of equal precision: exact */
        to[k] = &b->ball[k];
    }
}

static int answer(struct engine *e, const struct row_question *q, struct mer_array *y, char *err, size_t n)
{
    struct pages *p = e->own;
    const struct row *row = row_named(q->row);
    struct sign s;
    long lines = 1, at[MER_RANK] = { 0 }, len = 1;
    int which = 0;
    while (strcmp(walk_rows[which], q->row))
        which++;
    if (row_takes(row, q->params, err, n))
        return -1;
    sign_read(&s, row_quantity(row, q->out)->sign);
    for (int k = 0; k < y->rank; k++)
        *(k < s.out.lead ? &lines : &len) *= y->dim[k];
    const struct ball **line = need((size_t)len + 1, sizeof *line);
    p->ask.arith = &p->arith[which];
    for (long i = 0; i < lines; i++) {
        ask_reset(&p->ask, PRECISION);
        line_of(&p->ask, (struct page_of){ row, q->out, q->params, q->in, q->n }, at, len, line);
        keep(p, line, len, (const struct ball **)y->data + i * len);
        for (int k = s.out.lead; k-- > 0;) {
            if (++at[k] < y->dim[k])
                break;
            at[k] = 0;
        }
    }
    free(line);
    return 0;
}

static void let_go(struct engine *e)
{
    struct pages *p = e->own;
    for (struct pages_block *b = p->block, *next; b; b = next) {
        next = b->next;
        for (long k = 0; k < b->n; k++)
            mpfr_clear(b->ball[k].mid);
        free(b);
    }
    for (int k = 0; k < ROWS_MOST; k++)
        free(p->text[k]);
    ask_clear(&p->ask), free(p), e->own = NULL;
}

/* Whether the word, of len bytes, is about this row: of itself, or behind "ROW.", without which it stands in own. */
static bool about(const struct row *r, const char *word, size_t len, char *own, size_t n)
{
    const size_t name = strlen(r->name);
    const bool scoped = !strncmp(word, r->name, name) && word[name] == '.';
    char why[300];
    snprintf(own, n, "%.*s", (int)(len - (scoped ? name + 1 : 0)), word + (scoped ? name + 1 : 0));
    return every_step(own) || !row_knows(r, own, why, sizeof why);
}

int engine_pages(struct engine *e, const char *profile, char *err, size_t n)
{
    char plain[600], own[200];
    struct pages *p = need(1, sizeof *p);
    *e = (struct engine){ .type = BALLS, .size = sizeof(struct ball *), .ask = answer, .close = let_go, .own = p };
    p->ask.prec = PRECISION;
    if (strlen(profile) > 250 || every_plain(profile, plain, sizeof plain))
        return snprintf(err, n, "--profile '%.200s': not understood", profile), -1;
    for (int k = 0; walk_rows[k]; k++)
        p->text[k] = need(strlen(plain) + 2, 1);
    for (const char *s = plain + strspn(plain, " "); *s; s = word_next(s)) {
        bool known = false;
        for (int k = 0; walk_rows[k]; k++)
            if (about(row_named(walk_rows[k]), s, strcspn(s, " "), own, sizeof own)) {
                known = true;
                strcat(strcat(p->text[k], *p->text[k] ? " " : ""), own);
            }
        if (!known)
            return snprintf(err, n, "--profile: no row of a model knows '%.*s'", (int)strcspn(s, " "), s), -1;
    }
    for (int k = 0; walk_rows[k]; k++)
        if (arith_read(&p->arith[k], row_named(walk_rows[k]), p->text[k], WIDEN, err, n) < 0)
            return -1;
    return 0;
}
