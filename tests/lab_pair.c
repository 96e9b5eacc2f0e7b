/* The laboratory's encoder-decoder: gradients of every block, the row's page, padding, what each side sees, training
 * bit by bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "compare/compare.h"
#include "lab/train/evaluate.h"
#include "core/files.h"
#include "lab/train/gradcheck.h"
#include "lab/net/pair_row.h"
#include "lab/train/train.h"

enum { SOURCE = 9, LENGTH = 6, VOCAB = 11 };
static const struct lab_size small = {
    .layers = 2, .heads = 2, .channels = 12, .inner = 10, .vocab = VOCAB, .length = LENGTH, .reach = 40, .encoders = 1
};

struct pair { struct model m; struct pass p; float *params; int64_t token[2 * (SOURCE + LENGTH)]; };
static void open_pair(struct pair *a, const char *encoding, const struct lab_size *s, int64_t rows)
{
    char why[400];
    cr_assert_eq(model_open(&a->m, encoding, s, why, sizeof why), 0, "%s", why);
    cr_assert_eq(
        pass_open_pair(&a->p, &a->m,
            (struct pass_form){ .maths = &maths_f32, .rows = rows, .source = SOURCE, .length = LENGTH, .backward = 1 },
            why, sizeof why), 0, "%s", why);
    a->params = need((size_t)a->m.count, sizeof *a->params);
    model_draw(&a->m, &maths_f32, 5, a->params);
    for (int64_t k = 0; k < a->m.count; k++) /* Gains of 1 and shifts of 0 would hide what multiplies them. */
        a->params[k] += 0.1f * (float)((k * 37 + 11) % 17 - 8) / 8;
    for (int64_t k = 0; k < rows * (SOURCE + LENGTH); k++)
        a->token[k] = (k * 7 + k * k * 3 + 1) % VOCAB;
}
static void ask(struct pair *a, float *y) /* The logits y[rows][LENGTH][VOCAB]. */
{
    cr_assert_eq(pass_forward(&a->p, a->params, a->token), MER_OK, "%s", a->m.enc->name);
    memcpy(y, a->p.logits, (size_t)(a->p.tokens * VOCAB) * sizeof *y);
}
static void close_pair(struct pair *a) { pass_close(&a->p), free(a->params); }
static int same(const float *x, const float *y, int64_t lines)
{
    return !memcmp(x, y, (size_t)(lines * VOCAB) * sizeof *x);
}

Test(lab_pair, every_blocks_gradient_is_the_slope_of_the_loss)
{
    static const double claim = 1e-6, kernels = 1e-4; /* The limits are those of tests/lab.c. */
    struct gradcheck g[BLOCKS_MOST];
    char why[600];
    int asked = 0, cross = 0, encoders = 0;
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        if (!e->source)
            continue;
        int n = gradcheck(e->name, &gradcheck_pair, 3, NULL, g, why, sizeof why);
        cr_assert_gt(n, 0, "%s: %s", e->name, why);
        asked++;
        for (int k = 0; k < n; k++) {
            cr_expect(g[k].norm > 1e-4 && g[k].difference <= claim && g[k].kernels <= kernels,
                "%s %s: |g| %g, difference %g, kernels %g", e->name, g[k].block, g[k].norm, g[k].difference,
                g[k].kernels);
            cross += strstr(g[k].block, ".xi") != NULL, encoders += g[k].block[0] == 'e';
        }
    }
    cr_expect(asked >= 6 && cross == 2 * asked && encoders >= 3 * 12 * asked,
        "%d encodings, %d of cross-attention, %d of encoders", asked, cross, encoders);
}

/* The worst share of the derived bound; NaN where an element lies outside it, or where it says nothing. */
static double worst(const struct trial *t, struct tally *y)
{
    struct arith how;
    char why[600];
    cr_assert_gt(trial_profile((struct trial *)t, t->profile, &how, WIDEN, why, sizeof why), 0, "%s", why);
    judge_outputs(t, &how, 0, y);
    return strcmp(tally_verdict(y), "PASS") ? (double)NAN : y->ratio;
}

/* In float64, with the same weights, the page of row encdec bounds every log-probability, so tightly that no other
 * value somewhere in a block would fit. */
