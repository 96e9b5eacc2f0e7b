/* Training repeats itself bit by bit: whatever the workers, after any interruption; checkpoints that are damaged or
 * another's. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/files.h"
#include "core/gen.h"
#include "lab/text/sha256.h"
#include "lab/train/train.h"

static const char tiny[] =
    "layers=2 heads=2 channels=16 inner=24 length=24 reach=48 batch=12 part=3 steps=30 warm=5 rate=1/100";

static void run(
    const char *encoding, const char *task, const char *text, int workers, long steps, char hex[65], double *loss)
{
    struct trainer t;
    char why[4200];
    cr_assert_eq(trainer_open(&t, encoding, task, text, NULL, workers, why, sizeof why), 0, "%s", why);
    for (long k = 0; k < steps; k++)
        cr_assert_eq(trainer_step(&t, why, sizeof why), 0, "%s", why);
    trainer_digest(&t, hex);
    if (loss)
        *loss = t.loss;
    trainer_close(&t);
}

Test(lab_train, sha256_of_known_texts)
{
    char hex[65], a[1001] = "";
    sha256_of("", 0, hex);
    cr_expect_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    /* The example of FIPS 180-2, B.2. */
    sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    cr_expect_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(a, 'a', 1000);
    struct sha256 s;
    sha256_open(&s);
    for (int k = 0; k < 1000; k++)
        sha256_add(&s, a, 1000);
    sha256_close(&s, hex);
    /* A million times the letter a (FIPS 180-2, B.3). */
    cr_expect_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(lab_train, the_number_of_workers_leaves_no_trace)
{
    char one[65], more[65];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        for (int workers = 2; workers < 5; workers++) {
            run(e->name, "copy", tiny, 1, 6, one, NULL), run(e->name, "copy", tiny, workers, 6, more, NULL);
            cr_expect_str_eq(one, more, "%s, %d workers", e->name, workers);
        }
    run("rope", "copy",
        "layers=2 heads=2 channels=16 inner=24 length=24 reach=48 batch=12 part=3 steps=30 warm=5 rate=1/100 seed=2", 1,
        6, more, NULL),
        run("rope", "copy", tiny, 1, 6, one, NULL);
    cr_expect_str_neq(one, more, "another seed, the same weights");
}

/* A training that is killed again and again, where each life begins from what is there. */
static double interrupted(const char *path, const char *encoding, uint64_t salt, char hex[65])
{
    char why[4200];
    int killed = 0;
    for (int life = 0; life < 200; life++) {
        pid_t child = fork();
        if (!child) {
            struct trainer t;
            if (trainer_open(&t, encoding, "needle", tiny, NULL, 1 + life % 2, why, sizeof why) ||
                checkpoint_read(&t, path, why, sizeof why) < 0)
                _exit(1);
            while (t.step < t.set.steps)
                if (trainer_step(&t, why, sizeof why) || checkpoint_write(&t, path, why, sizeof why))
                    _exit(1);
            _exit(0);
        }
        int status;
        if (life < 20) { /* It is killed 20 times at random moments; then it may end. */
            usleep((useconds_t)(1000 + gen_bits(salt, 1, (uint64_t)life) % 12000));
            kill(child, SIGKILL);
        }
        waitpid(child, &status, 0);
        cr_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        killed += WIFSIGNALED(status);
        if (WIFEXITED(status))
            break;
    }
    cr_expect_geq(killed, 5, "only %d lives were cut short", killed);
    struct trainer t;
    cr_assert_eq(trainer_open(&t, encoding, "needle", tiny, NULL, 1, why, sizeof why), 0);
    cr_assert_eq(checkpoint_read(&t, path, why, sizeof why), 1, "%s", why);
    cr_assert_eq(t.step, 30);
    trainer_digest(&t, hex);
    const double loss = t.loss;
    trainer_close(&t);
    return loss;
}

Test(lab_train, killed_at_twenty_random_moments_and_resumed_the_weights_are_the_same, .timeout = 60)
{
    char path[64], whole[65], parts[65], command[80];
    snprintf(path, sizeof path, "/tmp/meridian-lab-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -f %s*", path);
    double loss;
    run("shaw", "needle", tiny, 1, 30, whole, &loss);
    cr_expect_eq(interrupted(path, "shaw", 7, parts), loss, "the last loss is not part of the checkpoint");
    cr_expect_str_eq(whole, parts);
    cr_expect_eq(system(command), 0);
}

