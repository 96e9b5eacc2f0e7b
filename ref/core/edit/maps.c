/* Maps of an index; see maps.h. */
#include "edit/maps.h"
#include <string.h>

enum { REVERSE, ROLL, BACK, FIRST, SECOND, LAST, ODD, EVEN, SWAP, HALF, SPREAD, GATHER, NEXT, BEFORE, HEAD_1, TAIL_1,
    TAIL_4, TAIL_8, TAIL_16, TAIL_32, TAIL_64, TAIL_128 };
const struct index_map index_maps[] = {
    [REVERSE] = { "reverse", "backwards" },
    [ROLL] = { "roll", "one further, the last as the first" },
    [BACK] = { "back", "one before, the first as the last" },
    [FIRST] = { "first", "always at its first place" },
    [SECOND] = { "second", "always at its second place" },
    [LAST] = { "last", "always at its last place" },
    [ODD] = { "odd", "at the odd one of each pair" },
    [EVEN] = { "even", "at the even one of each pair" },
    [SWAP] = { "swap", "with both halves exchanged" },
    [HALF] = { "half", "at half the index" },
    [SPREAD] = { "spread", "as evens, then odds" },
    [GATHER] = { "gather", "as halves of which pairs are made" },
    [NEXT] = { "next", "one further, the last twice" },
    [BEFORE] = { "before", "one before, the first twice" },
    [HEAD_1] = { "without-first", "as 0 at its first place" },
    [TAIL_1] = { "without-last", "as 0 at its last place" },
    [TAIL_4] = { "tail-4", "as 0 behind the last whole block of 4" },
    [TAIL_8] = { "tail-8", "as 0 behind the last whole block of 8" },
    [TAIL_16] = { "tail-16", "as 0 behind the last whole block of 16" },
    [TAIL_32] = { "tail-32", "as 0 behind the last whole block of 32" },
    [TAIL_64] = { "tail-64", "as 0 behind the last whole block of 64" },
    [TAIL_128] = { "tail-128", "as 0 behind the last whole block of 128" },
    { NULL, NULL },
};
int index_map_named(const char *name, size_t n)
{
    for (int k = 0; index_maps[k].name; k++)
        if (strlen(index_maps[k].name) == n && !strncmp(index_maps[k].name, name, n))
            return k;
    return -1;
}
long index_mapped(int map, long i, long n)
{
    switch (map) {
    case REVERSE: return n - 1 - i;
    case ROLL: return (i + 1) % n;
    case BACK: return (i + n - 1) % n;
    case FIRST: return 0;
    case SECOND: return n > 1;
    case LAST: return n - 1;
    case ODD: return (i | 1) < n ? i | 1 : n - 1;
    case EVEN: return i & ~1L;
    case SWAP: return (i + n / 2) % n;
    case HALF: return i / 2;
    case SPREAD: return 2 * i < n ? 2 * i : 2 * (i - (n + 1) / 2) + 1;
    case GATHER: return i % 2 ? (n + 1) / 2 + i / 2 : i / 2;
    case NEXT: return i + 1 < n ? i + 1 : n - 1;
    case BEFORE: return i ? i - 1 : 0;
    case HEAD_1: return i ? i : -1;
    case TAIL_1: return i + 1 < n ? i : -1;
    default: return i < n >> (map - TAIL_4 + 2) << (map - TAIL_4 + 2) ? i : -1;
    }
}

bool index_tells(int map, long extent)
{
    long same = 0, some = 0;
    for (long i = 0; i < extent; i++)
        same += index_mapped(map, i, extent) == i, some += index_mapped(map, i, extent) >= 0;
    return same < extent && some;
}
bool index_empties(int map, long extent)
{
    long i = 0;
    while (i < extent && index_mapped(map, i, extent) < 0)
        i++;
    return i == extent;
}
bool index_merges(int map, long extent)
{
    bool some = false;
    for (long i = 0; i + 1 < extent; i++)
        some |= index_mapped(map, i, extent) == index_mapped(map, i + 1, extent) && index_mapped(map, i, extent) >= 0;
    return some;
}
int index_first(int map, long extent)
{
    for (int k = 0; k < map; k++) {
        long i = 0;
        while (i < extent && index_mapped(k, i, extent) == index_mapped(map, i, extent))
            i++;
        if (i == extent)
            return k;
    }
    return map;
}
