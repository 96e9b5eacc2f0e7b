/* Writes JUnit's XML: `failure` is a case that does not conform, `error` one that crashed or was refused, `skipped` one
 * that was not judged. */
#include "judge/junit.h"
#include <stdlib.h>
#include "judge/annotate.h"
#include "diagnose/diagnose.h"
#include "core/printable.h"

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
