/* Wrong arrays, parameters and sizes of every row, found by name: each is refused in one line that names what is wrong
 * and, of shapes, both; by whoever asks a kernel (trial_fits), and by the command line with exit status 2.  A NaN in a
 * hidden key changes no bit; in a visible one it shows. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "compare/compare.h"
#include "kernels.h"
#include "judge/replay.h"
#include "pack/open.h"
#include "subject/subject.h"
#include "trial/trial.h"
#include "trial/valid.h"

static char why[2000];
static bool one_line(const char *s) { return strlen(s) > 5 && !strchr(s, '\n'); }
static struct mer_array *array_of(struct trial *t, int k)
{
    return k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
}

/* The axes of an array, by name, of the quantity's inputs or of its output. */
static struct axes axes_of(const struct trial *t, const char *name, bool out)
{
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int j = 0; j < s.n_in && !out; j++)
            if (!strcmp(s.in[j].name, name))
                return s.in[j];
        if (out && !strcmp(s.out.name, name))
            return s.out;
    }
    cr_assert(false, "%s", name);
    return (struct axes){ 0 };
}
static int uses(struct trial *t, char letter) /* How many axes carry the letter, or the row's own word for it. */
{
    int n = t->row->extent && t->row->extent(t->params, letter);
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        struct axes x = axes_of(t, array_of(t, k)->name, k >= t->call.n_in);
        for (int j = 0; j < x.rank; j++)
            n += x.axis[j] == letter;
    }
    return n;
}

static void refused(const struct mer_kernel *k, struct trial *t, const char *name, const char *says)
{
    *why = 0;
    int rc = trial_fits(k, &t->call, why, sizeof why);
    cr_expect(rc == MER_BAD && one_line(why) && strstr(why, name) && strstr(why, says),
        "%s %s: '%s' wrong, %d '%s' lacks '%s'", k->row, k->out, name, rc, why, says);
}

static void wrong_axes(const struct mer_kernel *k, struct trial *t, struct mer_array *a, const struct axes *x)
{
    static const int64_t by[] = { -1, 1, 1L << 40 };
    for (int j = 0; j < a->rank; j++) {
        const int64_t right = a->dim[j];
        char shape[24], was[24];
        for (size_t b = 0; b < 3; b++)
            if (right + by[b] && (uses(t, x->axis[j]) > 1 || b == 2)) {
                a->dim[j] = right + by[b];
                snprintf(shape, sizeof shape, "%ld", (long)a->dim[j]), snprintf(was, sizeof was, "%ld", (long)right);
                refused(k, t, "array '", shape);
                cr_expect(b == 2 || strstr(why, was), "%s lacks %s", why, was);
            }
        a->dim[j] = 0;
        if (!t->row->empty || !strchr(t->row->empty, x->axis[j]))
            refused(k, t, "array '", "0");
        a->dim[j] = -3;
        refused(k, t, "array '", "-3");
        a->dim[j] = right;
    }
}

static void wrong_array(const struct mer_kernel *k, struct trial *t, int at)
{
    struct mer_array *a = array_of(t, at), was = *a;
    struct axes x = axes_of(t, a->name, at >= t->call.n_in);
    wrong_axes(k, t, a, &x);
    for (int rank = was.rank - 1; rank <= was.rank + 1; rank += 2) {
        a->rank = rank;
        if (rank < MER_RANK && rank >= 0)
            a->dim[rank] = rank > was.rank - 1 ? 2 : a->dim[rank], refused(k, t, a->name, "rank");
        *a = was;
    }
    for (int type = -1; type <= MER_TYPES; type++)
        if (type != was.type) {
            a->type = type;
            refused(k, t, a->name, "this kernel reads");
        }
    *a = was;
    if (at < t->call.n_in && !x.optional) {
        a->name = "nobody";
        refused(k, t, was.name, "missing");
        *a = was;
    }
    for (int below = 0; x.below && at < t->call.n_in && below < 2; below++) {
        int64_t *p = a->data, first = p[0];
        p[0] = below ? x.none ? -2 : -1 : 1L << 50;
        if (below || uses(t, x.below))
            refused(k, t, a->name, !below ? "element 0 is 1125899906842624" :
                    x.none                ? "element 0 is -2" :
                                            "element 0 is -1");
        p[0] = first;
    }
    const double most = t->row->most && at < t->call.n_in ? t->row->most(t->params, a->name) : (double)INFINITY;
    if (most < (double)INFINITY) {
        const double first = array_get(a, 0);
        array_put(a, 0, most + 0.5), refused(k, t, a->name, "allowed at most 0");
        array_put(a, 0, most);
        cr_expect_eq(trial_fits(k, &t->call, why, sizeof why), MER_OK, "%s", why);
        array_put(a, 0, first);
    }
}

