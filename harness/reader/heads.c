/* Which key head a query head reads: the values are the number of their head, so that the output is the map.  Asked
 * with 4 query heads over 2, 6 over 3, 28 over 4 and 8 over 1.  Bugs of cluster A15 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

static void read_heads(struct asking *a, struct reader_facts *r)
{
    static const struct { int h, g; } shape[] = { { 4, 2 }, { 6, 3 }, { 28, 4 }, { 8, 1 } };
    bool repeat = true, tile = true, any = false;
    char text[200] = "";
    size_t at = 0;
    if (!reader_wants(a, "o") || !row_has(a->row, "group"))
        return;
    for (int k = 0; k < 4; k++) {
        struct trial t;
        char sizes[80];
        snprintf(sizes, sizeof sizes, "h=%d g=%d n=3 m=3 d=4 e=4", shape[k].h, shape[k].g);
        if (!reader_make(a, &t, "", sizes))
            continue;
        struct mer_array *v = reader_in(&t, "v"), *o = reader_out(&t, "o");
        for (long i = 0; i < array_len(v); i++)
            array_put(v, i, (double)(1 + i / (3 * 4)));
        bool ok = v->dim[0] == shape[k].g && reader_ask(a, &t);
        double whole = ok ? array_get(o, 2 * 4) : 1; /* 1 in head 0, less where a sink takes its share */
        for (int h = 0; ok && h < shape[k].h; h++) {
            long got = lround(array_get(o, (h * 3L + 2) * 4) / whole) - 1;
            repeat &= got == h / (shape[k].h / shape[k].g), tile &= got == h % shape[k].g;
            if (k == 1)
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%ld", at ? " " : "", got);
        }
        any |= ok;
        trial_close(&t);
    }
    if (!any)
        return;
    struct reader_fact *x = fact_add(r, "head map");
    snprintf(x->value, sizeof x->value,
        repeat   ? "repeat: h div (H/G)" :
            tile ? "tile: h mod G" :
                   "neither repeat nor tile");
    snprintf(
        x->evidence, sizeof x->evidence, "6 query heads of 3 key heads read %s; also 4 of 2, 28 of 4, 8 of 1", text);
    if (repeat || tile)
        snprintf(x->params, sizeof x->params, "group=%s", repeat ? "repeat" : "tile");
}
const struct reader reader_heads = { "heads",
    "which key head a query head reads: values that are the number of their head", 2, read_heads };
