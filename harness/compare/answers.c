/* First-in-first-out cache of exact values; see answers.h. */
#include "compare/answers.h"
#include "base/digest.h"

struct answers_kept { struct ball *x, *b; struct cost cost; };    /* a line: x[len], b[len]; NULL: not computed yet */
/* text[n]: the question as bytes, by which it is found; line[lines], each of len elements; words: the parameters and
 * the profile that the b of all lines are for, NULL: none yet; wide: b are kept */
struct answers_asked { char *text, *words; size_t n; long lines, len; struct answers_kept *line; bool wide; };
/* oldest: the entry that is replaced next */
struct exact_answers { struct answers_asked at[ANSWERS_KEPT]; int oldest; bool wide; };

/* Bytes of an input beyond which its digest stands for it. */
enum { LONG_INPUT = 1 << 16 };

struct exact_answers *answers_open(void) { return need(1, sizeof(struct exact_answers)); }
struct exact_answers *answers_open_bounds(void)
{
    struct exact_answers *a = answers_open();
    a->wide = true;
    return a;
}

/* Copies of x[len], which stand alone. */
static struct ball *copies(const struct ball *const *x, long len)
{
    struct ball *to = need((size_t)len + 1, sizeof *to);
    for (long j = 0; j < len; j++) {
        to[j] = *x[j];
        to[j].id = 0, to[j].d = NULL;
        mpfr_init2(to[j].mid, mpfr_get_prec(x[j]->mid));
        mpfr_set(to[j].mid, x[j]->mid, MPFR_RNDN);
    }
    return to;
}

static void forget(struct ball **x, long len)
{
    for (long j = 0; *x && j < len; j++)
        mpfr_clear((*x)[j].mid);
    free(*x), *x = NULL;
}

static void clear_entry(struct answers_asked *a)
{
    for (long k = 0; k < a->lines; k++)
        forget(&a->line[k].x, a->len), forget(&a->line[k].b, a->len);
    free(a->line), free(a->text), free(a->words);
    *a = (struct answers_asked){ 0 };
}

void answers_close(struct exact_answers *a)
{
    for (int k = 0; a && k < ANSWERS_KEPT; k++)
        clear_entry(&a->at[k]);
    free(a);
}

/* Whether a parameter chooses a route, or is one of the two that say how a route cuts its keys into blocks: the real
 * numbers do not depend on it. */
static bool of_route(const struct param *p)
{
    return p->kind == ROUTE || !strcmp(p->name, "block") || !strcmp(p->name, "slack");
}

static void write_bytes(FILE *to, const void *x, size_t n) { fwrite(x, 1, n, to); }
/* The same of an input, or its digest where it is long: a cache of questions of many keys would hold gigabytes. */
static void write_input(FILE *to, const struct mer_array *a)
{
    const size_t n = (size_t)array_len(a) * type_size(a->type);
    if (n <= LONG_INPUT) {
        write_bytes(to, a->data, n);
        return;
    }
    const uint64_t h = digest_long(digest_start, a->data, n);
    write_bytes(to, &h, sizeof h);
}

static void write_question(FILE *to, const struct trial *t, const struct quantity *q, const struct mer_array *out)
{
    char value[TEXT_MAX];
    fprintf(to, "%s %s %d ", t->row->name, q->sign, out->type);
    write_bytes(to, out->dim, sizeof *out->dim * (size_t)out->rank);
    for (const struct param *p = row_params(t->row); p->name; p++)
        if (!of_route(p)) {
            params_pick(row_params(t->row), t->params, p->name, value, sizeof value);
            fprintf(to, "%s ", value);
        }
    for (int k = 0; k < t->call.n_in; k++) {
        const struct mer_array *a = &t->call.in[k];
        fprintf(to, "%s %d ", a->name, a->type);
        write_bytes(to, a->dim, sizeof *a->dim * (size_t)a->rank);
        write_input(to, a);
    }
}

struct answers_asked *answers_asked(
    struct exact_answers *a, const struct trial *t, const struct quantity *q, const struct mer_array *out, long len)
{
    struct answers_asked new = { .lines = len ? array_len(out) / len : 0, .len = len, .wide = a && a->wide };
    if (!a || array_len(out) > ANSWERS_MOST)
        return NULL;
    FILE *to = need_stream(&new.text, &new.n);
    write_question(to, t, q, out);
    fclose(to);
    for (int k = 0; k < ANSWERS_KEPT; k++)
        if (a->at[k].n == new.n && !memcmp(a->at[k].text, new.text, new.n)) {
            free(new.text);
            return &a->at[k];
        }
    struct answers_asked *old = &a->at[a->oldest];
    a->oldest = (a->oldest + 1) % ANSWERS_KEPT;
    clear_entry(old);
    new.line = need((size_t)new.lines + 1, sizeof *new.line);
    *old = new;
    return old;
}

enum truth answers_line(const struct answers_asked *asked, long line, const struct ball **x, struct cost *c)
{
    const struct answers_kept *k = asked ? &asked->line[line] : NULL;
    if (!k || !k->x)
        return NO;
    for (long j = 0; j < asked->len; j++)
        x[j] = &k->x[j];
    c->elements += k->cost.elements, c->retries += k->cost.retries, c->exact += k->cost.exact, c->ties += k->cost.ties;
    c->prec = k->cost.prec > c->prec ? k->cost.prec : c->prec;
    return YES;
}

void answers_keep(struct answers_asked *asked, long line, const struct ball *const *x, const struct cost *c)
{
    if (!asked)
        return;
    struct answers_kept *k = &asked->line[line];
    *k = (struct answers_kept){ .x = copies(x, asked->len), .cost = *c };
}

/* The words of t and a, which the caller frees; NULL: more than words say what is rounded. */
static char *words_of(const struct trial *t, const struct arith *a)
{
    if (a->how != WIDEN || a->adverse || !a->text)
        return NULL;
    const size_t n = strlen(t->text) + strlen(a->text) + 2;
    char *words = need(n, 1);
    snprintf(words, n, "%s\n%s", t->text, a->text);
    return words;
}

bool answers_bounds(
    struct answers_asked *asked, const struct trial *t, const struct arith *a, long line, const struct ball **b)
{
    if (!asked || !asked->words || !asked->line[line].b)
        return false;
    char *words = words_of(t, a);
    const bool same = words && !strcmp(words, asked->words);
    free(words);
    for (long j = 0; same && j < asked->len; j++)
        b[j] = &asked->line[line].b[j];
    return same;
}

void answers_keep_bounds(
    struct answers_asked *asked, const struct trial *t, const struct arith *a, long line, const struct ball *const *b)
{
    char *words = asked && asked->wide ? words_of(t, a) : NULL;
    if (!words)
        return;
    if (asked->words && strcmp(words, asked->words))
        for (long k = 0; k < asked->lines; k++)
            forget(&asked->line[k].b, asked->len);
    free(asked->words), asked->words = words;
    forget(&asked->line[line].b, asked->len);
    asked->line[line].b = copies(b, asked->len);
}