Test(lab_pair, a_pass_is_row_encdec, .timeout = 60)
{
    static const char *const with[] = { "none", "learned", "sinusoid" };
    for (int k = 0; k < 3; k++) {
        const struct lab_size size = { .layers = 1 + (k == 1),
            .heads = 2,
            .channels = 8,
            .inner = 7,
            .vocab = VOCAB,
            .length = LENGTH,
            .reach = 40,
            .encoders = 1 + (k == 0) };
        struct pair a;
        struct pass p = { 0 };
        struct trial t;
        struct tally y;
        char why[600];
        open_pair(&a, with[k], &size, 1);
        double *params = need((size_t)a.m.count, sizeof *params);
        for (int64_t i = 0; i < a.m.count; i++)
            params[i] = (double)a.params[i];
        cr_assert_eq(pass_open_pair(&p, &a.m,
            (struct pass_form){ .maths = &maths_f64, .rows = 1, .source = SOURCE, .length = LENGTH, .backward = 1 },
            why, sizeof why), 0, "%s", why);
        cr_assert_eq(pass_forward(&p, params, a.token), MER_OK);
        cr_assert_eq(pair_trial(&t, &p, params, why, sizeof why), 0, "%s", why);
        const double share = worst(&t, &y);
        cr_expect(share <= 1 && y.n == LENGTH * VOCAB, "%s: %s, share %g of a bound of %g", with[k], tally_verdict(&y),
            share, y.bound);
        for (int b = 0; b < a.m.blocks && k == 2; b++) {
            const struct net_block *of = &a.m.block[b];
            for (int64_t i = of->at; i < of->at + of->count; i++)
                params[i] += 1e-3 * (double)(1 + i % 3);
            cr_assert_eq(pass_forward(&p, params, a.token), MER_OK);
            pair_logprob(&p, t.out[0].data);
            cr_expect(!(worst(&t, &y) <= 1), "%s moved by 0.001 is within the bound", of->name);
            for (int64_t i = of->at; i < of->at + of->count; i++)
                params[i] = (double)a.params[i];
        }
        trial_close(&t), pass_close(&p), close_pair(&a), free(params);
    }
}

/* In float32 each part is judged by its own page, from what the part really read. */
Test(lab_pair, every_part_of_a_pass_is_its_row, .timeout = 60)
{
    struct pair a;
    static float y[LENGTH * VOCAB];
    int64_t parts = 0;
    int rc = 1;
    open_pair(&a, "sinusoid", &small, 1);
    ask(&a, y);
    for (; rc == 1; parts++) {
        struct trial t;
        struct tally of;
        char why[600];
        rc = pair_part(&t, &a.p, a.params, parts, why, sizeof why);
        cr_assert_geq(rc, 0, "part %d: %s", (int)parts, why);
        if (rc) {
            const double share = worst(&t, &of);
            cr_expect(share <= 1, "part %d, %s: %s, share %g of a bound of %g", (int)parts, t.row->name,
                tally_verdict(&of), share, of.bound);
            ((float *)t.out[0].data)[1] += 0x1p-12f;
            cr_expect(!(worst(&t, &of) <= 1), "part %d, %s: an output moved by 2^-12 is within a bound of %g",
                (int)parts, t.row->name, of.bound);
        }
        trial_close(&t);
    }
    cr_expect_eq(parts - 1, 4 * small.encoders + 6 * small.layers + 1);
    a.p.layer[1].cross.x = a.p.layer[0].x1; /* One part reads a sum that is another's. */
    struct trial t;
    char why[600];
    cr_expect(
        pair_part(&t, &a.p, a.params, 4 * small.encoders + 6 + 2, why, sizeof why) == -1 && strstr(why, "of a sum is"),
        "%s", why);
    trial_close(&t), close_pair(&a);
}

/* In float64 every operation is the row's page, rounded once: a hidden key leaves no trace in it. */
Test(lab_pair, padding_of_a_source_is_as_if_it_were_not_there)
{
    enum { PAD = 4, SHORT = SOURCE - PAD };
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct pair a;
        struct pass p[2] = { { 0 } };
        char why[400];
        int64_t token[SHORT + LENGTH];
        if (!e->source)
            continue;
        open_pair(&a, e->name, &small, 2);
        double *params = need((size_t)a.m.count, sizeof *params);
        for (int64_t k = 0; k < a.m.count; k++)
            params[k] = (double)a.params[k];
        for (int64_t k = 0; k < PAD; k++)
            a.token[SHORT + k] = -1;
        memcpy(token, a.token, SHORT * sizeof *token), memcpy(token + SHORT, a.token + SOURCE, LENGTH * sizeof *token);
        cr_assert(!pass_open_pair(&p[0], &a.m,
            (struct pass_form){ .maths = &maths_f64, .rows = 2, .source = SOURCE, .length = LENGTH }, why,
            sizeof why) &&
                !pass_open_pair(&p[1], &a.m,
                    (struct pass_form){ .maths = &maths_f64, .rows = 1, .source = SHORT, .length = LENGTH }, why,
                    sizeof why),
            "%s", why);
        cr_assert(pass_forward(&p[0], params, a.token) == MER_OK && pass_forward(&p[1], params, token) == MER_OK);
        cr_expect(
            !memcmp(p[0].logits, p[1].logits, LENGTH * VOCAB * sizeof(double)), "%s: padding leaves a trace", e->name);
        pass_close(&p[0]), pass_close(&p[1]), close_pair(&a), free(params);
    }
}

