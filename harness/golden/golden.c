/* Makes golden lines from questions, reads them, and checks that a file of them is intact. */
#include "golden/golden.h"
#include "base/tsv.h"
#include "base/digest.h"
#include "core/data.h"
#include "core/files.h"
#include "base/words.h"

/* Where the value of "key=value" begins in a line of words, or NULL. */
static const char *place(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *s = text; *s; s = word_next(s))
        if (!strncmp(s, key, len) && s[len] == '=')
            return s + len + 1;
    return NULL;
}
/* Copies that value, cut where it is too long; returns the copy, or NULL. */
static const char *word(const char *text, const char *key, char *value, size_t n)
{
    const char *s = place(text, key);
    return s ? snprintf(value, n, "%.*s", (int)strcspn(s, " "), s), value : NULL;
}
/* Fills the array from "1,-2,0.5", which ends with the word; false: it has another number of them, or other words. */
static bool numbers(struct mer_array *a, const char *v)
{
    for (long j = 0; j < array_len(a); j++) {
        char *end = NULL;
        const double x = *v && *v != ' ' ? strtod(v, &end) : 0;
        if (!end || end == v || !strchr(", ", *end) || (*end == ',') != (j + 1 < array_len(a)))
            return false;
        array_put(a, j, x);
        v = end + (*end == ',');
    }
    return true;
}

/* Is the word "X=.." of a question about the extent of an axis of this quantity?  Inputs may have names of one letter,
 * too, and k is the element that is asked. */
static bool is_extent(const char *row, const char *quantity, const char *word)
{
    const struct row *r = row_named(row);
    const struct quantity *q = r ? row_quantity(r, quantity) : NULL;
    struct sign s;
    bool is = false;
    if (!q || word[1] != '=' || *word == 'k')
        return false;
    sign_read(&s, q->sign);
    for (int j = 0; j < s.n_in; j++) {
        if (s.in[j].name[0] == *word && !s.in[j].name[1])
            return false;
        is = is || memchr(s.in[j].axis, *word, (size_t)s.in[j].rank);
    }
    return is || memchr(s.out.axis, *word, (size_t)s.out.rank);
}

int golden_trial(struct trial *t, const char *row, const struct golden *g, long *k, char *err, size_t n)
{
    char value[200], name[40], sizes[120];
    uint64_t seed = 1;
    int used = snprintf(sizes, sizeof sizes, "n=1 m=1 h=1 g=1");
    for (const char *s = g->inputs; *s; s = word_next(s)) {
        int len = (int)strcspn(s, " ");
        if (is_extent(row, g->quantity, s) || !memchr(s, '=', (size_t)len))
            used += snprintf(sizes + used, sizeof sizes - (size_t)used, " %.*s", len < 40 ? len : 40, s);
        if (used >= (int)sizeof sizes)
            return *t = (struct trial){ 0 }, snprintf(err, n, "%s: too many sizes", g->id), -1;
    }
    if (word(g->inputs, "x", value, sizeof value) && sscanf(value, "gen:uniform:%lu", &seed) != 1)
        return *t = (struct trial){ 0 }, snprintf(err, n, "%s: x=gen:uniform:SEED", g->id), -1;
    if (trial_make(t, &(struct trial_spec){ row, g->params, g->quantity, MER_F32, sizes, seed }, err, n))
        return -1;
    for (int i = 0; i < t->call.n_in; i++)
        if (word(g->inputs, t->in[i].name, value, sizeof value) && strncmp(value, "gen:", 4))
            array_put(&t->in[i], 0, strtod(value, NULL));
    for (int i = 0; i < t->call.n_in; i++) {
        snprintf(name, sizeof name, "%.31s[]", t->in[i].name);
        const char *v = place(g->inputs, name);
        if (v && !numbers(&t->in[i], v))
            return snprintf(err, n, "%s: %s must be %ld numbers with commas between", g->id, name,
                       array_len(&t->in[i])),
                   -1;
    }
    if (trial_check(t, err, n))
        return -1;
    long at[MER_RANK], len;
    golden_line(t, g, at, &len);
    struct sign s;
    sign_read(&s, row_quantity(t->row, t->out[0].name)->sign);
    for (int j = 0; j < s.out.lead; j++)
        if (at[j] < 0 || at[j] >= t->out[0].dim[j])
            return snprintf(err, n, "%s: at: index %d lies outside", g->id, j), -1;
    *k = word(g->inputs, "k", value, sizeof value) ? strtol(value, NULL, 10) : 0;
    return *k >= 0 && *k < len ? 0 : (snprintf(err, n, "%s: k=%ld lies outside", g->id, *k), -1);
}

