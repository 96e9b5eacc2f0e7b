/* Questions of the climb as values: made, copied, written as a line and read again; see climb.h for the line. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "climb/climb.h"
#include "trial/allowed.h"
#include "base/words.h"

static void forget_judged(struct climb *c)
{
    if (c->judged.params)
        params_clear(row_params(c->judged.row), c->judged.params), free(c->judged.params);
    c->judged.params = NULL;
}

void climb_close(struct climb *c)
{
    if (c->made)
        forget_judged(c), trial_close(&c->t);
    c->made = false;
}

static bool is_real(const struct mer_array *a) { return a->type < MER_I64; }

static int read_profiles(struct climb *c, char *err, size_t n)
{
    char text[CLIMB_PARAMS + CLIMB_PROFILE + 2];
    snprintf(text, sizeof text, "%s %s", c->params, c->profile);
    c->judged = c->t, c->judged.params = NULL;
    c->judged.call.in = c->t.in, c->judged.call.out = c->t.out; /* the same arrays, which c->t owns */
    if (trial_params(&c->judged, text, err, n))
        return -1;
    if (arith_read(&c->round, c->t.row, c->profile, ROUND, err, n) < 0)
        return -1;
    return arith_read(&c->wide, c->t.row, c->profile, WIDEN, err, n) < 0 ? -1 : 0;
}

int climb_make(struct climb *c, const struct row *row, char *err, size_t n)
{
    climb_close(c);
    c->made = true, c->judged = (struct trial){ .params = NULL };
    if (trial_make(&c->t, &(struct trial_spec){ row->name, c->params, c->out, c->type, c->sizes, c->seed }, err, n) ||
        trial_holds(&c->t, err, n) || read_profiles(c, err, n))
        return -1;
    for (int k = 0; k < c->t.call.n_in; k++)
        if (is_real(&c->t.in[k]))
            climb_fill(&c->t, &c->t.in[k], c->recipe[k].way, c->recipe[k].seed);
    return 0;
}

int climb_copy(struct climb *to, const struct climb *c)
{
    char err[600];
    climb_close(to);
    *to = *c;
    to->made = false;
    if (climb_make(to, c->t.row, err, sizeof err))
        return -1;
    for (int k = 0; k < c->t.call.n_in; k++)
        memcpy(to->t.in[k].data, c->t.in[k].data, (size_t)array_len(&c->t.in[k]) * type_size(c->t.in[k].type));
    return 0;
}

static bool shapes_alike(const struct climb *a, const struct climb *b)
{
    bool same = a->t.call.n_in == b->t.call.n_in;
    for (int k = 0; same && k < a->t.call.n_in; k++)
        same = !strcmp(a->t.in[k].name, b->t.in[k].name) && a->t.in[k].rank == b->t.in[k].rank &&
            !memcmp(a->t.in[k].dim, b->t.in[k].dim, sizeof a->t.in[k].dim) && a->t.in[k].type == b->t.in[k].type;
    return same;
}

/* Copies the elements whose index both arrays have. */
static void copy_corner(struct mer_array *to, const struct mer_array *from)
{
    if (from->rank != to->rank)
        return;
    for (long i = 0; i < array_len(to); i++) {
        long rest = i, at = 0, step = 1;
        bool in = true;
        for (int d = to->rank - 1; in && d >= 0; d--) {
            const long x = rest % to->dim[d];
            rest /= to->dim[d], in = x < from->dim[d], at += x * step, step *= from->dim[d];
        }
        if (in)
            array_put(to, i, array_get(from, at));
    }
}

int climb_remake(struct climb *next, const struct climb *from)
{
    char err[900];
    if (climb_make(next, from->t.row, err, sizeof err))
        return -1;
    const bool alike = shapes_alike(next, from);
    for (int k = 0; k < next->t.call.n_in; k++) {
        const struct mer_array *a = mer_in(&from->t.call, next->t.in[k].name);
        if (a && (is_real(&next->t.in[k]) ? a->type < MER_I64 : alike))
            copy_corner(&next->t.in[k], a), allowed_bring(&next->t, &next->t.in[k]);
    }
    return 0;
}

static void print_number(FILE *f, double x)
{
    if (x == floor(x) && fabs(x) < 1e6)
        fprintf(f, signbit(x) && x == 0 ? "-0" : "%.0f", x);
    else
        fprintf(f, "%a", x);
}

static bool alike(double x, double y) { return x == y ? signbit(x) == signbit(y) : isnan(x) && isnan(y); }

