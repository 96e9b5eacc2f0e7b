/* Gradients of relative attention by lines of distances: fast/core/lines/line_grad_tile.h. */
#include "lanes256.h"
#include "lines/line_grad_tile.h"

void line_grad_avx2(const struct line_grad *g) { line_grad_run(g); }
void line_attend_avx2(const struct line_grad *g) { line_attend_run(g); }
