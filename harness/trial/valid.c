/* Checks outputs, sizes, profiles and contracts of a question; see valid.h. */
#include "trial/valid.h"
#include <stdio.h>
#include "row/every.h"
#include "trial/inputs.h"
#include "trial/sized.h"
#include "base/words.h"

static const struct quantity *quantity_of(const struct row *r, const char *word, size_t len)
{
    char name[32];
    if (len >= sizeof name) /* no name of a signature is that long */
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)len, word);
    return row_quantity(r, name);
}

static size_t list_quantities(const struct row *r, char *text, size_t n)
{
    size_t at = 0;
    struct sign s;
    *text = 0;
    for (const struct quantity *q = r->q; q->sign && at + 1 < n; q++) {
        sign_read(&s, q->sign);
        at += (size_t)snprintf(text + at, n - at, " %s", s.out.name);
    }
    return at;
}

int valid_outs(const struct row *r, const char *outs, char *err, size_t n)
{
    char all[700];
    int used = 0;
    for (const char *s = outs + strspn(outs, " "); *s; s = word_next(s), used++) {
        const size_t len = strcspn(s, " ");
        if (!quantity_of(r, s, len))
            return list_quantities(r, all, sizeof all),
                   snprintf(err, n, "%s has no quantity '%.*s'; it has%s", r->name, len < 60 ? (int)len : 60, s, all),
                   -1;
        if (words_find(s + len, s, len))
            return snprintf(err, n, "output '%.*s' is named twice in '%.200s'", (int)len, s, outs), -1;
    }
    if (!used || used > TRIAL_OUT)
        return snprintf(err, n, "%s: %d outputs are named; allowed: 1 to %d", r->name, used, TRIAL_OUT), -1;
    return 0;
}

int valid_sizes(const struct row *r, const char *sizes, char *err, size_t n)
{
    for (const char *s = sizes; s && *s; s = word_next(s)) {
        const size_t len = strcspn(s, " ");
        bool read = inputs_way(s, len);
        for (const struct quantity *q = r->q; q->sign && !read; q++) {
            struct sign sign;
            sign_read(&sign, q->sign);
            for (int k = 0; k <= sign.n_in && !read; k++) {
                const struct axes *x = k < sign.n_in ? &sign.in[k] : &sign.out;
                read = s[1] == '=' ? memchr(x->axis, *s, (size_t)x->rank) != NULL :
                                     strlen(x->name) == len && !strncmp(x->name, s, len);
            }
        }
        if (!read)
            return snprintf(err, n,
                       "sizes: found '%.*s', allowed: a letter of its signatures = a number, an input's name, uniform, "
                       "normal, small or probe",
                       (int)(len < 80 ? len : 80), s),
                   -1;
    }
    return 0;
}

bool valid_sized_so(const struct trial *t, const char *sizes, char *err, size_t n)
{
    for (const char *s = sizes; s && *s; s = word_next(s)) {
        bool again = s[1] != '=';
        for (const char *later = word_next(s); *later && !again; later = word_next(later))
            again = later[1] == '=' && *later == *s;
        if (!again && t->bound[(int)*s] && t->size[(int)*s] != atol(s + 2))
            return snprintf(err, n, "%s: %c is %ld under these parameters, sizes say %.*s; leave that out",
                       t->row->name, *s, t->size[(int)*s], (int)strcspn(s, " "), s),
                   false;
    }
    return true;
}

bool valid_whole(const struct row *r, const char *outs)
{
    bool yes = r->parts != NULL;
    for (const char *s = outs + strspn(outs, " "); yes && *s; s = word_next(s)) {
        struct sign sign;
        char out[32];
        snprintf(out, sizeof out, "%.*s", (int)strcspn(s, " "), s);
        const struct quantity *q = row_quantity(r, out);
        if (q)
            sign_read(&sign, q->sign);
        yes = q && !sign.out.lead;
    }
    return yes;
}

bool valid_offer(const struct mer_kernel *k, const char *outs)
{
    for (const char *s = outs + strspn(outs, " "); *s; s = word_next(s))
        if (!words_find(k->out, s, strcspn(s, " ")))
            return false;
    return outs[strspn(outs, " ")] != 0;
}

static bool all_integers(const struct row *r, const char *outs)
{
    for (const char *s = outs + strspn(outs, " "); *s; s = word_next(s)) {
        const struct quantity *q = quantity_of(r, s, strcspn(s, " "));
        struct sign sign;
        if (!q || (sign_read(&sign, q->sign), !sign.out.integer))
            return false;
    }
    return true;
}

static const struct param *param_of(const struct row *r, const char *word, size_t len)
{
    for (const struct param *p = row_params(r); p->name; p++)
        if (strlen(p->name) == len && !strncmp(p->name, word, len))
            return p;
    return NULL;
}

/* The step or parameter that a word is about: "dot" of "dot=f32" and, for the row attention, of "attention.dot=f32". */
static const char *key_of(const struct row *r, const char *word, size_t *len)
{
    const size_t scope = strlen(r->name);
    word += !strncmp(word, r->name, scope) && word[scope] == '.' ? scope + 1 : 0;
    *len = strcspn(word, "= ");
    return word;
}

