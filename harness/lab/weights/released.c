/* Grows and frees lists of named arrays; see released.h. */
#include "lab/weights/released.h"
#include <stdlib.h>
#include "arith/need.h"

float *released_add(struct released *list, const char *name, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t dim[] = { a, b, c, d };
    struct mer_array *y = &list->of[list->n++];
    *y = (struct mer_array){ .name = need_copy(name), .type = MER_F32 };
    for (int k = 0; k < 4 && dim[k]; k++)
        y->dim[y->rank++] = dim[k];
    return y->data = need((size_t)mer_count(y) + 32, sizeof(float));
}

void released_free(struct released *list)
{
    for (size_t k = 0; k < list->n; k++)
        free((void *)list->of[k].name), free(list->of[k].data);
    free(list->of);
    *list = (struct released){ .of = NULL };
}