/* The decoder looks back only, the encoder both ways, and rows of a batch do not affect each other. */
Test(lab_pair, each_side_sees_what_it_may)
{
    enum { AT = 3 };
    static float x[2 * LENGTH * VOCAB], y[2 * LENGTH * VOCAB];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct pair a;
        if (!e->source)
            continue;
        open_pair(&a, e->name, &small, 2);
        ask(&a, x);
        a.token[SOURCE + AT] = (a.token[SOURCE + AT] + 1) % VOCAB, ask(&a, y);
        cr_expect(same(x, y, AT) && !same(x + AT * VOCAB, y + AT * VOCAB, 1) &&
                !same(x + (LENGTH - 1) * VOCAB, y + (LENGTH - 1) * VOCAB, 1) &&
                same(x + LENGTH * VOCAB, y + LENGTH * VOCAB, LENGTH),
            "%s: a token of the decoder's", e->name);
        for (int k = 0; k < 2; k++) { /* Its first and its last. */
            int64_t *t = &a.token[k ? SOURCE - 1 : 0];
            *t = (*t + 1) % VOCAB, ask(&a, x);
            cr_expect(!same(x, y, 1) && same(x + LENGTH * VOCAB, y + LENGTH * VOCAB, LENGTH),
                "%s: token %d of the source", e->name, k ? SOURCE - 1 : 0);
            memcpy(y, x, sizeof y);
        }
        close_pair(&a);
    }
}

Test(lab_pair, encodings_and_changes_that_have_no_encoder_are_refused)
{
    struct model m;
    struct pass p = { 0 };
    char why[400];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        cr_expect(model_open(&m, e->name, &small, why, sizeof why) == (e->source ? 0 : -1) &&
                (e->source || strstr(why, e->name)),
            "%s: %s", e->name, why);
    cr_assert_eq(model_open(&m, "rope", &small, why, sizeof why), 0);
    cr_expect(pass_open(&p, &m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = 4 }, why,
        sizeof why) == -1 && strstr(why, "source"), "%s", why);
    for (const struct variant *v = variants; v->name; v++)
        if (variant_fits(v, m.enc)) {
            const int rc = pass_open_pair(&p, &m,
                (struct pass_form){ .maths = &maths_f32, .rows = 1, .source = SOURCE, .length = LENGTH, .variant = v },
                why, sizeof why);
            cr_expect(rc == (v->attention || v->attend || v->window ? -1 : 0), "%s: %s", v->name, why);
            pass_close(&p);
        }
    struct lab_size alone = small;
    alone.encoders = 0;
    cr_assert_eq(model_open(&m, "rope", &alone, why, sizeof why), 0);
    cr_expect(pass_open_pair(&p, &m,
        (struct pass_form){ .maths = &maths_f32, .rows = 1, .source = SOURCE, .length = LENGTH }, why,
        sizeof why) == -1 &&
            strstr(why, "without an encoder"),
        "%s", why);
    alone.encoders = LAYERS_MOST;
    cr_expect(model_open(&m, "rope", &alone, why, sizeof why) == -1 && strstr(why, "of an encoder"), "%s", why);
}

/* pass_close is due after a refusal too, and must not meet what was in p before. */
Test(lab_pair, a_refused_pass_can_be_closed)
{
    struct model m;
    struct pass p;
    char why[400];
    memset(&p, 0xaa, sizeof p);
    cr_assert_eq(model_open(&m, "rope", &small, why, sizeof why), 0);
    cr_expect_eq(
        pass_open(&p, &m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = 4 }, why, sizeof why), -1);
    cr_assert(!p.arena && !p.source, "what p held before is still there");
    pass_close(&p);
}

