/* Reads recipes: each line is split into words with their columns, then understood. */
#include "sweep/recipe.h"
#include <ctype.h>
#include <errno.h>
#include <gmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/data.h"
#include "core/files.h"
#include "arith/need.h"

enum { WORDS = 600, LINE = 8192 };
struct recipe_words { struct value word[WORDS]; int n; char text[LINE]; };

int recipe_error(const struct recipe *r, struct recipe_place at, char *err, size_t n, const char *format, ...)
{
    char what[800];
    va_list a;
    va_start(a, format);
    vsnprintf(what, sizeof what, format, a);
    va_end(a);
    snprintf(err, n, "%s:%d:%d: %s", r->path, at.line, at.column, what);
    return -1;
}

/* Splits a line into words at blanks and commas, which "quotes" protect; # begins a comment. */
static int split(const struct recipe *r, struct recipe_words *w, const char *line, int number, char *err, size_t n)
{
    char *to = w->text;
    w->n = 0;
    for (const char *s = line;;) {
        while (isspace((unsigned char)*s) || *s == ',')
            s++;
        if (!*s || *s == '#')
            return 0;
        struct recipe_place at = { number, (int)(s - line) + 1 };
        if (w->n == WORDS)
            return recipe_error(r, at, err, n, "more than %d words on a line", WORDS);
        w->word[w->n++] = (struct value){ to, at };
        bool quoted = false;
        for (; *s && (quoted || (!isspace((unsigned char)*s) && *s != ',' && *s != '#')); s++) {
            if (iscntrl((unsigned char)*s))
                return recipe_error(r, (struct recipe_place){ number, (int)(s - line) + 1 }, err, n,
                    "a control character (0x%02x)", (unsigned)(unsigned char)*s);
            if (*s == '"')
                quoted = !quoted;
            else
                *to++ = *s;
        }
        if (quoted)
            return recipe_error(r, at, err, n, "a quote is not closed");
        *to++ = 0;
    }
}

/* Reads 12, -3 or 2^20. */
static bool number(const char *s, const char *end, mpz_t z)
{
    char text[80], *hat;
    if (end - s < 1 || end - s >= (long)sizeof text)
        return false;
    memcpy(text, s, (size_t)(end - s));
    text[end - s] = 0;
    hat = strchr(text, '^');
    if (strspn(text + (*text == '-'), "0123456789^") != strlen(text) - (*text == '-') ||
        !isdigit((unsigned char)text[*text == '-']))
        return false;
    if (hat) {
        char *stop;
        unsigned long power = strtoul(hat + 1, &stop, 10);
        if (!isdigit((unsigned char)hat[1]) || *stop || power > 512)
            return false;
        *hat = 0;
        if (mpz_set_str(z, text, 10))
            return false;
        mpz_pow_ui(z, z, power);
        return true;
    }
    return mpz_set_str(z, text, 10) == 0;
}

static int push(struct recipe *r, struct axis *a, const char *text, struct recipe_place at, char *err, size_t n)
{
    if (a->n == RECIPE_VALUES)
        return recipe_error(r, at, err, n, "axis '%s' has more than %d values", a->name, RECIPE_VALUES);
    a->value = need_more(a->value, (size_t)a->n + 1, sizeof *a->value);
    a->value[a->n++] = (struct value){ need_copy(text), at };
    return 0;
}

/* Numbers from first to last, each the one before plus q, or (product) times q. */
struct progression { mpz_t first, last; mpq_t q; bool product; };

/* Appends the numbers of s to an axis, rounded to the nearest integer (ties away from 0), equal neighbours once.  at:
 * the place of the range in the recipe.  0, or -1 and err. */
static int push_progression(
    struct recipe *r, struct axis *a, const struct progression *s, struct recipe_place at, char *err, size_t n)
{
    mpq_t x, shown;
    mpz_t z, before;
    char *text;
    int rc = 0;
    bool any = false;
    mpq_inits(x, shown, NULL), mpz_inits(z, before, NULL);
    mpq_set_z(x, s->first);
    while (rc == 0) {
        mpz_mul_ui(mpq_numref(shown), mpq_numref(x), 2), mpz_mul_ui(mpq_denref(shown), mpq_denref(x), 2);
        mpz_add(mpq_numref(shown), mpq_numref(shown), mpq_denref(x));
        mpz_fdiv_q(z, mpq_numref(shown), mpq_denref(shown));
        if (mpz_cmp(z, s->last) > 0)
            break;
        if (!any || mpz_cmp(z, before)) {
            rc = push(r, a, text = mpz_get_str(NULL, 10, z), at, err, n);
            free(text);
        }
        any = true, mpz_set(before, z);
        if (s->product)
            mpq_mul(x, x, s->q);
        else
            mpq_add(x, x, s->q);
    }
    mpq_clears(x, shown, NULL), mpz_clears(z, before, NULL);
    return rc;
}

