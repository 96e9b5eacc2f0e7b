/* A subject that misbehaves in the ways that the environment variable SUBJECT names, as a process (main) and as a
 * plug-in (meridian_plugin): the
 * kernel of tests/plugin/rope.c, which pairs the wrong channels, or with the item `right` the right ones.  Items are
 * separated by commas:
 *   right                 answers as it should
 *   PLACE:OPERATOR=N      where, what, and a number that some operators read
 * Places: load (constructor; begin of main), entry (meridian_plugin; hello), prepare, run (before its answer), after
 * (behind it), release,
 * unload (destructor), exit (atexit).  Operators: the tables at the end. */
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#define meridian_plugin wrong_plugin
#include "../../plugin/rope.c"
#undef meridian_plugin

static const struct mer_call *asked; /* in run and after: the call */
static int answer;                   /* of run */
static int process;                  /* how a process answers: see speak() */

static void end(long n) { exit((int)n); }
static void end_now(long n) { _exit((int)n); }
static void dies(long n) { (void)n; abort(); }
static void segv(long n) { *(volatile int *)(uintptr_t)n = 1; }
static void fault(long n) { raise((int)(n % 31) + 1); }
static void hang(long n) { (void)n; sleep(600); }
static void naps(long n) { usleep((useconds_t)(n % 2000) * 1000); }
static void spin(long n) { for (volatile long k = n; k >= 0; k++) k = k > 1 << 30 ? n : k; }
static void nothing_more(long n) { (void)n; close(0), close(1); }
static void closes(long n) { for (int k = (int)n; k < 64; k++) close(k); }
static void moves(long n) { (void)n; if (chdir("/")) _exit(9); }
static void rounds(long n) { static const int to[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO }; fesetround(to[n % 3]); }
static void traps(long n) { (void)n; feenableexcept(FE_ALL_EXCEPT); }
static void masks(long n) { sigset_t all; (void)n; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL); }
static void ignores(long n) { (void)n; for (int k = 1; k < 32; k++) signal(k, SIG_IGN); }
static void alarms(long n) { alarm((unsigned)(n % 2) + 1); }
static void group(long n) { kill(0, n % 2 ? SIGTERM : SIGINT); }
static void stops(long n) { (void)n; raise(SIGSTOP); }
static void leads(long n) { (void)n; setsid(); }
static void forgets(long n) { (void)n; clearenv(); }
static void hides(long n) { umask((mode_t)n & 0777); }
static void prints(long n) { printf("{\"status\":%ld}\nloading weights ...\n", n); fflush(stdout); }
static void floods(long n) { for (long k = 0; k < 1 << 12; k++) printf("%0100ld\n", n); fflush(stdout); }
static void says(long n) { fprintf(stderr, "a warning, %ld\n", n); }
static void shouts(long n) { for (long k = 0; k < 1 << 10; k++) fprintf(stderr, "%0100ld\n", n); }

static void limits(long n)
{
    static const int which[] = { RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_DATA };
    setrlimit((__rlimit_resource_t)which[n % 5], &(struct rlimit){ 1, 1 });
}

static void forks(long n) /* leaves a child: in the same session, or in one of its own */
{
    if (fork())
        return;
    if (n % 2)
        setsid();
    sleep(60);
    _exit(0);
}

static void allocates(long n)
{
    for (long k = 0; k < n % 32; k++) {
        char *p = malloc(16 << 20);
        if (p)
            memset(p, 1, 16 << 20);
    }
}

static void grows(long n) /* without end; a limit must stop it */
{
    for (char *p; (p = malloc(64 << 20)); memset(p, (int)n, 64 << 20))
        usleep(20000);
    abort();
}

/* Of a call alone. */
static struct mer_array *output(void) { return asked && asked->n_out ? &asked->out[0] : NULL; }
static size_t size_of(const struct mer_array *a) { return (size_t)mer_count(a) * mer_width(a->type); }
static void input(long n) { if (asked && asked->n_in &&
    size_of(&asked->in[0])) ((char *)asked->in[0].data)[(size_t)n % size_of(&asked->in[0])] ^= 64; }
