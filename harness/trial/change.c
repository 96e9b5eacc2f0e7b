/* Copies a trial, and changes it as a line of data/mistakes says; see change.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "trial/change.h"
#include "trial/rearrange.h"

/* "factor^=2", "window+=1", "scale*=0.5": changes a number exactly, whatever its size.  A power is a whole number; the
 * row refuses what is too large for it. */
static int number_change(struct trial *t, const char *key, char op, const char *by, char *err, size_t n)
{
    enum { POWER = 2048 }; /* beyond it only 0 and 1 stay in the range of a parameter */
    static const struct param operand[] = { { "by", "0", "", RATIONAL }, { 0 } };
    char word[TEXT_MAX];
    mpq_t is, x;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(mer_text(&t->call, key), " "), mer_text(&t->call, key));
    mpq_init(is);
    bool ok = !mpq_set_str(is, word, 10);
    snprintf(word, sizeof word, "by=%.*s", (int)strcspn(by, " "), by);
    ok = !params_read(operand, &x, word, err, n) && ok;
    const bool whole = !mpz_cmp_ui(mpq_denref(x), 1) && mpq_sgn(x) >= 0 && mpq_cmp_ui(x, POWER, 1) <= 0;
    const unsigned long power = op == '^' && whole ? mpz_get_ui(mpq_numref(x)) : 1;
    if (op == '+')
        mpq_add(is, is, x);
    else if (op == '*')
        mpq_mul(is, is, x);
    else if (ok && whole)
        mpz_pow_ui(mpq_numref(is), mpq_numref(is), power), mpz_pow_ui(mpq_denref(is), mpq_denref(is), power);
    char *to = mpq_get_str(NULL, 10, is), *text = need(strlen(t->text) + strlen(key) + strlen(to) + 3, 1);
    sprintf(text, "%s %s=%s", t->text, key, to);
    params_clear(operand, &x), mpq_clear(is);
    int bad = ok && (op != '^' || whole) ?
        trial_params(t, text, err, n) || trial_holds(t, err, n) :
        snprintf(err, n, "%s%c=%.80s: not a number, or no power of it", key, op, by);
    free(to), free(text);
    return bad ? -1 : 0;
}

/* "layout+=1": the next word of the parameter's list, after the last the first. */
static int word_change(struct trial *t, const struct param *p, long by, char *err, size_t n)
{
    const char *at = mer_text(&t->call, p->name), *s;
    char text[TEXT_MAX + 100], declared[48];
    long all = 0, now = 0;
    snprintf(declared, sizeof declared, "%.*s", (int)strcspn(at, " "), at);
    for (s = p->choices; *s; s = word_next(s), all++)
        now = word_is(s, declared) ? all : now;
    long to = ((now + by) % all + all) % all;
    for (s = p->choices; to; to--)
        s = word_next(s);
    snprintf(text, sizeof text, "%s %s=%.*s", t->text, p->name, (int)strcspn(s, " "), s);
    return trial_params(t, text, err, n) || trial_holds(t, err, n) ? -1 : 0;
}

static bool has_word(const char *choices, const char *word)
{
    while (*choices && !word_is(choices, word))
        choices = word_next(choices);
    return *choices;
}
/* "concat<>interleaved": where one of two words of a parameter is declared, the other.  -1: neither is. */
static int exchange_words(struct trial *t, const char *one, const char *other, char *err, size_t n)
{
    for (const struct param *p = row_params(t->row); p->name; p++) {
        if (p->kind != ENUM || !has_word(p->choices, one) || !has_word(p->choices, other))
            continue;
        const char *now = mer_text(&t->call, p->name);
        char text[TEXT_MAX + 100];
        if (!word_is(now, one) && !word_is(now, other))
            continue;
        snprintf(text, sizeof text, "%s %s=%s", t->text, p->name, word_is(now, one) ? other : one);
        return trial_params(t, text, err, n) || trial_holds(t, err, n) ? -1 : 0;
    }
    return snprintf(err, n, "%s and %s: not two inputs of one shape, and no words one of which is declared", one,
               other), -1;
}
/* "w1<>wg": exchanges two inputs of one shape. */
static int exchange(struct trial *t, const char *one, const char *other, char *err, size_t n)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, one), *b = mer_find(t->in, t->call.n_in, other);
    if (!a && !b)
        return exchange_words(t, one, other, err, n);
    if (!a || !b || a->rank != b->rank || memcmp(a->dim, b->dim, sizeof a->dim))
        return snprintf(err, n, "%s and %s: not two inputs of one shape", one, other), -1;
    struct mer_array was = *a; /* everything but the names is exchanged: types may differ */
    *a = *b, a->name = was.name;
    was.name = b->name, *b = was;
    return 0;
}

