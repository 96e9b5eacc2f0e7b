/* Prints the fingerprints of what was judged, one line each.  They are taken last, so that a subject that hangs
 * meets the verdicts first. */
#include "fingerprint/assumed.h"
#include "fingerprint/take.h"
#include "subject/subject.h"

void assumed_say(FILE *to, const struct subject *s, const char *row, const char *out, const char *type)
{
    struct fingerprint f;
    char err[700], brief[2000];
    int n = 0, more = 0;
    for (const struct mer_kernel *k = s->kernel; k->row; k++) {
        if ((row && strcmp(row, k->row)) || (out && strcmp(out, k->out)) || (type && strcmp(type, k->type)) ||
            !row_named(k->row))
            continue;
        if (++n > ASSUMED_KERNELS) {
            more++;
            continue;
        }
        if (fingerprint_take(s, k, "", &f, err, sizeof err)) {
            fprintf(to, "assumed of %s.%s %s: nothing, %s\n", k->row, k->out, k->type, err);
            continue;
        }
        fingerprint_brief(&f, brief, sizeof brief);
        const char *beside = *f.nature ? f.nature : f.hurried ? "the time was up before all was tried" : "";
        fprintf(to, "assumed of %s.%s %s, for want of a --declaration: %s%s%s%s\n", k->row, k->out, k->type,
            fingerprint_whole(&f) ? "" :
                f.undecided       ? "undecided, not refuted is " :
                                    "not explained, closest is ",
            brief, *beside ? "; " : "", beside);
    }
    if (more)
        fprintf(to, "assumed of %d more: meridian fingerprint\n", more);
}
