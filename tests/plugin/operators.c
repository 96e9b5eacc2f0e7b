/* A right kernel (rope.y, half layout) and one thing that goes wrong, chosen by OPERATOR=PLACE:NAME.  What there is to
 * choose is said at run time: compiled as a program, this prints one line for each: place, name, the verdict that a
 * judge should give, and words that its reason must hold.
 *   cc -std=c11 -D_GNU_SOURCE -Ifast -fPIC -shared -o operators.so tests/plugin/operators.c -lm
 *   cc -std=c11 -D_GNU_SOURCE -Ifast -o operators tests/plugin/operators.c -lm */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "meridian.h"

enum { FLOOD = 1 << 14, KIB = 1 << 10, MIB = 1 << 20 };
static volatile int spinning = 1;
static volatile char sink;

/* Each gets the call, NULL while the library is loaded, and answers what run is to answer, 0 to go on. */
static int quit(const struct mer_call *c) { (void)c; _exit(0); }
static int leave(const struct mer_call *c) { (void)c; exit(0); }
static int die(const struct mer_call *c) { (void)c; abort(); }
static int fault(const struct mer_call *c) { (void)c; return *(volatile int *)(uintptr_t)8; }
static int deep(const struct mer_call *c)
{
    volatile char room[KIB];
    room[0] = 1;
    return spinning ? deep(c) + room[0] : 0;
}
static int killed(const struct mer_call *c) { (void)c; return kill(getpid(), SIGKILL); }
static int hang(const struct mer_call *c) { (void)c; while (spinning) {} return 0; }
static int nap(const struct mer_call *c) { (void)c; for (;;) pause(); return 0; }
static int halt(const struct mer_call *c) { (void)c; return raise(SIGSTOP); }
static int become(const struct mer_call *c) { (void)c; return execl("/bin/true", "true", (char *)NULL); }
static int child(const struct mer_call *c) { if (!fork()) nap(c); return 0; }
static int children(const struct mer_call *c) { for (int k = 0; k < 35; k++) child(c); return 0; }
static int daemonize(const struct mer_call *c) { if (!fork()) { setsid(); if (!fork()) nap(c); _exit(0); } return 0; }
static int twin(const struct mer_call *c) { (void)c; fork(); return 0; } /* Both processes come back. */
static int close_few(const struct mer_call *c) { (void)c; for (int k = 0; k < 256; k++) close(k); return 0; }
static int close_all(const struct mer_call *c) { (void)c; return close_range(0, ~0u, 0); }
static int elsewhere(const struct mer_call *c) { (void)c; umask(0777); return chdir("/"); }
static int limit(__rlimit_resource_t what, rlim_t to)
{
    const struct rlimit r = { to, to };
    setrlimit(what, &r);
    return 0;
}
static int no_files(const struct mer_call *c) { (void)c; return limit(RLIMIT_FSIZE, 0) + limit(RLIMIT_STACK, MIB); }
static int no_descriptors(const struct mer_call *c) { (void)c; return limit(RLIMIT_NOFILE, 0); }
static int no_memory(const struct mer_call *c) /* Limits memory to what there is and a little more. */
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    (void)c;
    return f && fscanf(f, "%ld", &pages) == 1 && !fclose(f) ?
        limit(RLIMIT_AS, (rlim_t)(pages * sysconf(_SC_PAGESIZE) + MIB)) :
        0;
}
static int rounding(const struct mer_call *c) { (void)c; return fesetround(FE_UPWARD); }
static int traps(const struct mer_call *c) { (void)c; feenableexcept(FE_ALL_EXCEPT); return 0; }
static int deaf(const struct mer_call *c)
{
    (void)c;
    static const int s[] = { SIGCHLD, SIGPIPE, SIGALRM, SIGTERM, SIGSEGV, SIGBUS };
    for (int k = 0; k < 6; k++)
        signal(s[k], SIG_IGN);
    return 0;
}
static void survive(int sig) { (void)sig; _exit(0); }
static int handler(const struct mer_call *c) { signal(SIGSEGV, survive); return fault(c); }
static int timer(const struct mer_call *c) { (void)c; alarm(30); return 0; }
static int environment(const struct mer_call *c) { (void)c; return setenv("LC_ALL", "C", 1) + unsetenv("PATH"); }
static int print(const struct mer_call *c)
{
    (void)c;
    return printf("step 1 of 3 <&>\n") < 0 || fflush(stdout) ? 0 : 0;
}
static int complain(const struct mer_call *c) { (void)c; return fprintf(stderr, "warning: slow path\n") < 0; }
static int flood(const struct mer_call *c)
{
    (void)c;
    for (int k = 0; k < FLOOD; k++)
        printf("%0100d\n", k), fprintf(stderr, "%0100d\n", k);
    return 0;
}
static int greedy(const struct mer_call *c)
{
    (void)c;
    for (char *p; (p = malloc(64 << 20)) != NULL;)
        memset(p, 1, 4 * KIB);
    return 0;
}
static void *spin(void *with) { while (spinning) {} return with; }
static int thread(const struct mer_call *c) { pthread_t t; (void)c; pthread_create(&t, NULL, spin, NULL); return 0; }
static int parent(const struct mer_call *c) { (void)c; return kill(getppid(), SIGTERM); }
static int parent_killed(const struct mer_call *c) { (void)c; kill(getppid(), SIGKILL); return nap(c); }
static int group(const struct mer_call *c) { (void)c; return kill(0, SIGTERM); }
static int asked; /* How often this process has been. */
static int remember(const struct mer_call *c) { (void)c; return asked++ ? 77 : 0; }
static int forget(const struct mer_call *c) { return ++asked % 2 ? 0 : die(c); } /* Only after a crash it is right. */
static int swallow(const struct mer_call *c)
{
    (void)c;
    for (char *p; (p = malloc(64 << 20)) != NULL;)
        memset(p, 1, 64 << 20);
    return die(c);
}
static int minus(const struct mer_call *c) { (void)c; return -1; }
static int other(const struct mer_call *c) { (void)c; return 77; }

