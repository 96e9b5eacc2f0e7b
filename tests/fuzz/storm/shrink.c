/* Drops lines in halves, quarters .. one by one, then shortens operands, as long as the class stays. */
#include "shrink.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/files.h"
#include "oracle.h"
#include "whole.h"

enum { MEGABYTES = 3000 };
static const double QUICK = 0.5; /* s: what takes longer is not asked twice */

/* What a run left, as text: every finished file of the case by name and content, a store by its dump, and a digest of
 * data/. */
static void left_behind(const struct places *p, struct bytes *t)
{
    struct before b;
    before_take(&b, p->folder);
    for (int k = 0; k < b.n; k++) {
        char path[PATH_MAX];
        struct bytes one = { 0 };
        path_join(path, p->folder, b.file[k].name);
        const char *fault = whole_fault(path);
        if (fault == whole_temporary || !bytes_read(&one, path)) {
            free(one.s);
            continue;
        }
        bytes_say(t, "== %s %s\n", b.file[k].name, fault ? fault : "");
        if (one.n > 15 && !memcmp(one.s, "SQLite format 3", 15))
            launch_plain(p, p->folder, (const char *const[]){ "meridian", "sweep", b.file[k].name, "--dump", NULL }, t);
        else
            bytes_put(t, one.s, one.n);
        free(one.s);
    }
    before_free(&b);
    bytes_say(t, "data %016llx\n", (unsigned long long)file_digest(p->data, 1));
}

/* Seconds for a whole run after a kill: twenty times what another case has, or what is left since `begin`. */
static double whole_limit(const struct trial_of *t, double begin)
{
    const double most = 20 * t->limit, left = t->left - (launch_now() - begin);
    return t->left <= 0 || most < left ? most : left > t->limit ? left : t->limit;
}

/* What a run in a folder of its own leaves that nothing ends; false where it took too long. */
static bool undisturbed(const struct script *s, const struct places *p, double limit, struct bytes *left)
{
    struct world fresh;
    struct seen seen;
    world_build(&fresh, s, p);
    fresh.kill_ms = fresh.end_ms = 0;
    launch(&seen, &fresh, p, &(struct bounds){ limit, MEGABYTES, false });
    left_behind(p, left);
    const bool done = !seen.late;
    seen_free(&seen), world_free(&fresh, p);
    return done;
}

/* After a kill: whole now, and never killed in a folder of its own; both must leave the same.  content: the run was not
 * ended, lost a process that it had started, and says all the same that it has done everything. */
static const char *resume(struct world *w, const struct script *s, const struct places *p, const struct trial_of *t,
    bool content, struct bytes *why)
{
    struct seen seen;
    struct before b;
    struct bytes resumed = { 0 }, alone = { 0 };
    const double begin = launch_now();
    const char *bad = NULL;
    bool done = true;
    w->kill_ms = w->end_ms = 0, w->again = true;
    if (!content) {
        before_take(&b, p->folder);
        launch(&seen, w, p, &(struct bounds){ whole_limit(t, begin), MEGABYTES, false });
        bad = oracle(s, w, &seen, p, &b, why);
        done = !seen.late;
        seen_free(&seen), before_free(&b);
    }
    if (bad || !w->same || !done)
        return bad;
    left_behind(p, &resumed);
    if (undisturbed(s, p, whole_limit(t, begin), &alone) &&
        (resumed.n != alone.n || memcmp(resumed.s, alone.s, alone.n)))
        bytes_say(why, "what it left after a kill differs from what it leaves alone"), bad = "killed";
    free(resumed.s), free(alone.s);
    return bad;
}

static const char *once(const struct script *s, const struct places *p, const struct trial_of *t, struct seen *seen,
    struct bytes *why)
{
    struct world w;
    struct before b;
    world_build(&w, s, p);
    before_take(&b, p->folder);
    launch(seen, &w, p, &(struct bounds){ t->limit, MEGABYTES, t->leaks });
    const char *bad = oracle(s, &w, seen, p, &b, why);
    if (!bad && (seen->killed || (seen->orphaned && !seen->late)))
        bad = resume(&w, s, p, t, !seen->status, why);
    before_free(&b);
    world_free(&w, p);
    return bad;
}

/* Is the case, which was busy beyond its limit, still so after all the time that there is? */
static const char *without_end(const struct script *s, const struct places *p, const struct trial_of *t,
    struct bytes *why)
{
    struct trial_of longer = *t;
    struct seen seen;
    longer.limit = t->endless;
    const char *bad = once(s, p, &longer, &seen, why);
    if (!bad && seen.late && seen.busy > t->work) /* with less, the machine was busy with others */
        bytes_say(why, "still busy after %.0f s, %.0f s of them its own", seen.seconds, seen.busy), bad = "endless";
    seen_free(&seen);
    return bad;
}

