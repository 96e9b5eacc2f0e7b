/* Keeps and judges the stages of a model; see judged.h. */
#include "lab/weights/judged.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compare/ball_share.h"
#include "compare/compare.h"

static int64_t width(const struct foreign *m, long stage)
{
    return m->size[stage > m->layers ? 'v' : 'c'];
}
/* Where a stage's numbers are kept; NULL: nowhere. */
static float *place(const struct record *r, const struct foreign *m, long stage)
{
    return stage > m->layers ? r->logits : r->hidden ? r->hidden + stage * r->n * m->size['c'] : NULL;
}

static void keep(struct stages *s, long stage, struct mer_array *x)
{
    struct keeping *k = (struct keeping *)s;
    memcpy(place(k->to, k->m, stage), x->data, (size_t)(k->to->n * width(k->m, stage)) * sizeof(float));
}
void keeping_open(struct keeping *k, struct record *to, const struct foreign *m)
{
    *k = (struct keeping){ .stages = { keep }, .to = to, .m = m };
    to->hidden = need((size_t)(m->layers + 1) * (size_t)(to->n * m->size['c']) + 1, sizeof(float));
    to->logits = need((size_t)(to->n * m->size['v']) + 1, sizeof(float));
}

/* One stage: the largest error as a share of its bound and where it is; the largest error and bound; how many elements
 * lie outside, how many tell the model from its line's mean, and how many lines have none that does. */
struct judged_stage { double share, error, bound; long at, over, told, untold, n; };

static double middle(const struct ball *const *line, long n)
{
    double sum = 0;
    for (long k = 0; k < n; k++)
        sum += b_value(line[k]);
    return sum / (double)n;
}
static struct judged_stage compare(const struct ball *const *b, const float *got, long lines, long width)
{
    struct judged_stage y = { .n = lines * width };
    for (long i = 0; i < lines; i++) {
        const double mean = middle(b + i * width, width);
        const long before = y.told;
        for (long k = i * width; k < (i + 1) * width; k++) {
            const double x = (double)got[k], share = ball_share(b[k], x), bound = b_radius(b[k]);
            const double off = fabs(x - b_value(b[k]));
            y.over += !(share <= 1), y.told += !(ball_share(b[k], mean) <= 1);
            if (!(share <= y.share))
                y.share = isnan(share) ? (double)INFINITY : share, y.at = k;
            y.error = off <= y.error || isinf(bound) ? y.error : off, y.bound = bound <= y.bound ? y.bound : bound;
        }
        y.untold += y.told == before;
    }
    return y;
}

static void say(const struct stage_judge *j, const struct judged_stage *y, const char *name, long width)
{
    const char *word = y->over ? "FAIL" : y->untold ? "VACUOUS" : "PASS";
    if (j->json)
        printf("{\"stage\":\"%s\",\"verdict\":\"%s\",\"used\":%.4g,\"position\":%ld,\"element\":%ld,\"over\":%ld,"
               "\"of\":%ld,\"error\":%.4g,\"bound\":%.4g,\"told\":%ld,\"lines_untold\":%ld}\n",
            name, word, isfinite(y->share) ? y->share : -1, y->at / width, y->at % width, y->over, y->n, y->error,
            isfinite(y->bound) ? y->bound : -1, y->told, y->untold);
    else
        printf("%-7s %-12s used %-9.3g at position %ld, element %ld; over %ld of %ld; error up to %.3g, bound up to "
               "%.3g; %ld told from their line's mean, %ld lines untold\n",
            word, name, y->share, y->at / width, y->at % width, y->over, y->n, y->error, y->bound, y->told, y->untold);
}

static void meet(struct stages *s, long stage, struct mer_array *x)
{
    struct stage_judge *j = (struct stage_judge *)s;
    const long w = (long)width(j->m, stage), n = j->of->n;
    const float *got = place(j->of, j->m, stage);
    char name[40];
    if (!got)
        return;
    const struct judged_stage y = compare(x->data, got, n, w);
    snprintf(name, sizeof name, stage ? "layer %ld" : "embedding", stage - 1);
    if (stage > j->m->layers)
        snprintf(name, sizeof name, "logits");
    say(j, &y, name, w);
    j->over += y.over, j->untold += y.untold;
    free(x->data);
    x->type = MER_F32, x->data = need((size_t)(n * w) + 32, sizeof(float));
    memcpy(x->data, got, (size_t)(n * w) * sizeof(float));
}

void judged_open(struct stage_judge *j)
{
    j->stages.at = meet, j->over = j->untold = 0;
}
const char *judged_verdict(const struct stage_judge *j)
{
    return j->over ? "FAIL" : j->untold ? "VACUOUS" : "PASS";
}