/* The parameter of that name, or NULL. */
static const struct param *named(const struct row *r, const char *name, size_t len)
{
    for (const struct param *p = row_params(r); p->name; p++)
        if (strlen(p->name) == len && !memcmp(p->name, name, len))
            return p;
    return NULL;
}
/* The parameter of that name if it is a number, or NULL. */
static const struct param *number(const struct row *r, const char *name, size_t len)
{
    const struct param *p = named(r, name, len);
    return p && (p->kind == INT || p->kind == RATIONAL) ? p : NULL;
}

/* Writes `change` with "window=chunk" replaced by the number that chunk has before any change. */
static void numbers_put(const struct trial *t, const char *change, char *to, size_t n)
{
    size_t at = 0;
    *to = 0;
    for (const char *s = change; *s && at < n; s = word_next(s)) {
        const size_t len = strcspn(s, " "), key = strcspn(s, "= ");
        const bool pair = key < len && number(t->row, s, key);
        const struct param *of = pair ? number(t->row, s + key + 1, len - key - 1) : NULL;
        const char *value = of ? mer_text(&t->call, of->name) : s + key;
        at += (size_t)snprintf(to + at, n - at, "%s%.*s%s%.*s", at ? " " : "", (int)key, s, of ? "=" : "",
            of ? (int)strcspn(value, " ") : (int)(len - key), value);
    }
}

/* Does the parameter say that there is no such number, as a length of -1 does?  That is its least value where this is
 * negative. */
static bool absent(const struct trial *t, const struct param *p)
{
    return p->kind == INT && p->least < 0 && strtol(mer_text(&t->call, p->name), NULL, 10) == p->least;
}

/* One word that changes an input or counts on from a parameter; change, op and by are its parts. */
static int counted_change(struct trial *t, const char *change, const char *key, char op, double by, char *err, size_t n)
{
    struct mer_array *in = mer_find(t->in, t->call.n_in, key);
    const struct param *p = named(t->row, key, strlen(key));
    if (!in && op == '+' && p && p->kind == ENUM)
        return word_change(t, p, (long)by, err, n);
    if (!in && p && absent(t, p))
        return snprintf(err, n, "%s: there is none from which one could count on", key), -1;
    if (!in || op == '^')
        return number_change(t, key, op, strchr(change, '=') + 1, err, n);
    for (long i = 0; i < array_len(in); i++)
        array_put(in, i, op == '+' ? array_get(in, i) + by : array_get(in, i) * by);
    return 0;
}

int trial_change(struct trial *t, const char *words, char *err, size_t n)
{
    char text[TEXT_MAX + 1100], change[TEXT_MAX], key[32], other[32], op;
    double by;
    numbers_put(t, words, change, sizeof change);
    const char *rest = word_next(change);
    const bool pair = sscanf(change, "%31[A-Za-z_0-9-]<>%31[A-Za-z_0-9-]", key, other) == 2;
    if (!pair && is_rearrangement(change))
        return rearrange(t, change, err, n);
    if (!pair && (sscanf(change, "%31[A-Za-z_0-9]%c=%lf", key, &op, &by) != 3 || !strchr("+*^", op))) {
        struct arith a;
        int steps = arith_read(&a, t->row, change, WIDEN, err, n);
        snprintf(text, sizeof text, "%s %s", steps > 0 ? t->profile : t->text, change);
        if (steps > 0 && strlen(text) < sizeof t->profile)
            strcpy(t->profile, text);
        return steps < 0 ? -1 : steps ? 0 : trial_params(t, text, err, n) || trial_holds(t, err, n) ? -1 : 0;
    }
    const int rc = pair ? exchange(t, key, other, err, n) : counted_change(t, change, key, op, by, err, n);
    return rc || !*rest ? rc : trial_change(t, rest, err, n);
}

int trial_copy(struct trial *m, const struct trial *t, char *err, size_t n)
{
    *m = *t;
    m->answers = NULL; /* what is kept for t does not answer a changed copy */
    m->params = NULL;
    m->call.params = m->text, m->call.in = m->in, m->call.out = m->out;
    for (int k = 0; k < m->call.n_in + m->call.n_out; k++) {
        struct mer_array *a = k < m->call.n_in ? &m->in[k] : &m->out[k - m->call.n_in];
        const struct mer_array own = *a;
        const char *first = (const char *)t->names;
        if (a->name >= first && a->name < first + sizeof t->names) /* the copy may outlive t */
            a->name = (const char *)m->names + (a->name - first);
        memset(a->stride, 0, sizeof a->stride);
        a->data = need((size_t)array_len(a) * type_size(a->type) + 16, 1);
        mer_move(a, &own);
    }
    return trial_params(m, t->text, err, n);
}
bool trial_same_outputs(const struct trial *a, const struct trial *b)
{
    for (int k = 0; k < a->call.n_out; k++)
        if (memcmp(a->out[k].data, b->out[k].data, (size_t)array_len(&a->out[k]) * type_size(a->out[k].type)))
            return false;
    return true;
}