static void print_values(FILE *f, const struct mer_array *a)
{
    for (long i = 0, run; i < array_len(a); i += run) {
        const double x = array_get(a, i);
        for (run = 1; i + run < array_len(a) && alike(array_get(a, i + run), x);)
            run++;
        fprintf(f, i ? "," : "");
        print_number(f, x);
        if (run > 1)
            fprintf(f, "*%ld", run);
    }
}

/* Writes an input as the way that made it and the elements that differ, or as its values, whichever is shorter. */
static void print_input(FILE *f, const struct trial *t, const struct mer_array *a, const struct recipe_of *r)
{
    struct mer_array made = *a;
    char *values = NULL, *edits = NULL;
    size_t n = 0, m = 0;
    FILE *to = need_stream(&values, &n);
    print_values(to, a);
    fclose(to);
    if (is_real(a)) {
        made.data = need((size_t)array_len(a) + 16, type_size(a->type));
        climb_fill(t, &made, r->way, r->seed);
        to = need_stream(&edits, &m);
        fprintf(to, "@%s:%llu", climb_way(r->way), (unsigned long long)r->seed);
        for (long i = 0; i < array_len(a); i++)
            if (!alike(array_get(a, i), array_get(&made, i)))
                fprintf(to, ";%ld:", i), print_number(to, array_get(a, i));
        fclose(to);
        free(made.data);
    }
    fprintf(f, "%s=%s", a->name, edits && m < n ? edits : values);
    free(values), free(edits);
}

static bool alike_kernels(const struct mer_kernel *a, const char *row, const char *out, const char *type)
{
    return !strcmp(a->row, row) && !strcmp(a->out, out) && !strcmp(a->type, type);
}

/* The number of c's kernel among the slot's kernels for the same outputs and type, so that a case stays valid when
 * other kernels come and go. */
static int place_among_alike(const struct climb *c)
{
    int n = 0;
    for (const struct mer_kernel *k = c->slot->kernel; k < c->kernel; k++)
        n += alike_kernels(k, c->t.row->name, c->kernel->out, c->kernel->type);
    return n;
}

static void print_adverse(FILE *f, const struct adverse *a)
{
    fprintf(f, "seed=%llu%s%s", (unsigned long long)a->seed, a->convert ? " convert" : "", a->flush ? " flush" : "");
    for (int s = 0; s < STEPS; s++)
        if (a->way[s] != TO_NEAREST || a->tree[s] != LEFT_TO_RIGHT)
            fprintf(f, " %d=%s/%s", s, adverse_way_name[a->way[s]], adverse_tree_name[a->tree[s]]);
}

static const char *word_or_none(const char *s) { s += strspn(s, " "); return *s ? s : "-"; }

/* Are these integers those that the sizes and the seed of the case make?  A few are written in any case. */
static bool as_made(const struct climb *c, const struct mer_array *a)
{
    enum { FEW = 64 };
    struct trial t;
    char err[900];
    if (is_real(a) || array_len(a) <= FEW)
        return false;
    bool same = !trial_make(
        &t, &(struct trial_spec){ c->t.row->name, c->params, c->out, c->type, c->sizes, c->seed }, err, sizeof err);
    const struct mer_array *made = same ? mer_in(&t.call, a->name) : NULL;
    same = made && array_len(made) == array_len(a);
    for (long i = 0; same && i < array_len(a); i++)
        same = alike(array_get(made, i), array_get(a, i));
    return trial_close(&t), same;
}

void climb_print(const struct climb *c, FILE *f)
{
    fprintf(f, "%s|%s|%s|", c->t.row->name, c->out, type_name[c->type]);
    if (c->slot)
        fprintf(f, "%s:%d", c->slot->name, place_among_alike(c));
    else if (c->kernel)
        fprintf(f, "subject");
    else
        fprintf(f, "page");
    fprintf(f, "|%s|%s|%s seed=%llu|", word_or_none(c->params), c->kernel ? "-" : word_or_none(c->profile),
        c->sizes + strspn(c->sizes, " "), (unsigned long long)c->seed);
    if (c->kernel) /* a kernel has no adverse choices: its roundings are its own */
        fprintf(f, "-");
    else
        print_adverse(f, &c->adverse);
    fprintf(f, "|");
    const char *between = "";
    for (int k = 0; k < c->t.call.n_in; k++) {
        if (as_made(c, &c->t.in[k]))
            continue; /* Who reads the case makes them again. */
        fprintf(f, "%s", between);
        print_input(f, &c->t, &c->t.in[k], &c->recipe[k]), between = " ";
    }
}

