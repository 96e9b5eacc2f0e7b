/* Numbers of a page in another form; see form.h. */
#include "edit/form.h"
#include <string.h>
#include "edit/site_parts.h"

/* Is the edit of an operation on one of the form's lines? */
static bool is_meant(const struct ask *w, const struct other_form *f)
{
    const struct edit *e = &w->arith->edit;
    const char *here = site_file(f->file);
    return sited(w) && e->line >= f->first && e->line <= f->last && strlen(here) == e->file_len &&
        !strncmp(here, e->file, e->file_len);
}
const struct ball *site_form(struct ask *w, const struct other_form *f, const void *of)
{
    const bool meant = is_meant(w, f);
    if (!meant && !w->sites)
        return NULL;
    if (w->sites)
        w->sites->form = true;
    const struct ball *x = f->number(w, of);
    if (w->sites)
        w->sites->form = false;
    return meant ? x : NULL;
}