static size_t bytes(const struct mer_array *a) { return (size_t)mer_count(a) * mer_width(a->type); }
static char *begin(const struct mer_array *a) { return a->data; }
static char *end(const struct mer_array *a) { return begin(a) + bytes(a); }
/* 0xa5 once stood around outputs, so that writing it went unnoticed. */
static int scribble(char *at) { memset(at, 0xa5, 8); return 0; }
static int input(const struct mer_call *c) { return scribble(begin(&c->in[0])); }
static int input_open(const struct mer_call *c)
{
    char *at = begin(&c->in[0]);
    mprotect(at - (uintptr_t)at % (4 * KIB), 4 * KIB, PROT_READ | PROT_WRITE);
    return scribble(at);
}
static int input_behind(const struct mer_call *c) { return scribble(end(&c->in[0])); }
static int input_before(const struct mer_call *c) { return scribble(begin(&c->in[0]) - 8); }
static int input_read(const struct mer_call *c) { return sink = end(&c->in[0])[4 * KIB], 0; }
static int behind(const struct mer_call *c) { return scribble(end(&c->out[0])); }
static int before(const struct mer_call *c) { return scribble(begin(&c->out[0]) - 8); }
static int behind_page(const struct mer_call *c) { return scribble(end(&c->out[0]) + 4 * KIB); }
static int before_page(const struct mer_call *c) { return scribble(begin(&c->out[0]) - 4 * KIB - 8); }
static int behind_far(const struct mer_call *c) { return scribble(end(&c->out[0]) + MIB); }
static int before_far(const struct mer_call *c) { return scribble(begin(&c->out[0]) - MIB); }