char *climb_text(const struct climb *c)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = need_stream(&text, &n);
    climb_print(c, f);
    fclose(f);
    return text;
}

enum { F_ROW, F_OUT, F_TYPE, F_WHO, F_PARAMS, F_PROFILE, F_SIZES, F_ADVERSE, F_INPUTS, FIELDS };

/* cuts the line at '|', drops blanks around it, and returns how many fields there are */
static int cut(char *line, char *field[FIELDS])
{
    int n = 0;
    for (char *s = line; s && n < FIELDS; n++) {
        char *end = strchr(s, '|');
        if (end)
            *end = 0;
        s += strspn(s, " \t\n");
        for (size_t len = strlen(s); len && isspace((unsigned char)s[len - 1]);)
            s[--len] = 0;
        field[n] = !strcmp(s, "-") ? s + 1 : s;
        s = end ? end + 1 : NULL;
    }
    return n;
}

static int named_among(const char *const *name, int n, const char *s, size_t len)
{
    for (int k = 0; k < n; k++)
        if (strlen(name[k]) == len && !strncmp(name[k], s, len))
            return k;
    return -1;
}

static int read_adverse(struct adverse *a, const char *s, char *err, size_t n)
{
    *a = (struct adverse){ 0 };
    for (; *s; s = word_next(s)) {
        const int len = (int)strcspn(s, " ");
        char *end;
        if (!strncmp(s, "seed=", 5)) {
            a->seed = strtoull(s + 5, NULL, 10);
            continue;
        }
        if (!strncmp(s, "convert", (size_t)len) || !strncmp(s, "flush", (size_t)len)) {
            *(*s == 'c' ? &a->convert : &a->flush) = true;
            continue;
        }
        const long step = strtol(s, &end, 10);
        const size_t way = *end == '=' ? strcspn(end + 1, "/ ") : 0;
        const int w = way ? named_among(adverse_way_name, ADVERSE_WAYS, end + 1, way) : -1;
        const char *tree = way && end[1 + way] == '/' ? end + 2 + way : NULL;
        const int t = tree ? named_among(adverse_tree_name, ADVERSE_TREES, tree, strcspn(tree, " ")) : -1;
        if (end == s || step < 0 || step >= STEPS || w < 0 || t < 0)
            return snprintf(err, n,
                       "adverse arithmetic: found '%.*s', allowed: seed=N convert flush STEP=WAY/TREE with WAY nearest "
                       "up down zero away any, TREE left right halves random least greatest",
                       len < 60 ? len : 60, s),
                   -1;
        a->way[step] = (unsigned char)w, a->tree[step] = (unsigned char)t;
    }
    return 0;
}

/* Reads a made input, "WAY:SEED;INDEX:VALUE ..", from behind its '@'. */
static int read_made(const struct trial *t, struct mer_array *a, struct recipe_of *r, const char *s, size_t len,
    char *err, size_t n)
{
    const size_t way = strcspn(s, ":; ");
    char *end = (char *)s + way;
    *r = (struct recipe_of){ -1, 0 };
    for (int w = 0; w < climb_ways(); w++)
        if (strlen(climb_way(w)) == way && !strncmp(climb_way(w), s, way))
            r->way = w;
    if (r->way < 0 || *end != ':' || !is_real(a))
        return snprintf(err, n,
                   "input %s: found '@%.*s', allowed: @WAY:SEED of a real input, with one of the ways that --help "
                   "lists",
                   a->name, (int)(way < 40 ? way : 40), s),
               -1;
    r->seed = strtoull(end + 1, &end, 10);
    climb_fill(t, a, r->way, r->seed);
    while (end < s + len && *end == ';') {
        const long i = strtol(end + 1, &end, 10);
        if (*end != ':' || i < 0 || i >= array_len(a))
            return snprintf(err, n, "input %s: ';INDEX:VALUE' with an index from 0 to %ld", a->name, array_len(a) - 1),
                   -1;
        array_put(a, i, strtod(end + 1, &end));
    }
    return 0;
}

static int read_values(struct mer_array *a, const char *s, size_t len, char *err, size_t n)
{
    long i = 0;
    for (const char *at = s; at < s + len; at += *at == ',') {
        char *end;
        const double x = strtod(at, &end);
        long times = 1;
        if (end == at)
            return snprintf(err, n, "input %s: found '%.*s', allowed: numbers with commas between", a->name,
                       (int)strcspn(at, ", "), at),
                   -1;
        if (*end == '*')
            times = strtol(end + 1, &end, 10);
        for (; times > 0 && i < array_len(a); times--)
            array_put(a, i++, x);
        if (times > 0 || (end < s + len && *end != ','))
            return snprintf(err, n, "input %s: more than its %ld elements, or no comma at '%.20s'", a->name,
                       array_len(a), end),
                   -1;
        at = end;
    }
    return i == array_len(a) ?
        0 :
        (snprintf(err, n, "input %s: %ld values, its shape has %ld elements", a->name, i, array_len(a)), -1);
}

