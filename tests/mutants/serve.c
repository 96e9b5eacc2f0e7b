/* The tests as a server: it reads which fault to plant and which test to ask, asks it in a child, and says how that
 * ended.  It stands in the place of Criterion's runner, whose start-up takes longer than most tests do: the tests are
 * those that Test() has defined, and what their macros call is here.  Lines that it reads, and what it answers:
 *   list                          SUITE/TEST of each, then a line with a point
 *   ask KEY CPU WALL SUITE/TEST   one of pass, fail, time and skip, and the seconds of the processor that it took
 *   reach CPU WALL SUITE/TEST     the same, with every function marked; then FILE K K .. with the marks of each file,
 *                                 and a line with a point
 * KEY: file:tag, or - for no fault.  CPU, WALL: limits in seconds.  The first failure ends a test. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "plant.h"

enum { FAILED = 101, SKIPPED = 102, ROOM = 4 }; /* exit statuses of a child; gigabytes of memory that it may take */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
struct criterion_test *current __asm__("criterion_current_test"); /* Criterion declares it as one that never changes */
struct criterion_options criterion_options;
static volatile sig_atomic_t *failed; /* shared with children, and theirs */
static void *parameter;               /* of the test that runs; NULL where it has none */

/* What the macros of Criterion call. */
void criterion_internal_test_setup(void) { }
void criterion_internal_test_main(void (*fn)(void)) { ((void (*)(void *))fn)(parameter); }
void criterion_internal_test_teardown(void) { }
void cri_asserts_passed_incr(void) { }
void cr_asprintf_free(char *text) { free(text); }

int cr_asprintf(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vasprintf(text, format, args);
    va_end(args);
    if (n < 0)
        *text = NULL;
    return n;
}

char *cr_translate_assert_msg(int index, ...)
{
    (void)index;
    return strdup("");
}

void cr_log(enum criterion_severity severity, const char *format, ...) { (void)severity, (void)format; }

static _Noreturn void fail(void)
{
    *failed = 1;
    _exit(FAILED);
}

void criterion_send_assert(struct criterion_assert_stats *s)
{
    if (s->passed)
        return;
    fprintf(stderr, "%s:%u: %s\n", s->file, s->line, s->message ? s->message : "");
    fail();
}

void criterion_abort_test(void) { fail(); }
void criterion_continue_test(void) { fail(); }
void criterion_skip_test(const char *format, ...)
{
    (void)format;
    _exit(SKIPPED);
}

static FILE *kept_aside; /* what goes to standard error once a test has asked for it */

void cr_redirect_stderr(void)
{
    fflush(stderr);
    kept_aside = tmpfile();
    if (!kept_aside || dup2(fileno(kept_aside), 2) != 2)
        fail();
}

FILE *cr_get_redirected_stderr(void)
{
    rewind(kept_aside);
    return kept_aside;
}

static struct criterion_test *test_named(const char *name)
{
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++) {
        size_t n = *t ? strlen((*t)->category) : 0;
        if (*t && !strncmp(name, (*t)->category, n) && name[n] == '/' && !strcmp(name + n + 1, (*t)->name))
            return *t;
    }
    return NULL;
}

/* Within the child: runs the test, with each of its parameters, and does not return. */
static _Noreturn void run(struct criterion_test *t)
{
    current = t;
    if (t->data->kind_ == CR_TEST_PARAMETERIZED) {
        struct criterion_test_params p = t->data->param_();
        for (size_t k = 0; k < p.length; k++) {
            parameter = (char *)p.params + k * p.size;
            t->test();
        }
    } else {
        if (t->data->init)
            t->data->init();
        t->test();
        if (t->data->fini)
            t->data->fini();
    }
    _exit(*failed ? FAILED : 0);
}

static void limit(int what, double n)
{
    const struct rlimit r = { (rlim_t)n, (rlim_t)n + 1 };
    setrlimit(what, &r);
}

