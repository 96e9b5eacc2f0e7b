/* Writes the manual page from the tables of the verbs; see man.h. */
#include "core/man.h"
#include "core/cli.h"
#include "version.h"

static void escaped(FILE *f, const char *s)
{
    for (; *s; s++)
        fprintf(f, *s == '-' ? "\\-" : *s == '\\' ? "\\e" : "%c", *s);
}

void man_page(FILE *f)
{
    fprintf(f,
        ".TH MERIDIAN 1 \"\" \"meridian " MERIDIAN_VERSION
        "\" \"User Commands\"\n.SH NAME\nmeridian \\- referee for position encodings and attention\n.SH SYNOPSIS\n");
    fprintf(f,
        ".B meridian\n.I VERB\n[\\fIARGUMENT\\fR ...] [\\fB\\-\\-flag\\fR \\fIvalue\\fR ...]\n.SH "
        "DESCRIPTION\nMeasures implementations of Transformer position encodings and attention against a certified\n"
        "arbitrary-precision reference, names the mistake when one is wrong, and says how far out it can be "
        "trusted.\n.SH VERBS\n");
    for (const struct verb *const *v = verbs; *v; v++) {
        fprintf(f, ".TP\n.B %s\n.I ", (*v)->name);
        escaped(f, *(*v)->args ? (*v)->args : "\"\"");
        fputc('\n', f);
        escaped(f, (*v)->help);
        fputc('\n', f);
        for (const struct flag *k = (*v)->flags; k && k->name; k++) {
            fprintf(f, ".br\n\\fB\\-\\-%s\\fR %s: ", k->name, k->value ? k->value : "");
            escaped(f, k->help);
            fputc('\n', f);
        }
    }
    fprintf(f,
        ".SH EXIT STATUS\n0 pass; 1 does not conform; 2 usage or bad input; 3 a subject crashed, hung or broke the "
        "protocol; 77 nothing was judged.\n");
    fprintf(f,
        ".SH ENVIRONMENT\n.TP\n.B MERIDIAN_ISA\nscalar, avx2, avx512, avx512bf16 or amx: the highest slot to "
        "use.\n.TP\n.B MERIDIAN_DATA\nfolder of goldens, mistakes, names and models.\n.TP\n.B NO_COLOR\nno colour on "
        "terminals.\n");
}
