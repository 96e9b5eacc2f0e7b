/* Writes the golden pack: questions, exact values as hi + lo and the bounds of three profiles, in a reproducible
 * ustar archive. An element of an answer is one record of 28 bytes: hi and lo as float64, and the bounds as float32,
 * rounded up. */
#include "base/progress.h"
#include "compare/compare.h"
#include "base/digest.h"
#include "base/tsv.h"
#include "golden/goldenpack.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include "core/data.h"
#include "core/files.h"
#include "base/words.h"
#include "golden/golden.h"
#include "power/kill.h"
#include "trial/change.h"
#include "compare/line_at.h"
#include "trial/mistake.h"

const char *const goldenpack_profile[PROFILES] = { "f64angle", "f32", "bf16" };

static bool has_word(const char *text, const char *step, size_t len)
{
    for (const char *s = text; *s; s = word_next(s))
        if (!strncmp(s, step, len) && s[len] == '=')
            return true;
    return false;
}

/* Appends the steps of the row and of its parts, each once: outputs of a composite row are rounded in both. */
static size_t append_steps(const struct row *r, int profile, char *text, size_t n, size_t at)
{
    size_t len;
    const char *s;
    for (int k = 0; (s = row_step(r, k, &len)) && at < n; k++) {
        char word[40];
        if (has_word(text, s, len))
            continue;
        const char *dot = memchr(s, '.', len); /* a part whose steps have names of their own: "rope.phase" */
        snprintf(word, sizeof word, " %.*s ", (int)(dot ? (size_t)(s + len - dot - 1) : len), dot ? dot + 1 : s);
        bool angle = strstr(" exponent rebase power freq cast position phase log zeta ", word) != NULL;
        at += (size_t)snprintf(text + at, n - at, "%.*s=%s ", (int)len, s, !profile && angle ? "f64" : "f32");
    }
    for (const struct row *const *p = r->parts; p && *p; p++)
        at = append_steps(*p, profile, text, n, at);
    return at;
}

void goldenpack_steps(const struct row *r, int profile, char *text, size_t n)
{
    *text = 0;
    append_steps(r, profile, text, n, 0);
}

static void to_bf16(struct trial *t) /* rounds the real inputs to bfloat16; they stay float32 arrays */
{
    uint16_t h;
    struct mer_array one = { "", MER_BF16, 0, { 0 }, &h };
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; t->in[k].type < MER_I64 && i < array_len(&t->in[k]); i++)
            array_put(&one, 0, array_get(&t->in[k], i)), array_put(&t->in[k], i, array_get(&one, 0));
}

struct goldenpack_walk {
    goldenpack_answer *f;
    void *with;
    const struct row *row;
    int count;
    char *err;
    size_t n;
    char **seen;
    size_t used;
};

static int given(
    struct goldenpack_walk *w, struct trial *t, const char *quantity, const char *params, const char *words,
        uint64_t seed)
{
    struct golden g;
    long k;
    snprintf(g.id, sizeof g.id, "question"), snprintf(g.quantity, sizeof g.quantity, "%s", quantity),
        snprintf(g.params, sizeof g.params, "%s", params);
    size_t at = (size_t)snprintf(g.inputs, sizeof g.inputs, "%s x=gen:uniform:%llu", words, (unsigned long long)seed);
    for (char *s = g.inputs; (s = strchr(s, ';'));)
        *s = ' ';
    if (at >= sizeof g.inputs)
        return *t = (struct trial){ 0 }, snprintf(w->err, w->n, "%.80s: too long", words), -1;
    return golden_trial(t, w->row->name, &g, &k, w->err, w->n);
}

/* Makes a case and calls w->f for it. positions: NULL for a mistake's case; "" or "1 5 7" for a question's;
 * "d=1;m=3;k[]=1,2,3" for whole inputs, as golden lines give them. */
