/* Reads AddressSanitizer's, LeakSanitizer's and UndefinedBehaviorSanitizer's text. */
#include "report.h"
#include <stdio.h>
#include <string.h>

/* "    #0 0x55 in find_row harness/core/cli.c:90": its function and file, false where the line is no frame. */
static bool frame(const char *line, char *function, char *file)
{
    *function = *file = 0;
    const char *in = strstr(line, " in ");
    return strspn(line, " ") >= 4 && line[strspn(line, " ")] == '#' && in && in < strchr(line, '\n') &&
           sscanf(in + 4, "%99s %399[^\n]", function, file) >= 1;
}

static void kind(const char *report, struct bytes *c)
{
    char word[60] = "report";
    const char *at = strstr(report, "Sanitizer: "), *ub = strstr(report, "runtime error: ");
    if (ub && (!at || ub < at)) {
        snprintf(word, sizeof word, "%.40s", ub + 15);
        for (char *s = word; *s; s++)
            *s = *s == ' ' || *s == '\n' || *s == ':' ? '-' : *s >= '0' && *s <= '9' ? '#' : *s;
    } else if (at)
        sscanf(at + 11, "%59[^ :\n]", word);
    bytes_say(c, "%s", word);
}

/* Whether the text is nothing but a notice of the leak checker: it stops the process's threads to read their
 * registers, and says so where kill -9 came first (compiler-rt, sanitizer_stoptheworld_linux_libcdep.cpp). */
static bool is_notice(const char *report)
{
    for (const char *line = report; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *said = strstr(line, "Unable to get registers from thread ");
        if (*line != '\n' && !(said && said < line + strcspn(line, "\n")))
            return false;
    }
    return true;
}

bool report_class(const char *report, struct bytes *c)
{
    char function[100], file[400], first[100] = "";
    if (is_notice(report))
        return false;
    kind(report, c);
    for (const char *line = report; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (!frame(line, function, file))
            continue;
        if (strstr(file, "subject.so") || strstr(file, "storm/subject.c"))
            return false;
        if (!*first && (!strncmp(file, "harness/", 8) || !strncmp(file, "ref/", 4) || !strncmp(file, "fast/", 5) ||
            !strncmp(file, "proofs/", 7)))
            snprintf(first, sizeof first, "%.60s.%.*s", function, (int)strcspn(strrchr(file, '/') + 1, "."),
                strrchr(file, '/') + 1);
        if (*first)
            break;
    }
    bytes_say(c, ":%s", *first ? first : "?");
    return true;
}