/* Where a decay is given by its logarithm no made-up one is above 0, in any way to fill. */
Test(wrong, made_up_numbers_are_not_above_the_largest_of_their_input)
{
    static const char *const ways[] = { "uniform", "normal", "heavy", "probe" };
    int met = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (size_t w = 0; (*r)->most && w < sizeof ways / sizeof *ways; w++) {
            struct trial t;
            struct sign s;
            sign_read(&s, (*r)->q[0].sign);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ (*r)->name, "", s.out.name, MER_F32, ways[w], 3 }, why,
                sizeof why), 0, "%s", why);
            for (int k = 0; k < t.call.n_in; k++)
                for (long i = 0; i < array_len(&t.in[k]); i++) {
                    cr_expect(array_get(&t.in[k], i) <= (*r)->most(t.params, t.in[k].name), "%s.%s", (*r)->name,
                        t.in[k].name);
                    met += (*r)->most(t.params, t.in[k].name) < (double)INFINITY && array_get(&t.in[k], i) < 0;
                }
            trial_close(&t);
        }
    cr_expect(met > 100, "%d", met);
}

Test(wrong, every_array_of_every_kernel_is_held_to_its_signature, .timeout = 60)
{
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++) {
            struct trial t;
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, type_named(k->type), "n=6 m=7", 1 },
                why, sizeof why), 0, "%s", why);
            cr_expect_eq(trial_fits(k, &t.call, why, sizeof why), MER_OK, "%s %s: %s", k->row, k->out, why);
            for (int at = 0; at < t.call.n_in + t.call.n_out; at++)
                wrong_array(k, &t, at);
            trial_close(&t);
        }
}

Test(wrong, a_subject_is_not_asked_with_arrays_that_are_not_its_signature)
{
    struct subject who;
    struct trial t;
    cr_assert_eq(subject_open(&who, "own:scalar", why, sizeof why), 0);
    for (const struct mer_kernel *k = who.kernel; k->row; k++) {
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, type_named(k->type), "n=6 m=7", 1 }, why,
            sizeof why), 0, "%s", why);
        t.out[0].rank++, t.out[0].dim[t.out[0].rank - 1] = 1;
        cr_expect(who.run(&who, k, &t.call, why, sizeof why) == MER_BAD && strstr(why, "rank"), "%s %s: %s", k->row,
            k->out, why);
        trial_close(&t);
    }
    who.close(&who);
}

static void wrong_value(const struct row *r, const struct param *p, const char *value)
{
    struct trial t = { .row = r };
    char text[300];
    snprintf(text, sizeof text, "%s=%s", p->name, value);
    *why = 0;
    cr_expect(trial_params(&t, text, why, sizeof why) == -1 && one_line(why) && strstr(why, p->name), "%s %s: '%s'",
        r->name, text, why);
    params_clear(row_params(r), t.params), free(t.params);
}