static int range(struct recipe *r, struct axis *a, const struct value *w, const struct value *step, char *err, size_t n)
{
    const char *dots = strstr(w->text, "..");
    struct progression s = { .product = step && *step->text == '*' };
    int rc = -1;
    mpz_inits(s.first, s.last, NULL), mpq_init(s.q), mpq_set_ui(s.q, 1, 1);
    if (!number(w->text, dots, s.first) || !number(dots + 2, w->text + strlen(w->text), s.last))
        recipe_error(r, w->at, err, n, "'%.80s' is no range: allowed are integers, as in 1..10 or 1..2^20", w->text);
    else if (step && (mpq_set_str(s.q, step->text + 1, 10) || !mpz_sgn(mpq_denref(s.q))))
        recipe_error(r, step->at, err, n, "'%.80s' is no step: +2, or a ratio as *2 or *3/2", step->text);
    else if (mpq_canonicalize(s.q), mpz_cmp(s.first, s.last) > 0)
        recipe_error(r, w->at, err, n, "the range %.80s is empty", w->text);
    else if (s.product ? mpz_sgn(s.first) <= 0 || mpq_cmp_ui(s.q, 1, 1) <= 0 : mpq_sgn(s.q) <= 0)
        recipe_error(r, step->at, err, n,
            "%.80s never reaches the end of %.80s: a step is above 0; a ratio above 1, from a number above 0",
            step->text, w->text);
    else
        rc = push_progression(r, a, &s, w->at, err, n);
    mpz_clears(s.first, s.last, NULL), mpq_clear(s.q);
    return rc;
}

static bool is_step(const char *s) { return (*s == '*' || *s == '+') && isdigit((unsigned char)s[1]); }

static int read_axis(struct recipe *r, struct recipe_block *b, const struct recipe_words *w, char *err, size_t n)
{
    const struct value *name = &w->word[0];
    if (b->axes == RECIPE_AXES || strlen(name->text) >= sizeof b->axis[0].name)
        return recipe_error(r, name->at, err, n, "more than %d axes, or too long a name", RECIPE_AXES);
    for (int k = 0; k < b->axes; k++)
        if (!strcmp(b->axis[k].name, name->text))
            return recipe_error(
                r, name->at, err, n, "axis '%s' is given twice: line %d has it", name->text, b->axis[k].at.line);
    struct axis *a = &b->axis[b->axes++];
    snprintf(a->name, sizeof a->name, "%s", name->text);
    a->at = name->at;
    if (w->n == 2)
        return recipe_error(r, w->word[1].at, err, n, "axis '%s' is empty", a->name);
    for (int k = 2; k < w->n; k++) {
        const struct value *v = &w->word[k];
        const char *dots = strstr(v->text, "..");
        mpz_t z;
        int rc;
        mpz_init(z);
        if (is_step(v->text))
            rc = recipe_error(r, v->at, err, n, "the step %.80s follows no range", v->text);
        else if (dots)
            rc = range(r, a, v, k + 1 < w->n && is_step(w->word[k + 1].text) ? &w->word[k + 1] : NULL, err, n),
            k += rc == 0 && k + 1 < w->n && is_step(w->word[k + 1].text);
        else if (strchr(v->text, '^') && number(v->text, v->text + strlen(v->text), z)) {
            char *text = mpz_get_str(NULL, 10, z);
            rc = push(r, a, text, v->at, err, n);
            free(text);
        } else
            rc = push(r, a, v->text, v->at, err, n);
        mpz_clear(z);
        if (rc)
            return -1;
    }
    return 0;
}

