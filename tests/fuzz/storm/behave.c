/* Subjects that misbehave: one to three operators at places of a plug-in or a process, judged; and surroundings that
 * fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kind.h"
#include "pool.h"

/* Operators that any place may hold, and those that need a call.  A call's that do what no subject may: the judge
 * must not say 0 then. */
static const char anywhere[] =
    "exit leave abort segv signal hang nap spin close deaf chdir round trap mask ignore alarm "
    "group stop session environment umask print flood say shout limit fork allocate grow";
static const char of_call[] = "input beside behind before mark nan noise answer way";
static const char forbidden[] = "input beside behind before nan";
static const char places[] = "load entry prepare run after release unload exit run after";

void make_subject(struct dice *d, struct script *s)
{
    struct bytes ways = { 0 };
    bool guilty = dice_one_in(d, 2);
    const bool process = dice_one_in(d, 3);
    bytes_say(&ways, guilty ? "wrong" : "right");
    for (uint64_t k = 1 + dice_below(d, 3) * dice_below(d, 2); k; k--) {
        char where[20], what[20];
        snprintf(where, sizeof where, "%s", dice_word(d, places));
        const bool call = (!strcmp(where, "run") || !strcmp(where, "after")) && dice_one_in(d, 2);
        snprintf(what, sizeof what, "%s", dice_word(d, call ? of_call : anywhere));
        const long n = dice_one_in(d, 3) ? (long)dice_below(d, 10000) : (long)dice_below(d, 4);
        guilty |= !process && call && strstr(forbidden, what) && k == 1;
        bytes_say(&ways, ",%s:%s=%ld", where, what, n);
    }
    script_add(s, "subject");
    script_add(s, "env SUBJECT=%s", ways.s);
    if (guilty)
        script_add(s, "guilty");
    static const char *const more[] = { "--preset=gpt-neox", "--seconds=1", "--megabytes=300" };
    script_word(s, "meridian"), script_word(s, "judge");
    if (process)
        script_word(s, "--exec"), script_word(s, dice_one_in(d, 4) ? "./subject" : "exec ./subject"), script_word(s,
            "--row=rope");
    else
        script_word(s, "./subject.so");
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        script_word(s, more[k]);
    /* a check alone does not see every error */
    script_word(s, guilty || dice_one_in(d, 2) ? "--checks=none" : "--checks=TWICE");
    if (dice_one_in(d, 4))
        script_word(s, "--junit"), script_word(s, "new.xml");
    if (dice_one_in(d, 6))
        script_word(s, "--json");
    free(ways.s);
}

/* A full disk, files that may not grow, pipes in place of files: beside a case of another kind. */
void make_disk(struct dice *d, struct script *s)
{
    void (*const others[])(struct dice *, struct script *) = { make_command, make_command, make_pack, make_store,
        make_data };
    if (dice_one_in(d, 2))
        script_add(s, "stdout /dev/full");
    else
        script_add(s, "limit %u", (unsigned)dice_below(d, 1u << (1 + dice_below(d, 16))));
    others[dice_below(d, sizeof others / sizeof *others)](d, s);
}

/* Killed in the middle, and asked again. */
static unsigned moment(struct dice *d) { return 1 + (unsigned)dice_below(d, 1u << (3 + dice_below(d, 8))); }

/* A work that leaves files, and whether they hold no times and no dates; `line`: what ends it. */
static void work_ended(struct dice *d, struct script *s, const char *line)
{
    static const char recipe[] =
        "seed = 1..4\nmeasure accuracy\nrow rope\nlength = 1 3 8..2^16 *5\ndim = 6 48\nn = 8\n"
        "lines = 0\nout = y\nmeasure valid\nrow rope\nlimit = 300\nbase = 500 10000\n";
    static const char *const ways[][6] = {
        { "sweep", "its.recipe", "--out=new", "--jobs=2" },
        { "sweep", "its.recipe", "--out=new", "--jobs=1" },
        { "merge", "store.db", "--out=new.db" },
        { "judge", "own:scalar", "--row=rope", "--baseline=new.db" },
        { "export", "rope", "--reference", "--out=new" },
        { "judge", "own:scalar", "--row=alibi", "--junit=new.xml" },
        { "golden", "alibi", "--write" },
        { "report", "--quick", "--out=new" },
    };
    static const bool same[] = { true, true, true, false, true, false, true, false };
    const size_t w = dice_below(d, sizeof ways / sizeof *ways);
    script_add(s, "%s%s", line, same[w] ? " same" : "");
    script_tail(s, "file its.recipe", recipe, sizeof recipe - 1);
    script_add(s, "store store.db");
    script_word(s, "meridian");
    for (int k = 0; k < 6 && ways[w][k]; k++)
        script_word(s, ways[w][k]);
}

void make_kill(struct dice *d, struct script *s)
{
    char line[40];
    snprintf(line, sizeof line, "kill %u", moment(d));
    work_ended(d, s, line);
}

/* One process of all that work together gets a signal: the program alone, or one that it has started. */
void make_end(struct dice *d, struct script *s)
{
    void (*const others[])(struct dice *, struct script *) = { make_command, make_subject, make_pack };
    char line[40];
    const unsigned ms = moment(d);
    snprintf(line, sizeof line, "end %u %u", ms, (unsigned)dice_below(d, 12));
    if (dice_one_in(d, 2)) {
        work_ended(d, s, line);
        return;
    }
    script_add(s, "%s", line);
    others[dice_below(d, sizeof others / sizeof *others)](d, s);
}

const struct generator kinds[] = {
    { "command", "command lines from the verbs' tables", make_command },
    { "pack", "packs of every row, damaged in JSON, arrays and links", make_pack, true },
    { "subject", "plug-ins and processes that misbehave", make_subject },
    { "config", "configurations of models, damaged", make_config, true },
    { "data", "declarations, recipes and tables of data/, damaged", make_data, true },
    { "store", "stores and baselines, damaged", make_store },
    { "disk", "full disks and limits of files, beside another case", make_disk },
    { "kill", "kill -9 in the middle, then the same whole", make_kill },
    { "end", "kill -9 of one process among those that work together", make_end },
    { 0 },
};
