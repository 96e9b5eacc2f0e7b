/* What the files that read, write and carry out edits share; see site_parts.h. */
#include "edit/site_parts.h"
#include <string.h>
#include "ball/ball.h"

const char *site_file(const char *file)
{
    for (const char *s; (s = strstr(file, "ref/"));)
        file = s + 4;
    return strncmp(file, "core/", 5) ? file : file + 5;
}

bool site_is_here(const struct edit *e, struct source at, enum site_kind kind)
{
    const char *file = e->kind == (int)kind && e->line == at.line ? site_file(at.file) : NULL;
    return file && !strncmp(file, e->file, e->file_len) && !file[e->file_len];
}

const struct ball *site_sum(struct ask *w, const struct mer_array *out, const struct ball *x, const struct ball *y)
{
    const struct ball *s = (b_add)(w, x, y);
    return out->type <= MER_BF16 ? b_store(w, &formats[out->type], s) : s;
}