Test(wrong, every_parameter_is_held_to_its_kind_and_range)
{
    static const char *const never[] = { "nope", "nan", "1/0", "1e99999999999", "--1", "" };
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct param *p = row_params(*r); p->name; p++) {
            char edge[40];
            for (size_t k = 0; k < sizeof never / sizeof *never; k++)
                /* "nan" is the name of a policy. */
                if ((p->kind != LIST || *never[k]) && !(p->choices && strstr(p->choices, never[k]) && *never[k]))
                    wrong_value(*r, p, never[k]);
            if (p->kind == INT) { /* without a range of its own: magnitudes up to 2^53 */
                const bool ranged = p->least || p->most;
                snprintf(edge, sizeof edge, "%ld", ranged ? p->least - 1 : -9007199254740993), wrong_value(*r, p, edge);
                snprintf(edge, sizeof edge, "%ld", ranged ? p->most + 1 : 9007199254740993), wrong_value(*r, p, edge);
                wrong_value(*r, p, "-9223372036854775808");
                wrong_value(*r, p, "1.5"), wrong_value(*r, p, "99999999999999999999999");
            }
            if (!strcmp(p->name, "eps"))
                wrong_value(*r, p, "-1"), wrong_value(*r, p, "-1e-30"); /* 0 is allowed (tests/limits.c). */
        }
}

Test(wrong, the_command_line_refuses_sizes_that_a_row_cannot_have, .timeout = 60)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        static const char *const word[] = { "-1", "x", "1.5", "3,m=4", "", "999999999999999999999999" };
        struct sign s;
        char args[200], letter = 0;
        /* The first free letter that may not be 0. */
        for (const struct quantity *q = (*r)->q; q->sign && !letter; q++) {
            struct trial t = { .row = *r };
            sign_read(&s, q->sign);
            trial_params(&t, "", why, sizeof why);
            for (int j = 0; j < s.n_in + 1; j++)
                for (int a = 0; a < (j < s.n_in ? s.in[j] : s.out).rank; a++) {
                    char c = (j < s.n_in ? s.in[j] : s.out).axis[a];
                    letter = letter || ((*r)->empty && strchr((*r)->empty, c)) ||
                            ((*r)->extent && (*r)->extent(t.params, c)) ?
                        letter :
                        c;
                }
            params_clear(row_params(*r), t.params), free(t.params);
            for (int huge = 0; letter && huge < 2; huge++) {
                snprintf(args, sizeof args, "%c=%s", letter, huge ? "99999999999" : "0");
                cr_expect(trial_make(&t, &(struct trial_spec){ (*r)->name, "", s.out.name, MER_F32, args, 1 }, why,
                    sizeof why) == -1 && one_line(why) &&
                    strstr(why, huge ? "more than an array may have" : "is 0, at least 1"), "%s %s: '%s'", (*r)->name,
                    args, why);
                trial_close(&t);
            }
            for (size_t k = 0; letter && k < (r - all_rows < 2 ? sizeof word / sizeof *word : 1); k++) {
                snprintf(args, sizeof args, "judge own:scalar --row %s --sizes \"%c=%s\"", (*r)->name, letter, word[k]);
                int rc = meridian("", args);
                cr_expect(rc == 2 && lines(err) == 1 && !*out, "%s: exit %d '%s' %s", args, rc, err, out);
            }
        }
        cr_expect(letter, "%s", (*r)->name);
    }
    static const struct { const char *args, *says; } one[] = {
        { "judge own:scalar --row layernorm --sizes d=0", "array 'x' axis d is 0, at least 1: [5,0] where the "
            "signature has [n,d]" },
        { "judge own:scalar --row rmsnorm --params eps=-1", "eps: must not be below 0" },
        { "judge own:scalar --row attention --out 'o lse' --sizes \"h=3 g=2\"",
            "3 heads are no multiple of 2 key heads" },
        { "judge own:scalar --row attention --out 'o lse' --sizes \"n=60000 m=60000 bias\"",
            "more than an array may have" },
        { "judge own:scalar --row decode --params beam=0", "beam" },
        { "judge own:scalar --row decode --params beam=99", "wider than the vocabulary" },
        { "judge own:scalar --row layernorm --sizes bogus", "found 'bogus'" },
        { "judge own:scalar --row layernorm --preset nope", "no preset 'nope'" },
        { "judge own:scalar --row attention --out o --type f32",
            "--out: own:scalar gives o in one call with others: --out 'o lse'" },
        { "judge own:scalar --row conv --out 'y final' --few --sizes \"n=3 c=2 w=3\"", "--few: has no effect" },
        { "eval attention o --window -1", "window: found '-1', allowed: an integer from 0 to" },
        { "eval layernorm y --gain 1,2,3 --shift 1,2", "--gain: 3 values, the array has 2" },
        { "eval layernorm y --eps -1", "eps: must not be below 0" },
    };
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        int rc = meridian("", one[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && !*out && strstr(err, one[k].says), "%s: exit %d '%s' lacks '%s'",
            one[k].args, rc, err, one[k].says);
    }
}

