/* Rows of tasks: whole, the same again, and solved by what they are said to be solved by, at sizes far beyond those of
 * training; the control's entropy. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lab/text/tasks.h"

enum { ROOM = 4096 };
static int64_t token[ROOM], target[ROOM];

/* Writes a held-out row and returns how many tokens it has. */
static int64_t row(const char *task, uint64_t seed, uint64_t trial, int64_t size, double depth)
{
    const struct task *t = task_named(task);
    struct draw d = { seed, trial, 0 };
    cr_assert(t && t->tokens(size) <= ROOM);
    t->make(NULL, &d, size, depth, 1, token, target);
    return t->tokens(size);
}

Test(lab_tasks, every_row_is_whole_and_the_same_again)
{
    static int64_t again[ROOM], answer[ROOM];
    for (const struct task *t = tasks; t->name; t++) {
        cr_expect(t->solved && *t->solved && t->blind >= 0 && t->blind < 1, "%s says what solves it", t->name);
        for (int64_t size = t->least; !t->reads && size <= (t->limit ? t->limit : 700); size = size * 3 / 2 + 1)
            for (uint64_t trial = 0; trial < 20; trial++) {
                int64_t asked = 0;
                const double depth = t->deep && trial % 3 ? (double)(trial % 3 - 1) : -1;
                const int64_t n = row(t->name, 3, trial, size, depth);
                memcpy(again, token, sizeof token), memcpy(answer, target, sizeof target);
                for (int64_t k = 0; k < n; k++) {
                    cr_assert(token[k] >= 0 && token[k] < t->vocab && target[k] < t->vocab, "%s size %lld: %lld, %lld",
                        t->name, (long long)size, (long long)token[k], (long long)k);
                    asked += target[k] >= 0;
                }
                cr_expect_gt(asked, 0, "%s size %lld asks nothing", t->name, (long long)size);
                row(t->name, 3, trial, size, depth);
                cr_expect(!memcmp(again, token, (size_t)n * sizeof *token) &&
                    !memcmp(answer, target, (size_t)n * sizeof *target));
            }
    }
}

/* Four keys lie in the noise, each once, and the one asked for is followed by the answer; its place is the depth. */
Test(lab_tasks, the_key_asked_for_stands_once_and_where_it_should)
{
    enum { NOISE = 16, VALUES = 10 };
    for (uint64_t trial = 0; trial < 400; trial++) {
        const int64_t size = 12 + (int64_t)(trial * 7 % 500);
        const double depth = (double)(trial % 5) / 4;
        const int64_t n = row("multikey", 5, trial, size, depth);
        int64_t keys = 0, at = -1, values = 0, times = 0;
        for (int64_t k = 0; k < n - 1; k++) {
            keys += token[k] >= NOISE + VALUES, values += token[k] >= NOISE && token[k] < NOISE + VALUES;
            times += token[k] == token[n - 1], at = token[k] == token[n - 1] ? k : at;
        }
        cr_expect(keys == 4 && times == 1);
        cr_expect(at >= 0 && token[at + 1] == target[n - 1] && target[n - 1] >= NOISE && values >= 4);
        cr_expect_eq(at, 2 * lround(depth * (double)((size - 1) / 2 - 1)), "size %lld", (long long)size);
    }
}

/* Two look-ups from the name asked for to its value, whatever lies between; and one look-up is not enough. */
Test(lab_tasks, a_chain_of_names_ends_in_the_value_asked_for)
{
    enum { NAMES = 256 };
    for (int64_t size = 4; size <= 256; size += 7) {
        const int64_t n = row("variables", 2, (uint64_t)size, size, -1);
        int64_t name = token[n - 1];
        int steps = 0;
        while (name < NAMES && steps < 4) {
            int64_t k = 0;
            while (k < n - 1 && token[k] != name)
                k += 2;
            cr_assert(k < n - 1, "size %lld: a name without a statement", (long long)size);
            name = token[k + 1], steps++;
        }
        cr_expect_eq(name, target[n - 1]);
        cr_expect_eq(steps, 3, "size %lld: %d steps", (long long)size, steps);
    }
}

/* Every key of recall stands once among the pairs and is answered by what follows it there. */
Test(lab_tasks, recall_is_a_look_up)
{
    for (int64_t pairs = 4; pairs <= 256; pairs += 9) {
        const int64_t n = row("recall", 1, (uint64_t)pairs, pairs, -1);
        for (int64_t k = 2 * pairs; k < n; k += 2) {
            int64_t at = 0, times = 0;
            for (int64_t i = 0; i < 2 * pairs; i += 2)
                times += token[i] == token[k], at = token[i] == token[k] ? i : at;
            cr_expect(times == 1 && token[at + 1] == target[k]);
        }
    }
}

/* The value of any key of a row is the one asked for as often as the page says; the bound is that of the test below. */
Test(lab_tasks, any_keyed_value_is_right_as_often_as_is_said)
{
    enum { ROWS = 100000, SIZE = 14, KEYS_FROM = 26, KEYS = 4 };
    double right = 0;
    for (uint64_t trial = 0; trial < ROWS; trial++) {
        int keys = 0, same = 0;
        row("multikey", 5, trial, SIZE, -1);
        for (int k = 0; k + 2 < SIZE; k += 2)
            if (token[k] >= KEYS_FROM)
                keys++, same += token[k + 1] == target[SIZE - 1];
        cr_assert_eq(keys, KEYS, "%d", keys);
        right += (double)same / KEYS;
    }
    cr_expect(fabs(right / ROWS - task_named("multikey")->keyed) <= 0.011, "%g", right / ROWS);
}

/* Shares over independent rows lie within 0.011 of what is said but for a chance of 2 e^(-2 n 0.011^2), which is below
 * 10^-10 for n = 100000 (Hoeffding). */
Test(lab_tasks, the_control_repeats_its_distance_and_no_nearer_one)
{
    enum { ROWS = 100000, SIZE = 26 };
    static int same[ECHO_BACK + 1];
    double entropy = 0;
    for (uint64_t trial = 0; trial < ROWS; trial++) {
        row("echo", 9, trial, SIZE, -1);
        for (int back = 1; back <= ECHO_BACK; back++)
            same[back] += token[SIZE - 1] == token[SIZE - 1 - back];
    }
    for (int back = 1; back <= ECHO_BACK; back++) {
        const double want = back == ECHO_BACK ? 7.0 / 8 + 1.0 / 128 : 1.0 / ECHO_SYMBOLS;
        cr_expect(fabs((double)same[back] / ROWS - want) <= 0.011, "%d back: %d of %d", back, same[back], ROWS);
    }
    for (int k = 0; k < ECHO_SYMBOLS; k++) { /* of one symbol, given the one 24 back is 0 */
        const double p = (k ? 0 : 7.0 / 8) + 1.0 / 8 / ECHO_SYMBOLS;
        entropy -= p * log2(p);
    }
    cr_expect(fabs(echo_entropy(56) - entropy) <= 0x1p-40 && fabs(echo_entropy(4096) - entropy) <= 0x1p-40, "%.17g",
        echo_entropy(56));
    cr_expect(fabs(echo_entropy(32) - (23 * 4 + 9 * entropy) / 32) <= 0x1p-40);
    cr_expect(fabs(echo_entropy(55) - (0 * 4 + 32 * entropy) / 32) <= 0x1p-40);
    cr_expect(fabs(echo_entropy(54) - (1 * 4 + 31 * entropy) / 32) <= 0x1p-40);
    cr_expect(fabs(echo_entropy(20) - 4) <= 0x1p-40);
}
