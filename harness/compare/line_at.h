/* Which line of an output an ask is of. */
#ifndef LINE_AT_H
#define LINE_AT_H
#include "ball/types.h"
/* Has w ask for line `line`, from 0 in C order, of an output whose first `lead` axes tell its lines apart.  Every index
 * of w is set: where one question has outputs of several shapes, those behind `lead` are 0 again. */
void line_at(struct ask *w, const struct mer_array *out, int lead, long line);
#endif
