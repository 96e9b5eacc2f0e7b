/* Marks the source of failing kernels on CI pages; see annotate.h. */
#include "judge/annotate.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "subject/protocol.h"

const char *annotate_source(const struct annotations *a, const struct finding *f)
{
    for (const struct mer_kernel *k = a->who && !a->who->next ? a->who->kernel : NULL; k && k->row; k++)
        if (!strcmp(k->row, f->row) && f->type && !strcmp(k->type, f->type) &&
            (!strcmp(k->out, f->quantity) || words_have(k->out, f->quantity)) && kernel_source(k))
            return kernel_source(k);
    return a->source;
}

void annotate_cut(const char *source, char *file, size_t n, long *line)
{
    const char *colon = strrchr(source, ':');
    char *end = NULL;
    *line = colon && isdigit((unsigned char)colon[1]) ? strtol(colon + 1, &end, 10) : 0;
    const bool numbered = end && !*end && *line > 0;
    *line = numbered ? *line : 1;
    snprintf(file, n, "%.*s", (int)(numbered ? (size_t)(colon - source) : strlen(source)), source);
}

/* A workflow command ends with its line; '%' escapes, and in a property ':' and ',' are escaped, too. */
static void escaped(FILE *o, const char *text, bool property)
{
    for (; *text; text++)
        if (*text == '%' || (unsigned char)*text < ' ' || (property && (*text == ':' || *text == ',')))
            fprintf(o, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, o);
}

void annotate_say(FILE *o, struct annotations *a, const struct finding *f)
{
    char kernel[120], file[400], title[200];
    long line;
    if (!a->workflow || (f->word != FAILED && f->word != CRASHED) || a->n == ANNOTATED)
        return;
    snprintf(kernel, sizeof kernel, "%.40s.%.60s %.10s", f->row, f->quantity, f->type ? f->type : "");
    for (int k = 0; k < a->n; k++)
        if (!strcmp(a->kernel[k], kernel))
            return;
    memcpy(a->kernel[a->n++], kernel, sizeof kernel);
    fputs("::error ", o);
    if (f->source) {
        annotate_cut(f->source, file, sizeof file, &line);
        fputs("file=", o), escaped(o, file, true), fprintf(o, ",line=%ld,", line);
    }
    snprintf(title, sizeof title, "meridian %s %s", word_name[f->word], kernel);
    fputs("title=", o), escaped(o, title, true), fputs("::", o);
    if (f->match)
        escaped(o, f->match->effect, false), fputs(*f->reason ? "; " : "", o);
    escaped(o, *f->reason || f->match ? f->reason : "outside the bound of its arithmetic", false);
    fputs(*f->replay ? "; again: " : "", o), escaped(o, f->replay, false), fputc('\n', o);
}
