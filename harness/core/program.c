/* The program: finds the verb, tests the ruler, reads the command line, runs the verb. */
#include <mpfr.h>
#include "ball/ball.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/cli.h"
#include "block/gemm.h"
#include "kernels.h"
#include "core/man.h"
#include "ruler/ruler.h"
#include "core/program.h"
#include "core/printable.h"
#include "version.h"

static void usage(FILE *f)
{
    fprintf(f, "meridian " MERIDIAN_VERSION ": the referee for position encodings and attention\n");
    for (const struct verb *const *v = verbs; *v; v++)
        fprintf(f, "  meridian %-7s %-28s %s\n", (*v)->name, (*v)->args, (*v)->help);
    fprintf(f, "  meridian VERB --help         its flags\n"
               "exit: 0 pass, 1 does not conform, 2 usage or bad input, 3 a subject crashed, 77 nothing was judged\n");
}

static void free_caches(void)
{
    balls_forget();
    mpfr_mp_memory_cleanup();
}

static const struct verb *verb_named(const char *name)
{
    for (const struct verb *const *v = verbs; *v; v++)
        if (!strcmp((*v)->name, name))
            return *v;
    return NULL;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
    static struct cli c;
    const char *isa = mer_isa_error();
    if (isa)
        return fprintf(stderr, "meridian: %s\n", isa), EXIT_USAGE;
    const int bad = ruler_self_test();
    if (bad)
        return fprintf(stderr, "meridian: the ruler's self-test %d failed; nothing measured is true\n", bad), EXIT_FAIL;
    int rc = cli_parse(&c, v, argc, argv);
    if (rc)
        return rc < 0 ? EXIT_PASS : rc;
    for (int k = 0; k < c.n_given; k++) /* read past cli_has, which would count them as having had an effect */
        if (!strcmp(c.given[k].name, "json") || !strcmp(c.given[k].name, "quiet"))
            progress_silence();
    if (cli_has(&c, "progress"))
        progress_asked();
    rc = v->run(&c);
    progress_pause();
    if (fflush(stdout) || ferror(stdout))
        return perror("meridian: standard output"), rc ? rc : EXIT_USAGE;
    /* a subject that crashed may have ended the run before a flag was asked about */
    const char *unused = rc == EXIT_USAGE || rc == EXIT_CRASH ? NULL : cli_unused(&c);
    return unused ? cli_error(&c, "--%s: has no effect beside the other words and flags; leave it out", unused) : rc;
}

int program(int argc, char **argv)
{
    /* With SIGXFSZ ignored, a write beyond the limit of file sizes fails with a reason; otherwise the signal would
     * end the program silently. */
    signal(SIGXFSZ, SIG_IGN);
    atexit(free_caches);
    if (argc < 2)
        return fputs("meridian: no verb; `meridian --help` names them\n", stderr), EXIT_USAGE;
    const char *word = argv[1];
    if (!strcmp(word, "--help") || !strcmp(word, "help"))
        return usage(stdout), EXIT_PASS;
    if (!strcmp(word, "--version"))
        return printf("meridian " MERIDIAN_VERSION " (" MERIDIAN_COMMIT ")\ninstructions: %s; dense products: %s\n",
                      mer_isa_name(), gemm_by()), EXIT_PASS;
    if (!strcmp(word, "--man"))
        return man_page(stdout), EXIT_PASS;
    const struct verb *v = verb_named(word);
    if (v)
        return run_verb(v, argc - 1, argv + 1);
    char shown[81];
    snprintf(shown, sizeof shown, "%s", word);
    printable(shown);
    fprintf(stderr, "meridian: no verb '%s'; `meridian --help` names them\n", shown);
    return EXIT_USAGE;
}