static int visit(
    struct goldenpack_walk *w, const char *stem, const char *quantity, const char *where, const char *positions,
        uint64_t seed)
{
    struct goldcase g = { .row = w->row, .question = positions != NULL };
    const bool whole = positions && strchr(positions, '=');
    struct trial t;
    char few[400], params[400], *key = NULL;
    long n = 0;
    if (asprintf(&key, "%s %s %s %s %llu", w->row->name, quantity, where, positions ? positions : "",
            (unsigned long long)seed) < 0)
        return -1;
    for (size_t k = 0; k < w->used; k++)
        if (!strcmp(w->seen[k], key))
            return free(key), 0;
    w->seen = need_more(w->seen, w->used + 1, sizeof *w->seen);
    w->seen[w->used++] = key;
    for (const char *s = positions; s && *s; s = word_next(s))
        n++;
    mistake_parts(where, params, few, sizeof params);
    if (positions)
        snprintf(few, sizeof few, "h=1 g=1 m=1 n=%ld", n ? n : 1);
    snprintf(g.id, sizeof g.id, "%s-%03d-%.24s-%.16s", w->row->name, ++w->count, stem, quantity);
    for (char *s = g.id; *s; s++) /* the id names files, so it has only characters that every system allows */
        *s = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' ? *s : '_';
    snprintf(g.quantity, sizeof g.quantity, "%s", quantity), snprintf(g.where, sizeof g.where, "%s", where);
    int rc = whole ? given(w, &t, quantity, where, positions, seed) :
                     trial_make(&t, &(struct trial_spec){ w->row->name, params, quantity, MER_F32, few, seed }, w->err,
                         w->n);
    struct mer_array *pos = mer_find(t.in, t.call.n_in, "pos");
    for (long i = 0; !rc && !whole && pos && n && i < n;
         i++, positions = word_next(positions))
        array_put(pos, i, strtod(positions, NULL));
    /* an answer with too many elements is left to the golden lines, as its whole array would have to be in the pack */
    progress_count(g.id);
    if (!rc && array_len(&t.out[0]) <= GOLDENPACK_LONGEST)
        to_bf16(&t), rc = w->f(&g, &t, w->with);
    trial_close(&t);
    return rc;
}

/* the seed of a mistake's case; lines that are looked at first, as most mistakes are in every one */
enum { SEED = 3, FIRST_LINES = 4 };

/* Whether this quantity, under the mistake's parameters, differs by more than the bound of the strictest profile. */
static bool shows(const struct mistake *m, const struct row *r, const char *quantity)
{
    char params[400], sizes[400], err[900], steps[1024];
    struct trial right, wrong = { 0 };
    struct arith a, wide;
    struct tally y = { 0 };
    mistake_parts(m->where, params, sizes, sizeof params);
    bool made = trial_make(&right, &(struct trial_spec){ r->name, params, quantity, MER_F32, sizes, SEED }, err,
        sizeof err) == 0;
    if (made) {
        to_bf16(&right);
        trial_copy(&wrong, &right, err, sizeof err);
        *wrong.profile = 0;
        goldenpack_steps(r, 0, steps, sizeof steps);
        if (!trial_change(&wrong, m->change, err, sizeof err) &&
            trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) >= 0 &&
            trial_profile(&right, steps, &wide, WIDEN, err, sizeof err) >= 0) {
            reference_run(&wrong, &a);
            for (long k = 0; k < array_len(&right.out[0]) && array_len(&right.out[0]) == array_len(&wrong.out[0]); k++)
                array_put(&right.out[0], k, array_get(&wrong.out[0], k));
            judge_outputs(&right, &wide, FIRST_LINES, &y);
            if (!y.over)
                judge_outputs(&right, &wide, LONG_MAX, &y);
        }
        trial_close(&wrong);
    }
    trial_close(&right);
    return y.over > 0;
}

/* Makes the case of a mistake from the first quantity that reveals it; where none does, from the first of the row,
 * so that the law that says so has a case. */
static int mistaken(const struct mistake *m, void *with)
{
    struct goldenpack_walk *w = with;
    struct sign s;
    const struct quantity *q = w->row->q;
    for (sign_read(&s, q->sign); q->sign; q++) {
        sign_read(&s, q->sign);
        if (shows(m, w->row, s.out.name))
            return visit(w, "usual", s.out.name, m->where, NULL, SEED);
    }
    sign_read(&s, w->row->q->sign);
    return visit(w, "usual", s.out.name, m->where, NULL, SEED);
}

/* Makes the cases of a question: one for all positions, or one for each set of whole inputs, whichever of its lines
 * is asked for (at=). */
static int question(
    struct goldenpack_walk *w, const char *stem, const char *quantity, const char *params, const char *at,
        uint64_t seed)
{
    int rc = strchr(at, '=') ? 0 : visit(w, stem, quantity, params, at, seed);
    for (const char *s = at; strchr(at, '=') && *s && !rc; s = word_next(s)) {
        char item[400] = "";
        size_t used = 0;
        for (const char *v = s; *v && *v != ' '; v += strcspn(v, "; "), v += *v == ';')
            if (strncmp(v, "at=", 3) && used < sizeof item)
                used += (size_t)snprintf(
                    item + used, sizeof item - used, "%s%.*s", used ? ";" : "", (int)strcspn(v, "; "), v);
        rc = used < sizeof item ? visit(w, stem, quantity, params, strchr(item, '=') ? item : "", seed) :
                                  (snprintf(w->err, w->n, "%.80s: too long", s), -1);
    }
    return rc;
}