static const char left[] = "left early (exit 0)", hung[] = "hung: killed after", segv[] = "crashed: Segmentation fault",
                  none[] = "";

/* What the reason must say where it goes wrong while the library is loaded, and where in a call; NULL where it does not
 * apply there.  The verdict is PASS where nothing goes wrong. */
static const struct operator
{
    const char *name;
    int (*act)(const struct mer_call *c);
    const char *loading, *loading_says, *calling, *calling_says;
}
operators[] = {
    { "_exit", quit, "CRASH", left, "CRASH", left },
    { "exit", leave, "CRASH", left, "CRASH", left },
    { "abort", die, "CRASH", "crashed: Aborted", "CRASH", "crashed: Aborted" },
    { "segv", fault, "CRASH", segv, "CRASH", segv },
    { "deep", deep, "CRASH", segv, "CRASH", segv },
    { "kill", killed, "CRASH", "crashed: Killed", "CRASH", "crashed: Killed" },
    { "hang", hang, "CRASH", hung, "CRASH", hung },
    { "nap", nap, "CRASH", hung, "CRASH", hung },
    { "stop", halt, "CRASH", "stopped itself", "CRASH", "stopped itself" },
    { "exec", become, "CRASH", left, "CRASH", left },
    { "child", child, "PASS", none, "PASS", none },
    { "children", children, "PASS", none, "PASS", none },
    { "daemon", daemonize, "PASS", none, "PASS", none },
    { "twin", twin, "PASS", none, "PASS", none },
    { "close-few", close_few, "PASS", none, "PASS", none },
    { "close-all", close_all, "CRASH", "closed the connection", "PASS", none },
    { "chdir", elsewhere, "PASS", none, "PASS", none },
    { "limits", no_files, "PASS", none, "PASS", none },
    { "no-descriptors", no_descriptors, "CRASH", "could not be contained: Too many open files", "PASS", none },
    { "no-memory", no_memory, "CRASH", "Cannot allocate memory", "PASS", none },
    { "rounding", rounding, "FAIL", none, "FAIL", none },
    { "traps", traps, "CRASH", "crashed: Floating point exception", "CRASH", "crashed: Floating point exception" },
    { "deaf", deaf, "PASS", none, "PASS", none },
    { "handler", handler, "CRASH", left, "CRASH", left },
    { "alarm", timer, "PASS", none, "PASS", none },
    { "environment", environment, "PASS", none, "PASS", none },
    { "print", print, "PASS", none, "PASS", none },
    { "complain", complain, "PASS", none, "PASS", none },
    { "flood", flood, "PASS", none, "PASS", none },
    { "greedy", greedy, "PASS", none, "PASS", none },
    { "thread", thread, "PASS", none, "PASS", none },
    { "parent", parent, "PASS", none, "CRASH", "crashed: Terminated" },
    { "parent-killed", parent_killed, "CRASH", "killed the process that watches over it", "CRASH", "crashed: Killed" },
    { "group", group, "CRASH", "crashed: Terminated", "CRASH", "crashed: Terminated" },
    { "remembers", remember, "PASS", none, "PASS", none },
    { "forgets", forget, "PASS", none, "PASS", none },
    { "answer-minus", minus, NULL, NULL, "CRASH", "run answered -1" },
    { "answer-other", other, NULL, NULL, "CRASH", "run answered 77" },
    { "input", input, NULL, NULL, "CRASH", "wrote to its input 'x'" },
    { "input-open", input_open, NULL, NULL, "CRASH", "wrote to its input 'x'" },
    { "input-behind", input_behind, NULL, NULL, "CRASH", "behind its input 'x'" },
    { "input-before", input_before, NULL, NULL, "CRASH", "before its input 'x'" },
    { "input-read", input_read, NULL, NULL, "CRASH", "behind its input 'x'" },
    { "behind", behind, NULL, NULL, "CRASH", "its output 'y'" },
    { "before", before, NULL, NULL, "CRASH", "its output 'y'" },
    { "behind-page", behind_page, NULL, NULL, "CRASH", "behind its output 'y'" },
    { "before-page", before_page, NULL, NULL, "CRASH", "before its output 'y'" },
    { "behind-far", behind_far, NULL, NULL, "CRASH", "behind its output 'y'" },
    { "before-far", before_far, NULL, NULL, "CRASH", "before its output 'y'" },
    { 0 },
};