static const char tiny[] =
    "layers=1 heads=2 channels=16 inner=24 length=23 reach=48 batch=12 part=3 steps=24 warm=5 rate=1/100";
static void run(const char *encoding, int workers, long steps, char hex[65])
{
    struct trainer t;
    char why[4200];
    cr_assert_eq(trainer_open(&t, encoding, "encdec-reverse", tiny, NULL, workers, why, sizeof why), 0, "%s", why);
    for (long k = 0; k < steps; k++)
        cr_assert_eq(trainer_step(&t, why, sizeof why), 0, "%s", why);
    trainer_digest(&t, hex);
    trainer_close(&t);
}

Test(lab_pair, the_number_of_workers_leaves_no_trace)
{
    char one[65], more[65];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        for (int workers = 2; workers < 5 && e->source; workers++) {
            run(e->name, 1, 6, one), run(e->name, workers, 6, more);
            cr_expect_str_eq(one, more, "%s, %d workers", e->name, workers);
        }
}

Test(lab_pair, killed_and_resumed_the_weights_are_the_same, .timeout = 60)
{
    char path[64], whole[65], parts[65], why[4200], command[80];
    struct trainer t;
    int killed = 0;
    snprintf(path, sizeof path, "/tmp/meridian-pair-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -f %s*", path);
    run("t5", 1, 24, whole);
    for (int life = 0; life < 60; life++) {
        pid_t child = fork();
        int status;
        if (!child) {
            if (trainer_open(&t, "t5", "encdec-reverse", tiny, NULL, 1 + life % 2, why, sizeof why) ||
                checkpoint_read(&t, path, why, sizeof why) < 0)
                _exit(1);
            while (t.step < t.set.steps)
                if (trainer_step(&t, why, sizeof why) || checkpoint_write(&t, path, why, sizeof why))
                    _exit(1);
            _exit(0);
        }
        if (life < 10)
            usleep((useconds_t)(4000 + 5000 * (life % 5))), kill(child, SIGKILL);
        waitpid(child, &status, 0);
        cr_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        killed += WIFSIGNALED(status);
        if (WIFEXITED(status))
            break;
    }
    cr_expect_geq(killed, 3, "only %d lives were cut short", killed);
    cr_assert_eq(trainer_open(&t, "t5", "encdec-reverse", tiny, NULL, 1, why, sizeof why), 0);
    cr_assert_eq(checkpoint_read(&t, path, why, sizeof why), 1, "%s", why);
    trainer_digest(&t, parts);
    cr_expect(t.step == 24 && !strcmp(whole, parts));
    trainer_close(&t);
    cr_expect_eq(system(command), 0);
}

/* Teacher-forced answers that are right from end to end are those that greedy search writes: both have the same first
 * wrong symbol. */
Test(lab_pair, greedy_search_writes_what_is_answered_word_for_word, .timeout = 60)
{
    struct trainer t;
    char why[4200];
    int64_t exact = 0, asked = 0;
    cr_assert_eq(
        trainer_open(&t, "sinusoid", "encdec-reverse",
            "layers=1 heads=2 channels=24 inner=32 length=9 reach=48 batch=32 part=8 steps=220 warm=10 rate=1/100",
            NULL, 1, why, sizeof why),
        0, "%s", why);
    while (t.step < t.set.steps)
        cr_assert_eq(trainer_step(&t, why, sizeof why), 0, "%s", why);
    for (int64_t size = 1; size < 6; size++) {
        struct answers a;
        struct written g, one, four;
        cr_assert_eq(answers_make(&a, &t.m, t.params,
            (struct exam){ .task = t.task, .size = size, .trials = 24, .seed = 5, .depth = -1 }, NULL, why,
            sizeof why), 0, "%s", why);
        cr_assert_eq(written_make(&g, &t.m, t.params,
            (struct exam){ .task = t.task, .size = size, .trials = 24, .seed = 5 }, 0, why, sizeof why), 0, "%s", why);
        cr_assert_eq(written_make(&one, &t.m, t.params,
            (struct exam){ .task = t.task, .size = size, .trials = 24, .seed = 5 }, 1, why, sizeof why), 0, "%s", why);
        cr_assert_eq(written_make(&four, &t.m, t.params,
            (struct exam){ .task = t.task, .size = size, .trials = 24, .seed = 5 }, 4, why, sizeof why), 0, "%s", why);
        cr_expect(a.exact == g.exact && g.exact == one.exact && g.length == one.length && four.trials == 24,
            "%d letters: %d by answers, %d by greedy search, %d by a beam of one", (int)size, (int)a.exact,
            (int)g.exact, (int)one.exact);
        exact += a.exact, asked += a.trials;
    }
    cr_expect(exact > asked / 8 && exact < asked - asked / 8, "%d of %d exact: nothing to tell apart", (int)exact,
        (int)asked);
    trainer_close(&t);
}