static int questions(struct goldenpack_walk *w) /* makes the cases of data/golden/<row>.in, if there is one */
{
    char path[600], what[80];
    struct tsv t;
    int rc = 0;
    snprintf(what, sizeof what, "golden/%s.in", w->row->name);
    for (tsv_open(&t, data_path(what, path, sizeof path)); !rc && tsv_next(&t);) {
        enum { STEM, QUANTITY, PARAMS, AT, ELEMENTS, DRAWN, COLUMNS = 8 };
        if (t.n == COLUMNS)
            rc = question(w, t.col[STEM], t.col[QUANTITY], strcmp(t.col[PARAMS], "-") ? t.col[PARAMS] : "",
                strcmp(t.col[AT], "-") ? t.col[AT] : "", *t.col[DRAWN] == '-' ? 1 : strtoull(t.col[DRAWN], NULL, 10));
    }
    tsv_close(&t);
    return rc;
}

int goldenpack_each(const char *row, goldenpack_answer *f, void *with, char *err, size_t n)
{
    struct goldenpack_walk w = { .f = f, .with = with, .err = err, .n = n };
    int rc = 0;
    *err = 0;
    for (const struct row *const *r = all_rows; *r && !rc; r++) {
        if (row && strcmp(row, (*r)->name))
            continue;
        w.row = *r, w.count = 0;
        rc = questions(&w);
        rc = rc ? rc : mistakes_each((*r)->name, mistaken, &w) == -1 && *err ? -1 : 0;
    }
    while (w.used)
        free(w.seen[--w.used]);
    free(w.seen);
    return rc;
}

struct goldenpack_kept { size_t n; void *data; char name[80]; }; /* a member of the archive, kept to find equal bytes */
struct archive {
    FILE *f, *index;
    const char *root;
    uint64_t digest;
    char *err;
    size_t n;
    struct goldenpack_kept *kept;
    size_t used;
    struct goldenpack_asked also;
};

/* The name of the member that has these bytes; NULL: none has. */
static const char *same_bytes(const struct archive *a, const void *data, size_t n)
{
    for (size_t k = 0; k < a->used; k++)
        if (a->kept[k].n == n && !memcmp(a->kept[k].data, data, n))
            return a->kept[k].name;
    return NULL;
}

/* Writes a member in ustar format with owner 0 and time 0; where an earlier one has the same bytes, as a hard link
 * to it. */
static void member(struct archive *a, const char *name, const void *data, size_t n)
{
    char h[512] = "", zero[512] = "";
    const char *same = same_bytes(a, data, n);
    unsigned sum = 0;
    snprintf(h, 100, "%s/%s", a->root, name);
    memcpy(h + 100, "0000644\0" "0000000\0" "0000000", 23);
    snprintf(h + 124, 12, "%011zo", same ? 0 : n), snprintf(h + 136, 12, "%011o", 0);
    memcpy(h + 148, same ? "        1" : "        0", 9), memcpy(h + 257, "ustar\0" "00", 8);
    if (same)
        snprintf(h + 157, 100, "%.30s/%.68s", a->root, same);
    for (int k = 0; k < 512; k++)
        sum += (unsigned char)h[k];
    snprintf(h + 148, 8, "%06o", sum);
    fwrite(h, 1, 512, a->f);
    a->digest = digest(digest(a->digest, name, strlen(name) + 1), data, n);
    if (same)
        return;
    fwrite(data, 1, n, a->f), fwrite(zero, 1, (512 - n % 512) % 512, a->f);
    a->kept = need_more(a->kept, a->used + 1, sizeof *a->kept);
    a->kept[a->used] = (struct goldenpack_kept){ n, memcpy(need(n + 1, 1), data, n), "" };
    snprintf(a->kept[a->used].name, sizeof a->kept->name, "%s", name), a->used++;
}

/* A .npy file in memory: bytes of elements described by descr (as numpy writes it), in the shape of x. Ends if there
 * is no memory; the caller frees it. */
