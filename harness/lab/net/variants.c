/* Changes of a trained model for evaluations, each by parameters of existing rows; see model.h.  $x is how many times
 * longer than trained the text is, $l the trained length ($m its half, $g twice $x): a window of $m and groups of $g
 * map $x times the trained length into it, for $m + ($x $l - $m) / $g < $l. */
#include "lab/net/model.h"
#include <string.h>

const struct variant variants[] = {
    { "plain" },
    { "pi", "rope", .encoding = "scaling=linear factor=$x", .cite = "Chen et al. 2023, arXiv:2306.15595" },
    { "ntk", "rope", .encoding = "scaling=ntk factor=$x", .cite = "bloc97 2023" },
    { "ntk-4", "rope", .encoding = "scaling=ntk factor=4", .cite = "bloc97 2023: one factor for all lengths" },
    { "dynamic", "rope", .encoding = "scaling=dynamic factor=1 trained=$l length=$n", .cite = "emozilla 2023" },
    { "yarn", "rope", .encoding = "scaling=yarn factor=$x trained=$l beta_fast=3 beta_slow=1/2",
        .cite = "Peng et al. 2023, arXiv:2309.00071; turns scaled to so short a training" },
    { "yarn-32", "rope", .encoding = "scaling=yarn factor=$x trained=$l",
        .cite = "Peng et al. 2023: its own turns, 1 and 32, of which 64 positions have none above 10" },
    { "base", "rope", .encoding = "base=500000", .cite = "Xiong et al. 2023, arXiv:2309.16039" },
    { "logn", "*", .attention = "temperature=logn trained=$l", .cite = "Su 2021; Chiang, Cholak 2022" },
    { "window", NULL, .window = "$l", .cite = "Beltagy et al. 2020, arXiv:2004.05150" },
    { "sinks", NULL, .window = "60", .sinks = "4",
        .cite = "Xiao et al. 2024, arXiv:2309.17453, keys where they stand" },
    { "rerope", "rope", .attend = "rerope", .encoding = "window=$m",
        .cite = "Su 2023, kexue.fm/archives/9708: every distance of half the trained length and more is that one" },
    { "leaky", "rope", .attend = "rerope", .encoding = "window=$m leak=$g",
        .cite = "Su 2023, kexue.fm/archives/9708: no distance beyond the trained length" },
    { "selfextend", "rope", .attend = "selfextend", .encoding = "window=$m group=$g",
        .cite = "Jin et al. 2024, arXiv:2401.01325: no distance beyond the trained length" },
    { "streaming", "rope", .attend = "streaming", .encoding = "sinks=4 recent=60",
        .cite = "Xiao et al. 2024, arXiv:2309.17453, places counted in the cache" },
    { "clamp", "txl", .encoding = "clamp=$l", .cite = "Dai et al. 2019, clamp_len of their code" },
    { "remap", "t5", .encoding = "max_distance=$w", .cite = "buckets stretched over the length at work" },
    { "unclipped", "nezha", .encoding = "reach=$n", .cite = "distances of the length at work" },
    { 0 },
};

int variant_fits(const struct variant *v, const struct encoding *e)
{
    /* a window is a choice of keys, which not every row takes */
    if (v->window && e->attend && !op_takes(row_named(e->attend), "o", "keep"))
        return 0;
    return !v->of || (!strcmp(v->of, "*") ? !e->attend : !strcmp(v->of, e->name));
}