/* A row holds the word and an end, then the word backwards; every length in range occurs, and nothing is asked of
 * padding. */
Test(lab_pair, rows_of_the_task_are_words_and_the_same_backwards)
{
    enum { ROW = 42, READ = 21 };
    const struct task *t = task_named("encdec-reverse");
    int64_t token[ROW], target[ROW], seen = 0;
    for (uint64_t row = 0; row < 400; row++) {
        const int64_t n = task_row(t, NULL, 9, 4, row, ROW, token, target);
        int right = n >= 1 && n <= 20;
        task_pair(t, n, READ, ROW, token, target);
        for (int64_t k = 0; k < READ; k++) {
            right &= k < n ? token[k] >= 0 && token[k] < REWRITE_LETTERS : token[k] == (k == n ? REWRITE_END : -1);
            right &= target[k] == (k < n ? token[n - 1 - k] : k == n ? REWRITE_END : -1);
            right &= token[READ + k] == (k == 0 ? REWRITE_START : k <= n ? target[k - 1] : 0);
        }
        cr_expect(right, "row %d of %d letters", (int)row, (int)n);
        seen |= (int64_t)1 << n;
    }
    cr_expect_eq(seen, (1 << 21) - 2, "a size is missing: %llx", (unsigned long long)seen);
}

/* A change for longer texts is asked beyond the trained length alone: t5's stretched buckets do not fit into less, and
 * the run once ended there. */
Test(lab_pair, the_study_asks_what_is_written_and_changes_beyond_the_trained_length, .timeout = 60)
{
    char dir[60], args[300], env[100], why[300], *text;
    snprintf(dir, sizeof dir, "/tmp/meridian-study-%d", (int)getpid()),
        snprintf(args, sizeof args, "mkdir -p %s/d", dir), snprintf(env, sizeof env, "MERIDIAN_DATA=%s/d", dir);
    cr_assert_eq(system(args), 0);
    static const char study[] = "encdec-reverse\t20\t1\tt5 rope\t3 8 19\t-\t4\tlayers=1 heads=2 channels=16 inner=16 "
                                "length=18 batch=8 warm=5\n",
                      gate[] = "a gate\tencdec-reverse\tlength\trope/beam-4@8\twithin\trope/greedy@8\t9\tnew\tnobody\n";
    snprintf(args, sizeof args, "%s/d/extrapolate.tsv", dir);
    cr_assert_eq(file_replace(args, study, sizeof study - 1, why, sizeof why), 0, "%s", why);
    snprintf(args, sizeof args, "%s/d/gates.tsv", dir);
    cr_assert_eq(file_replace(args, gate, sizeof gate - 1, why, sizeof why), 0, "%s", why);
    snprintf(args, sizeof args, "extrapolate --out %s", dir);
    cr_assert_eq(meridian(env, args), 0, "%s%s", out, err);
    snprintf(args, sizeof args, "cat %s/lab/*.answers > %s/all", dir, dir);
    cr_expect_eq(system(args), 0);
    snprintf(args, sizeof args, "%s/all", dir);
    text = file_read(args);
    cr_expect(text && strstr(text, "exact\tremap\t19\t") && !strstr(text, "\tremap\t3\t") &&
            !strstr(text, "\tremap\t8\t") && strstr(text, "exact\tpi\t19\t") && !strstr(text, "\tpi\t8\t") &&
            strstr(text, "length\tbeam-4\t19\t") && strstr(text, "exact\tgreedy\t3\t") && !strstr(text, "\twindow\t"),
        "%s", text ? text : "");
    free(text);
    snprintf(args, sizeof args, "%s/extrapolation.md", dir);
    text = file_read(args);
    cr_expect(text && strstr(text, "Written by search") && strstr(text, "0 of 1 orderings that were asked") &&
            strstr(text, "| beam-4"),
        "%s", text ? text : "");
    free(text);
    snprintf(args, sizeof args, "rm -r %s", dir);
    cr_expect_eq(system(args), 0);
}