Test(wrong, no_query_and_no_key_have_answers)
{
    cr_expect_eq(meridian("", "judge own:scalar --row attention --out 'o lse' --sizes n=0"), 77, "%s", err);
    cr_expect(
        strstr(out, "nothing to compare: the outputs have no element") && !strstr(out, "FAIL") && !strstr(out, "CRASH"),
        "%s", out);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++) {
            const char *empty = row_named(k->row)->empty;
            for (size_t e = 0; empty && empty[e]; e++) {
                struct trial t;
                struct tally y;
                struct arith a;
                char sizes[8];
                snprintf(sizes, sizeof sizes, "%c=0", empty[e]);
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, type_named(k->type), sizes, 1 },
                    why, sizeof why), 0, "%s", why);
                trial_profile(&t, k->profile, &a, WIDEN, why, sizeof why);
                int rc = mer_ask(k, &t.call);
                cr_expect(rc == MER_OK || rc == MER_SKIP, "%s %s %s %s: %d", s->name, k->row, k->out, sizes, rc);
                if (rc == MER_OK)
                    judge_outputs(&t, &a, 0, &y);
                cr_expect(rc != MER_OK || (!y.n && !y.undecided) || tally_passes(&y), "%s %s %s %s: %ld over of %ld",
                    s->name, k->row, k->out, sizes, y.over, y.n);
                trial_close(&t);
            }
        }
}

static bool attends(const struct mer_kernel *k)
{
    return !strncmp(k->out, "o lse", 5) && row_quantity(row_named(k->row), "o") &&
        strstr(row_quantity(row_named(k->row), "o")->sign, " k[") &&
        strstr(row_quantity(row_named(k->row), "o")->sign, "keep?");
}
static void poison(struct trial *t, const char *name, long j, double x) /* Sets key j of every head to x. */
{
    struct mer_array *a = trial_in(t, name);
    for (long h = 0; h < a->dim[0]; h++)
        for (long c = 0; c < a->dim[2]; c++)
            array_put(a, (h * a->dim[1] + j) * a->dim[2] + c, x);
}

Test(wrong, a_hidden_nan_changes_no_bit_and_a_visible_one_shows)
{
    int asked = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            for (int in = 0; attends(k) && in < 2; in++) {
                /* What a hidden key holds; in the last case it is visible. */
                static const double held[] = { 3, (double)NAN, (double)INFINITY, (double)NAN };
                struct trial t;
                unsigned char was[1 << 12] = { 0 };
                long shown = 0;
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, type_named(k->type),
                    "n=6 m=7 keep", 1 }, why, sizeof why), 0, "%s", why);
                struct mer_array *keep = trial_in(&t, "keep");
                const size_t bytes = (size_t)array_len(&t.out[0]) * type_size(t.type);
                for (int x = 0; x < 4; x++) {
                    for (long i = 0; i < array_len(keep); i++)
                        array_put(keep, i, x == 3 || i % keep->dim[2] != 0);
                    poison(&t, in ? "v" : "k", 0, held[x]); /* The first key, which causal rows see from every query. */
                    int rc = mer_ask(k, &t.call);
                    if (rc == MER_SKIP)
                        break;
                    cr_assert(rc == MER_OK && bytes <= sizeof was);
                    for (long i = 0; x == 1 && i < array_len(&t.out[0]); i++)
                        shown += isnan(array_get(&t.out[0], i));
                    cr_expect_eq(shown, 0, "%s %s: a NaN in a hidden key's %s leaks", s->name, k->row, in ? "v" : "k");
                    /* Slots of paired products leave such arrays to another slot, which rounds in another way. */
                    bool other = x == 1 && !strcmp(k->type, "bf16");
                    cr_expect(x == 0 || x == 3 || other || !memcmp(was, t.out[0].data, bytes),
                        "%s %s: %g in a hidden key's %s leaks", s->name, k->row, held[x], in ? "v" : "k");
                    memcpy(was, t.out[0].data, bytes), asked++;
                    for (long i = 0; x == 3 && i < array_len(&t.out[0]); i++)
                        shown += isnan(array_get(&t.out[0], i));
                    cr_expect(x != 3 || shown == array_len(&t.out[0]), "%s %s: a visible NaN in %s shows in %ld of %ld",
                        s->name, k->row, in ? "v" : "k", shown, array_len(&t.out[0]));
                }
                trial_close(&t);
            }
    cr_expect_gt(asked, 60, "%d", asked);
}