/* Whether a later word of the profile is about the same key and may hold for the same sizes. */
static bool key_again(const struct row *r, const char *rest, const char *key, size_t len)
{
    size_t n;
    for (const char *s = rest; *s; s = word_next(s)) {
        const char *other = key_of(r, s, &n);
        const bool same = n == len && !strncmp(other, key, len);
        if ((same || (every_step(key) && every_step(s))) && !sized_apart(key, s))
            return true;
    }
    return false;
}

/* Refuses "exact", which says that nothing rounds but the store, beside a word that names a rounding. */
static int valid_alone(const struct row *r, const char *profile, char *err, size_t n)
{
    const char *rounds = NULL;
    for (const char *s = profile + strspn(profile, " "); *s; s = word_next(s)) {
        const size_t key = strcspn(s, "= "), len = strcspn(s, " ");
        const bool exact = len == 5 && !strncmp(s, "exact", 5),
                   other = exact || param_of(r, s, key) || (key == 3 && !strncmp(s, "ftz", 3));
        rounds = other ? rounds : s;
    }
    if (!rounds || !words_find(profile, "exact", 5))
        return 0;
    return snprintf(err, n, "'exact' says that nothing rounds but the store; '%.*s' says otherwise",
               (int)strcspn(rounds, " "), rounds),
           -1;
}

/* Checks one word of a profile against the words behind it; bare: the same place of the profile without conditions. */
static int valid_word(const struct row *r, const char *word, const char *bare, char *err, size_t n)
{
    const size_t len = strcspn(word, " "), key = strcspn(word, "= ");
    const int shown = len < 60 ? (int)len : 60;
    const struct param *p = param_of(r, word, key);
    size_t about;
    const char *subject = key_of(r, word, &about);
    if (key_again(r, word_next(word), subject, about))
        return snprintf(err, n, "'%.*s' and another '%.*s': each is said once, or for sizes that exclude each other",
                   shown, word, key < 60 ? (int)key : 60, word),
               -1;
    if ((key == 5 && !strncmp(word, "fault", 5)) || (key == 4 && !strncmp(word, "edit", 4)))
        return snprintf(err, n, "'%.*s' is a mistake, no arithmetic", shown, word), -1;
    if (p && p->kind != ROUTE && !p->route)
        return snprintf(err, n, "'%.*s' is a parameter of %s, no arithmetic; --params says it", shown, word, r->name),
               -1;
    if (key == 3 && !strncmp(word, "ftz", 3) && !words_find("ftz=on ftz=off", bare, strcspn(bare, " ")))
        return snprintf(err, n, "found '%.*s'; allowed: ftz=on, ftz=off", shown, word), -1;
    return 0;
}

/* Checks that routes have values that their parameters know. */
static int valid_routes(const struct row *r, const char *profile, char *err, size_t n)
{
    void *scratch = need(1, r->size);
    const int rc = params_read(row_params(r), scratch, profile, err, n);
    params_clear(row_params(r), scratch), free(scratch);
    return rc;
}

int valid_profile(const struct row *r, const char *outs, const char *profile, char *err, size_t n)
{
    struct arith a;
    char bare[PROFILE_MOST + 1];
    const size_t len = strlen(profile);
    if (len > PROFILE_MOST)
        return snprintf(err, n, "%zu bytes; a profile has at most %d", len, PROFILE_MOST), -1;
    for (const unsigned char *s = (const unsigned char *)profile; *s; s++)
        if (*s < 32 || *s > 126)
            return snprintf(err, n, "byte 0x%02x; a profile is words of ASCII with blanks between", *s), -1;
    for (const char *s = profile + strspn(profile, " "); *s; s = word_next(s))
        if (sized_check(r, s, err, n))
            return -1;
    sized_all(profile, bare, sizeof bare);
    const int steps = arith_read(&a, r, bare, WIDEN, err, n);
    if (steps < 0)
        return -1;
    for (const char *s = profile + strspn(profile, " "); *s; s = word_next(s))
        if (valid_word(r, s, bare + (s - profile), err, n))
            return -1;
    if (!steps && !(outs && all_integers(r, outs)))
        return snprintf(err, n, "'%.60s' names no step of %s; `meridian show %s` lists them, as in step=f32", profile,
                   r->name, r->name),
               -1;
    return valid_alone(r, bare, err, n) || valid_routes(r, bare, err, n) ? -1 : 0;
}

bool valid_declares(const struct mer_kernel *k, const char *profile, char *err, size_t n)
{
    const struct row *r = row_named(k->row);
    const char *says = profile ? profile : k->profile;
    return !r || !says || !says[strspn(says, " ")] || !valid_profile(r, k->out, says, err, n);
}

const char *valid_contract(const struct row *r, const char *name, char *err, size_t n)
{
    struct arith a;
    if (strchr(name, '=')) {
        const int steps = row_knows(r, name, err, n) ? -1 : arith_read(&a, r, name, ROUND, err, n);
        if (!steps)
            snprintf(err, n, "'%.80s': no step in it", name);
        return steps > 0 ? name : NULL;
    }
    return row_contract(r, name, err, n);
}
