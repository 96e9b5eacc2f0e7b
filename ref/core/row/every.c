/* Profiles in a word or two: see every.h. */
#include "row/every.h"
#include <stdio.h>
#include <string.h>

static size_t word_len(const char *s) { return strcspn(s, " "); }
static const char *next_word(const char *s) { return s += word_len(s), s + strspn(s, " "); }

bool every_step(const char *word) { return format_named(word, word_len(word)) != NULL; }
bool every_input(const char *word) { return !strncmp(word, "in=", 3); }

/* Writes the rounding of one word, "in=" and a format, for all real inputs of r.  NULL, or what is wrong. */
static const char *store_inputs(struct arith *a, const struct row *r, const char *word)
{
    size_t len;
    const char *name;
    const struct format *f = format_named(word + 3, word_len(word + 3));
    if (!f)
        return "in: " FORMAT_NAMES "; it stores every real input of the row";
    for (int k = 0; (name = row_input(r, k, &len)); k++) {
        if (a->inputs == INPUT_WORDS)
            return "in: more than 32 inputs; name those that are stored (in.x=bf16)";
        a->in[a->inputs++] = (struct input_word){ .name = name, .len = len,
            .r = { .f = f, .ulps = 1, .word = (int)(word - a->text) + 1 } };
    }
    return NULL;
}

const char *every_read(struct arith *a, const struct row *r, const char *text)
{
    const char *bad = NULL;
    for (const char *s = text; *s && !bad; s = next_word(s)) {
        size_t len;
        if (every_input(s) && a->asked == r)
            bad = store_inputs(a, r, s);
        const struct format *f = format_named(s, word_len(s));
        for (int k = 0; f && row_step(r, k, &len); k++)
            a->at[k] = (struct rounding){ .f = f,
                .ulps = EVERY_ULPS, .every = true, .word = (int)(s - a->text) + 1 };
    }
    return bad;
}

/* Does s begin with a format and what it is of, as "bf16 in" or "f32 sums" do?  Then *len becomes the bytes of both,
 * and *in says whether it speaks of inputs. */
static bool said_of(const char *s, size_t *len, bool *in)
{
    static const char *const words[] = { "in", "inputs", "sums" };
    const size_t format = strcspn(s, " ,");
    const char *t = s + format + strspn(s + format, " ");
    for (int k = 0; k < 3; k++)
        if (format_named(s, format) && t > s + format && strcspn(t, " ,") == strlen(words[k]) &&
            !strncmp(t, words[k], strlen(words[k])))
            return *len = (size_t)(t - s) + strlen(words[k]), *in = k < 2, true;
    return false;
}

int every_plain(const char *said, char *to, size_t n)
{
    size_t at = 0;
    int written = 0;
    if (n)
        *to = 0;
    for (const char *s = said + strspn(said, " ,"); *s; s += strspn(s, " ,")) {
        size_t len = strcspn(s, " ");
        bool in = false;
        const bool sentence = said_of(s, &len, &in);
        const size_t shown = sentence ? strcspn(s, " ") : len - (len > 0 && s[len - 1] == ',');
        written = snprintf(to + at, n - at, "%s%s%.*s", at ? " " : "", in ? "in=" : "", (int)shown, s);
        if (written < 0 || (size_t)written >= n - at)
            return -1;
        at += (size_t)written, s += len;
    }
    return 0;
}
