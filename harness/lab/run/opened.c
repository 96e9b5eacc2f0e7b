/* Reads models with what a command line changes of them; see opened.h. */
#include "lab/run/opened.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/text.h"
#include "base/words.h"

bool changed_row(const char *s)
{
    int k = 0;
    while (walk_rows[k] && !word_is(s, walk_rows[k]))
        k++;
    return walk_rows[k] != NULL;
}

int changed_words(const char *words, char *err, size_t n)
{
    for (const char *s = words; *s; s += strcspn(s, ";"), s += strspn(s, "; ")) {
        char name[60], text[600];
        if (!changed_row(s)) {
            struct text t = text_in(err, n);
            text_put(&t, "'%.200s': ROW WORDS; rows:", s);
            for (int k = 0; walk_rows[k]; k++)
                text_put(&t, " %s", walk_rows[k]);
            return -1;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " ;"), s);
        const char *own = word_next(s);
        snprintf(text, sizeof text, "%.*s", strcspn(s, ";") < (size_t)(own - s) ? 0 : (int)strcspn(own, ";"), own);
        const struct row *r = row_named(name);
        void *params = need(1, r->size);
        char why[400];
        int rc = row_knows(r, text, why, sizeof why);
        if (!rc)
            rc = params_read(row_params(r), params, text, why, sizeof why), params_clear(row_params(r), params);
        free(params);
        if (rc)
            return snprintf(err, n, "'%.100s': %s", s, why), -1;
    }
    return 0;
}

int changed_read(struct changed *y, const struct cli *c, char *err, size_t n)
{
    const char *said = cli_value(c, "words", ""), *text;
    *y = (struct changed){ .sets = 0 };
    for (int k = 0; (text = cli_each(c, "config", &k));) {
        if (y->sets == CONFIG_MOST)
            return snprintf(err, n, "--config: at most %d of them; change the file instead", CONFIG_MOST), -1;
        y->set[y->sets++] = text;
    }
    if (strlen(said) >= sizeof y->words)
        return snprintf(err, n, "--words: more than %zu bytes", sizeof y->words - 1), -1;
    strcpy(y->words, said);
    char why[600];
    return changed_words(said, why, sizeof why) ? (snprintf(err, n, "--words %s", why), -1) : 0;
}

static int fits(const struct foreign *m, const struct given_tokens *g, long tokens, char *err, size_t n)
{
    if (given_fits(g, m->size['v'], err, n))
        return -1;
    if (m->size['p'] && tokens > m->size['p'])
        return snprintf(err, n, "--%s: %ld tokens: the model has positions for %ld", g->bytes ? "text" : "tokens",
                   tokens, m->size['p']),
               -1;
    return 0;
}

/* All but the weights; class_close of *reading is due either way. */
static int begin(struct class_reading *reading, struct foreign *m, const char *folder, const struct changed *y,
    const struct given_tokens *g, long tokens, char *err, size_t n)
{
    const char *set[CONFIG_MOST + 1] = { NULL };
    char file[1400];
    memcpy(set, y->set, (size_t)y->sets * sizeof *set);
    snprintf(file, sizeof file, "%.1000s/config.json", folder);
    int rc = class_open(reading, m, folder, set, err, n);
    rc = rc ? rc : class_sight(reading, file, tokens, err, n);
    return rc ? rc : fits(m, g, tokens, err, n);
}
int opened_check(const char *folder, const struct changed *y, const struct given_tokens *g, long tokens, char *err,
    size_t n)
{
    struct class_reading reading;
    struct foreign m = { .layers = 0 };
    const int rc = begin(&reading, &m, folder, y, g, tokens, err, n);
    class_close(&reading), foreign_close(&m);
    return rc;
}
int opened_read(struct foreign *m, const char *folder, const struct changed *y, const struct given_tokens *g,
    long tokens, char *err, size_t n)
{
    static struct checkpoint_files w; /* large */
    struct class_reading reading;
    int rc = begin(&reading, m, folder, y, g, tokens, err, n);
    if (!rc) {
        rc = weights_open(&w, folder, err, n);
        rc = rc ? rc : class_bind(&reading, &w, err, n);
        weights_close(&w);
    }
    class_close(&reading);
    return rc;
}

double opened_loss(const float *line, long v, int64_t k)
{
    double top = (double)line[0], sum = 0;
    for (long j = 1; j < v; j++)
        top = fmax(top, (double)line[j]);
    for (long j = 0; j < v; j++)
        sum += exp((double)line[j] - top);
    return log(sum) + top - (double)line[k];
}
bool opened_likeliest(const float *line, long v, int64_t k)
{
    for (long j = 0; j < v; j++)
        if (!(line[j] <= line[k]))
            return false;
    return true;
}
