/* The table of encodings; see encoding.h. */
#include "lab/net/encoding.h"
#include <stdio.h>
#include <string.h>

const struct encoding encodings[] = {
    { "none", "Haviv et al. 2022, arXiv:2203.16634", .source = "" },
    { "sinusoid", "Vaswani et al. 2017, section 3.5", .place = "sinusoid", .params = "dim=$c", .source = "" },
    { "learned", "Devlin et al. 2019: a row for every position that may ever be asked, $r of them; those beyond $l "
        "are never trained", .place = "learned", .params = "rows=$r", .source = "" },
    { "floater", "Liu et al. 2020, as their figures integrate it; added to the tokens as a sinusoid is",
        .place = "floater", .grads = "dstart dw1 dt1 db1 dw2 dt2 db2", .params = "dt=0.1 substeps=1 activation=tanh",
        .sizes = "f=32", .shared = 1 },
    { "rope", "Su et al. 2021", .turn = "rope", .params = "dim=$d", .source = "" },
    { "xpos", "Sun et al. 2022, centred on the trained length", .turn = "xpos", .keys = "side=key",
        .params = "dim=$d centre=32" },
    { "alibi", "Press et al. 2022", .bias = "alibi", .params = "heads=$h", .source = "form=absolute" },
    { "t5", "Raffel et al. 2020, with the usual scale of scores; the last bucket lies within the trained length",
        .bias = "t5", .grads = "dtable_bias", .params = "direction=causal heads=$h max_distance=48", .shared = 1,
        .source = "direction=bidirectional" },
    { "kerple", "Chi et al. 2022, logarithmic; drawn as their code draws", .bias = "kerple", .grads = "dp da",
        .params = "heads=$h", .from = 0, .to = 1, .source = "form=absolute" },
    { "shaw", "Shaw et al. 2018, keys and values", .attend = "shaw", .params = "least=-16 most=0 causal=causal" },
    { "nezha", "Wei et al. 2019", .attend = "nezha", .params = "dim=$d reach=64 argument=distance" },
    { "txl", "Dai et al. 2019, without memory", .attend = "txl", .params = "causal=causal", .sizes = "c=16" },
    { "deberta", "He et al. 2021, rows of both tables trained as they stand", .attend = "deberta",
        .params = "span=32" },
    { "tener", "Yan et al. 2019, scaled", .attend = "tener", .params = "dim=$d scale=width" },
    { "complexorder", "Wang et al. 2020: real parts, then imaginary ones", .embed = "complexorder", .params = "" },
    { 0 },
};

const struct encoding *encoding_named(const char *name)
{
    for (const struct encoding *e = encodings; e->name; e++)
        if (!strcmp(e->name, name))
            return e;
    return NULL;
}

void encoding_text(char *to, size_t n, const char *text, const struct lab_size *s, int64_t length)
{
    const int64_t over = (length + s->length - 1) / s->length;
    size_t at = 0;
    *to = 0;
    for (const char *p = text ? text : ""; *p && at + 24 < n; p++) {
        const int64_t of = *p != '$' ? 0 :
            p[1] == 'h'              ? s->heads :
            p[1] == 'd'              ? s->channels / s->heads :
            p[1] == 'c'              ? s->channels :
            p[1] == 'l'              ? s->length :
            p[1] == 'r'              ? s->reach :
            p[1] == 'n'              ? length :
            p[1] == 'x'              ? over :
            p[1] == 'w'              ? over * s->length :
            p[1] == 'm'              ? (s->length + 1) / 2 :
            p[1] == 'g'              ? 2 * over :
                                       0;
        at +=
            of ? (size_t)snprintf(to + at, n - at, "%lld", (long long)of) : (size_t)snprintf(to + at, n - at, "%c", *p);
        p += of != 0;
    }
}
