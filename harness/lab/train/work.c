/* Estimates what runs cost; see work.h. */
#include "lab/train/work.h"

double work_of_size(const struct study *s, const struct training *set, long k)
{
    const double tokens = (double)s->trials * (double)task_named(s->task)->tokens(s->size[k]);
    return tokens / (3 * (double)set->batch * (double)set->length);
}

double work_of_run(const struct run *r)
{
    struct training set = { 0 };
    char why[300];
    double sum = 0;
    const struct study *s = r->study;
    if (!params_read(training_params, &set, r->text, why, sizeof why))
        for (const struct variant *v = variants; v->name; v++)
            for (long k = 0; k < s->sizes && variant_fits(v, encoding_named(r->encoding)); k++)
                sum += (double)(s->depths ? s->depths : 1) * work_of_size(s, &set, k);
    sum += (double)set.steps;
    params_clear(training_params, &set);
    return sum;
}

void work_done(const struct run *r, double steps)
{
    if (r->waited)
        r->waited->done += steps;
}