long golden_line(const struct trial *t, const struct golden *g, long at[MER_RANK], long *len)
{
    char value[64];
    struct sign s;
    long line = 0;
    sign_read(&s, row_quantity(t->row, t->out[0].name)->sign);
    const char *v = word(g->inputs, "at", value, sizeof value);
    *len = 1;
    for (int j = 0; j < MER_RANK; j++)
        at[j] = 0;
    for (int j = 0; j < s.out.rank; j++) {
        if (j >= s.out.lead)
            *len *= t->out[0].dim[j];
        else if (v && *v) {
            at[j] = strtol(v, (char **)&v, 10);
            v += *v == ',';
        }
        line = j < s.out.lead ? line * t->out[0].dim[j] + at[j] : line;
    }
    return line * *len;
}

/* y = x rounded to odd at 120 bits: toward zero, with the last bit set unless x is exact. false: the ball does not
 * decide it. */
static bool round_to_odd(mpfr_t y, const struct ball *x, bool *exact)
{
    mpfr_t low, high, r;
    mpfr_inits2(mpfr_get_prec(x->mid) + 64, low, high, r, (mpfr_ptr)0);
    up_get(r, x->rad);
    mpfr_sub(low, x->mid, r, MPFR_RNDD);
    mpfr_add(high, x->mid, r, MPFR_RNDU);
    int below = mpfr_set(y, low, MPFR_RNDZ), above = mpfr_set(r, high, MPFR_RNDZ);
    mpfr_prec_round(r, GOLDEN_BITS, MPFR_RNDZ);
    bool same = mpfr_equal_p(y, r) && mpfr_sgn(low) * mpfr_sgn(high) >= 0;
    *exact = x->rad.m == 0 && !below;
    if (*exact && mpfr_zero_p(y))
        mpfr_set_zero(y, 1);
    bool decided = *exact || (same && below && !mpfr_equal_p(high, y) && (above || !mpfr_equal_p(high, low)));
    /* the truncated value is even: its odd neighbour away from zero is taken */
    if (decided && !*exact && mpfr_min_prec(y) < GOLDEN_BITS)
        mpfr_sgn(y) > 0 ? mpfr_nextabove(y) : mpfr_nextbelow(y);
    mpfr_clears(low, high, r, (mpfr_ptr)0);
    return decided;
}

static int value(const char *row, const struct golden *g, FILE *f, char *err, size_t n)
{
    struct trial t;
    struct arith exact = { 0 };
    long k;
    bool is = false, ok = false;
    mpfr_t y;
    if (golden_trial(&t, row, g, &k, err, n))
        return trial_close(&t), -1;
    const struct quantity *q = row_quantity(t.row, g->quantity);
    struct sign s;
    sign_read(&s, q->sign);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
    golden_line(&t, g, w.at, &w.len);
    const struct ball **line = need((size_t)w.len + 1, sizeof *line);
    mpfr_init2(y, GOLDEN_BITS);
    for (mpfr_prec_t prec = 256; prec <= 4096 && !ok; prec *= 2) {
        ask_reset(&w, prec);
        line_page(&w, q, NULL, line);
        ok = !w.undecided && round_to_odd(y, line[k], &is);
    }
    if (ok)
        mpfr_fprintf(f, "%s\t%s\t%s\t%s\t%Ra%c\t%s\t%s\n", g->id, g->quantity, *g->params ? g->params : "-", g->inputs,
            y, is ? '=' : '~', g->flags, g->cite);
    else
        snprintf(err, n, "%s: undecided at 4096 bits", g->id);
    mpfr_clear(y), free(line), ask_clear(&w), trial_close(&t);
    return ok ? 0 : -1;
}

/* copies the next item of a list "0 1 131071" and returns what is behind it */
static const char *next_item(const char *list, char *item, size_t n)
{
    size_t len = strcspn(list, " ");
    snprintf(item, n, "%.*s", (int)len, list);
    return list + len + strspn(list + len, " ");
}

/* Writes the lines of one question: id, quantity, parameters, positions (or -, or whole inputs such as
 * "m=3;at=0,1"), elements, the seed of x (or -), flags, cite; every position is asked with every element. */
static int expand(const char *row, const struct tsv *line, FILE *f, int *count, char *err, size_t n)
{
    struct golden g;
    char stem[48], at[1600], ks[200], seed[24], pos[200], k[16];
    const struct tsv_place to[] = { { stem, sizeof stem }, { g.quantity, sizeof g.quantity },
        { g.params, sizeof g.params }, { at, sizeof at }, { ks, sizeof ks }, { seed, sizeof seed },
        { g.flags, sizeof g.flags }, { g.cite, sizeof g.cite }, { 0 } };
    if (tsv_take(line, to) != 8)
        return snprintf(err, n, "eight columns expected: %.80s", line->text), -1;
    if (!strcmp(g.params, "-"))
        *g.params = 0;
    for (const char *p = at; *p;) {
        p = next_item(p, pos, sizeof pos);
        for (const char *e = ks; *e;) {
            e = next_item(e, k, sizeof k);
            bool none = *pos == '-' && !pos[1];
            int used = snprintf(g.inputs, sizeof g.inputs, "%s%s%s",
                none || strchr(pos, '=') ? "" : "pos=", none ? "" : pos, none ? "" : " ");
            for (char *c = g.inputs; (c = strchr(c, ';'));)
                *c = ' ';
            used +=
                *seed == '-' ? 0 : snprintf(g.inputs + used, sizeof g.inputs - (size_t)used, "x=gen:uniform:%s ", seed);
            snprintf(g.inputs + used, sizeof g.inputs - (size_t)used, "k=%s", k);
            snprintf(g.id, sizeof g.id, "%s-%d", stem, ++*count);
            if (value(row, &g, f, err, n))
                return -1;
        }
    }
    return 0;
}