/* Compiled with STAYS it is a plug-in whose child answers all questions: what a run does to its own process is there
 * for the next question, too. */
#ifdef STAYS
const int meridian_stays = 1;
/* Addresses alone are not limited then, and it would fill the machine's page tables. */
static const struct operator *expected(const struct operator *o)
{
    static const struct operator nothing = { .name = "greedy" };
    return strcmp(o->name, "greedy") ? o : &nothing;
}
#else
static const struct operator *expected(const struct operator *o) { return o; }
#endif
enum { CONSTRUCTOR, PLUGIN, PREPARE, RUN, DESTRUCTOR, ATEXIT, PLACES };
static const char *const places[] = { "constructor", "plugin", "prepare", "run", "destructor", "atexit" };

static int at(int place, const struct mer_call *c)
{
    const char *chosen = getenv("OPERATOR");
    const size_t n = strlen(places[place]);
    if (!chosen || strncmp(chosen, places[place], n) || chosen[n] != ':')
        return 0;
    if (!strcmp(chosen + n + 1, "swallow")) /* It is not listed: it takes what memory there is. */
        return swallow(c);
    for (const struct operator *o = operators; o->name; o++)
        if (!strcmp(o->name, chosen + n + 1))
            return o->act(c);
    return 0;
}

static void at_exit(void) { at(ATEXIT, NULL); }
static int listing; /* Set where this is the program that lists the operators. */
__attribute__((constructor)) static void loaded(void) { atexit(at_exit), at(CONSTRUCTOR, NULL); }
__attribute__((destructor)) static void unloaded(void) { if (!listing) at(DESTRUCTOR, NULL); }

static int prepare(struct mer_call *c) { return at(PREPARE, c); }

static int run(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *pos = mer_in(c, "pos"); /* x[h,n,d] and pos[n]. */
    const int64_t rows = x->dim[0] * x->dim[1], n = x->dim[1], d = x->dim[2];
    const int early = at(RUN, c);
    float *y = mer_out(c, "y")->data;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < d / 2; k++) {
            const float *from = (const float *)x->data + r * d + k;
            const double angle =
                (double)((const int64_t *)pos->data)[r % n] * pow(mer_real(c, "base"), -2.0 * (double)k / (double)d);
            const double co = cos(angle), si = sin(angle), u = (double)from[0], v = (double)from[d / 2];
            y[r * d + k] = (float)(u * co - v * si), y[r * d + k + d / 2] = (float)(v * co + u * si);
        }
    return early;
}

static const struct mer_kernel kernels[] = {
    { .row = "rope", .out = "y", .type = "f32", .profile = "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 "
        "product=f64 sum=f64", .run = run, .prepare = prepare },
    { 0 },
};
static const struct mer_plugin plugin = { MER_ABI, "operators", kernels };
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void) { return at(PLUGIN, NULL), &plugin; }

int main(void)
{
    listing = 1;
    for (int p = 0; p < PLACES; p++)
        for (const struct operator *o = operators; o->name; o++) {
            const int calling = p == PREPARE || p == RUN, never = p == DESTRUCTOR || p == ATEXIT;
            const struct operator *e = calling ? expected(o) : o;
            const char *verdict = never ? e->loading ? "PASS" : NULL : calling ? e->calling : e->loading;
            if (verdict)
                printf("%s %s %s %s\n", places[p], e->name, verdict,
                    never       ? "" :
                        calling ? e->calling_says :
                                  e->loading_says);
        }
    return 0;
}
