/* The words of verdicts, and which of them a comparison has; see finding.h. */
#include "judge/finding.h"
#include <stdio.h>

const char *const word_name[WORDS] = { "PASS", "KNOWN", "VACUOUS", "UNDECIDED", "SKIP", "FAIL", "CRASH" };

enum word tally_word(const struct tally *y)
{
    if (y->over)
        return FAILED;
    if (y->undecided || !y->n)
        return y->undecided ? UNDECIDED_VERDICT : SKIPPED;
    return power_vacuous(&y->power) ? VACUOUS : PASS;
}

void finding_kernel(const struct finding *f, char *text, size_t n)
{
    snprintf(text, n, "%.40s.%.60s %.10s", f->row, f->quantity, f->type ? f->type : "");
}
