/* Verdicts in the words of CI pages; see ci.h. */
#include "judge/ci.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "core/printable.h"
#include "diagnose/diagnose.h"
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
    finding_kernel(f, kernel, sizeof kernel);
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

/* CI pages list cases by name, so the name holds everything that tells cases apart.  The message of a failure is one
 * line, its text all that the log has. */
void junit_case(FILE *o, const struct finding *f, const char *at)
{
    char *text = NULL;
    size_t len;
    fputs("  <testcase classname=\"", o), printable_xml(o, f->row), fputc('.', o), printable_xml(o, f->quantity),
        fputs("\" name=\"", o);
    printable_xml(o, f->id ? f->id : f->subject);
    const char *more[] = { f->type, f->params, f->sizes };
    for (int k = 0; k < 3; k++)
        if (more[k] && *more[k])
            fputc(' ', o), printable_xml(o, more[k]);
    fprintf(o, "\" time=\"%.3f\"", f->seconds);
    if (f->source) {
        char file[400];
        long line;
        annotate_cut(f->source, file, sizeof file, &line);
        fputs(" file=\"", o), printable_xml(o, file), fprintf(o, "\" line=\"%ld\"", line);
    }
    fputc('>', o);
    if (f->word == FAILED || f->word == CRASHED || f->refused) {
        const char *kind = f->word == FAILED ? "failure" : "error";
        FILE *all = need_stream(&text, &len);
        fprintf(o, "<%s message=\"", kind);
        if (f->match)
            printable_xml(o, "matches "), printable_xml(o, f->row), printable_xml(o, "."),
                printable_xml(o, f->match->id), printable_xml(o, ": "), printable_xml(o, f->match->effect),
                printable_xml(o, "; ");
        printable_xml(o, f->reason);
        printable_xml(o, *f->reason && *at ? "; at " : "");
        printable_xml(o, at);
        fprintf(o, "\">");
        if (*at && f->tally)
            fprintf(all, "\nat %s\nexactly %s\n", at, f->tally->digits);
        if (f->diagnosis)
            diagnosis_say(all, f->row, f->diagnosis);
        fprintf(all, "%s%s\n", *f->replay ? "again: " : "", f->replay);
        if (*f->smallest)
            fprintf(all, "smallest: %s\n", f->smallest);
        fclose(all);
        for (char *s = text; *s; s = *s ? s + 1 : s) { /* line by line: printable_xml() would replace the line ends */
            char *end = s + strcspn(s, "\n"), was = *end;
            *end = 0, printable_xml(o, s), *end = was, s = end;
            if (*s)
                fputc('\n', o);
        }
        free(text);
        fprintf(o, "</%s>", kind);
    } else if (f->word != PASS && f->word != KNOWN_DEVIATION) {
        fprintf(o, "<skipped message=\"%s ", word_name[f->word]);
        printable_xml(o, f->reason);
        fprintf(o, "\"/>");
    }
    fprintf(o, "</testcase>\n");
}