Test(lab_train, a_damaged_checkpoint_is_set_aside_and_another_trainings_is_refused)
{
    char path[64], other[80], why[4200], command[80], *text;
    struct trainer t;
    snprintf(path, sizeof path, "/tmp/meridian-lab-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -f %s*", path);
    cr_assert_eq(trainer_open(&t, "alibi", "reverse", tiny, NULL, 1, why, sizeof why), 0, "%s", why);
    cr_expect_eq(checkpoint_read(&t, path, why, sizeof why), 0);
    cr_assert_eq(checkpoint_write(&t, path, why, sizeof why), 0, "%s", why);
    cr_expect_eq(checkpoint_read(&t, path, why, sizeof why), 1);
    const size_t size = 100 + 3 * (size_t)t.m.count * sizeof(float); /* Some byte behind the head of the file. */
    for (int k = 1; k <= 2; k++) {
        text = file_read(path);
        text[size] ^= 1;
        FILE *f = fopen(path, "r+b");
        fseek(f, (long)size, SEEK_SET), fputc(text[size], f), fclose(f), free(text);
        snprintf(other, sizeof other, "%s.corrupt-%d", path, k);
        cr_expect_eq(checkpoint_read(&t, path, why, sizeof why), 0);
        cr_expect(
            strstr(why, "SHA-256") && strstr(why, other) && access(path, F_OK) && !access(other, R_OK), "%s", why);
        cr_assert_eq(checkpoint_write(&t, path, why, sizeof why), 0);
    }
    t.set.seed++;
    trainer_close(&t);
    cr_assert_eq(trainer_open(&t, "alibi", "reverse",
                     "seed=2 layers=2 heads=2 channels=16 inner=24 length=24 reach=48 batch=12 part=3 steps=30 warm=5 "
                     "rate=1/100",
                     NULL, 1, why, sizeof why),
        0);
    cr_expect_eq(checkpoint_read(&t, path, why, sizeof why), -1);
    cr_expect(strstr(why, "another training") && !access(path, R_OK), "%s", why);
    trainer_close(&t);
    cr_expect_eq(system(command), 0);
}

Test(lab_train, a_loss_that_is_no_number_stops_and_leaves_the_state_as_it_was)
{
    struct trainer t;
    char why[4200], before[65], after[65];
    cr_assert_eq(trainer_open(&t, "rope", "copy", tiny, NULL, 2, why, sizeof why), 0, "%s", why);
    cr_assert_eq(trainer_step(&t, why, sizeof why), 0);
    t.params[t.m.block[t.m.out].at] = NAN;
    trainer_digest(&t, before);
    cr_expect_eq(trainer_step(&t, why, sizeof why), -1);
    trainer_digest(&t, after);
    cr_expect(strstr(why, "step 1: loss nan"), "%s", why);
    cr_expect_str_eq(before, after);
    trainer_close(&t);
}

/* Values are uniform over ten: without the context no predictor has a mean loss below ln 10.  A quarter of that says
 * that the needle was read. */
Test(lab_train, every_encoding_learns_to_find_a_value, .timeout = 120)
{
    enum { STEPS = 240 };
    static const char text[] =
        "layers=2 heads=2 channels=32 inner=64 length=12 reach=24 batch=32 part=8 warm=20 steps=240 rate=5/1000";
    char why[4200];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct trainer t;
        cr_assert_eq(trainer_open(&t, e->name, "needle", text, NULL, 1, why, sizeof why), 0, "%s: %s", e->name, why);
        do
            cr_assert_eq(trainer_step(&t, why, sizeof why), 0, "%s: %s", e->name, why);
        while (t.step < STEPS && !(t.loss < log(10) / 4));
        cr_expect(t.loss < log(10) / 4, "%s: %g nats after %d steps", e->name, t.loss, STEPS);
        trainer_close(&t);
    }
}

Test(lab_train, trainings_that_fit_nowhere_are_refused_before_anything_is_allocated)
{
    static const struct { const char *text, *task, *why; } bad[] = {
        { "batch=65536 length=65536 reach=65536 part=65536", "mode", "GB" },
        { "batch=10 part=3", "mode", "parts of 3" },
        { "length=5", "needle", "8 tokens at least" },
        { "layers=0", "mode", "layers" },
        { "nonesuch=1", "mode", "nonesuch" },
        { "", "chess", "chess" },
        { "", "lm", "corpus" },
    };
    char why[4200];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct trainer t;
        cr_expect_eq(
            trainer_open(&t, "none", bad[k].task, bad[k].text, NULL, 1, why, sizeof why), -1, "%s", bad[k].text);
        cr_expect(strstr(why, bad[k].why), "%s: %s", bad[k].text, why);
        trainer_close(&t);
    }
}
