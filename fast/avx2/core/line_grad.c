/* Gradients of relative attention by lines of distances: fast/core/lines/line_grad_tile.h. */
#include "lanes256.h"
#include "lines/line_grad_tile.h"

void line_avx2(const struct line_grad *g) { line_run(g); }
