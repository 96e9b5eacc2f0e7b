/* What readers share: questions, hints, and the reading of weights. */
#include <stdarg.h>
#include <stdio.h>
#include "reader/core/reader.h"
#include "readers.h"
#include "subject/subject.h"
#include "base/words.h"


void readers_read(struct asking *a, struct reader_facts *r)
{
    for (int order = 0; order < 10; order++)
        for (const struct reader *const *p = found_readers; *p; p++)
            if ((*p)->order == order)
                (*p)->read(a, r);
}

bool reader_make(struct asking *a, struct trial *t, const char *params, const char *sizes)
{
    char text[2 * TEXT_MAX];
    snprintf(text, sizeof text, "%s %s", a->told, params);
    *a->why = 0;
    if (trial_make(t, &(struct trial_spec){ a->k->row, text, a->k->out, type_named(a->k->type), sizes, 1 }, a->why,
        sizeof a->why))
        return trial_close(t), false;
    for (int j = 0; j < t->call.n_in; j++)
        if (t->in[j].type < MER_I64)
            reader_fill(&t->in[j], 0);
    return true;
}

bool reader_ask(struct asking *a, struct trial *t)
{
    char err[400];
    *a->why = 0;
    a->asked++;
    bool ok = !trial_check(t, err, sizeof err) &&
        a->s->run((struct subject *)a->s, a->k, &t->call, a->why, sizeof a->why) == MER_OK;
    a->answered += ok;
    return ok;
}

bool reader_wants(const struct asking *a, const char *out) { return words_have(a->k->out, out); }
bool row_has(const struct row *r, const char *param)
{
    for (const struct param *p = row_params(r); p->name; p++)
        if (!strcmp(p->name, param))
            return true;
    return false;
}
struct mer_array *reader_in(struct trial *t, const char *input) { return mer_find(t->in, t->call.n_in, input); }
struct mer_array *reader_out(struct trial *t, const char *output) { return mer_find(t->out, t->call.n_out, output); }
void reader_fill(struct mer_array *a, double x)
{
    for (long i = 0; a && i < array_len(a); i++)
        array_put(a, i, x);
}
double unit_of_type(int type)
{
    return type == MER_F64 ? 0x1p-53 : type == MER_F32 ? 0x1p-24 : type == MER_F16 ? 0x1p-11 : 0x1p-8;
}

struct reader_fact *fact_add(struct reader_facts *r, const char *trait)
{
    struct reader_fact *x = &r->at[r->n < FACTS ? r->n++ : FACTS - 1];
    *x = (struct reader_fact){ 0 };
    snprintf(x->trait, sizeof x->trait, "%s", trait);
    return x;
}

void reader_hint(struct reader_facts *r, const char *format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size_t at = strlen(r->hints);
    if (!words_have(r->hints, text) && at + strlen(text) + 2 < sizeof r->hints)
        snprintf(r->hints + at, sizeof r->hints - at, "%s%s", at ? " " : "", text);
}

static bool lies(const struct mer_array *a, long n, long m) /* whether a is an array [h,n,m] */
{
    return a && a->rank == 3 && a->dim[0] >= 1 && a->dim[1] == n && a->dim[2] == m;
}

double *reader_weights(struct asking *a, struct trial *t, long n, long m)
{
    struct mer_array *v = reader_in(t, "v"), *w = reader_out(t, "weights"), *from = w ? w : reader_out(t, "o");
    if (!lies(from, n, m) || (!w && !lies(v, m, m)))
        return NULL;
    for (long i = 0; !w && i < array_len(v); i++)
        array_put(v, i, i % m == i / m % m);
    if (!reader_ask(a, t))
        return NULL;
    double *to = need((size_t)array_len(from) + 1, sizeof *to);
    for (long i = 0; i < array_len(from); i++)
        to[i] = array_get(from, i);
    return to;
}
