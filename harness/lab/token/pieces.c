/* Grows and frees texts in pieces; see pieces.h. */
#include "lab/token/pieces.h"
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/unicode.h"

static void room_for(struct pieces *p, size_t n)
{
    if (p->bytes + n <= p->room)
        return;
    p->room = 2 * (p->bytes + n) + 64;
    p->text = need_more(p->text, p->room, 1), p->origin = need_more(p->origin, p->room, sizeof *p->origin);
}

void pieces_text(struct pieces *p, const char *s, size_t n, int32_t origin)
{
    room_for(p, n);
    for (size_t k = 0; k < n; k++)
        p->text[p->bytes] = s[k], p->origin[p->bytes++] = origin;
}
void pieces_char(struct pieces *p, int32_t c, int32_t origin)
{
    char s[CHAR_BYTES];
    pieces_text(p, s, utf8_write(c, s), origin);
}
void pieces_part(struct pieces *p, const struct piece_view *v, size_t from, size_t to)
{
    if (from >= to)
        return;
    room_for(p, to - from);
    memcpy(p->text + p->bytes, v->text + from, to - from);
    memcpy(p->origin + p->bytes, v->origin + from, (to - from) * sizeof *v->origin);
    p->bytes += to - from;
}

void pieces_end(struct pieces *p, int64_t id)
{
    const size_t at = p->n ? p->of[p->n - 1].at + p->of[p->n - 1].n : 0;
    if (p->bytes == at)
        return;
    if (p->n == p->room_of) {
        p->room_of = p->room_of ? 2 * p->room_of : 64;
        p->of = need_more(p->of, p->room_of, sizeof *p->of);
    }
    p->of[p->n++] = (struct piece){ at, p->bytes - at, p->origin[at], id };
}

struct piece_view pieces_view(const struct pieces *p, size_t k)
{
    const struct piece *x = &p->of[k];
    return (struct piece_view){ p->text + x->at, p->origin + x->at, x->n, x->origin };
}
void pieces_free(struct pieces *p)
{
    free(p->text), free(p->origin), free(p->of);
    *p = (struct pieces){ .n = 0 };
}

void ids_add(struct ids *x, int64_t id)
{
    if (x->n == x->room)
        x->of = need_more(x->of, x->room = x->room ? 2 * x->room : 256, sizeof *x->of);
    x->of[x->n++] = id;
}
