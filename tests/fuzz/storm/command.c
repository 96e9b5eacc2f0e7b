/* Command lines from the verbs' own tables: every verb, its flags with values of their kind, then errors of the hand
 * that types. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/cli.h"
#include "kind.h"
#include "arith/need.h"
#include "pool.h"

enum { WORDS = 64 };
/* The words so far, and what is known of them. */
/* fixed: how many stay in front when order is shuffled */
struct line { struct bytes word[WORDS]; int n, fixed; const struct row *row; bool refuse; };

static struct bytes *next(struct line *l)
{
    struct bytes *t = &l->word[l->n < WORDS - 1 ? l->n++ : WORDS - 1];
    bytes_put(t, "", 0);
    return t;
}

/* Words that the verb's usage names, "ROW [QUANTITY]" or "[quick|full|soak]": one of the alternatives of each. */
static void arguments(struct dice *d, struct line *l, const struct verb *v, struct script *s)
{
    int quantity = 0;
    for (const char *a = v->args; *a;) {
        a += strspn(a, " []|.");
        const size_t length = strcspn(a, " ]");
        const bool optional = a > v->args && a[-1] == '[';
        if (!length || *a == '-')
            break;
        char word[100];
        snprintf(word, sizeof word, "%.*s", (int)length, a);
        a += length;
        while (!strncmp(a, " | ", 3)) {
            if (dice_one_in(d, 2))
                snprintf(word, sizeof word, "%.*s", (int)strcspn(a + 3, " ]"), a + 3);
            a += 3 + strcspn(a + 3, " ]");
        }
        if (optional && dice_one_in(d, 3))
            continue;
        for (char *c = word; *c; c++)
            *c = *c == '|' ? ' ' : *c;
        struct bytes *t = next(l);
        if (!strcmp(word, "ROW"))
            bytes_say(t, "%s", dice_one_in(d, 12) ? "nosuch" : l->row->name), l->refuse |= *t->s == 'n' && !strcmp(t->s,
                "nosuch");
        else if (!strcmp(word, "QUANTITY") && !quantity++)
            bytes_say(t, "%s", pool_output(d, l->row));
        else if (islower((unsigned char)*word))
            bytes_say(t, "%s", dice_word(d, word));
        else
            pool_value(d, t, word, l->row, s);
    }
}

static void flag(struct line *l, const char *name, const struct bytes *value)
{
    struct bytes *t = next(l);
    bytes_say(t, "--%s", name);
    if (value) {
        bytes_put(t, "=", 1);
        bytes_put(t, value->s ? value->s : "", value->n);
    }
}

static void one_flag(struct dice *d, struct line *l, const struct verb *v, struct script *s)
{
    uint64_t flags = 0, params = 0;
    struct bytes value = { 0 };
    while (v->flags && v->flags[flags].name)
        flags++;
    while (v->row && row_params(l->row)[params].name)
        params++;
    const uint64_t k = dice_below(d, flags + params + 1);
    if (k < flags) {
        const struct flag *f = &v->flags[k];
        if (f->value)
            pool_value(d, &value, f->value, l->row, s);
        flag(l, f->name, f->value ? &value : NULL);
    } else if (k < flags + params) {
        pool_param(d, &value, &row_params(l->row)[k - flags]);
        flag(l, row_params(l->row)[k - flags].name, &value);
    } else if (dice_one_in(d, 3))
        flag(l, "help", NULL);
    else {
        pool_number(d, &value);
        flag(l, dice_word(d, "pos x q k v scores at k lines seed"), &value);
    }
    free(value.s);
}

/* Flags that make a run short, where the verb has them. */
static void cheap(struct dice *d, struct line *l, const struct verb *v)
{
    static const struct { const char *name, *value; } list[] = { { "lines", "1" }, { "quick", NULL }, { "seeds", "1" },
        { "turns", "1" }, { "row", "alibi" }, { "checks", "none" },
                                                                 { "preset", "paper" }, { "only", "softmax" },
                                                                     { "limit", "64" }, { "dim", "8" } };
    for (const struct flag *f = v->flags; f && f->name; f++)
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)
            if (!strcmp(list[k].name, f->name) && !dice_one_in(d, 3)) {
                struct bytes value = { 0 };
                bytes_say(&value, "%s", !strcmp(f->name, "row") ? l->row->name : list[k].value ? list[k].value : "");
                flag(l, f->name, f->value ? &value : NULL);
                free(value.s);
            }
}