static void beside_input(long n) { if (asked &&
    asked->n_in) ((char *)asked->in[0].data)[size_of(&asked->in[0]) + (size_t)(n % 64)] ^= 64; }
static void behind(long n) { if (output()) ((char *)output()->data)[size_of(output()) + (size_t)(n % 9000)] ^= 64; }
static void before(long n) { if (output()) ((char *)output()->data)[-1 - n % 9000] ^= 64; }
static void marks(long n) { if (output()) memset((char *)output()->data + size_of(output()), 0xa5, (size_t)(n % 4096));
    }
static void not_a_number(long n) { (void)n; if (output()) memset(output()->data, 0xff, size_of(output())); }
static void noise(long n) { if (output()) ((char *)output()->data)[0] ^= (char)((getpid() + n) & 63); }
static void answers(long n) { answer = (int)n; }
static void way(long n) { process = (int)n; }

static const struct { const char *name; void (*act)(long n); } operators[] = {
    { "exit", end }, { "leave", end_now }, { "abort", dies }, { "segv", segv }, { "signal", fault }, { "hang", hang },
        { "nap", naps }, { "spin", spin },
    { "close", closes }, { "deaf", nothing_more }, { "chdir", moves }, { "round", rounds }, { "trap", traps },
        { "mask", masks }, { "ignore", ignores },
    { "alarm", alarms }, { "group", group }, { "stop", stops }, { "session", leads }, { "environment", forgets },
        { "umask", hides }, { "print", prints },
    { "flood", floods }, { "say", says }, { "shout", shouts }, { "limit", limits }, { "fork", forks }, { "allocate",
        allocates }, { "grow", grows },
    { "input", input }, { "beside", beside_input }, { "behind", behind }, { "before", before }, { "mark", marks },
        { "nan", not_a_number },
    { "noise", noise }, { "answer", answers }, { "way", way },
};

static void act(const char *place)
{
    const char *item = getenv("SUBJECT");
    char list[1000], *rest = list;
    snprintf(list, sizeof list, "%s", item ? item : "");
    for (char *one; (one = strsep(&rest, ","));) {
        char where[40] = "", what[40] = "";
        long n = 0;
        if (sscanf(one, "%39[^:]:%39[^=]=%ld", where, what, &n) < 2 || strcmp(where, place))
            continue;
        for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
            if (!strcmp(operators[k].name, what))
                operators[k].act(n);
    }
}

/* The kernel of rope.c errs by pairing the other way: asked for the other way it is right. */
static int rotate(const struct mer_call *c)
{
    char params[9000];
    const char *ways = getenv("SUBJECT"), *layout = strstr(c->params, "layout="), *rest = layout
        ? layout + 7 + strcspn(layout + 7, " ") : "";
    if (!ways || !layout || (strncmp(ways, "right", 5) && !strstr(ways, ",right")))
        return rotate_f32(c);
    snprintf(params, sizeof params, "%.*slayout=%s%s", (int)(layout - c->params), c->params, strncmp(layout + 7,
        "half", 4) ? "half" : "interleaved", rest);
    struct mer_call other = *c;
    other.params = params;
    return rotate_f32(&other);
}

static int run(const struct mer_call *c)
{
    answer = 0, asked = c;
    act("run");
    const int rc = rotate(c);
    act("after");
    asked = NULL;
    return rc ? rc : answer;
}

static int prepare(struct mer_call *c) { act("prepare"); c->state = malloc(8); return MER_OK; }
static void release(void *state) { free(state); act("release"); }
static void at_exit(void) { act("exit"); }
__attribute__((constructor)) static void load(void) { act("load"); atexit(at_exit); }
__attribute__((destructor)) static void unload(void) { act("unload"); }

