/* junit.h: `failure` does not conform, `error` crashed or was refused, `skipped` was not judged. */
#include "junit.h"
#include <stdlib.h>
#include "diagnose.h"
#include "plain.h"

/* A CI page lists cases by name: what tells them apart stands in it.  Its first line says what is wrong, its text all that the log says. */
void junit_case(FILE *o, const struct finding *f, const char *at)
{
    char *text = NULL;
    size_t len;
    fputs("  <testcase classname=\"", o), plain_xml(o, f->row), fputc('.', o), plain_xml(o, f->quantity), fputs("\" name=\"", o);
    plain_xml(o, f->id ? f->id : f->subject);
    const char *more[] = { f->type, f->params, f->sizes };
    for (int k = 0; k < 3; k++)
        if (more[k] && *more[k])
            fputc(' ', o), plain_xml(o, more[k]);
    fprintf(o, "\" time=\"%.3f\">", f->seconds);
    if (f->word == FAILED || f->word == CRASHED || f->refused) {
        const char *kind = f->word == FAILED ? "failure" : "error";
        FILE *all = need_stream(&text, &len);
        fprintf(o, "<%s message=\"", kind);
        if (f->match)
            plain_xml(o, "matches "), plain_xml(o, f->row), plain_xml(o, "."), plain_xml(o, f->match->id), plain_xml(o, ": "), plain_xml(o, f->match->effect), plain_xml(o, "; ");
        plain_xml(o, f->reason);
        plain_xml(o, *f->reason && *at ? "; at " : "");
        plain_xml(o, at);
        fprintf(o, "\">");
        if (*at)
            fprintf(all, "\nat %s\nexactly %s\n", at, f->tally->digits);
        if (f->diagnosis)
            diagnosis_say(all, f->row, f->diagnosis);
        fprintf(all, "%s%s\n", *f->replay ? "again: " : "", f->replay);
        fclose(all);
        for (char *s = text; *s; s = *s ? s + 1 : s) { /* plain_xml() makes one line of what it is given */
            char *end = s + strcspn(s, "\n"), was = *end;
            *end = 0, plain_xml(o, s), *end = was, s = end;
            if (*s)
                fputc('\n', o);
        }
        free(text);
        fprintf(o, "</%s>", kind);
    } else if (f->word != PASS && f->word != KNOWN_DEVIATION) {
        fprintf(o, "<skipped message=\"%s ", word_name[f->word]);
        plain_xml(o, f->reason);
        fprintf(o, "\"/>");
    }
    fprintf(o, "</testcase>\n");
}