static void exchange(struct line *l, int a, int b)
{
    const struct bytes t = l->word[a];
    l->word[a] = l->word[b], l->word[b] = t;
}

/* Inserts a word at a place. */
static void insert(struct line *l, int at, const char *bytes, size_t n)
{
    bytes_put(next(l), bytes, n);
    for (int k = l->n - 1; k > at; k--)
        exchange(l, k, k - 1);
}

/* "--flag=value" becomes two words, as most people type it. */
static void split(struct dice *d, struct line *l)
{
    for (int k = 1; k < l->n && l->n < WORDS - 2; k++) {
        char *eq = l->word[k].n > 2 && !strncmp(l->word[k].s, "--", 2) ? strchr(l->word[k].s, '=') : NULL;
        if (!eq || strstr(l->word[k].s, "nosuch") || dice_one_in(d, 3))
            continue;
        struct bytes value = { 0 };
        bytes_put(&value, eq + 1, l->word[k].n - (size_t)(eq + 1 - l->word[k].s));
        l->word[k].n = (size_t)(eq - l->word[k].s), *eq = 0;
        insert(l, ++k, value.s, value.n);
        free(value.s);
    }
}

static void plant(struct dice *d, struct line *l)
{
    static const char *const strange[] = { "--nosuch", "--nosuch=1", "--row=nosuch", "--encoding=nosuch" };
    struct bytes *t = next(l);
    bytes_say(t, "%s", strange[dice_below(d, sizeof strange / sizeof *strange)]);
    l->refuse = true;
    exchange(l, l->n - 1, 1 + (int)dice_below(d, (uint64_t)l->n - 1));
}

/* Flags before, between and behind the words that have no '--'. */
static void shuffle(struct dice *d, struct line *l)
{
    for (int k = l->n - 1; k > 1; k--)
        if (!strncmp(l->word[k].s, "--", 2))
            exchange(l, k, 1 + (int)dice_below(d, (uint64_t)k));
}

static void typing_errors(struct dice *d, struct line *l)
{
    struct bytes odd = { 0 };
    const int at = l->n > 1 ? 1 + (int)dice_below(d, (uint64_t)l->n - 1) : 0;
    switch (dice_below(d, 9)) {
    case 0: l->n -= at > 0, at ? exchange(l, at, l->n) : (void)0, l->word[l->n].n = 0; break;
    case 1: insert(l, at ? at : 1, l->word[at].s, l->word[at].n); break;
    case 2: insert(l, at ? at : 1, "--", 2); break;
    case 3: if (l->word[at].n > 4) l->word[at].n -= 1 + dice_below(d, 3), l->word[at].s[l->word[at].n] = 0; break;
    case 4: pool_extreme(d, &odd), insert(l, at ? at : 1, odd.s ? odd.s : "", odd.n); break;
    case 5: if (at) l->word[at].n = 0, pool_extreme(d, &l->word[at]); break;
    case 6: if (at && at + 1 < l->n) exchange(l, at, at + 1); break;
    case 7: insert(l, l->n, "-o", 2), insert(l, l->n, "new.db", 6); break;
    default: exchange(l, 0, at);
    }
    free(odd.s);
}

void make_command(struct dice *d, struct script *s)
{
    static struct line l;
    uint64_t n = 0;
    while (verbs[n])
        n++;
    const struct verb *v = verbs[dice_below(d, n)];
    l = (struct line){ .row = pool_row(d) };
    bytes_say(next(&l), "%s", v->name);
    arguments(d, &l, v, s);
    for (uint64_t k = 0, flags = dice_below(d, 5); k < flags; k++)
        one_flag(d, &l, v, s);
    if (!dice_one_in(d, 4))
        cheap(d, &l, v);
    if (dice_one_in(d, 8))
        plant(d, &l);
    if (dice_one_in(d, 2))
        shuffle(d, &l);
    split(d, &l);
    if (!l.refuse)
        for (uint64_t k = dice_one_in(d, 2) ? 1 + dice_below(d, 2) : 0; k; k--)
            typing_errors(d, &l);
    if (l.refuse)
        script_add(s, "refuse");
    script_word(s, "meridian");
    for (int k = 0; k < l.n; k++)
        script_tail(s, "word", l.word[k].s, strlen(l.word[k].s));
    for (int k = 0; k < WORDS; k++)
        free(l.word[k].s);
}
