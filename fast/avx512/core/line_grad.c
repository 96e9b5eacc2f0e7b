/* Gradients of relative attention by lines of distances: fast/core/lines/line_grad_tile.h. */
#include "lanes512.h"
#include "lines/line_grad_tile.h"

void line_avx512(const struct line_grad *g) { line_run(g); }
