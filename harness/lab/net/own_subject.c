/* Starts the subjects of users' own encodings, one for each in a process, and asks them; see own_subject.h. */
#include "lab/net/own_subject.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/words.h"
#include "kernels.h"
#include "lab/net/encoding.h"
#include "pack/open.h"
#include "subject/contain.h"
#include "subject/process.h"

enum { SECONDS = 60, SUBJECTS = ENCODINGS_ADDED }; /* SECONDS: limit of one answer */
static struct opened { const char *by; pid_t pid; struct subject s; } opened[SUBJECTS];
static int n_opened;
static char said[600];
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

const char *own_said(void) { return said; }

int own_subject(struct subject *s, const char *by, char *err, size_t n)
{
    const int rc = !strncmp(by, "exec ", 5) ? subject_exec(s, by + 5, NULL, SECONDS, err, n) :
                                              subject_open_within(s, by, SECONDS, err, n);
    if (rc)
        return -1;
    s->seconds = SECONDS;
    if (s->next) {
        s->close(s);
        return snprintf(err, n, "%s: a folder of arrays answers no new questions; a library or a command does", by), -1;
    }
    return 0;
}

/* The subject of this process; NULL: it could not be started, and `said` says why. */
static struct subject *subject_of(const char *by)
{
    for (int k = 0; k < n_opened; k++)
        if (!strcmp(opened[k].by, by) && opened[k].pid == getpid())
            return &opened[k].s;
    if (n_opened == SUBJECTS)
        return snprintf(said, sizeof said, "more than %d subjects", SUBJECTS), NULL;
    struct opened *o = &opened[n_opened];
    *o = (struct opened){ .by = by, .pid = getpid() };
    if (own_subject(&o->s, by, said, sizeof said))
        return NULL;
    n_opened++;
    return &o->s;
}

void own_close(void)
{
    for (int k = 0; k < n_opened; k++)
        if (opened[k].pid == getpid())
            opened[k].s.close(&opened[k].s);
    n_opened = 0;
}

bool own_offers(const struct mer_kernel *k, const char *row, const char *out, int type)
{
    return !strcmp(k->row, row) && !strcmp(k->type, type_name[type]) && words_have(k->out, out);
}

/* What an answer holds that no number of a model can be, or NULL.  A bias, which is added to scores, may be minus
 * infinity, where it hides a key. */
static const char *no_number(const struct mer_array *a)
{
    const bool hides = !strcmp(a->name, "bias");
    for (long i = 0; i < array_len(a); i++) {
        const double x = array_get(a, i);
        if (isnan(x))
            return "NaN";
        if (isinf(x) && !(hides && x < 0))
            return "infinity";
    }
    return NULL;
}

/* Asks one kernel for those of the outputs that it has; *done: a bit for each output of t that it answered. */
static int ask_kernel(struct subject *s, const struct mer_kernel *k, struct trial *t, unsigned *done)
{
    struct mer_array out[TRIAL_OUT];
    struct mer_call c = t->call;
    char why[400] = "";
    unsigned these = 0;
    c.out = out, c.n_out = 0, c.state = NULL;
    for (int o = 0; o < t->call.n_out; o++)
        if (!(*done >> o & 1) && own_offers(k, t->row->name, t->out[o].name, t->type))
            out[c.n_out++] = t->out[o], these |= 1u << o;
    const int rc = these ? s->run(s, k, &c, why, sizeof why) : MER_SKIP;
    if (rc != MER_OK) {
        if (these)
            snprintf(said, sizeof said, "%s: %s.%s: %s", s->name, t->row->name, out[0].name,
                *why ? why : rc == MER_SKIP ? "does not answer these parameters" : "failed");
        return rc;
    }
    for (int o = 0; o < c.n_out; o++) {
        const char *what = no_number(&out[o]);
        if (what)
            return snprintf(said, sizeof said, "%s: %s.%s holds %s", s->name, t->row->name, out[o].name, what), MER_BAD;
    }
    *done |= these;
    return MER_OK;
}

static int answer(const char *by, struct trial *t)
{
    const unsigned all = (1u << t->call.n_out) - 1;
    unsigned done = 0;
    struct subject *s = subject_of(by);
    if (!s)
        return MER_BAD;
    *said = 0;
    for (const struct mer_kernel *k = s->kernel; k->row && done != all; k++) {
        const int rc = ask_kernel(s, k, t, &done);
        if (rc != MER_OK && rc != MER_SKIP)
            return MER_BAD;
    }
    for (int o = 0; o < t->call.n_out && !*said; o++)
        if (!(done >> o & 1))
            snprintf(said, sizeof said, "%s offers no %s.%s in %s", by, t->row->name, t->out[o].name,
                type_name[t->type]);
    return done == all ? MER_OK : MER_SKIP;
}
int own_answer(const char *by, struct trial *t)
{
    pthread_mutex_lock(&one);
    const int rc = answer(by, t);
    pthread_mutex_unlock(&one);
    return rc;
}