static const struct mer_kernel list[] = {
    { "rope", "y", "f32", "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 product=f64 sum=f32:1.001", 1.01,
        run, prepare, release }, { 0 },
};
static const struct mer_plugin offered = { MER_ABI, "subject", list };
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void) { act("entry"); return &offered; }

/* One array of an ask's list, "name": .. "type": .. "shape":[..]; what follows it, or NULL at the end of the list. */
static const char *one_array(const char *s, struct mer_array *a, char *name)
{
    static const char *const types[] = { "f64", "f32", "f16", "bf16", "i64", "i32", "u8" };
    char type[8] = "";
    const char *shape = strstr(s, "\"shape\":["), *end = strchr(s, '}'), *list_end = strchr(s, ']');
    if (!shape || !end || sscanf(s + strcspn(s, "{]"), "{\"name\":\"%39[^\"]\",\"type\":\"%7[^\"]", name, type) != 2 ||
        (list_end && list_end < shape && list_end < end))
        return NULL;
    *a = (struct mer_array){ .name = name };
    while (a->type < MER_TYPES && strcmp(types[a->type], type))
        a->type++;
    for (shape += 9; a->rank < MER_RANK && *shape != ']'; shape += *shape == ',')
        a->dim[a->rank++] = strtol(shape, (char **)(uintptr_t)&shape, 10);
    a->data = (char *)calloc(size_of(a) + 16384, 1) + 8192;
    return end + 1;
}

static void speak(const struct mer_call *c, int rc) /* `way` picks how the protocol is broken */
{
    static const char *const heads[] = { "{\"status\":%d}\n", "{\"status\":%d", "\n", "{\"status\":\"%d\"}\n",
        "[%d]\n", "{\"status\":1e400}\n", "{\"status\":-9223372036854775808}\n",
                                         "{\"status\":%d,\"status\":0}\n", "\xff\xfe\n",
                                             "{\"status\":2,\"why\":\"a\\nb\\u0007\"}\n",
                                             "{\"status\":%d}\n{\"status\":0}\n", "\r\n" };
    const size_t size = size_of(&c->out[0]), n = sizeof heads / sizeof *heads;
    printf(heads[(unsigned)process % n], rc);
    if (rc == MER_OK)
        fwrite(c->out[0].data, 1, (unsigned)process / n % 3 == 0 ? size : (unsigned)process / n % 3 == 1 ? size / 2
            : size + 1, stdout);
    fflush(stdout);
}

int main(void)
{
    static char line[1 << 16], name[9][40];
    while (fgets(line, sizeof line, stdin)) {
        struct mer_array a[9];
        struct mer_call c = { .row = "rope", .in = a };
        char params[9000] = "";
        if (strstr(line, "\"hello\"")) {
            act("entry");
            printf("{\"meridian\":1,\"status\":0,\"name\":\"subject\",\"kernels\":"
                   "[{\"row\":\"rope\",\"out\":\"y\",\"type\":\"f32\",\"profile\":\"%s\"}]}\n", list->profile);
            fflush(stdout);
            continue;
        }
        const char *s = strstr(line, "\"params\":\""), *in = strstr(line, "\"in\":["), *out = strstr(line, "\"out\":[");
        if (!s || !in || !out)
            return 7;
        sscanf(s + 10, "%8999[^\"]", params);
        c.params = params;
        for (const char *at = in + 5; c.n_in < 7 && at < out && (at = one_array(at, &a[c.n_in], name[c.n_in])) &&
            at < out + 8;)
            if (fread(a[c.n_in].data, 1, size_of(&a[c.n_in]), stdin) == size_of(&a[c.n_in]))
                c.n_in++;
        c.out = &a[c.n_in], c.n_out = 1;
        if (!one_array(out + 6, c.out, name[8]))
            return 8;
        prepare(&c);
        const int rc = run(&c);
        release(c.state);
        speak(&c, rc);
    }
    return 0;
}
