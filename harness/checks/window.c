/* WINDOW: the read-out of ALIGN with more keys than any window here is wide, so that windows to the left and right,
 * chunks and prefixes end among the keys. */
#include "checks/core/probe.h"
#include "reader/core/sight.h"

static void run(struct probe *p)
{
    sight_ask(p, "", "n=19 m=23 d=8 e=23");
    if (p->word == PASS)
        sight_ask(p, "", "n=1 m=131 d=8 e=131");
}
const struct check check_window = {
    .name = "WINDOW", .question = "How far to the left and to the right does a query see?", .cluster = "A14",
    .sources = "huggingface/transformers#39408 NVIDIA-NeMo/Megatron-Bridge#2656 zml/zml#763 "
    "huggingface/transformers#47010 openvinotoolkit/openvino#30714 apple/axlearn#1009 onnx/onnx#8006 "
    "proger/hippogriff#7",
    .asks = "attention.o attention.visible",
    .kills = "attention.window+1 attention.window-1 attention.window-dropped attention.right+1 attention.right-1 "
    "attention.left+1 attention.prefix+1 attention.prefix-1 attention.prefix-dropped attention.chunk+1 "
    "attention.chunk-1 "
             "attention.chunk-as-window attention.chunk-dropped attention.chunk-start attention.window-whole "
                 "attention.window-half attention.window-uneven attention.window-one-sided", .run = run,
};
