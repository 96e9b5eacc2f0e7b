/* LEAK: a hidden key weighs exactly 0.  Asked twice: with values of one, and with values at hidden keys that no
 * visible key has (2^100, or the largest of float16), under keys that would win every softmax.  A row that sees none
 * of them must have the same bits, and all rows stay within their bounds. */
#include "checks/core/probe.h"
#include "reader/core/sight.h"

/* Whether query i of head h sees key j: the exact value of the weight there is not 0. */
static bool sees(const struct probe *p, const struct trial *t, long h, long i, long j)
{
    return p->want[0][(h * t->out[0].dim[1] + i) * t->out[0].dim[2] + j] != 0;
}

static bool make(struct probe *p, struct trial *t)
{
    if (!probe_make(p, t, NULL, "h=2 g=2 n=4 m=9 d=8 e=9"))
        return false;
    probe_keys(t);
    return true;
}

static void run(struct probe *p)
{
    struct trial map, t[2];
    char mask[20];
    bool hides[9];
    if (!make(p, &map))
        return;
    if (!probe_ask(p, &map))
        return;
    /* a finite mask constant leaks by definition; the check MASK asks about those */
    if (strcmp(probe_value(&map, "mask", mask, sizeof mask), "hide")) {
        trial_close(&map), p->asked = 0;
        return;
    }
    if (!probe_judge(p, &map)) {
        sight_words(p, &map), trial_close(&map);
        return;
    }
    long n_hidden = 0;
    for (long j = 0; j < 9; j++) {
        hides[j] = true;
        /* whether key j is hidden from queries 0 to 2; query 3 is asked too and may see it */
        for (long i = 0; i < 3; i++)
            hides[j] &= !sees(p, &map, 0, i, j) && !sees(p, &map, 1, i, j);
        n_hidden += hides[j];
    }
    trial_close(&map);
    for (int k = 0; k < 2 && n_hidden; k++) {
        if (!probe_make(p, &t[k], NULL, "h=2 g=2 n=4 m=9 d=8 e=5")) {
            if (k)
                trial_close(&t[0]);
            return;
        }
        double huge = t[k].type == MER_F16 ? 60000 : 0x1p100, loud = t[k].type == MER_F16 ? 100 : 6e4;
        for (long g = 0; g < 2; g++)
            for (long j = 0; j < 9; j++) {
                for (long c = 0; c < trial_in(&t[k], "v")->dim[2] && hides[j]; c++)
                    probe_put(&t[k], "v", g, j, c, k ? huge : 1);
                for (long c = 0; c < trial_in(&t[k], "k")->dim[2] && hides[j] && k; c++)
                    probe_put(&t[k], "k", g, j, c, loud);
            }
        if (!probe_ask(p, &t[k])) {
            if (k)
                trial_close(&t[0]);
            return;
        }
    }
    if (!n_hidden)
        return;
    const long e = t[0].out[0].dim[2];
    size_t row = (size_t)e * type_size(t[0].out[0].type);
    for (long r = 0; r < 8; r++)
        if (r % 4 < 3 &&
            memcmp((const char *)t[0].out[0].data + (size_t)r * row, (const char *)t[1].out[0].data + (size_t)r * row,
                row))
            probe_fail(p, "hidden keys change query %ld: %.9g with values of 1 there, %.9g with huge ones", r % 4,
                array_get(&t[0].out[0], r * e), array_get(&t[1].out[0], r * e));
    if (p->word == PASS)
        probe_say(p, "%ld keys hidden from queries 0 to 2: no bit of theirs is seen", n_hidden);
    trial_close(&t[0]), trial_close(&t[1]);
}
const struct check check_leak = {
    .name = "LEAK", .question = "Does anything of a hidden key reach the output?", .cluster = "A11 A12",
    .sources = "huggingface/transformers#18185 huggingface/transformers#17306 google/flax#982 NVIDIA/apex#93 "
    "torch-spyre/torch-spyre#4234 huggingface/nanoVLM#204",
    .asks = "attention.o shaw.o txl.o xlnet.o deberta.o t5.o",
    .kills = "attention.unmasked attention.padding-leak attention.padding-left-leak attention.document-leak "
    "attention.document-late attention.mask-leak attention.mask-zero attention.cap-after-mask", .run = run,
};