static void begin(double cpu) /* a child's own group, limits and streams */
{
    const struct itimerval end = { { 0, 0 }, { (time_t)cpu, (suseconds_t)((cpu - floor(cpu)) * 1e6) + 1 } };
    sigset_t none;
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setitimer(ITIMER_PROF, &end, NULL);
    limit(RLIMIT_CPU, cpu + 2);
    limit(RLIMIT_AS, (double)ROOM * (1 << 30));
    limit(RLIMIT_FSIZE, 1 << 30);
    limit(RLIMIT_CORE, 0);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1);
    if (!getenv("MERIDIAN_PLANT_LOUD"))
        dup2(null, 2);
    close(null);
}

/* Waits for a child, at most that many seconds; 0, or -1 where its time is over. */
static int wait_for(pid_t pid, double wall, int *status, struct rusage *used)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double until = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + wall;
    sigset_t child;
    sigemptyset(&child), sigaddset(&child, SIGCHLD);
    for (;;) {
        pid_t got = wait4(pid, status, WNOHANG, used);
        if (got == pid)
            return 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double left = until - (double)now.tv_sec - 1e-9 * (double)now.tv_nsec;
        if (left <= 0)
            return -1;
        const struct timespec rest = { (time_t)left, (long)((left - floor(left)) * 1e9) };
        sigtimedwait(&child, NULL, &rest);
    }
}

static void ask(const char *key, double cpu, double wall, struct criterion_test *t)
{
    int status = 0;
    struct rusage used = { 0 };
    *failed = 0;
    pid_t pid = fork();
    if (pid == 0) {
        begin(cpu);
        if (strcmp(key, "-") && (!plant_choose(key) || setenv("MERIDIAN_PLANT", key, 1)))
            abort();
        run(t);
    }
    if (pid < 0)
        abort();
    bool late = wait_for(pid, wall, &status, &used) != 0;
    kill(-pid, SIGKILL);
    if (late)
        wait4(pid, &status, 0, &used);
    const bool over = late || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGXCPU));
    const bool right = WIFSIGNALED(status) ? WTERMSIG(status) == t->data->signal :
                                             WEXITSTATUS(status) == t->data->exit_code && !t->data->signal;
    const char *word = *failed                                       ? "fail" :
        over                                                         ? "time" :
        right                                                        ? "pass" :
        WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED          ? "skip" :
                                                                       "fail";
    printf("%s %.6f\n", word,
        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
}

static void reach(const char *file, double cpu, double wall, struct criterion_test *t)
{
    if (plant_shared == __start_plant_marks && (plant_share(file) || setenv("MERIDIAN_MARKS", file, 1)))
        abort();
    memset(plant_shared, 0, (size_t)plant_size());
    ask("*", cpu, wall, t);
    for (const struct marks_of *m = __start_plant_files; m < __stop_plant_files; m++) {
        const unsigned char *at = plant_shared + (m->at - __start_plant_marks);
        printf("%s", m->file);
        for (long k = 0; k < m->n; k++)
            if (at[k])
                printf(" %ld", k);
        puts("");
    }
    puts(".");
}

int main(int argc, char **argv)
{
    static char line[4096], a[2048], b[1024];
    double cpu, wall;
    sigset_t child;
    sigemptyset(&child), sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    failed = mmap(NULL, sizeof *failed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (failed == MAP_FAILED || argc > 2)
        return 2;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    while (fgets(line, sizeof line, stdin)) {
        if (!strcmp(line, "list\n")) {
            for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++)
                if (*t)
                    printf("%s/%s\n", (*t)->category, (*t)->name);
            puts(".");
        } else if (sscanf(line, "ask %2047s %lf %lf %1023s", a, &cpu, &wall, b) == 4 && test_named(b))
            ask(a, cpu, wall, test_named(b));
        else if (argc == 2 && sscanf(line, "reach %lf %lf %1023s", &cpu, &wall, b) == 3 && test_named(b))
            reach(argv[1], cpu, wall, test_named(b));
        else
            printf("what? %s", line);
        fflush(stdout);
    }
    return 0;
}