const char *run_case(const struct script *s, const struct places *p, struct trial_of *t, struct bytes *why)
{
    struct seen first, again;
    static char twice[80];
    const char *bad = once(s, p, t, &first, why);
    t->late = first.late, t->seconds = first.seconds;
    if (!bad && t->late && t->endless > t->limit)
        bad = without_end(s, p, t, why);
    /* outputs end at a byte, or where a kill found them: two runs cannot be compared */
    bool cut = false;
    for (int k = 0; k < s->n; k++)
        cut |= !strncmp(s->line[k], "limit ", 6) || !strncmp(s->line[k], "end ", 4) ||
            !strncmp(s->line[k], "kill ", 5);
    if (!bad && t->twice && !cut && !first.late && first.seconds < QUICK) {
        struct bytes one = { 0 }, two = { 0 };
        bad = once(s, p, t, &again, why);
        without_times(&first.out, &one), without_times(&again.out, &two);
        if (!bad && !again.late && (first.status != again.status || one.n != two.n || memcmp(one.s, two.s, one.n))) {
            size_t at = 0;
            while (at < one.n && at < two.n && one.s[at] == two.s[at])
                at++;
            at = at < 80 ? 0 : at - 80;
            bytes_say(why, "status %d and %d; first '%.160s', then '%.160s'", first.status, again.status, one.s + at,
                two.n > at ? two.s + at : "");
            snprintf(twice, sizeof twice, "twice");
            bad = twice;
        }
        free(one.s), free(two.s);
        seen_free(&again);
    }
    seen_free(&first);
    return bad;
}

static bool same(const struct script *s, const struct places *p, const char *class, const struct trial_of *t)
{
    struct bytes why = { 0 };
    struct trial_of own = *t;
    const char *bad = run_case(s, p, &own, &why);
    free(why.s);
    return bad && !strcmp(bad, class);
}

/* Whether lines may be dropped: what the program is called stays. */
static bool may_go(const struct script *s, int from, int count)
{
    for (int k = from; k < from + count && k < s->n; k++)
        if (!strcmp(s->line[k], "word meridian"))
            return false;
    return true;
}

static bool try_without(struct script *s, int from, int count, const struct places *p, const char *class,
    const struct trial_of *t)
{
    struct script less;
    script_copy(&less, s, from, count);
    const bool kept = same(&less, p, class, t);
    if (kept) {
        script_free(s);
        *s = less;
    } else
        script_free(&less);
    return kept;
}

/* The last operand of line k cut to its first half, its second half, or all but one byte. */
static bool try_shorter(struct script *s, int k, const struct places *p, const char *class, const struct trial_of *t)
{
    char *line = s->line[k], *at = strchr(line, ' ');
    const size_t n = at ? strlen(at + 1) : 0;
    if (n < 2 || strncmp(line, "word", 4) || strstr(line, "\\x") || !strcmp(line, "word meridian"))
        return false;
    for (int way = 0; way < 3; way++) {
        struct bytes t2 = { 0 };
        bytes_put(&t2, line, (size_t)(at + 1 - line));
        bytes_put(&t2, at + 1 + (way == 1 ? n / 2 : 0), way == 2 ? n - 1 : way == 1 ? n - n / 2 : n / 2);
        s->line[k] = t2.s;
        if (same(s, p, class, t))
            return free(line), true;
        free(t2.s);
        s->line[k] = line;
    }
    return false;
}

/* One item of the list that a subject reads from its environment left out. */
static bool try_fewer(struct script *s, int k, const struct places *p, const char *class, const struct trial_of *t)
{
    char *line = s->line[k];
    if (strncmp(line, "env SUBJECT=", 12))
        return false;
    for (char *from = line + 12, *to; *from; from = to) {
        struct bytes t2 = { 0 };
        to = from + strcspn(from, ",");
        to += *to == ',';
        bytes_put(&t2, line, (size_t)(from - line));
        bytes_put(&t2, to, strlen(to));
        if (t2.s[t2.n - 1] == ',')
            t2.s[--t2.n] = 0;
        s->line[k] = t2.s;
        if (same(s, p, class, t))
            return free(line), true;
        free(t2.s);
        s->line[k] = line;
    }
    return false;
}

void shrink(struct script *s, const struct places *p, const char *class, const struct trial_of *t, double seconds)
{
    const double end = launch_now() + seconds;
    for (int part = s->n / 2; part >= 1; part /= 2)
        for (int k = 0; k < s->n && launch_now() < end;)
            if (!may_go(s, k, part) || !try_without(s, k, part, p, class, t))
                k += part;
    for (int k = 0; k < s->n; k++)
        while (launch_now() < end && (try_shorter(s, k, p, class, t) || try_fewer(s, k, p, class, t)))
            ;
    for (int k = 0; k < s->n && launch_now() < end;)
        if (!may_go(s, k, 1) || !try_without(s, k, 1, p, class, t))
            k++;
}
