/* Asks one question of the climb: a page under an adverse arithmetic, or an own kernel, is compared with the widened
 * page. */
#include <math.h>
#include <stdlib.h>
#include "climb/climb.h"
#include "compare/ball_share.h"
#include "compare/compare.h"
#include "row/memo.h"
#include "ball/trace.h"
#include "compare/line_at.h"

struct climber {
    struct ask round, wide;
    struct adverse adverse;
    struct trace trace;
    const struct subject *who; /* whose kernels are asked; NULL: the own ones */
    bool hurried, own;
    long asks;
};
/* What is charged for a question beside its balls, in balls: drawing it, and a kernel's own work. */
enum { ASKING = 100 };

struct climber *climber_open(void) { return need(1, sizeof(struct climber)); }

void climber_hurry(struct climber *m) { m->hurried = true; }
void climber_own(struct climber *m) { m->own = true; }
void climber_subject(struct climber *m, const struct subject *who) { m->who = who; }
double climber_work(const struct climber *m)
{
    return m->round.made + m->wide.made + (double)ASKING * (double)m->asks;
}

/* Drops what pages have memorised, which is of other parameters, inputs or choices; the pools of balls stay, except
 * those that a single dear question has grown to some hundred megabytes. */
static void drop_memos(struct climber *m)
{
    enum { LARGE = 1 << 18 };
    struct ask *const both[] = { &m->round, &m->wide };
    for (int k = 0; k < 2; k++)
        if (both[k]->room > LARGE)
            ask_trim(both[k], NULL, 0);
    memo_free(m->round.memo), memo_free(m->wide.memo);
    m->round.memo = m->wide.memo = NULL;
}
void climber_close(struct climber *m) { ask_clear(&m->round), ask_clear(&m->wide), free(m); }

bool *climb_sums(const struct row *row)
{
    enum { ROWS = 128 };
    static bool seen[ROWS][STEPS];
    int r = 0;
    while (all_rows[r] && all_rows[r] != row)
        r++;
    return seen[r % ROWS];
}

static const struct format *format_of(const struct mer_array *a, bool integer)
{
    return integer ? &formats[0] : format_named(type_name[a->type], strlen(type_name[a->type]));
}

/* Counts element k of a line: b is its ball, `page` the radius that it had before the store, got the answer. */
static void count_element(struct climber *m, struct climb_answer *y, const struct ball *b, double page, double got,
    long k, const char *out)
{
    const double bound = b_radius(b);
    const bool own = page >= bound / 2;
    y->n++;
    if (isinf(bound) || (m->own && !own)) /* an infinite bound (a step may overflow) promises nothing */
        return;
    double share = ball_share(b, got);
    share = isnan(share) ? (double)INFINITY : share;
    y->asked = true;
    y->own = own && share > y->own ? share : y->own;
    if (!(share > y->share))
        return;
    y->share = share, y->got = got, y->mid = b_value(b), y->bound = bound, y->k = k, y->out = out;
    memcpy(y->at, m->wide.at, sizeof y->at);
}

/* The value of a rounded page; NaN where its radius is infinite, as rounded steps have subtracted infinities. */
static double value_of(const struct ball *x) { return isinf(x->rad.m) ? (double)NAN : b_value(x); }

/* A line whose ball takes more than so many operations (about 0.1 s) is dear: the other page's precision may have to
 * be raised to 4096 bits, and it holds all its numbers.  Counted and not timed: a seed asks the same everywhere. */
static const double DEAR = 50000;
/* The same where nobody waits: a page that takes longer (some ten seconds) is asked once, but not at all precisions of
 * an adverse arithmetic, for minutes. */
static const double DEAREST = 1e7;
static void ask_line(struct climber *m, struct climb *c, const struct quantity *q, const struct mer_array *out,
    bool integer, long line, struct climb_answer *y)
{
    const struct format *f = format_of(out, integer);
    const long len = m->wide.len;
    const struct ball **x = need((size_t)len * 2 + 1, sizeof *x), **b = x + len;
    const double before = m->wide.made;
    ask_reset(&m->wide, f->p + 64);
    line_page(&m->wide, q, NULL, b);
    y->dear |= (m->hurried || !c->kernel) && m->wide.made - before > (m->hurried ? DEAR : DEAREST);
    /* a tree of sums lower than its terms allow: no arithmetic has it, so nothing is promised */
    if (*m->trace.impossible)
        goto done;
    const bool known = !y->dear && (c->kernel || line_eval(&m->round, q, integer ? &formats[0] : f, x) == YES);
    y->undecided |= !known;
    if (known) {
        /* Where the page answers no number (a table with fewer rows than distances) there is no bound that its own
         * rounding could leave; a kernel must answer NaN there, as the page does. */
        for (long k = 0; k < len; k++)
            if (c->kernel || !mpfr_nan_p(b[k]->mid))
                count_element(m, y, integer ? b[k] : b_store(&m->wide, f, b[k]), b_radius(b[k]),
                c->kernel ? array_get(out, line * len + k) : value_of(x[k]), k, out->name);
    }
done:
    free(x);
}

static void ask_output(struct climber *m, struct climb *c, const struct mer_array *out, struct climb_answer *y)
{
    const struct quantity *q = row_quantity(c->judged.row, out->name);
    struct sign s;
    long total = 1, len = 1;
    sign_read(&s, q->sign);
    for (int k = 0; k < out->rank; k++)
        *(k < s.out.lead ? &total : &len) *= out->dim[k];
    m->round.len = m->wide.len = len;
    /* all lines where they are few; else the first, the last and two others */
    for (long pick = 0; pick < total && pick < CLIMB_LINES && !y->dear; pick++) {
        const long line = total <= CLIMB_LINES || pick == 0 ? pick :
            pick == 1                                       ? total - 1 :
                        (long)(gen_bits(1, (uint64_t)pick, (uint64_t)total) % (uint64_t)total);
        line_at(&m->wide, out, s.out.lead, line), line_at(&m->round, out, s.out.lead, line);
        ask_line(m, c, q, out, s.out.integer, line, y);
    }
}

static int kernel_answers(struct climber *m, struct climb *c)
{
    char err[600];
    return m->who ? m->who->run((struct subject *)m->who, c->kernel, &c->t.call, err, sizeof err) :
                    mer_ask(c->kernel, &c->t.call);
}
void climb_ask(struct climber *m, struct climb *c, struct climb_answer *y)
{
    *y = (struct climb_answer){ .rc = MER_OK };
    m->asks++;
    drop_memos(m);
    m->adverse = c->adverse;
    m->adverse.sums = climb_sums(c->t.row);
    c->round.adverse = &m->adverse;
    m->round.params = m->wide.params = c->judged.params, m->round.call = m->wide.call = &c->judged.call;
    m->round.arith = &c->round, m->wide.arith = &c->wide;
    m->trace = (struct trace){ .rounded = false }, m->wide.trace = &m->trace;
    if (c->kernel)
        y->rc = kernel_answers(m, c);
    if (y->rc != MER_OK)
        return;
    for (int o = 0; o < c->t.call.n_out; o++)
        ask_output(m, c, &c->t.out[o], y);
}
