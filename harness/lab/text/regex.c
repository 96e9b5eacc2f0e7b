/* Searches by PCRE2; see regex.h. */
#include "lab/text/regex.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcre2.h>
#include "arith/need.h"
#include "lab/text/onig.h"
#include "lab/text/unicode.h"

/* code: NULL where the pattern is the text plain[n]. */
struct regex {
    pcre2_code *code;
    pcre2_match_data *found;
    pcre2_match_context *how;
    pcre2_jit_stack *stack;
    char *plain;
    size_t n;
};

static pcre2_code *compiled(const char *text, char *err, size_t room)
{
    pcre2_compile_context *c = pcre2_compile_context_create(NULL);
    int code;
    PCRE2_SIZE at;
    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    pcre2_code *y = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
        PCRE2_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code, &at, c);
    if (!y) {
        PCRE2_UCHAR why[200];
        pcre2_get_error_message(code, why, sizeof why);
        snprintf(err, room, "%.200s", (const char *)why);
    }
    pcre2_compile_context_free(c);
    return y;
}

struct regex *regex_pattern(const char *pattern, size_t n, char *err, size_t room)
{
    enum { STACK = 64 << 20, STACK_FIRST = 32 << 10 };
    char *text = onig_pattern(pattern, n, err, room);
    pcre2_code *code = text ? compiled(text, err, room) : NULL;
    free(text);
    if (!code)
        return NULL;
    struct regex *r = need(1, sizeof *r);
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it the search is slower, and the same */
    r->code = code, r->found = pcre2_match_data_create_from_pattern(code, NULL);
    r->how = pcre2_match_context_create(NULL), r->stack = pcre2_jit_stack_create(STACK_FIRST, STACK, NULL);
    pcre2_jit_stack_assign(r->how, NULL, r->stack);
    return r;
}
struct regex *regex_plain(const char *text, size_t n)
{
    struct regex *r = need(1, sizeof *r);
    r->plain = need(n + 1, 1), r->n = n;
    memcpy(r->plain, text, n);
    return r;
}
void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_match_data_free(r->found), pcre2_match_context_free(r->how), pcre2_jit_stack_free(r->stack);
    pcre2_code_free(r->code), free(r->plain), free(r);
}

void found_add(struct found_parts *x, size_t from, size_t to, bool match)
{
    if (x->n == x->room)
        x->of = need_more(x->of, x->room = x->room ? 2 * x->room : 64, sizeof *x->of);
    x->of[x->n++] = (struct found_part){ from, to, match };
}

/* The first match at or behind `at`.  1, 0: there is none, or -1: too much work. */
static int search(const struct regex *r, const char *text, size_t n, size_t at, struct found_part *to)
{
    if (!r->code) {
        const char *y = memmem(text + at, n - at, r->plain, r->n);
        *to = (struct found_part){ y ? (size_t)(y - text) : 0, y ? (size_t)(y - text) + r->n : 0, true };
        return y != NULL;
    }
    int rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, at, PCRE2_NO_UTF_CHECK, r->found, r->how);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, r->found, r->how);
    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->found);
    if (rc >= 0)
        *to = (struct found_part){ place[0], place[1], true };
    return rc == PCRE2_ERROR_NOMATCH ? 0 : rc < 0 ? -1 : 1;
}

int regex_find(const struct regex *r, const char *text, size_t n, struct found_parts *x, char *err, size_t room)
{
    struct found_part y;
    size_t at = 0, behind = 0;
    bool before = false;
    int rc;
    while (at <= n && (rc = search(r, text, n, at, &y)) != 0) {
        if (rc < 0)
            return snprintf(err, room, "a search by a regular expression takes too much work"), -1;
        if (y.from == y.to && before && y.to == behind) {
            size_t bytes = 1;
            if (at < n)
                utf8_read(text + at, &bytes);
            at += bytes;
            continue;
        }
        const size_t from = x->n ? x->of[x->n - 1].to : 0;
        if (from != y.from)
            found_add(x, from, y.from, false);
        found_add(x, y.from, y.to, true);
        at = behind = y.to, before = true;
    }
    if (behind != n)
        found_add(x, behind, n, false);
    return 0;
}
