/* Says how far a long work is; see progress.h. */
#include "base/progress.h"
#include "base/clock.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SOON: seconds until a rate is worth saying; FIRST: until the first plain line; SELDOM: most seconds between plain
 * lines that were asked for; WIDE: columns of a terminal's line. */
enum { SOON = 2, FIRST = 15, SELDOM = 30, WIDE = 79 };
static bool silent, asked;

void progress_silence(void) { silent = true; }
void progress_asked(void) { silent = false, asked = true; }

void progress_begin(struct progress *p, const char *verb, const char *steps, double of)
{
    *p = (struct progress){ .verb = verb, .steps = steps, .of = of, .began = now(), .process = getpid() };
}

/* Seconds as 12 s, 3 min or 2.5 h. */
static void put_time(double seconds, char *text, size_t n)
{
    if (seconds < 100)
        snprintf(text, n, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, n, "%.0f min", seconds / 60);
    else
        snprintf(text, n, "%.1f h", seconds / 3600);
}

void progress_says(const struct progress *p, double done, double seconds, const char *what, char *text, size_t n)
{
    const bool known = p->of > 0, timed = !strcmp(p->steps, "s");
    char of[40] = "", rate[60] = "", left[60] = "", time[30];
    if (known)
        snprintf(of, sizeof of, " of %.0f", p->of);
    if (seconds >= SOON && done > 0 && !timed)
        snprintf(rate, sizeof rate, ", %.3g/s", done / seconds);
    if (seconds >= SOON && done > 0 && known && done <= p->of) {
        put_time(seconds / done * (p->of - done), time, sizeof time);
        snprintf(left, sizeof left, ", %s left", time);
    }
    snprintf(text, n, "%s: %.0f%s %s%s%s%s%.*s", p->verb, done, of, p->steps, rate, left, what && *what ? ": " : "",
        what ? (int)strcspn(what, "\n") : 0, what ? what : "");
}

/* Whether a plain line is due after so many seconds: those that were asked for at once, and then after twice the time,
 * but after SELDOM at the latest; those of CI from FIRST on. */
static bool due(const struct progress *p, double seconds)
{
    const double before = p->said - p->began;
    if (p->said <= 0)
        return asked || seconds >= FIRST;
    return seconds >= (asked && before < SOON ? before + SOON : 2 * before) || (asked && seconds >= before + SELDOM);
}

void progress_step(struct progress *p, double done, const char *what)
{
    const double at = now(), seconds = at - p->began;
    const bool terminal = isatty(2);
    const char *ci = getenv("CI");
    char text[400];
    if (silent || getpid() != p->process || (!terminal && !asked && !(ci && *ci)))
        return;
    if (terminal ? at - p->said < 0.1 : !due(p, seconds))
        return;
    p->said = at;
    progress_says(p, done, seconds, what, text, sizeof text);
    fprintf(stderr, terminal ? "\r\033[K%.*s" : "meridian %.*s\n", terminal ? WIDE : (int)sizeof text, text);
}

static struct progress only; /* of progress_of, and how many of its steps have begun */
static double counted;

void progress_of(const char *verb, const char *steps, double of)
{
    progress_begin(&only, verb, steps, of), counted = 0;
}

void progress_count(const char *what)
{
    if (only.verb)
        progress_step(&only, counted++, what);
}

void progress_pause(void)
{
    if (only.verb)
        progress_wipe(&only);
}

void progress_wipe(struct progress *p)
{
    if (!silent && p->said > 0 && getpid() == p->process && isatty(2))
        fprintf(stderr, "\r\033[K");
}
