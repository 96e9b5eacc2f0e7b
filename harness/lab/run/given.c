/* Reads tokens, and texts that become tokens; see given.h. */
#include "lab/run/given.h"
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "core/files.h"
#include "lab/token/tokenizer.h"

/* What stands between two numbers: blanks, or one comma among blanks; *commas: how many there are. */
static const char *skip_between(const char *s, int *commas)
{
    for (*commas = 0; *s && strchr(" ,\t\r\n", *s); s++)
        *commas += *s == ',';
    return s;
}
/* Reads numbers, separated by blanks or by a comma.  A comma beside no number is refused: a number may be missing
 * there. */
static int numbers_read(struct given_tokens *g, const char *text, const char *what, char *err, size_t room)
{
    int commas;
    g->token = need(strlen(text) + 1, sizeof *g->token);
    for (const char *s = skip_between(text, &commas), *from = text; *s || commas; s = skip_between(from, &commas)) {
        char *end;
        if (commas > (g->n && *s))
            return snprintf(err, room, "--tokens: %.200s: a comma without a number, at '%.20s'", what, from), -1;
        const long long x = strtoll(s, &end, 10);
        if (end == s || *s == '-' || x > INT32_MAX || !strchr(" ,\t\r\n", *end))
            return snprintf(err, room, "--tokens: %.200s: '%.20s' is no number of a token", what, s), -1;
        g->token[g->n++] = x, from = end;
    }
    return g->n ? 0 : (snprintf(err, room, "--tokens: %.200s: no tokens", what), -1);
}
static int numbers(struct given_tokens *g, const char *said, char *err, size_t n)
{
    if (strspn(said, "0123456789, ") == strlen(said))
        return numbers_read(g, said, "the list", err, n);
    char *text = file_read(said);
    const int rc = text ? numbers_read(g, text, said, err, n) :
                          (snprintf(err, n, "--tokens: %.300s cannot be read", said), -1);
    free(text);
    return rc;
}

/* All bytes of a file, or of standard input ("-"), malloc'd; NULL: it cannot be read. */
static char *bytes_of(const char *path, size_t *n)
{
    FILE *f = strcmp(path, "-") ? file_open(path) : stdin;
    size_t room = 1 << 16;
    char *text = f ? need(room, 1) : NULL;
    *n = 0;
    for (size_t got; f && (got = fread(text + *n, 1, room - *n, f)) > 0;)
        if ((*n += got) == room)
            text = need_more(text, room *= 2, 1);
    const bool bad = !f || ferror(f);
    if (f && f != stdin)
        fclose(f);
    return bad ? (free(text), NULL) : text;
}

static int cut(struct given_tokens *g, const struct cli *c, const char *folder, bool special, char *err, size_t n)
{
    const char *path = cli_value(c, "text", "");
    char why[600];
    struct tokenizer t;
    struct ids ids = { .n = 0 };
    size_t length;
    char *text = bytes_of(path, &length);
    if (!text)
        return snprintf(err, n, "--text: %.300s cannot be read", path), -1;
    int rc = tokenizer_open(&t, folder, why, sizeof why);
    if (rc)
        snprintf(err, n, "%s", why);
    else if ((rc = tokenizer_cut(&t, text, length, special, &ids, why, sizeof why)) != 0)
        snprintf(err, n, "--text: %.300s: %s", path, why);
    *g = (struct given_tokens){ ids.of, (long)ids.n, (long)length };
    tokenizer_free(&t), free(text);
    return rc;
}

int given_read(struct given_tokens *g, const struct cli *c, const char *folder, char *err, size_t n)
{
    const bool text = cli_has(c, "text");
    *g = (struct given_tokens){ .n = 0 };
    if (text == cli_has(c, "tokens"))
        return snprintf(err, n, "give --tokens or --text, one of the two"), -1;
    return text ? cut(g, c, folder, !cli_has(c, "no-special"), err, n) : numbers(g, cli_value(c, "tokens", ""), err, n);
}

int given_plain(struct given_tokens *g, const struct cli *c, const char *folder, char *err, size_t n)
{
    *g = (struct given_tokens){ .n = 0 };
    return cli_has(c, "text") ? cut(g, c, folder, false, err, n) : (snprintf(err, n, "give --text"), -1);
}

int given_fits(const struct given_tokens *g, long most, char *err, size_t n)
{
    for (long i = 0; i < g->n; i++)
        if (g->token[i] >= most)
            return snprintf(err, n, "--%s: token %lld at position %ld: the model has 0 to %ld",
                       g->bytes ? "text" : "tokens", (long long)g->token[i], i, most - 1),
                   -1;
    return 0;
}
