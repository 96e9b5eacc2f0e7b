/* What was read is kept in a list, with the one that was asked last in front.  It is short, since a page's words vary
 * with its parameters and not with its data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "row/memo.h"
#include "row/called.h"
#include "ball/trace.h"

static char *copy(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(need(n, 1), s, n);
}

static void forget_all(void *with)
{
    struct called *next;
    for (struct called *x = *(struct called **)with; x; x = next) {
        next = x->next;
        params_clear(row_params(x->row), x->params);
        free(x->params), free(x->out), free(x->words), free(x->text), free(x);
    }
    free(with);
}

static bool same(const struct ask *w, const struct called *x, const struct row *r, const char *out, const char *words,
    const char *text)
{
    return x->row == r && x->arith.how == w->arith->how && x->arith.asked == w->arith->asked && !strcmp(x->out, out) &&
        !strcmp(x->words, words) && !strcmp(x->text, text);
}

/* The page's words and, behind them so that they win, the routes of r that the asker's arithmetic names; the caller
 * frees the text.  place[CALLED_ROUTES] gets 1 + where each of these routes begins, and stays as it was behind the
 * last.  Under EXACT no route makes a difference, and none is taken. */
static char *with_routes(const struct ask *w, const struct row *r, const char *words, int *place)
{
    int routes = 0;
    const char *text = w->arith->text ? w->arith->text : "";
    char *all = need(strlen(words) + strlen(text) + 2, 1);
    size_t at = (size_t)sprintf(all, "%s", words);
    for (const char *s = text + strspn(text, " "); *s && w->arith->how != EXACT;
         s += strcspn(s, " "), s += strspn(s, " ")) {
        const char *route = row_route(r, s);
        if (!route)
            continue;
        at += (size_t)sprintf(all + at, " %.*s", (int)strcspn(route, " "), route);
        if (routes < CALLED_ROUTES)
            place[routes++] = (int)(s - text) + 1;
    }
    return all;
}

static void trace_routes(const struct ask *w, const struct called *x)
{
    for (int k = 0; k < CALLED_ROUTES; k++)
        trace_word(w->trace, x->route_word[k], false);
}

const struct called *read_call(struct ask *w, const struct row *r, const char *out, const char *words)
{
    char err[300];
    const char *text = w->arith->text ? w->arith->text : "";
    struct called ***slot = memo_own(w, sizeof **slot, forget_all), **first = *slot;
    for (struct called **at = first; *at; at = &(*at)->next)
        if (same(w, *at, r, out, words, text)) {
            struct called *x = *at;
            *at = x->next, x->next = *first, *first = x;
            trace_routes(w, x);
            return x;
        }
    if (row_takes(r, words, err, sizeof err)) {
        trace_impossible(w, err);
        return NULL;
    }
    struct called *x = need(1, sizeof *x);
    *x = (struct called){ .row = r,
        .quantity = row_quantity(r, out),
        .params = need(1, r->size),
        .out = copy(out),
        .words = copy(words),
        .text = copy(text),
        .next = *first };
    char *all = with_routes(w, r, words, x->route_word);
    /* This reads the asker's routes again, whose values row_knows has judged for the asker's row. */
    const int rc = params_read(row_params(r), x->params, all, err, sizeof err);
    free(all);
    if (rc)
        trace_impossible(w, err);
    trace_routes(w, x);
    struct sign s;
    sign_read(&s, x->quantity->sign);
    x->lead = s.out.lead;
    arith_scope(&x->arith, w->arith->asked, r, x->text, w->arith->how);
    *first = x;
    return rc ? NULL : x;
}

const char *part_refuses(
    const struct row *part, const struct row *r, const void *params, const char *names, const char *more)
{
    static _Thread_local char why[300];
    char words[TEXT_MAX], said[sizeof why]; /* The part may ask one of its own, which writes `why`. */
    params_pick(row_params(r), params, names, words, sizeof words);
    const size_t at = strlen(words);
    snprintf(words + at, sizeof words - at, " %s", more);
    return row_takes(part, words, said, sizeof said) ? strcpy(why, said) : NULL;
}