static int read_inputs(struct climb *c, const char *s, char *err, size_t n)
{
    for (; *s; s += strspn(s, " ")) {
        const size_t key = strcspn(s, "="), len = strcspn(s, " ");
        int k = 0;
        while (k < c->t.call.n_in && (strlen(c->t.in[k].name) != key || strncmp(c->t.in[k].name, s, key)))
            k++;
        if (k == c->t.call.n_in || key >= len)
            return snprintf(err, n, "found '%.*s': no input of this question", (int)(len < 40 ? len : 40), s), -1;
        const char *value = s + key + 1;
        if (*value == '@' ? read_made(&c->t, &c->t.in[k], &c->recipe[k], value + 1, len - key - 2, err, n) :
                            read_values(&c->t.in[k], value, len - key - 1, err, n))
            return -1;
        s += len;
    }
    return 0;
}

static int read_kernel(struct climb *c, const struct row *row, const char *who, char *err, size_t n)
{
    const size_t len = strcspn(who, ":");
    c->slot = NULL, c->kernel = NULL;
    if (!strcmp(who, "page") || !strcmp(who, "subject"))
        return 0;
    long at = who[len] ? strtol(who + len + 1, NULL, 10) : -1;
    for (const struct slot *s = slots; s->name; s++)
        if (strlen(s->name) == len && !strncmp(s->name, who, len))
            for (const struct mer_kernel *k = s->kernel; k->row && !c->kernel; k++)
                if (alike_kernels(k, row->name, c->out, type_name[c->type]) && at-- == 0)
                    c->slot = s, c->kernel = k;
    if (c->kernel && !c->slot->here())
        return snprintf(err, n, "%s: not on this machine, or masked by MERIDIAN_ISA", c->slot->name), 1;
    return c->kernel ?
        0 :
        (snprintf(err, n, "found '%.60s', allowed: page, or SLOT:NUMBER of an own kernel of %s for '%.60s' in %s", who,
             row->name, c->out, type_name[c->type]),
            -1);
}

static void set_words(struct climb *c, char *field[FIELDS])
{
    char *seed = strstr(field[F_SIZES], "seed=");
    if (seed)
        c->seed = strtoull(seed + 5, NULL, 10), seed[seed > field[F_SIZES] ? -1 : 0] = 0;
    snprintf(c->params, sizeof c->params, "%s", field[F_PARAMS]),
        snprintf(c->sizes, sizeof c->sizes, "%s", field[F_SIZES]);
    /* a kernel is judged under what it declares today, whatever the case says */
    snprintf(c->profile, sizeof c->profile, "%s", c->kernel ? c->kernel->profile : field[F_PROFILE]);
}

int climb_read(struct climb *c, const char *text, char *err, size_t n)
{
    char *line = need_copy(text), *field[FIELDS];
    const int fields = cut(line, field);
    const struct row *row = fields == FIELDS ? row_named(field[F_ROW]) : NULL;
    int rc = -1;
    climb_close(c);
    *c = (struct climb){ .type = fields == FIELDS ? type_named(field[F_TYPE]) : -1, .seed = 1 };
    if (fields != FIELDS)
        snprintf(err, n, "a case has %d fields with '|' between, found %d", FIELDS, fields);
    else if (!row)
        snprintf(err, n, "no row '%.40s'; `meridian list` names them", field[F_ROW]);
    else if (c->type < 0 || c->type >= MER_I64)
        snprintf(err, n, "type '%.20s', allowed: f64 f32 f16 bf16", field[F_TYPE]);
    else {
        snprintf(c->out, sizeof c->out, "%s", field[F_OUT]);
        rc = read_kernel(c, row, field[F_WHO], err, n);
        rc = rc ? rc : read_adverse(&c->adverse, field[F_ADVERSE], err, n);
        if (!rc)
            set_words(c, field),
                rc = climb_make(c, row, err, n) || read_inputs(c, field[F_INPUTS], err, n) ||
                    trial_check(&c->t, err, n) ?
                -1 :
                0;
    }
    free(line);
    return rc;
}
