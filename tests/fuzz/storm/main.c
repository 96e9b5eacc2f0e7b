/* storm: cases of every kind, run and judged until the time is used up.
 *   storm [--seed N] [--seconds N] [--kind NAME] [--jobs N] [--limit SECONDS] [--from INDEX] [--count N] [--keep
 * FOLDER] [--found FOLDER] [--say]
 *   storm --case FILE ...      these cases alone, with all that is seen of them
 *   storm --self               planted misbehaviours: every clause of the oracle must find its own
 * The corpus (KIND/NAME.case below --keep) is asked first; what is found goes to --found, which is the same folder
 * where it is not given.  Case I of a kind under a seed is always the same: --kind, --seed, --from I --count 1.
 * Exit: 1 where a case of the corpus fails, or the run itself; 3 where only a new one does. */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kind.h"
#include "arith/need.h"
#include "self.h"
#include "shrink.h"

enum { KINDS = 16, JOBS = 64 };
struct options {
    uint64_t seed;
    double seconds, limit;
    const char *kind, *keep, *found;
    int jobs;
    long from, count;
    bool say;
};
/* Counted by all workers together. */
/* once: findings that the same case did not show again, which are printed and fail nothing. */
struct counts { _Atomic long next, asked, late, found, once; _Atomic long microseconds; };
struct shared { struct counts of[KINDS]; _Atomic long cases_done, cases_bad; /* of the corpus */ };
static struct shared *shared;
/* s for one finding */
static double shrinking(const struct options *o) { return o->seconds > 240 ? 60 : o->seconds / 4; }

static int n_kinds(void)
{
    int n = 0;
    while (kinds[n].name)
        n++;
    return n;
}

static void file_name(const char *class, char *name, size_t n)
{
    snprintf(name, n, "%s", class);
    for (char *s = name; *s; s++)
        *s = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *s) ? *s : '.';
}

/* One line at once, so that workers do not mix theirs. */
static void say(const struct bytes *t)
{
    if (write(1, t->s, t->n) < 0)
        exit(2);
}

static void tell(const struct script *s, const char *kind, const char *class, const struct bytes *why, const char *path)
{
    struct bytes t = { 0 }, line = { 0 };
    script_command(s, &line);
    bytes_say(&t, "FOUND %s %s: %.*s\n  ", kind, class, (int)strcspn(why->s ? why->s : "", "\n"), why->s ? why->s : "");
    bytes_put(&t, line.s, line.n);
    free(line.s);
    bytes_say(&t, "\n  again: build/sanitize/storm --case %s\n", path);
    say(&t);
    free(t.s);
}

/* The file of a class holds nothing once a case has shown it twice, and this word where it was seen once. */
static const char once[] = "once";
static bool seen_once(const char *lock)
{
    struct stat st;
    return !stat(lock, &st) && st.st_size > 0;
}

/* Says of which class another case is, and how it is made again. */
static bool say_another(const struct generator *k, const char *class, long index, const struct options *o)
{
    struct bytes t = { 0 };
    bytes_say(&t, "another %s %s: storm --kind %s --seed %llu --from %ld --count 1\n", k->name, class, k->name,
        (unsigned long long)o->seed, index);
    say(&t);
    free(t.s);
    return true;
}

/* Does the case, run once more, show anything? */
static bool shows(struct script *s, const struct places *p, const struct trial_of *t)
{
    struct bytes why = { 0 };
    struct trial_of own = *t;
    const bool is = run_case(s, p, &own, &why) != NULL;
    free(why.s);
    return is;
}

/* The first of a class is made small and kept, and so is the first that shows it again where none did before; of the
 * others it is said which they are.  Whether the case shows it again, or another one of its class did. */