/* A letter whose extent the row's first preset sets for its first output, and that extent; 0: there is none. */
static char letter_set(const struct row *r, const char *out_, long *is)
{
    struct trial t;
    char set = 0;
    double bytes;
    cr_assert_eq(trial_size(&t, &(struct trial_spec){ r->name, r->presets->text, out_, MER_F32, NULL }, &bytes, why,
        sizeof why), 0);
    for (char c = 'a'; c <= 'z' && !set; c++)
        set = t.bound[(int)c] && r->extent && r->extent(t.params, c) ? c : 0;
    *is = set ? t.size[(int)set] : 0;
    trial_close(&t);
    return set;
}
/* Whether a case of these sizes has the extents that they name. */
static bool sized_so(const struct row *r, const char *out_, const char *sizes)
{
    struct trial t;
    double bytes;
    trial_size(&t, &(struct trial_spec){ r->name, r->presets->text, out_, MER_F32, sizes }, &bytes, why, sizeof why);
    const bool is = valid_sized_so(&t, sizes, why, sizeof why);
    trial_close(&t);
    return is;
}

/* An extent that the parameters set, asked for as another one, is refused by name and not replaced; a question that has
 * it among usual sizes is repeated without it. */
Test(wrong, sizes_that_the_parameters_set_are_not_replaced_in_silence, .timeout = 60)
{
    static const char *const verb[] = { "eval %s %s", "share %s --out %s", "export %s --reference --out build/unmade" };
    int rows = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        struct sign s;
        long is;
        char sizes[40], args[300], again[900];
        sign_read(&s, (*r)->q[0].sign);
        const char set = letter_set(*r, s.out.name, &is);
        if (!set)
            continue;
        snprintf(sizes, sizeof sizes, "%c=%ld %c=%ld", set, is + 1, set, is);
        cr_expect(sized_so(*r, s.out.name, sizes), "%s: the last word counts: %s", (*r)->name, why);
        snprintf(sizes, sizeof sizes, "%c=%ld probe", set, is + 1);
        cr_expect(!sized_so(*r, s.out.name, sizes) && strstr(why, "under these parameters"), "%s: %s", (*r)->name, why);
        const struct subject who = { .name = "x" };
        const struct mer_kernel k = { .row = (*r)->name, .out = s.out.name, .type = "f32", .profile = "f32" };
        replay_kernel(again, sizeof again, &(struct question){ .subject = &who, .kernel = &k,
            .params = (*r)->presets->text, .sizes = sizes });
        cr_expect(strstr(again, "--sizes 'probe'"), "%s: %s", (*r)->name, again);
        if (rows++)
            continue; /* the command line is the same for all */
        for (size_t v = 0; v < sizeof verb / sizeof *verb; v++) {
            snprintf(args, sizeof args, verb[v], (*r)->name, s.out.name);
            snprintf(args + strlen(args), sizeof args - strlen(args), " --sizes '%s'%s%s", sizes,
                v == 2 ? " --preset " : "", v == 2 ? (*r)->presets->name : "");
            cr_expect(meridian("", args) == 2 && lines(err) == 1 && strstr(err, "under these parameters, sizes say"),
                "%s: %s%s", args, out, err);
        }
    }
    cr_expect_gt(rows, 8, "%d rows", rows);
    cr_expect(meridian("", "judge own:scalar --row swin --out bias --type f32 --sizes n=10") == 77 &&
            strstr(out, "under these parameters, sizes say n=10"),
        "%s%s", out, err);
}