static char *npy_text(const char *descr, const struct mer_array *x, const void *data, size_t bytes, size_t *size)
{
    char shape[160] = "", head[320], *text;
    size_t at = 0;
    for (int k = 0; k < x->rank; k++)
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%lld%s", at ? " " : "", (long long)x->dim[k],
            k + 1 < x->rank || !k ? "," : "");
    int len = snprintf(head, sizeof head, "{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, shape),
        total = (10 + len + 1 + 63) / 64 * 64 - 10;
    FILE *f = need_stream(&text, size);
    fwrite("\x93NUMPY\x01\x00", 1, 8, f), fputc(total & 255, f), fputc(total >> 8, f);
    fprintf(f, "%-*s\n", total - 1, head), fwrite(data, 1, bytes, f);
    fclose(f);
    return text;
}

/* Writes array x as ID.in.NAME.npy; where a member has the same bytes, writes nothing and returns its name; NULL
 * otherwise. */
static const char *input(struct archive *a, const char *id, const struct mer_array *x)
{
    char name[160];
    size_t size;
    const char *descr = x->type == MER_F64 ? "'<f8'" : x->type == MER_F32 ? "'<f4'" : "'<i8'";
    char *text = npy_text(descr, x, x->data, (size_t)array_len(x) * type_size(x->type), &size);
    const char *same = same_bytes(a, text, size);
    snprintf(name, sizeof name, "%s.in.%s.npy", id, x->name);
    if (!same)
        member(a, name, text, size);
    free(text);
    return same;
}

/* What the pack says of one element; the file has its members one behind the other, without the padding of a struct. */
struct goldenpack_record {
    double hi, lo;
    float bound[PROFILES];
};
enum { RECORD = 2 * sizeof(double) + PROFILES * sizeof(float) };

static void answer(struct archive *a, const char *id, const struct mer_array *out, const struct goldenpack_record *all)
{
    char name[160], descr[80];
    size_t size, n = (size_t)array_len(out);
    unsigned char *bytes = need(n * RECORD + 1, 1);
    for (size_t k = 0; k < n; k++)
        memcpy(bytes + k * RECORD, &all[k].hi, sizeof(double)),
            memcpy(bytes + k * RECORD + sizeof(double), &all[k].lo, sizeof(double)),
            memcpy(bytes + k * RECORD + 2 * sizeof(double), all[k].bound, sizeof all[k].bound);
    snprintf(name, sizeof name, "%s.exact.npy", id);
    snprintf(descr, sizeof descr, "[('hi', '<f8'), ('lo', '<f8'), ('bound', '<f4', (%d,))]", PROFILES);
    char *text = npy_text(descr, out, bytes, n * RECORD, &size);
    member(a, name, text, size);
    free(text), free(bytes);
}

/* The least float32 that is not below x; x >= 0, and NaN stays NaN. */
static float up_f32(double x)
{
    float y = (float)x;
    return (double)y < x ? nextafterf(y, INFINITY) : y;
}

/* The real number as hi + lo, and how far |(y - hi) - lo|, computed in float64, can be for a y inside the ball
 * around it. */
static void element(const struct ball *x, double *hi, double *lo)
{
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(x->mid) + 1200);
    *hi = mpfr_get_d(x->mid, MPFR_RNDN);
    mpfr_sub_d(rest, x->mid, *hi, MPFR_RNDN);
    *lo = isfinite(*hi) ? mpfr_get_d(rest, MPFR_RNDN) : 0;
    mpfr_clear(rest);
}

/* The bound of an element: how far an honest answer in the widened ball y can be from the real number in x, of which
 * hi + lo is the double-double. The ball of a widened page may have another centre. */
static float bound_of(const struct ball *y, const struct ball *x, double hi)
{
    mpfr_t d;
    if (!isfinite(hi))
        return b_radius(y) > 0 ? INFINITY : 0;
    mpfr_init2(d, 1500);
    mpfr_sub(d, y->mid, x->mid, MPFR_RNDA);
    double far = fabs(mpfr_get_d(d, MPFR_RNDA)) + b_radius(y) + b_radius(x);
    mpfr_clear(d);
    return up_f32(far * (1 + 0x1p-49) + fabs(hi) * 0x1p-104);
}

/* The answers of one line: all[0 .. len-1]. w asks for the real numbers, b under each of the widened profiles.
 * False: undecided. */
static bool write_line(
    struct ask *w, struct ask *b, const struct quantity *q, const struct arith wide[PROFILES],
        struct goldenpack_record *all)
{
    struct sign s;
    const long len = w->len;
    sign_read(&s, q->sign);
    const struct ball **x = need(2 * (size_t)len + 2, sizeof *x), **y = x + len + 1;
    bool decided = line_eval(w, q, format_named("f64", 3), x) == YES; /* exact to 2^-65 of itself */
    ask_reset(w, 512);
    line_page(w, q, NULL, x);
    for (long i = 0; i < len && decided; i++)
        element(x[i], &all[i].hi, &all[i].lo);
    for (int p = 0; p < PROFILES && decided; p++) {
        b->arith = &wide[p];
        ask_reset(b, 512);
        line_page(b, q, s.out.integer ? NULL : format_named(p == 2 ? "bf16" : "f32", p == 2 ? 4 : 3), y);
        for (long i = 0; i < len; i++)
            all[i].bound[p] = s.out.integer ? 0 : bound_of(y[i], x[i], all[i].hi);
    }
    free(x);
    return decided;
}

