/* Writes questions and the reference's answers for a second system; see second.h for the form. */
#include "golden/second.h"
#include "compare/line_at.h"
#include <math.h>
#include <string.h>

static void write_number(FILE *f, double x, bool integer)
{
    if (integer)
        fprintf(f, "%.0f", x);
    else
        fprintf(f, "\"%a\"", x);
}

static void write_shape(FILE *f, const struct mer_array *a)
{
    fputs("\"shape\":[", f);
    for (int k = 0; k < a->rank; k++)
        fprintf(f, "%s%lld", k ? "," : "", (long long)a->dim[k]);
    fputc(']', f);
}

static void write_inputs(FILE *f, const struct trial *t)
{
    fputs(",\"in\":{", f);
    for (int k = 0; k < t->call.n_in; k++) {
        const struct mer_array *a = &t->in[k];
        const bool integer = a->type >= MER_I64;
        fprintf(f, "%s\"%s\":{", k ? "," : "", a->name);
        write_shape(f, a);
        fprintf(f, ",\"integer\":%s,\"v\":[", integer ? "true" : "false");
        for (long i = 0; i < array_len(a); i++) {
            fputs(i ? "," : "", f);
            write_number(f, array_get(a, mer_at(a, i)), integer);
        }
        fputs("]}", f);
    }
    fputc('}', f);
}

static void write_params(FILE *f, const struct trial *t)
{
    static const char *const kinds[] = {
        [INT] = "integer", [RATIONAL] = "rational", [ENUM] = "choice", [LIST] = "list", [ROUTE] = "route"
    };
    char *text = need(TEXT_MAX, 1);
    fputs(",\"params\":{", f);
    for (const struct param *p = row_params(t->row); p->name; p++) {
        params_pick(row_params(t->row), t->params, p->name, text, TEXT_MAX);
        const char *v = strchr(text, '=');
        v = v ? v + 1 : "";
        fprintf(f, "%s\"%s\":[\"%s\",\"%.*s\"]", p == row_params(t->row) ? "" : ",", p->name, kinds[p->kind],
            (int)strcspn(v, " "), v);
    }
    fputc('}', f);
    free(text);
}

static void write_sizes(FILE *f, const struct trial *t)
{
    int n = 0;
    fputs(",\"sizes\":{", f);
    for (int c = 'a'; c <= 'z'; c++)
        if (t->bound[c])
            fprintf(f, "%s\"%c\":%ld", n++ ? "," : "", c, t->size[c]);
    fputc('}', f);
}

static void write_ball(FILE *f, const struct ball *y)
{
    if (isinf(y->rad.m)) {
        fputs("[\"undefined\",\"inf\"]", f);
        return;
    }
    char *text = NULL;
    mpfr_t r;
    mpfr_init2(r, 60);
    up_get(r, y->rad);
    if (mpfr_number_p(y->mid))
        mpfr_asprintf(&text, "[\"%Ra\",\"%.6RUe\"]", y->mid, r);
    else
        mpfr_asprintf(&text, "[\"%s\",\"0\"]", mpfr_nan_p(y->mid) ? "nan" : mpfr_sgn(y->mid) > 0 ? "inf" : "-inf");
    fputs(text, f);
    mpfr_free_str(text), mpfr_clear(r);
}

static bool sharp(const struct ball *y) /* whether the ball is narrower than 2^-SECOND_BITS of its value */
{
    mpfr_t r;
    mpfr_init2(r, 60);
    up_get(r, y->rad);
    const bool is = mpfr_zero_p(r) || !mpfr_number_p(y->mid) ||
        (mpfr_number_p(r) && !mpfr_zero_p(y->mid) && mpfr_get_exp(r) < mpfr_get_exp(y->mid) - SECOND_BITS);
    mpfr_clear(r);
    return is;
}

/* Evaluates a line at rising precision.  A value that is still wide at MIDDLE is 0, or the difference of nearly
 * equal terms: it is given as it is, and whoever compares sees its radius.  What has no bound or no decision by then
 * is evaluated once more, at LAST. */
static void answer(struct ask *w, const struct quantity *q, const struct ball **y)
{
    enum { FIRST = 320, MIDDLE = 1280, LAST = 5120 };
    bool done = false;
    for (mpfr_prec_t prec = FIRST; prec <= LAST && !done; prec *= prec < MIDDLE ? 2 : 4) {
        bool narrow = true;
        ask_reset(w, prec);
        line_page(w, q, NULL, y);
        done = !w->undecided;
        for (long k = 0; k < w->len; k++)
            done &= !isinf(y[k]->rad.m), narrow &= sharp(y[k]);
        done &= narrow || prec >= MIDDLE;
    }
}

static void write_line(FILE *f, struct ask *w, const struct quantity *q, int lead, const struct golden *told, long only)
{
    const struct ball **y = need((size_t)w->len + 1, sizeof *y);
    answer(w, q, y);
    fputs("{\"at\":[", f);
    for (int k = 0; k < lead; k++)
        fprintf(f, "%s%ld", k ? "," : "", w->at[k]);
    fprintf(f, "],\"k\":%ld%s,\"y\":[", told ? only : 0, w->undecided ? ",\"undecided\":true" : "");
    for (long k = told ? only : 0; k < (told ? only + 1 : w->len); k++) {
        fputs(k && !told ? "," : "", f);
        write_ball(f, y[k]);
    }
    fputs("]", f);
    if (told)
        fprintf(f, ",\"told\":\"%s\"", told->out);
    fputs("}", f);
    free(y);
}

void second_ask(FILE *f, const char *source, const char *id, struct trial *t, const struct golden *told, long lines)
{
    const struct arith exact = { 0 };
    const struct mer_array *out = &t->out[0];
    const struct quantity *q = row_quantity(t->row, out->name);
    struct ask w = { .params = t->params, .call = &t->call, .arith = &exact, .len = 1 };
    struct sign s;
    long total = 1, only = 0;
    char value[40];
    sign_read(&s, q->sign);
    for (int k = 0; k < out->rank; k++)
        *(k < s.out.lead ? &total : &w.len) *= out->dim[k];
    fprintf(f, "{\"source\":\"%s\",\"id\":\"%s\",\"row\":\"%s\",\"quantity\":\"%s\",\"sign\":\"%s\",", source, id,
        t->row->name, out->name, q->sign);
    write_shape(f, out);
    write_sizes(f, t), write_params(f, t), write_inputs(f, t);
    fputs(",\"lines\":[", f);
    if (told) {
        const char *k = strstr(told->inputs, "k=");
        while (k && k != told->inputs && k[-1] != ' ')
            k = strstr(k + 1, "k=");
        snprintf(value, sizeof value, "%.30s", k ? k + 2 : "0");
        only = strtol(value, NULL, 10);
        golden_line(t, told, w.at, &w.len);
        write_line(f, &w, q, s.out.lead, told, only);
    } else
        /* all lines, or the first, the last, and others between */
        for (long n = 0; n < (total < lines ? total : lines); n++) {
            line_at(&w, out, s.out.lead,
                total <= lines ? n :
                    n == 0     ? 0 :
                    n == 1     ? total - 1 :
                                 (long)(gen_bits(1, (uint64_t)n, (uint64_t)total) % (uint64_t)total));
            fputs(n ? "," : "", f);
            write_line(f, &w, q, s.out.lead, NULL, 0);
        }
    fputs("]}\n", f);
    ask_clear(&w);
}