char *golden_make(const char *row, char *err, size_t n)
{
    char path[600], what[80], *body = NULL, *text = NULL;
    size_t size = 0, total = 0;
    int count = 0, bad = 0;
    snprintf(what, sizeof what, "golden/%s.in", row);
    char *questions = file_read(data_path(what, path, sizeof path));
    if (!questions)
        return snprintf(err, n, "%s: no such file", path), NULL;
    FILE *f = need_stream(&body, &size);
    struct tsv line;
    for (tsv_text(&line, questions); !bad && tsv_next(&line);)
        bad = expand(row, &line, f, &count, err, n);
    tsv_close(&line);
    fclose(f);
    f = need_stream(&text, &total);
    fprintf(f,
        "# golden 1\trow %s\tquestions fnv1a64:%016llx\tmpfr %s\tcount %d\tbody fnv1a64:%016llx\n# "
        "id\tquantity\tparameters\tinputs\tout\tflags\tcite\n%s",
        row, (unsigned long long)digest_text(questions), mpfr_get_version(), count,
        (unsigned long long)digest_text(body), body);
    fclose(f);
    free(questions), free(body);
    return bad ? free(text), NULL : text;
}

int golden_intact(const char *text, char *err, size_t n)
{
    long count = 0;
    unsigned long long digest;
    const char *body = strchr(text, '\n');
    body = body ? strchr(body + 1, '\n') : NULL;
    const char *c = strstr(text, "\tcount "), *d = strstr(text, "\tbody fnv1a64:");
    if (strncmp(text, "# golden 1\trow ", 15) || !body || !c || !d || d > body ||
        sscanf(c, "\tcount %ld\tbody fnv1a64:%llx", &count, &digest) != 2)
        return snprintf(err, n, "not a golden file of schema 1"), -1;
    for (const char *s = ++body; *s; s++)
        count -= *s == '\n';
    if (count)
        return snprintf(err, n, "the header's count is off by %ld", count), -1;
    return digest_text(body) == digest ? 0 :
                                 (snprintf(err, n, "the body has digest %016llx, the header says %016llx",
                                      (unsigned long long)digest_text(body), digest),
                                     -1);
}

int golden_each(const char *text, int (*f)(const struct golden *g, void *with), void *with)
{
    int lines = 0, rc = 0;
    struct golden g;
    const struct tsv_place to[] = { { g.id, sizeof g.id }, { g.quantity, sizeof g.quantity },
        { g.params, sizeof g.params }, { g.inputs, sizeof g.inputs }, { g.out, sizeof g.out },
        { g.flags, sizeof g.flags }, { g.cite, sizeof g.cite }, { 0 } };
    struct tsv t;
    for (tsv_text(&t, text); rc >= 0 && tsv_next(&t);) {
        if (tsv_take(&t, to) != 7) {
            tsv_left_out(&t, to, 7);
            continue;
        }
        if (!strcmp(g.params, "-"))
            *g.params = 0;
        rc = f(&g, with), lines++;
    }
    tsv_close(&t);
    return rc < 0 ? rc : lines;
}

bool golden_path(const char *row, char *path, size_t n)
{
    char what[80];
    snprintf(what, sizeof what, "golden/%.60s.in", row);
    FILE *f = file_open(data_path(what, path, n));
    if (f)
        fclose(f), strcpy(path + strlen(path) - 2, "tsv"); /* rope.in becomes rope.tsv, one byte longer */
    return f != NULL;
}

int golden_check(const char *row, char *err, size_t n)
{
    char path[600];
    if (!golden_path(row, path, sizeof path))
        return snprintf(err, n, "no data/golden/%s.in", row), 0;
    char *made = golden_make(row, err, n), *there = file_read(path);
    int rc = made ? 1 : -1;
    if (made && !there)
        rc = -1, snprintf(err, n, "%s: missing", path);
    else if (made && golden_intact(there, err, n))
        rc = -1;
    else if (made && strcmp(made, there))
        rc = -1, snprintf(err, n, "%s: made again, it differs", path);
    free(made), free(there);
    return rc;
}