static bool found(struct script *s, const struct generator *k, long index, const char *class_seen,
    const char *seen, const struct places *p, const struct options *o, const struct trial_of *t)
{
    char class[200], name[220], path[PATH_MAX], lock[PATH_MAX];
    struct bytes why = { 0 }, all = { 0 };
    struct trial_of own = *t;
    snprintf(class, sizeof class, "%s", class_seen);
    file_name(class, name, sizeof class);
    snprintf(lock, sizeof lock, "%s/../found/%s", p->root, name);
    const int fd = open(lock, O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (fd >= 0)
        close(fd);
    else if (!seen_once(lock))
        return say_another(k, class, index, o);
    else if (!shows(s, p, t))
        return false;
    shrink(s, p, class, t, shrinking(o));
    const char *again = run_case(s, p, &own, &why);
    if (!again)
        bytes_say(&why, "(not seen again) %s", seen);
    char folder[PATH_MAX];
    path_join(folder, o->found, k->name);
    mkdir(o->found, 0777), mkdir(folder, 0777);
    strcat(name, ".case");
    path_join(path, folder, name);
    bytes_say(&all, "# %s\n# %s --seed %llu --from %ld --count 1\n", class, k->name,
        (unsigned long long)o->seed, index);
    script_text(s, &all);
    bytes_write(path, all.s, all.n);
    tell(s, k->name, class, &why, path);
    bytes_write(lock, once, again ? 0 : strlen(once));
    free(why.s), free(all.s);
    return again != NULL;
}

/* Seconds that a case of the kind took so far, on average. */
static double mean(const struct generator *k)
{
    const struct counts *c = &shared->of[k - kinds];
    return c->asked ? 1e-6 * (double)c->microseconds / (double)c->asked : 0;
}

/* In runs of LONG seconds and more, one in four of the cases that have to end, where it is late, has PATIENT seconds to
 * do so, and WORK of a processor: the program's own limits allow a judge 16 s of questions and 45 s of diagnosis, of
 * which sanitizers make five times as much. */
enum { LONG = 600, PATIENT = 900, WORK = 400 };
static void one_case(const struct generator *k, long index, const struct places *p, const struct options *o,
    double left)
{
    struct counts *c = &shared->of[k - kinds];
    struct dice d = { o->seed, (uint64_t)(k - kinds) << 40 | (uint64_t)index, 0 };
    struct script s = { 0 };
    struct bytes why = { 0 };
    const double begin = launch_now();
    const long about = (long)(1e6 * mean(k)); /* counted at once: other workers see that the kind has one */
    c->microseconds += about;
    k->make(&d, &s);
    struct trial_of t = { .twice = dice_one_in(&d, 8), .leaks = dice_one_in(&d, 8), .limit = o->limit,
        .left = o->count ? 0 : left };
    if (k->ends && o->seconds >= LONG && dice_one_in(&d, 4))
        t.endless = PATIENT, t.work = WORK;
    if (o->say) {
        struct bytes all = { 0 };
        script_text(&s, &all);
        say(&all);
        free(all.s);
    }
    const char *bad = run_case(&s, p, &t, &why);
    c->asked++;
    c->late += t.late;
    if (bad)
        found(&s, k, index, bad, why.s ? why.s : "", p, o, &t) ? c->found++ : c->once++;
    c->microseconds += (long)(1e6 * (launch_now() - begin)) - about;
    free(why.s);
    script_free(&s);
}

/* The kind that had the least time so far, of those whose cases end in the `left` seconds; NULL: none does. */
static const struct generator *whose_turn(const struct options *o, double left)
{
    const struct generator *best = NULL;
    for (const struct generator *k = kinds; k->name; k++)
        if ((!*o->kind || !strcmp(o->kind, k->name)) && mean(k) <= left && (!best ||
            shared->of[k - kinds].microseconds < shared->of[best - kinds].microseconds))
            best = k;
    return best;
}

static void settle(struct places *p, const char *root, int worker, const char *build)
{
    char path[PATH_MAX];
    snprintf(p->root, sizeof p->root, "%.150s/w%d", root, worker);
    snprintf(p->made, sizeof p->made, "%.150s/made", root);
    snprintf(p->data, sizeof p->data, "%s/data", p->root);
    snprintf(p->folder, sizeof p->folder, "%s/case", p->root);
    snprintf(p->tmp, sizeof p->tmp, "%s/tmp", p->root);
    snprintf(p->build, sizeof p->build, "%.250s", build);
    if (!realpath("data", path)) {
        fputs("storm: no data/ here; run it from the root of the tree\n", stderr);
        exit(2);
    }
    snprintf(p->origin, sizeof p->origin, "%.250s", path);
    mkdir(p->root, 0777), mkdir(p->made, 0777), mkdir(p->folder, 0777), mkdir(p->tmp, 0777);
    /* In a child: what was allocated here, every run's fork would copy the page tables of. */
    const pid_t pid = fork();
    if (!pid) {
        folder_copy(p->origin, p->data);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

static void work(const struct places *p, const struct options *o, double end)
{
    launch_prepare();
    const struct generator *k;
    while (launch_now() < end && (k = whose_turn(o, end - launch_now()))) {
        const long index = shared->of[k - kinds].next++;
        if (o->count && index >= o->from + o->count)
            break;
        one_case(k, index, p, o, end - launch_now());
    }
}

/* This worker's share of the corpus. */
static void replay(const struct places *p, const struct options *o, int worker)
{
    long k = 0;
    for (const struct generator *kind = kinds; kind->name; kind++) {
        char folder[PATH_MAX], path[PATH_MAX];
        struct dirent **list = NULL;
        path_join(folder, o->keep, kind->name);
        const int n = scandir(folder, &list, NULL, alphasort);
        for (int f = 0; f < n; free(list[f++])) {
            struct script s;
            struct bytes why = { 0 };
            struct trial_of t = { .twice = true, .leaks = true, .limit = o->limit };
            path_join(path, folder, list[f]->d_name);
            if (!strstr(list[f]->d_name, ".case") || k++ % o->jobs != worker || !script_read(&s, path))
                continue;
            shared->cases_done++;
            const char *bad = run_case(&s, p, &t, &why);
            if (bad) {
                shared->cases_bad++;
                shared->of[kind - kinds].found++;
                tell(&s, kind->name, bad, &why, path);
            }
            script_free(&s), free(why.s);
        }
        free(list);
    }
}

enum { NEW = 3 }; /* the exit status where only new cases fail */
static int summary(const struct options *o, double seconds)
{
    long all = 0, found_all = 0, once = 0;
    printf("%-9s %9s %8s %6s %9s\n", "kind", "cases", "a second", "long", "findings");
    for (const struct generator *k = kinds; k->name; k++) {
        const struct counts *c = &shared->of[k - kinds];
        all += c->asked, found_all += c->found, once += c->once;
        if (c->asked || c->found)
            printf("%-9s %9ld %8.1f %6ld %9ld\n", k->name, c->asked, c->microseconds
                ? 1e6 * (double)c->asked / (double)c->microseconds : 0, c->late, c->found);
    }
    printf("fuzz: seed %llu: %ld kept cases, %ld made in %.0f s by %d workers, %ld findings, %ld not seen again\n",
        (unsigned long long)o->seed, shared->cases_done, all, seconds, o->jobs, found_all, once);
    return shared->cases_bad ? 1 : found_all ? NEW : 0;
}

static int the_cases(char **path, const struct places *p, const struct options *o)
{
    int rc = 0;
    launch_prepare();
    for (; *path; path++) {
        struct script s;
        struct bytes why = { 0 }, t = { 0 };
        struct trial_of one = { .twice = true, .leaks = true, .limit = o->limit };
        if (!script_read(&s, *path))
            return perror(*path), 2;
        script_command(&s, &t);
        const char *bad = run_case(&s, p, &one, &why);
        printf("%s\n%s: %s\n%s\n", t.s, *path, bad ? bad : "nothing found", why.s ? why.s : "");
        rc |= bad != NULL;
        script_free(&s), free(why.s), free(t.s);
    }
    return rc;
}

static int storm(const struct options *o, const char *root, const char *build)
{
    pid_t pid[JOBS];
    const double begin = launch_now();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int k = 0; k < n_kinds(); k++)
        shared->of[k].next = o->from;
    printf("fuzz: seed %llu\n", (unsigned long long)o->seed), fflush(stdout);
    for (int w = 0; w < o->jobs; w++)
        if (!(pid[w] = fork())) {
            struct places p;
            settle(&p, root, w, build);
            launch_prepare();
            if (!o->count)
                replay(&p, o, w);
            work(&p, o, begin + o->seconds);
            _exit(0);
        }
    int status, bad = 0;
    for (int w = 0; w < o->jobs; w++)
        if (waitpid(pid[w], &status, 0) < 0 || status)
            bad = 1, fprintf(stderr, "storm: worker %d ended with %d\n", w, status);
    const int rc = summary(o, launch_now() - begin);
    return bad ? 1 : rc;
}

int main(int argc, char **argv)
{
    static const struct option list[] = {
        { "seed", 1, NULL, 's' }, { "seconds", 1, NULL, 't' }, { "kind", 1, NULL, 'k' }, { "jobs", 1, NULL, 'j' },
        { "limit", 1, NULL, 'l' }, { "from", 1, NULL, 'f' }, { "count", 1, NULL, 'n' }, { "keep", 1, NULL, 'c' },
        { "found", 1, NULL, 'o' },
        { "case", 0, NULL, 'x' }, { "self", 0, NULL, 'i' }, { "say", 0, NULL, 'v' }, { 0 },
    };
    struct options o = { .seed = (uint64_t)time(NULL) / 86400, .seconds = 60, .limit = 3, .kind = "",
        .keep = "tests/fuzz/corpus/storm", .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    char root[100], build[PATH_MAX], found_in[120];
    bool cases = false, itself = false;
    for (int c; (c = getopt_long(argc, argv, "", list, NULL)) != -1;)
        switch (c) {
        case 's': o.seed = *optarg ? strtoull(optarg, NULL, 10) : o.seed; break;
        case 't': o.seconds = atof(optarg); break;
        case 'k': o.kind = optarg; break;
        case 'j': o.jobs = atoi(optarg) < 1 ? 1 : atoi(optarg) > JOBS ? JOBS : atoi(optarg); break;
        case 'l': o.limit = atof(optarg); break;
        case 'f': o.from = atol(optarg); break;
        case 'n': o.count = atol(optarg); o.jobs = 1; break;
        case 'c': o.keep = optarg; break;
        case 'o': o.found = optarg; break;
        case 'x': cases = true; break;
        case 'i': itself = true; break;
        case 'v': o.say = true; break;
        default: return 2;
        }
    o.found = o.found ? o.found : o.keep;
    ssize_t n = readlink("/proc/self/exe", build, sizeof build - 1);
    build[n < 0 ? 0 : n] = 0;
    *strrchr(build, '/') = 0;
    /* in memory */
    snprintf(root, sizeof root, "%s/meridian-storm-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(root))
        return perror(root), 2;
    snprintf(found_in, sizeof found_in, "%s/found", root);
    mkdir(found_in, 0777);
    struct places p;
    if (itself || cases)
        settle(&p, root, 0, build);
    const int rc = itself ? self_test(&p) : cases ? the_cases(argv + optind, &p, &o) : storm(&o, root, build);
    folder_empty(root), rmdir(root);
    return rc;
}