static int write_case(const struct goldcase *g, struct trial *t, void *with)
{
    struct archive *a = with;
    const struct quantity *q = row_quantity(t->row, g->quantity);
    const struct mer_array *out = &t->out[0];
    struct arith exact = { 0 }, wide[PROFILES];
    struct sign s;
    char steps[PROFILES][1024], err[400];
    long len = 1, lines = 1;
    bool good = true;
    sign_read(&s, q->sign);
    for (int k = 0; k < out->rank; k++)
        *(k < s.out.lead ? &lines : &len) *= out->dim[k];
    struct goldenpack_record *all = need((size_t)(len * lines) + 1, sizeof *all);
    for (int k = 0; k < PROFILES; k++) {
        goldenpack_steps(t->row, k, steps[k], sizeof steps[k]);
        good &= trial_profile(t, steps[k], &wide[k], WIDEN, err, sizeof err) >= 0;
        /* the text must outlive the profiles, as parts of the row read it; the trial keeps only the last one */
        wide[k].text = steps[k];
    }
    struct ask w = { .params = t->params, .call = &t->call, .arith = &exact, .len = len }, b = w;
    for (long line = 0; line < lines && good; line++) {
        line_at(&w, out, s.out.lead, line), line_at(&b, out, s.out.lead, line);
        good = write_line(&w, &b, q, wide, all + line * len);
    }
    fprintf(a->index, "%s\t%s\t%s\t%s\t", g->id, t->row->name, g->quantity, t->text);
    for (int k = 0; k < t->call.n_in && good; k++) {
        const char *same = input(a, g->id, &t->in[k]);
        fprintf(a->index, "%s%s%s%s", k ? "," : "", t->in[k].name, same ? "=" : "", same ? same : "");
    }
    fputc('\n', a->index);
    if (good)
        answer(a, g->id, out, all);
    free(all), ask_clear(&w), ask_clear(&b);
    if (!good)
        return snprintf(a->err, a->n, "%s: undecided, or its profile is not understood", g->id), -1;
    return a->also.f ? a->also.f(g, t, a->also.with) : 0;
}

size_t goldenpack_most(void)
{
    size_t rows = 0;
    while (all_rows[rows])
        rows++;
    return rows * GOLDENPACK_ROW;
}

char *goldenpack_make(
    const char *version, const char *row, struct goldenpack_asked also, size_t *size, char *err, size_t n)
{
    static const char *const files[] = { "README.md", "check.py", "check.c" };
    char root[80], path[600], what[80], *text = NULL, *index = NULL, zero[1024] = "";
    size_t index_size;
    struct archive a = { .f = need_stream(&text, size),
        .index = need_stream(&index, &index_size),
        .root = root,
        .digest = digest_start,
        .err = err,
        .n = n,
        .also = also };
    snprintf(root, sizeof root, "golden-%s", version);
    fprintf(a.index, "# golden pack 3\tid, row, quantity, parameters, inputs\n");
    int rc = goldenpack_each(row, write_case, &a, err, n);
    fclose(a.index);
    member(&a, "index.tsv", index, index_size);
    for (int k = 0; k < 3 && !rc; k++) {
        snprintf(what, sizeof what, "reader/%s", files[k]);
        char *s = file_read(data_path(what, path, sizeof path));
        if (!s)
            rc = -1, snprintf(err, n, "%s: missing", path);
        else
            member(&a, files[k], s, strlen(s));
        free(s);
    }
    snprintf(what, sizeof what, "%016llx\n", (unsigned long long)a.digest);
    member(&a, "DIGEST", what, strlen(what));
    fwrite(zero, 1, sizeof zero, a.f);
    rc |= fclose(a.f);
    for (size_t k = 0; k < a.used; k++)
        free(a.kept[k].data);
    free(a.kept), free(index);
    if (!rc && *size > goldenpack_most())
        rc = -1, snprintf(err, n, "%zu bytes; a golden pack has at most %zu", *size, goldenpack_most());
    return rc ? free(text), NULL : text;
}