static int read_figure(struct recipe *r, const struct recipe_words *w, char *err, size_t n)
{
    if (w->n < 2 || r->figures == RECIPE_FIGURES)
        return recipe_error(r, w->word[0].at, err, n, "figure NAME key=value ...; at most %d", RECIPE_FIGURES);
    struct figure_line *f = &r->figure[r->figures++];
    if (strlen(w->word[1].text) >= sizeof f->name ||
        strspn(w->word[1].text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(w->word[1].text))
        return recipe_error(r, w->word[1].at, err, n,
            "a figure's name is a file's: small letters, digits and '-', found '%.80s'", w->word[1].text);
    strcpy(f->name, w->word[1].text);
    f->at = w->word[1].at;
    for (int k = 2; k < w->n; k++) {
        const char *s = w->word[k].text, *is = strchr(s, '=');
        if (!is || is - s >= (long)sizeof f->key[0].key || f->keys == FIGURE_KEYS)
            return recipe_error(r, w->word[k].at, err, n, "found '%.80s', allowed key=value", s);
        snprintf(f->key[f->keys].key, sizeof f->key[0].key, "%.*s", (int)(is - s), s);
        f->key[f->keys++].value = (struct value){ need_copy(is + 1), w->word[k].at };
    }
    return 0;
}

const char *figure_key(const struct figure_line *f, const char *key, const char *otherwise)
{
    for (int k = 0; k < f->keys; k++)
        if (!strcmp(f->key[k].key, key))
            return f->key[k].value.text;
    return otherwise;
}

static int read_line(struct recipe *r, const struct recipe_words *w, const char *line, char *err, size_t n)
{
    const char *first = w->word[0].text;
    struct recipe_block *b = r->blocks ? &r->block[r->blocks - 1] : &r->common;
    if (w->n > 1 && !strcmp(w->word[1].text, "="))
        return read_axis(r, b, w, err, n);
    if (!strcmp(first, "title")) {
        const char *s = strstr(line, "title") + 5;
        snprintf(r->title, sizeof r->title, "%s", s + strspn(s, " \t"));
        return 0;
    }
    if (!strcmp(first, "figure"))
        return read_figure(r, w, err, n);
    if (!strcmp(first, "measure")) {
        if (w->n != 2 || r->blocks == RECIPE_BLOCKS)
            return recipe_error(r, w->word[0].at, err, n, "measure NAME; at most %d blocks", RECIPE_BLOCKS);
        r->block[r->blocks++].measure = (struct value){ need_copy(w->word[1].text), w->word[1].at };
        return 0;
    }
    if (!strcmp(first, "row")) {
        if (!r->blocks || b->rows || w->n < 2)
            return recipe_error(r, w->word[0].at, err, n, "row NAME ...: once in a block, after its measure");
        b->row = need((size_t)w->n, sizeof *b->row);
        for (b->rows = 0; b->rows < w->n - 1; b->rows++)
            b->row[b->rows] = (struct value){ need_copy(w->word[b->rows + 1].text), w->word[b->rows + 1].at };
        return 0;
    }
    return recipe_error(
        r, w->word[0].at, err, n, "found '%.80s', allowed: title, measure, row, figure, or AXIS = VALUES", first);
}

int recipe_read(struct recipe **out, const char *path, const char *text, char *err, size_t n)
{
    struct recipe *r = *out = need(1, sizeof *r);
    struct recipe_words *w = need(1, sizeof *w);
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char line[LINE];
    int rc = 0, at = 1;
    snprintf(r->path, sizeof r->path, "%s", path);
    snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(base, "."), base);
    r->text = need_copy(text);
    for (const char *s = text; *s && rc == 0; at++) {
        size_t len = strcspn(s, "\n");
        if (len >= sizeof line)
            rc = recipe_error(r, (struct recipe_place){ at, 1 }, err, n, "a line of more than %d bytes", LINE - 1);
        else {
            memcpy(line, s, len);
            line[len] = 0;
            if (len && line[len - 1] == '\r')
                line[len - 1] = 0;
            rc = split(r, w, line, at, err, n);
            if (rc == 0 && w->n)
                rc = read_line(r, w, line, err, n);
        }
        s += len + (s[len] == '\n');
    }
    if (rc == 0 && !r->blocks)
        rc = recipe_error(r, (struct recipe_place){ at, 1 }, err, n, "no measure: nothing to do");
    free(w);
    return rc;
}

int recipe_open(struct recipe **r, const char *name, char *err, size_t n)
{
    char path[1024], what[200];
    struct stat st;
    *r = NULL;
    snprintf(path, sizeof path, "%s", name);
    if (stat(path, &st) || S_ISDIR(st.st_mode)) {
        snprintf(what, sizeof what, "recipes/%.160s.recipe", name);
        data_path(what, path, sizeof path);
    }
    char *text = file_read(path);
    if (!text)
        return snprintf(err, n, "no recipe '%.200s': neither a file nor one of data/recipes", name), -1;
    int rc = recipe_read(r, path, text, err, n);
    free(text);
    return rc;
}

static void axes_free(struct recipe_block *b)
{
    for (int k = 0; k < b->axes; k++) {
        for (long i = 0; i < b->axis[k].n; i++)
            free(b->axis[k].value[i].text);
        free(b->axis[k].value);
    }
    for (long k = 0; k < b->rows; k++)
        free(b->row[k].text);
    free(b->row), free(b->measure.text);
}

void recipe_close(struct recipe *r)
{
    if (!r)
        return;
    axes_free(&r->common);
    for (int k = 0; k < r->blocks; k++)
        axes_free(&r->block[k]);
    for (int k = 0; k < r->figures; k++)
        for (int j = 0; j < r->figure[k].keys; j++)
            free(r->figure[k].key[j].value.text);
    free(r->text);
    free(r);
}
