/* Row attention asked with keys in columns; see logit.h. */
#include <stdio.h>
#include <stdlib.h>
#include "ball/stored.h"
#include "row/row.h"
#include "logit/logit.h"
extern const struct row row_attention;

void logit_context(struct ask *w, const struct ball **y)
{
    const struct mer_array *q = array_in(w, "q"), *t = array_in(w, "kt");
    long g = t->dim[0], d = t->dim[1], m = t->dim[2], size = (long)type_size(t->type);
    const bool stored = stored_here(w, t);
    char *k = need((size_t)(g * d * m) + 1, stored ? sizeof(struct ball *) : (size_t)size);
    for (long x = 0; x < g * d * m; x++) {
        const long to = x / (d * m) * d * m + x % m * d + x / m % d;
        if (stored)
            ((const struct ball **)(void *)k)[to] = b_element(w, t, x);
        else
            memcpy(k + to * size, (char *)t->data + x * size, (size_t)size);
    }
    struct mer_array in[] = { { "q", q->type, 3, { q->dim[0], 1, d }, q->data },
        { "k", stored ? BALLS : t->type, 3, { g, m, d }, k }, *array_in(w, "v") };
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s causal=none window=0 left=-1 right=-1 chunk=0", w->call->params);
    line_of(w, (struct page_of){ &row_attention, "o", text, in, sizeof in / sizeof *in },
        (long[MER_RANK]){ w->at[0], 0 }, w->len, y);
    free(k);
}
