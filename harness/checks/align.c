/* ALIGN: values are one-hot by key, so the output is the weights, and where they are not 0 is what a query sees.
 * Where there are as many queries as keys every mistake of alignment is hidden, so it asks one query, fewer than
 * keys, more than keys, and as many. */
#include "checks/core/probe.h"
#include "reader/core/sight.h"

static void run(struct probe *p)
{
    static const char *const sizes[] = { "n=1 m=8 d=8 e=8", "n=3 m=8 d=8 e=8", "n=8 m=3 d=8 e=3", "n=5 m=5 d=8 e=5" };
    for (int k = 0; k < 4 && p->word == PASS; k++)
        sight_ask(p, "", sizes[k]);
}
const struct check check_align = {
    .name = "ALIGN", .question = "Which keys does a query see when there are more, or fewer, keys than queries?",
    .cluster = "A13",
    .sources = "pytorch/pytorch#103082 ml-explore/mlx#2835 ml-explore/mlx#2967 NVIDIA/cutlass#2336 "
    "Dao-AILab/flash-attention#517 onnx/onnx#8068 NVIDIA/cudnn-frontend#493",
    .asks = "attention.o attention.visible t5.o shaw.o deberta.o tener.o txl.o xlnet.o",
    .kills = "attention.topleft attention.bottomright attention.unmasked attention.offset+1 attention.offset-1 "
    "shaw.unmasked txl.unmasked xlnet.masked xlnet.unmasked", .run = run,
};
