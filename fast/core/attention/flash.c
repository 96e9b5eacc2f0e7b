/* What every slot of attention shares: flash.h. */
#include "attention/flash.h"
#include <math.h>
#include "odd.h"

size_t flash_scratch(const struct flash *f)
{
    size_t per_head = (size_t)((f->n + FLASH_TILE - 1) / FLASH_TILE),
           tiles = per_head * (size_t)(f->g ? f->h / f->g : 0);
    size_t rows = FLASH_TILE * (tiles < FLASH_TILES ? tiles : FLASH_TILES), e = flash_lined((size_t)f->e),
           d = flash_lined((size_t)f->d);
    size_t keys = FLASH_KEYS * (d + e), tile = FLASH_TILE * (FLASH_LINE + 16),
           state = rows * (d + e + (f->place ? e + 32 : 0) + 16 + 1);
    /* of a place: its packed queries, its terms of keys, and their packed table */
    size_t places =
        f->place ? rows * d + (size_t)f->place->rows * FLASH_LINE + flash_lined((size_t)f->place->rows + 6) * d : 0;
    /* of far pairs: their packed keys and queries */
    size_t far = f->far ? FLASH_KEYS * d + rows * d : 0;
    /* of few queries, which make no tiles: their rows, scores and state */
    size_t few = FLASH_ROWS * (d + e + FLASH_LINE + 16 + 2 + (f->far ? d : 0));
    size_t tiled = flash_lined(keys) + flash_lined(tile) + flash_lined(state) + flash_lined(places) + far;
    return sizeof(float) * ((few > tiled ? few : tiled) + 256);
}

void flash_put_empty(const struct flash *f, int64_t h, int64_t i)
{
    for (int64_t c = 0, at = flash_v(f, flash_key_head(f, h), 0), to = flash_o(f, h, i); f->o && c < f->e;
         c++, at++, to++) {
        float o = 0;
        for (int64_t j = 0; f->empty == FLASH_MEAN && j < f->m; j++)
            o += load_float(f->v, at + j * (f->e + f->v_lay.row), f->type);
        o = f->empty == FLASH_NAN ? NAN : f->empty == FLASH_MEAN && f->m ? o / (float)f->m : 0;
        store_float(f->o, to, o, f->type);
    }
    flash_put_lse(f, h, i, -INFINITY);
}

float flash_score(const struct flash *f, int64_t h, int64_t i, int64_t j, float dot, float *slope)
{
    const int unseen = flash_every(f) && flash_unseen(f, h, i, j), late = f->cap_last && f->cap > 0;
    float bias = f->bias ? flash_bias(f, h, i)[j] : 0,
          s = f->bias_first ? (dot + bias) * flash_scale(f, i) : dot * flash_scale(f, i), t = 0, bent = 1;
    if (f->cap > 0 && !late)
        t = (float)tanh((double)(s / f->cap)), s = f->cap * t, bent = 1 - t * t;
    s = f->bias && !f->bias_first ? s + bias : s;
    if (unseen && f->finite != FLASH_HIDE)
        s = f->finite == FLASH_ADD ? s + f->constant : f->constant, bent = f->finite == FLASH_ADD ? bent : 0;
    if (late && ((unseen && !f->finite) || flash_struck(f, h, i, j)))
        s = -f->cap, bent = 0;
    else if (late)
        t = (float)tanh((double)(s / f->cap)), s = f->cap * t, bent = bent == 0 ? 0 : 1 - t * t;
    if (slope)
        *slope = bent;
    return s;
}
